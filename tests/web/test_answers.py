"""Answers: no paths of the machine, no number that JSON does not have."""

import json

import pytest

from rankine.errors import InputError
from rankine.web.answers import bad_input, json_answer, rounded, without_paths


@pytest.mark.parametrize("text", ["/home/ann/tapes/a.wav", "'/a/b c'", "C:\\Users\\ann", "~/tapes/x", "in /tmp/x: no"])
def test_paths_are_left_out(text):
    told = without_paths(f"could not read {text} now")
    assert "…" in told
    assert not any(part in told for part in ("home", "ann", "/a", "tmp", "tapes"))


@pytest.mark.parametrize("text", ["3/4", "and/or", "1999-05-17", "km/h and m/s", "a / b"])
def test_other_text_stays(text):
    assert without_paths(text) == text


def test_where_is_left_out():
    error = InputError("the file is damaged", "/home/ann/archive/store.sqlite")
    assert bad_input(error).message == "the file is damaged"


def test_numbers():
    body = json_answer({"a": float("nan"), "b": float("inf"), "c": [1.5], "d": "<é>"}).body
    assert json.loads(body) == {"a": None, "b": None, "c": [1.5], "d": "<é>"}
    assert (rounded(1.23456), rounded(float("nan")), rounded(None), rounded(0.123456, 4)) == (1.235, None, None, 0.1235)
