"""Places by number and by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.judgments.places import named_place
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.recordings.places import (
    PlaceName,
    by_part,
    place_at,
    place_name,
    places_of,
    read_place_name,
    recordings_of,
    segment,
)

from ..cases import SMALL, filled, sausages

NAMES = st.text(min_size=1, max_size=12) | st.from_regex(r"[a-z]{1,3}@[0-9]-[0-9]", fullmatch=True)


@given(NAMES, st.floats(0, 9e6), st.floats(0, 1e5), st.integers(1, 3))
def test_names_are_read_as_they_are_written(recording, start, length, digits):
    text = place_name(recording, start, start + length, digits)
    name, begin, end = read_place_name(text, {recording})[:3]
    assert name == recording
    assert begin == pytest.approx(start, abs=0.51 * 10**-digits)
    assert end == pytest.approx(start + length, abs=0.51 * 10**-digits)
    assert read_place_name(text, {text, recording}) == PlaceName(text)  # a recording may be called so
    assert read_place_name(recording, {recording}) == PlaceName(recording)


@given(st.text(max_size=20), st.sets(st.text(max_size=5), max_size=3))
def test_any_text_is_a_name_or_a_clear_error(text, recordings):
    try:
        name = read_place_name(text, recordings)
    except rk.InputError as error:
        assert "@" in text
        assert text not in recordings
        assert "behind the @" in str(error)
    else:
        assert name.recording == text or text.startswith(f"{name.recording}@")


@pytest.mark.parametrize("text", ["d@nan-1", "d@1e3-2e3", "d@-1-2", "d@inf", "d@1-", "d@١-٢", "d@ 1-2", "d@5-4"])
def test_what_is_no_time(text):
    with pytest.raises(rk.InputError):
        read_place_name(text, {"d"})


def test_numbers_go_through_all_parts(several):
    index = several.index
    assert len(index.parts) > 1
    places = np.arange(int(index.places_before[-1]))
    recordings = recordings_of(index, places)
    for place, recording in zip(places.tolist(), recordings.tolist(), strict=True):
        where = segment(index, place)
        assert index.name_of(recording) == where.part.names[where.recording]
        assert place in places_of(index, recording)
        if len(places_of(index, recording)) > 1:
            assert where.name == f"{index.name_of(recording)}@{where.start:.2f}-{where.end:.2f}"
        assert named_place(index, where.name) == place
        name = index.name_of(recording)
        assert place_at(index, PlaceName(name, where.start, where.end)) == place
        assert place_at(index, PlaceName(name, where.start + 0.1, where.start + 0.2)) == place
    rows = [(part, row) for part, _, mine in by_part(index, places) for row in mine.tolist()]
    assert [(segment(index, p).part, segment(index, p).row) for p in places.tolist()] == rows
    assert place_at(index, PlaceName(index.name_of(0), 1e6, 1e6 + 1)) is None


def test_a_recording_with_one_segment_gives_it_its_name(tmp_path):
    archive = filled(tmp_path / "a", ["one"])
    archive.lattices.index(sausages(tmp_path / "s.sausage", "untimed [ a 1 ]"))
    assert [segment(archive.index, place).name for place in range(2)] == ["one", "untimed"]


def test_segments_whose_times_are_alike_have_the_utterance_in_their_names(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    folder = tmp_path / "sides"
    folder.mkdir()
    for side, words in {"side-a": ["harbour", "light"], "side@b": ["harbour", "bell"]}.items():
        word_times = [(word, i, i + 1, 0.9) for i, word in enumerate(words)]
        (folder / f"{side}.slf").write_bytes(write_slf(one_best(word_times)))
    archive.lattices.index(folder, {u: About("tape", audio=f"{u}.flac") for u in ("side-a", "side@b")})
    names = [segment(archive.index, place).name for place in range(2)]
    assert names == ["tape@side-a@0.00-2.00", "tape@side@b@0.00-2.00"]
    assert [named_place(archive.index, name) for name in names] == [0, 1]
    assert named_place(archive.index, "tape@0.00-2.00") == 0  # what was judged before names were told apart
    assert archive.search("bell")[0].place == "tape@side@b@1.0-2.0"
    assert {hit.segment for hit in archive.search("harbour")} == set(names)


def test_stretches_without_times_have_numbers(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    words = [f"w{i}" for i in range(80)]
    source = sausages(tmp_path / "s.sausage", "long " + " ".join(f"[ {w} 1 ]" for w in words), "short [ a 1 ]")
    archive.lattices.index(source, {"long": About("tape"), "short": About("tape")})
    index = archive.index
    names = [segment(index, place).name for place in range(int(index.places_before[-1]))]
    assert len(set(names)) == len(names) > 2
    assert {"tape@long@#1", "tape@short"} <= set(names)
    assert [named_place(index, name) for name in names] == list(range(len(names)))
    assert named_place(index, "tape@long@#99") is None
