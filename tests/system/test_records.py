"""Records: JSON of ours is what its schema says, or one line names the member."""

from typing import TypedDict

import pytest

from rankine.errors import InputError
from rankine.system.records import DEEPEST, Count, Finite, checked, parsed, record


class Part(TypedDict):
    file: str
    size: Count


class Whole(TypedDict):
    parts: list[Part]
    scale: Finite


GOOD = b'{"parts": [{"file": "a", "size": 3}], "scale": 2}'


def test_a_record_of_the_schema_is_read_and_its_further_members_are_ignored():
    assert record(GOOD, Whole, "a whole", "x") == {"parts": [{"file": "a", "size": 3}], "scale": 2.0}
    more = b'{"parts": [], "scale": 2, "later": true}'
    assert record(more, Whole, "a whole", "x") == {"parts": [], "scale": 2.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "Expecting value"),
        (b"\xff", "utf-8"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"parts": []}', "missing required field `scale`"),
        (b'{"parts": [{"file": 1, "size": 3}], "scale": 2}', r"\$\.parts\[0\]\.file"),
        (b'{"parts": [{"file": "a", "size": -3}], "scale": 2}', ">= 0"),
        (b'{"parts": [{"file": "a", "size": 3.5}], "scale": 2}', r"\$\.parts\[0\]\.size"),
        (b'{"parts": [], "scale": 1e999}', r"\$\.scale"),
        (b'{"parts": [], "scale": NaN}', "NaN is not a number of JSON"),
        (b'{"parts": [], "scale": ' + b"9" * 5000 + b"}", "digits"),
        (b'{"parts": [], "scale": true}', r"\$\.scale"),
        (b"[" * 100_000, "too deep"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), f"more than {DEEPEST}"),
    ],
)
def test_anything_else_is_refused_in_one_line_that_names_the_file(text, says):
    with pytest.raises(InputError, match=says) as caught:
        record(text, Whole, "a whole", "x.json")
    assert str(caught.value).startswith("x.json: not a whole")
    assert "\n" not in str(caught.value)


def test_nesting_up_to_the_limit_is_read():
    assert parsed(b"[" * DEEPEST + b"]" * DEEPEST, "lists", "x") is not None
    assert checked([[1]], list[list[Count]], "lists", "x") == [[1]]
