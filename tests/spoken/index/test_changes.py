"""Changing the index: only what has changed is done, and nothing is lost by mistake."""

import gzip
import json

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index import schema
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import Reading, write_slf
from rankine.spoken.lattice.scoring import Scoring

from ..cases import SMALL, answers, filled, lattice, sausages, talk


def test_update_and_delete(tmp_path):
    names = [f"d{i:02d}" for i in range(12)]
    archive = filled(tmp_path / "a", names)
    archive.recordings.delete(["d03", "d07"])
    assert sorted(archive.recordings.names) == [n for n in names if n not in ("d03", "d07")]
    rest = Archive.create(tmp_path / "b", SMALL)
    rest.lattices.add([(n, lattice(i)) for i, n in enumerate(names) if n not in ("d03", "d07")])
    assert answers(archive) == answers(rest)
    for file in (tmp_path / "a").glob("*.part"):
        assert b"d03" not in file.read_bytes()
    archive.lattices.add([("d05", lattice(100)), ("new", lattice(101))])
    other = Archive.create(tmp_path / "c", SMALL)
    seeds = {**{n: i for i, n in enumerate(names) if n not in ("d03", "d07")}, "d05": 100, "new": 101}
    other.lattices.add([(n, lattice(i)) for n, i in seeds.items()])
    assert answers(archive) == answers(other)
    archive.recordings.delete(archive.recordings.names)
    assert len(archive) == 0
    archive.check()
    with pytest.raises(rk.InputError, match="occurs in this archive"):
        archive.search("w0")


def test_only_what_has_changed_is_done(tmp_path, several):
    folder = tmp_path / "lattices"
    plain = Archive.create(tmp_path / "plain", SMALL)
    assert plain.lattices.index(folder, scoring=Scoring())[:4] == (60, 0, 0, 0)
    assert plain.lattices.index(folder, scoring=Scoring())[:4] == (0, 0, 60, 0)
    (folder / "u05.slf").write_bytes(write_slf(lattice(500)))
    (folder / "u06.slf").unlink()
    (folder / "bad.slf").write_text("nonsense=1\n")
    changes = plain.lattices.index(folder, scoring=Scoring(), remove_missing=True, workers=2)
    assert changes[:4] == (0, 1, 58, 1)
    assert "bad.slf" in changes.errors[0]
    assert "u06" not in plain.recordings.names


def test_turns_of_a_transcript_are_one_recording(tmp_path):
    (tmp_path / "s").mkdir()
    rows = [("Ann", 0.5, "Hello, world."), ("Bob", 60.0, "Printing presses!"), ("Ann", 90.0, "Goodbye.")]
    segments = [{"start": t, "end": t + 1, "text": text, "speaker": who} for who, t, text in rows]
    (tmp_path / "s" / "talk.json").write_text(json.dumps({"segments": segments}))
    (tmp_path / "s" / "recordings.tsv").write_text("utterance\ttitle\ntalk\tA talk\n")
    (tmp_path / "s" / "transcripts.tsv").write_text("utterance\ttitle\ntalk\tA talk\n")
    archive = Archive.create(tmp_path / "a", SMALL)
    with pytest.warns(rk.InputNote, match="no format fits: 1 file, e.g. transcripts.tsv"):
        assert archive.lattices.index(tmp_path / "s")[:4] == (1, 0, 0, 0)
    assert list(archive.recordings.names) == ["talk"]
    assert archive.index.recording_texts["speakers"].tolist() == ["Ann; Bob"]
    hit = archive.search("printing presses")[0]
    assert (hit.recording, hit.start, hit.speaker) == ("talk", pytest.approx(60.0), "Bob")
    assert archive.lattices.index(tmp_path / "s" / "talk.json")[:4] == (0, 0, 1, 0)
    about = {"talk": About("d", {"title": "A talk", "speaker": "Cy"}, "talk.wav", 5.0)}
    changes = archive.lattices.index(tmp_path / "s" / "talk.json", about)
    assert (changes[:4], changes.errors) == ((1, 0, 0, 0), [])
    places = {hit.recording: (hit.start, hit.audio) for hit in reversed(archive.search("printing presses", k=5))}
    assert places["d"] == (pytest.approx(65.0), "talk.wav")
    assert sorted(archive.index.recording_texts["speakers"].tolist()) == ["Ann; Bob", "Cy"]


def test_a_damaged_source_removes_nothing(tmp_path):

    source = tmp_path / "s"
    source.mkdir()
    lines = "".join(f"u{i} [ a 1 ] [ b{i} 1 ]\n" for i in range(40)).encode()
    (source / "s.sausage.gz").write_bytes(gzip.compress(lines))
    sausages(source / "t.sausage", "v [ a 1 ]")
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(source)
    (source / "s.sausage.gz").write_bytes(gzip.compress(lines)[:-20])
    changes = archive.lattices.index(source, remove_missing=True)
    assert changes.removed == 0
    assert len(archive) == 41
    assert any("nothing was removed" in e for e in changes.errors)


def test_a_recording_is_not_shortened(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    about = {u: About("D") for u in ("u1", "u2")}
    both = sausages(tmp_path / "both.sausage", "u1 [ hello 1 ]", "u2 [ there 1 ]")
    archive.lattices.index(both, about)
    one = sausages(tmp_path / "one.sausage", "u2 [ other 1 ]")
    changes = archive.lattices.index(one, about)
    assert changes[:2] == (0, 0)
    assert any("index all utterances of a recording together" in e for e in changes.errors)
    assert archive.search("hello")
    sausages(both, "u1 [ hello 1 ]", "u2 [ there 7 ]")  # u2 cannot be used any more
    for _ in range(2):  # it is said each time
        changes = archive.lattices.index(both, about)
        assert any("kept as it was" in e for e in changes.errors)
        assert archive.search("there")
    fresh = Archive.create(tmp_path / "b", SMALL)
    assert fresh.lattices.index(both, about)[:2] == (1, 0)
    sausages(both, "u1 [ hello 1 ]", "u2 [ there 1 ]")
    assert fresh.lattices.index(both, about)[:2] == (0, 1)
    assert fresh.search("there")


def test_an_utterance_moves_to_another_recording(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    source = sausages(tmp_path / "s.sausage", "u1 [ hello 1 ]", "u2 [ there 1 ]", "u3 [ again 1 ]")
    archive.lattices.index(source, {"u1": About("A"), "u2": About("B"), "u3": About("B")})
    changes = archive.lattices.index(source, {"u1": About("A"), "u2": About("A"), "u3": About("B")})
    assert changes[:2] == (0, 2)
    assert [(h.recording, h.utterance) for h in archive.search("there", k=1)] == [("A", "u2")]
    sausages(source, "u1 [ hello 1 ]", "u3 [ again 1 ]")
    changes = archive.lattices.index(source, {"u1": About("A"), "u3": About("B")}, remove_missing=True)
    assert changes.updated == 1
    assert not any("together" in e for e in changes.errors)
    assert "there" not in archive.index.vocabulary


def test_other_ways_of_reading_are_a_change(tmp_path):
    source = sausages(tmp_path / "s.sausage", "u [ Hello 1 ]")
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(source, scoring=Scoring(Reading(lower=False)))
    assert "Hello" in archive.index.vocabulary
    assert archive.lattices.index(source, scoring=Scoring(Reading(lower=True)))[:3] == (0, 1, 0)
    assert "Hello" not in archive.index.vocabulary


def test_two_utterances_of_one_name(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    source = tmp_path / "both"
    source.mkdir()
    sausages(source / "x.sausage", "one [ a 1 ]", "one [ b 1 ]", "two [ c 1 ]")
    sausages(source / "y.sausage", "one [ d 1 ]", "two [ e 1 ]", "three [ f 1 ]")
    changes = archive.lattices.index(source)
    x, y = source / "x.sausage", source / "y.sausage"
    assert changes.errors == [
        f"two utterances are called 'one': both in {x}; only the first is used",
        f"two utterances are called 'one': in {x} and {y} (1 more name); only the first is used",
    ]
    assert archive.recordings.names == ["one", "two", "three"]
    assert [word for word in "abcdef" if word in archive.index.vocabulary] == ["a", "c", "f"]
    assert archive.lattices.index(source)[:3] == (0, 0, 3)


def test_two_recordings_of_one_name(tmp_path):
    """A turn and an utterance have different names, but their recordings are the same."""
    source = tmp_path / "both"
    source.mkdir()
    sausages(source / "x.sausage", "talk [ a 1 ]")
    turns = "[00:00:01] Ann: Hello there\n[00:00:03] Bob: Yes\n"
    (source / "talk.txt").write_text(turns)
    archive = Archive.create(tmp_path / "a", SMALL)
    changes = archive.lattices.index(source)
    assert changes.errors == [
        f"two recordings are called 'talk': in {source / 'talk.txt'} and {source / 'x.sausage'}; only the first is used"
    ]
    assert archive.recordings.names == ["talk"]
    assert "a" not in archive.index.vocabulary
    archive = Archive.create(tmp_path / "b", SMALL)
    archive.lattices.index(source, {"talk": About("all")})
    assert archive.recordings.names == ["all"]


def test_utterances_of_the_table_that_are_not_in_the_source(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    changes = archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ a 1 ]"), {"other": About("x")})
    assert ": 1 utterance of the table, e.g. " in changes.errors[0]
    assert archive.recordings.names == ["u"]


def test_long_utterances(tmp_path):
    """Stretches have the name of their utterance and begin where they are spoken; nothing else is counted anew."""
    (tmp_path / "a.ctm").write_text(talk(60, {47: "x"}))
    (tmp_path / "b.ctm").write_text(talk(24).replace("rec 1", "other 1"))
    for folder, name in (("one", "a.ctm"), ("both", "a.ctm"), ("both", "b.ctm")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_bytes((tmp_path / name).read_bytes())
    about = {"rec": About("d", {"title": "t"}, "x.wav", 100.0), "other": About("d", {"title": "t"}, "y.wav", 7.0)}
    archive = Archive.create(tmp_path / "archive", SMALL)
    assert archive.lattices.index(tmp_path / "both", about)[:5] == (1, 0, 0, 0, [])
    assert archive.lattices.index(tmp_path / "both", about)[:5] == (0, 0, 1, 0, [])
    index = archive.index
    assert (len(index), index.n_utterances, index.n_stretches) == (1, 2, 7)
    assert index.utterances_of("d") == {"rec", "other"}
    assert index.seconds == pytest.approx(60 * 0.4 + 4 * 0.7 + 24 * 0.4 + 0.7)
    part, _ = index.place_of("d")
    starts = [100 + 5.5 * i for i in range(5)] + [7.0, 12.5]
    assert part.numbers(schema.OFFSET).tolist() == pytest.approx(starts)
    assert part.texts(schema.AUDIO).all() == ["x.wav"] * 5 + ["y.wav"] * 2
    hit = archive.search("x")[0]
    assert (hit.utterance, hit.audio) == ("rec", "x.wav")
    assert (hit.start, hit.end) == pytest.approx((100 + 47 * 0.4 + 3 * 0.7, 100 + 48 * 0.4 + 3 * 0.7))
    [error] = archive.lattices.index(tmp_path / "one", {"rec": About("d")}).errors
    assert "'other' and others of it are in the archive" in error
    archive.check()
