"""Places by number and by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.archive.judged_places import named_place
from rankine.spoken.archive.segments import (
    PlaceName,
    by_part,
    documents_of,
    place_at,
    place_name,
    places_of,
    read_place_name,
    segment,
)

from ..cases import filled, sausages

NAMES = st.text(min_size=1, max_size=12) | st.from_regex(r"[a-z]{1,3}@[0-9]-[0-9]", fullmatch=True)


@given(NAMES, st.floats(0, 9e6), st.floats(0, 1e5), st.integers(1, 3))
def test_names_are_read_as_they_are_written(document, start, length, digits):
    text = place_name(document, start, start + length, digits)
    name, begin, end = read_place_name(text, {document})
    assert name == document
    assert begin == pytest.approx(start, abs=0.51 * 10**-digits)
    assert end == pytest.approx(start + length, abs=0.51 * 10**-digits)
    assert read_place_name(text, {text, document}) == PlaceName(text)  # a document may be called so
    assert read_place_name(document, {document}) == PlaceName(document)


@given(st.text(max_size=20), st.sets(st.text(max_size=5), max_size=3))
def test_any_text_is_a_name_or_a_clear_error(text, documents):
    try:
        name = read_place_name(text, documents)
    except rk.InputError as error:
        assert "@" in text
        assert text not in documents
        assert "behind the @" in str(error)
    else:
        assert name.document == text or text.startswith(f"{name.document}@")


@pytest.mark.parametrize("text", ["d@nan-1", "d@1e3-2e3", "d@-1-2", "d@inf", "d@1-", "d@١-٢", "d@ 1-2", "d@5-4"])
def test_what_is_no_time(text):
    with pytest.raises(rk.InputError):
        read_place_name(text, {"d"})


def test_numbers_go_through_all_parts(several):
    index = several.index
    assert len(index.parts) > 1
    places = np.arange(int(index.places_before[-1]))
    documents = documents_of(index, places)
    for place, document in zip(places.tolist(), documents.tolist(), strict=True):
        where = segment(index, place)
        assert index.name_of(document) == where.part.names[where.document]
        assert place in places_of(index, document)
        if len(places_of(index, document)) > 1:
            assert where.name == f"{index.name_of(document)}@{where.start:.2f}-{where.end:.2f}"
        assert named_place(index, where.name) == place
        assert place_at(index, document, where.start, where.end) == place
        assert place_at(index, document, where.start + 0.1, where.start + 0.2) == place
    rows = [(part, row) for part, _, mine in by_part(index, places) for row in mine.tolist()]
    assert [(segment(index, p).part, segment(index, p).row) for p in places.tolist()] == rows
    assert place_at(index, 0, 1e6, 1e6 + 1) is None


def test_a_document_with_one_segment_gives_it_its_name(tmp_path):
    archive = filled(tmp_path / "a", ["one"])
    archive.add(sausages(tmp_path / "s.sausage", "untimed [ a 1 ]"))
    assert [segment(archive.index, place).name for place in range(2)] == ["one", "untimed"]
