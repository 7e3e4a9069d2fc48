"""Small files that ask for much end in one line, soon and within a gigabyte."""

import pytest

from attacks import bombs

SMALL = [bomb for bomb in bombs.every() if bomb.small]


@pytest.mark.parametrize("bomb", SMALL, ids=lambda bomb: bomb.name)
def test_a_bomb_does_no_harm(bomb, tmp_path):
    assert bombs.failure(bomb, bombs.set_off(bomb, tmp_path)) == ""


def test_harm_is_noticed():
    refused, legal = (next(b for b in SMALL if b.legal == legal) for legal in (False, True))
    good = bombs.End(1, 1.0, 1 << 20, "rankine: x: too large")
    assert bombs.failure(refused, good) == ""
    assert bombs.failure(legal, good._replace(code=0)) == ""
    for bad in (
        good._replace(code=-9), good._replace(seconds=99.0), good._replace(memory=2 << 30), good._replace(text=""),
        good._replace(code=0), good._replace(text="Traceback\nrankine: x"),
        good._replace(text="rankine: a\nrankine: b"),
    ):  # fmt: skip
        assert bombs.failure(refused, bad)
    assert bombs.failure(legal, good)
