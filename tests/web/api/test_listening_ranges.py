"""Ranges of bytes, against what the standard says."""

import pytest

from rankine.web.answers import ApiError
from rankine.web.api.listening import read_range


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None), ("bytes=0-", (0, 1000)), ("bytes=0-0", (0, 1)), ("bytes=999-", (999, 1000)),
        ("bytes=5-9999999", (5, 1000)), ("bytes=-1", (999, 1000)), ("bytes=-5000", (0, 1000)), ("items=0-5", None),
        ("Bytes=1-2", (1, 3)), (" bytes=1-2 ", (1, 3)), ("bytes= 1-2 ", (1, 3)), ("", None), ("garbage", None),
    ],
)  # fmt: skip
def test_ranges(header, expected):
    assert read_range(header, 1000) == expected


@pytest.mark.parametrize(
    "text", ["1000-", "5-4", "-0", "0-1,5-6", "-", "a-b", "--1", "1-2-3", "9" * 30 + "-", "٣-٤", ""]
)  # fmt: skip
def test_refused(text):
    with pytest.raises(ApiError) as caught:
        read_range(f"bytes={text}", 1000)
    assert caught.value.status == 416
    assert caught.value.headers["Content-Range"] == "bytes */1000"


def test_several_ranges_are_refused_in_plain_words():
    with pytest.raises(ApiError, match="expected one range of bytes, got several"):
        read_range("bytes=0-1,5-6", 1000)


def test_nothing_of_an_empty_file():
    with pytest.raises(ApiError):
        read_range("bytes=0-", 0)
