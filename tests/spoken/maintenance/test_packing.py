"""Packing archives: everything that they hold, as it was at one moment."""

import json
import zipfile

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.learn.weights import Weights
from rankine.spoken.metadata.turns import SpeakerTurn, record_turns
from rankine.spoken.recognise.journal import RecordingJournal
from rankine.spoken.recordings.recordings import recordings_table

from .packs import found_in, recognised, saved


def names(path):
    with zipfile.ZipFile(path) as archive:
        return [n.removeprefix(f"{path.stem}/") for n in archive.namelist()]


def test_everything_is_packed_and_unpacked(tmp_path):
    archive = recognised(tmp_path / "a")
    archive.weights.use(Weights.equal(archive.ranker_names))
    before = found_in(archive)
    seen = []
    packed = archive.pack(tmp_path / "out.zip", report=lambda done, total: seen.append(done / total))
    assert packed.recordings == 3
    assert packed.packed == (tmp_path / "out.zip").stat().st_size
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    listed = names(tmp_path / "out.zip")
    assert sum(name.endswith(".part") for name in listed) == len(archive.index.parts)
    for name in ("manifest.json", "store.sqlite", "weights/current.json", "recognised/deep/two.slf"):
        assert f"data/{name}" in listed
    other = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert found_in(other) == before
    assert other.judgments.all() == archive.judgments.all()
    assert other.weights.learned == archive.weights.learned
    assert (tmp_path / "b" / "recognised" / "one.slf").read_bytes() == (tmp_path / "a/recognised/one.slf").read_bytes()
    other.check()


def test_own_files(tmp_path):
    for name, query in (("few", "speech"), ("mandarin", "天气"), ("archive", "railway")):
        archive = saved(tmp_path, name)
        before = found_in(archive, query), archive.judgments.all()
        archive.pack(tmp_path / f"{name}.zip", closed=True)
        other = Archive.unpack(tmp_path / f"{name}.zip", tmp_path / f"{name}2")
        assert (found_in(other, query), other.judgments.all()) == before
    assert (tmp_path / "few2" / "dictionary.txt").exists()


def test_the_same_archive_gives_the_same_bytes(tmp_path):
    archive = recognised(tmp_path / "a")
    for _ in range(2):
        archive.pack(tmp_path / "out.zip")
        (tmp_path / "out.zip").rename(tmp_path / f"{len(list(tmp_path.glob('*.old')))}.old")
    assert (tmp_path / "0.old").read_bytes() == (tmp_path / "1.old").read_bytes()


def test_without_the_index_it_is_built_when_unpacked(tmp_path):
    archive = recognised(tmp_path / "a")
    before = found_in(archive)
    assert archive.pack(tmp_path / "out.zip", index=False).recordings == 0
    assert not any(name.endswith(".part") for name in names(tmp_path / "out.zip"))
    other = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert sorted(found_in(other)) == sorted(before)  # with titles and speakers
    assert not (tmp_path / "b" / "texts.json").exists()
    assert other.lattices.add([]) is None


def test_recordings_that_would_be_lost(tmp_path):
    archive = recognised(tmp_path / "a")
    archive.lattices.add([("elsewhere", one_best([("x", 0.0, 1.0, 1.0)]))])
    with pytest.raises(rk.InputError, match=r"1 recording such as 'elsewhere' would be lost without the index"):
        archive.pack(tmp_path / "out.zip", index=False)
    assert list(tmp_path.glob("*.zip")) == []


def test_a_writer_in_between(tmp_path, monkeypatch):
    """Whatever is changed while an archive is packed, the zip holds the state of its beginning."""
    archive = recognised(tmp_path / "a")
    before, judged = found_in(archive), archive.judgments.all()

    def change(done, total, calls=[]):  # noqa: B006
        if not calls:
            calls.append(1)
            other = Archive(tmp_path / "a")
            other.lattices.add([("new", one_best([("words", 0.0, 1.0, 1.0)]))])
            other.merge()
            other.judgments.store.add(other.judgments.store.query("letters"), "three", 1.0)

    archive.pack(tmp_path / "out.zip", report=change)
    packed = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert (found_in(packed), packed.judgments.all()) == (before, judged)
    assert "new" in Archive(tmp_path / "a").recordings.names


def test_a_recording_that_is_deleted_meanwhile(tmp_path):
    archive = recognised(tmp_path / "a")
    calls = []

    def delete(done, total):
        calls.append(done)
        if len(calls) == 2:
            Archive(tmp_path / "a").recordings.delete(["one"])

    archive.pack(tmp_path / "out.zip", report=delete)
    packed = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert sorted(packed.recordings.names) == ["deep/two", "three"]


def test_recordings_that_never_rest(tmp_path, monkeypatch):
    archive = recognised(tmp_path / "a")
    journal = tmp_path / "a" / "recognised" / "recognised.jsonl"
    line = json.loads(journal.read_text().splitlines()[0])

    def again(done, total):
        with open(journal, "a") as file:
            file.write(json.dumps({**line, "print": f"{done}{len(journal.read_text())}"}) + "\n")

    with pytest.raises(rk.InputError, match="its recordings change faster than they are packed"):
        archive.pack(tmp_path / "out.zip", report=again)


def test_damage_is_not_packed(tmp_path):
    archive = recognised(tmp_path / "a")
    part = archive.index.parts[0].part.path
    part.write_bytes(part.read_bytes()[:100] + b"x" + part.read_bytes()[101:])
    with pytest.raises(rk.InputError, match="the checksum of bytes 0 to"):
        Archive(tmp_path / "a").pack(tmp_path / "out.zip")
    archive = recognised(tmp_path / "b")
    (tmp_path / "b" / "recognised" / "one.slf").unlink()
    with pytest.raises(rk.InputError, match=r"one\.slf: this lattice is missing"):
        archive.pack(tmp_path / "out.zip")
    archive = recognised(tmp_path / "c")
    (tmp_path / "c" / "store.sqlite").write_bytes(b"x" * 5000)
    with pytest.raises(
        rk.InputError, match=r"store\.sqlite: (the database cannot be copied|not a store written by Rankine)"
    ):
        archive.pack(tmp_path / "out.zip")
    assert list(tmp_path.glob("*.zip")) == []
    assert list(tmp_path.glob(".out*")) == []


@pytest.mark.parametrize(("target", "message"), [("out.tar", "as a .zip file"), ("a/out.zip", "in the folder of the")])
def test_where_it_cannot_be_written(tmp_path, target, message):
    archive = recognised(tmp_path / "a")
    with pytest.raises(rk.InputError, match=message):
        archive.pack(tmp_path / target)


@pytest.mark.parametrize("index", [True, False])
def test_open_only_leaves_nothing_of_closed_recordings(tmp_path, index):
    """The word "quixotic" and the name "closed-tape" are only said in, and of, a recording that is closed."""
    archive = recognised(tmp_path / "a")
    lattices = archive.folder / "recognised"
    heard = one_best([("quixotic", 0.0, 1.0, 0.9), ("words", 1.0, 2.0, 0.8)])
    (lattices / "closed-tape.slf").write_bytes(write_slf(heard))
    segments = [{"file": "closed-tape.slf", "start": 0.0}]
    line = {
        "recording": "closed-tape", "print": "00", "audio": "/x/closed-tape.wav", "ending": ".slf",
        "segments": segments, "size": 1, "time": 1, "file": "f", "samples": "s",
    }  # fmt: skip
    with open(lattices / "recognised.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")
    journal = RecordingJournal(lattices)
    journal.write_table()
    archive.lattices.index(lattices, recordings_table(journal, None), listed=True)
    archive.merge()
    archive.lattices.add([("closed-too", heard)])  # in a part of its own
    archive.metadata.set("closed-tape", {"title": "quixotic", "rights": "closed", "place": "quixotic"})
    archive.metadata.set("closed-tape", {"notes": "quixotic"})
    archive.metadata.clear("closed-tape", ["notes"])
    archive.metadata.undo()
    archive.metadata.set("closed-too", {"rights": "on request", "place": "quixotic"})
    archive.metadata.set("one", {"title": "first"})
    record_turns(archive.folder, {"closed-tape": [SpeakerTurn(0.0, 1.0, "quixotic")]})
    book = archive.judgments.store
    book.add(book.query("quixotic"), "closed-tape@0.00-1.00", 1.0)
    book.add(book.query("spoken"), "one", 1.0)
    archive.recordings.delete(["three"])
    secret = (b"quixotic", b"closed-t")
    before = b"".join(p.read_bytes() for p in archive.folder.rglob("*") if p.is_file())
    assert all(word in before for word in secret)

    packed = archive.pack(tmp_path / "out.zip", index=index, open_only=True)
    assert packed.recordings == (2 if index else 0)
    other = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    other.check()
    assert sorted(other.recordings.names) == ["deep/two", "one"]
    assert "spoken" in other.judgments.all().queries.values()
    assert other.metadata.get("one")["title"] == "first"
    assert other.search("words")
    for path in (p for p in (tmp_path / "b").rglob("*") if p.is_file()):
        assert not any(word in path.read_bytes() for word in secret), path
