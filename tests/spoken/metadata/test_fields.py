"""The fields: their names, and how cells are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.metadata.fields import (
    KEYS,
    MEASURED,
    TABLE,
    field_name,
    in_order,
    read_value,
    settable_name,
    values_of,
)
from rankine.spoken.text import ABOUT_TEXTS


def test_every_name_means_one_field():
    names = [name for field in TABLE.values() for name in (field.name, *field.aliases)]
    assert len(names) == len(set(names))
    assert not set(names) & {*KEYS, *MEASURED}
    for field in TABLE.values():
        assert field_name(field.name.upper()) == field.name
        for alias in field.aliases:
            assert field_name(alias) == field_name(f"dc:{alias}") == field_name(f"dcterms:{alias}") == field.name


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("dcterms:isPartOf", "collection"), ("dcterms:accessRights", "rights"), ("DC.Title", "title"),
        ("Tape no.", "tape-no"),
        ("Interview_Place", "interview-place"), ("Ort (genau)", "ort-genau"), ("地点", "地点"),
        ("dc:creator", "speakers"),
    ],
)  # fmt: skip
def test_names(text, want):
    assert field_name(text) == want


@pytest.mark.parametrize("text", ["", " ", "12", "=cmd()"[0], "x" * 61, "-", "\x00"])
def test_what_is_no_name(text):
    with pytest.raises(rk.InputError, match="expected the name of a field"):
        field_name(text)


@pytest.mark.parametrize("text", ["length", "Recording", "segments", "audio"])
def test_what_is_measured_cannot_be_set(text):
    with pytest.raises(rk.InputError, match=r"is no field that can be set; there are title, date, speakers"):
        settable_name(text)


@pytest.mark.parametrize(
    ("field", "text", "want"),
    [
        ("speakers", " Ann  Lee;Bob ;; Ann Lee", "Ann Lee; Bob"), ("tags", ";", ""), ("title", "a\tb\nc", "a b c"),
        ("notes", "one  \r\ntwo\n", "one\ntwo"), ("language", "EN_gb; German", "en-gb; German"),
        ("date", "17 May 2023", "2023-05-17"),
        ("rights", "Closed", "closed"), ("place", "=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"), ("title", "  ", ""),
        ("title", "e\u0301", "é"),
    ],
)  # fmt: skip
def test_cells(field, text, want):
    assert read_value(field, text) == want


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("title", "a\x07b", r"^title: the cell holds the control character U\+0007$"), ("place", "\x00", r"U\+0000"),
        ("title", "\ud800", r"U\+D800"), ("title", "x" * 100_001, "100,001 characters; at most 100,000"),
        ("date", "5/11/2023", "^date: '5/11/2023' means"),
    ],
)  # fmt: skip
def test_what_no_cell_holds(field, text, message):
    with pytest.raises(rk.InputError, match=message):
        read_value(field, text)


@given(st.sampled_from([*TABLE, "place"]), st.text(max_size=40))
def test_what_is_kept_is_read_as_itself(field, text):
    try:
        value = read_value(field, text)
    except rk.InputError:
        return
    assert read_value(field, value) == value


def test_a_table_for_indexing_has_every_field():
    assert {field_name(name) for name in ABOUT_TEXTS} == set(TABLE)


def test_values_and_order():
    assert values_of("a; b ;") == ["a", "b"]
    assert in_order(["place", "tags", "title", "area"]) == ["title", "tags", "area", "place"]
