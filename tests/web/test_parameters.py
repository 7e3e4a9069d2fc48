"""Parameters of requests."""

import pytest

from rankine.web.answers import ApiError
from rankine.web.parameters import Parameters, decoded


def test_values():
    some = Parameters(b"q=a+b%26&k=12&t=1.5&c=heard,perhaps&empty=")
    assert some.text("q") == "a b&"
    assert some.number("k", 1, 1, 100) == 12
    assert some.number("other", 7, 1, 100) == 7
    assert some.seconds("t") == 1.5
    assert some.seconds("other", 2.0) == 2.0
    assert some.choices("c", ("heard", "perhaps", "sounds like")) == ("heard", "perhaps")
    assert some.choices("empty", ("heard", "perhaps")) == ("heard", "perhaps")
    assert some.choice("empty", ("asc", "desc")) == "asc"
    assert some.optional("empty") is None


@pytest.mark.parametrize("query", [b"a=1&a=2", b"a=%ff", b"a=\xff", b"&".join(b"p%d=1" % i for i in range(60))])
def test_queries_that_cannot_be_read(query):
    with pytest.raises(ApiError):
        Parameters(query)


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "101", "0", "٣", "1e3", "9" * 30, " 1", "0x1", "+5"])
def test_wrong_numbers(text):
    with pytest.raises(ApiError, match="whole number from 1 to 100"):
        Parameters.number(_with(k=text), "k", 1, 1, 100)


@pytest.mark.parametrize("text", ["x", "-1", "nan", "inf", "1e9", "", "1,5"])
def test_wrong_times(text):
    with pytest.raises(ApiError, match="a time in seconds"):
        _with(t=text).seconds("t")


def test_other_wrong_values():
    with pytest.raises(ApiError, match="at most 10"):
        _with(q="x" * 11).text("q", longest=10)
    with pytest.raises(ApiError):
        _with(q="a\0b").text("q")
    with pytest.raises(ApiError, match="one of asc, desc"):
        _with(order="up").choice("order", ("asc", "desc"))
    with pytest.raises(ApiError, match="some of heard"):
        _with(c="heard,,").choices("c", ("heard", "perhaps"))


def test_names_in_addresses():
    assert decoded("a%2Fb%20%C3%BC+") == "a/b ü+"
    for wrong in ("%ff", "x" * 5000):
        with pytest.raises(ApiError):
            decoded(wrong)


def _with(**values):
    from urllib.parse import urlencode

    return Parameters(urlencode(values).encode())
