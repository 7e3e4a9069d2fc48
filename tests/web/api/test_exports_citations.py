"""Citations of recordings about which more or less is said."""

from rankine.web.api.exports import citation


def test_what_is_not_said_is_left_out():
    assert citation("t", {"title": "A\n b"}) == "“A b”. Recording t."
    assert citation("t", {"speakers": "Ann"}, 0.0) == "Ann. Recording t, 0:00.0."
    assert citation("t", {"date": "1999"}) == "1999. Recording t."
    assert citation("t", {"collection": "Coast"}, 3723.46) == "Recording t, Coast, 1:02:03.5."
