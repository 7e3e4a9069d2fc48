"""Packing archives: everything that they hold, as it was at one moment."""

import json
import zipfile

import pytest

import rankine as rk
from rankine.spoken.archive.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.learn.weights import Weights

from .packs import found_in, recognised, saved


def names(path):
    with zipfile.ZipFile(path) as archive:
        return [n.removeprefix(f"{path.stem}/") for n in archive.namelist()]


def test_everything_is_packed_and_unpacked(tmp_path):
    archive = recognised(tmp_path / "a")
    archive.use_weights(Weights.equal(archive.ranker_names))
    before = found_in(archive)
    seen = []
    packed = archive.pack(tmp_path / "out.zip", report=lambda done, total: seen.append(done / total))
    assert packed.documents == 3
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
    assert other.weights == archive.weights
    assert (tmp_path / "b" / "recognised" / "one.slf").read_bytes() == (tmp_path / "a/recognised/one.slf").read_bytes()
    other.check()


def test_own_files_and_archives_of_an_earlier_format(tmp_path):
    for name, query in (("few", "speech"), ("mandarin", "天气"), ("archive", "railway")):
        archive = saved(tmp_path, name)
        before = found_in(archive, query), archive.judgments.all()
        archive.pack(tmp_path / f"{name}.zip")
        other = Archive.unpack(tmp_path / f"{name}.zip", tmp_path / f"{name}2")
        assert (found_in(other, query), other.judgments.all()) == before
    assert (tmp_path / "few2" / "dictionary.txt").exists()
    assert (tmp_path / "archive2" / "judgments.sqlite").exists()
    other.upgrade()
    assert other.judgments.all() == before[1]


def test_the_same_archive_gives_the_same_bytes(tmp_path):
    archive = recognised(tmp_path / "a")
    for _ in range(2):
        archive.pack(tmp_path / "out.zip")
        (tmp_path / "out.zip").rename(tmp_path / f"{len(list(tmp_path.glob('*.old')))}.old")
    assert (tmp_path / "0.old").read_bytes() == (tmp_path / "1.old").read_bytes()


def test_without_the_index_it_is_built_when_unpacked(tmp_path):
    archive = recognised(tmp_path / "a")
    before = found_in(archive)
    assert archive.pack(tmp_path / "out.zip", index=False).documents == 0
    assert not any(name.endswith(".part") for name in names(tmp_path / "out.zip"))
    other = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert sorted(found_in(other)) == sorted(before)  # with titles and speakers
    assert not (tmp_path / "b" / "texts.json").exists()
    assert other.add_lattices([]) is None


def test_documents_that_would_be_lost(tmp_path):
    archive = recognised(tmp_path / "a")
    archive.add_lattices([("elsewhere", one_best([("x", 0.0, 1.0, 1.0)]))])
    with pytest.raises(rk.InputError, match=r"1 document such as 'elsewhere' would be lost without the index"):
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
            other.add_lattices([("new", one_best([("words", 0.0, 1.0, 1.0)]))])
            other.merge()
            other.judgments.add(other.judgments.query("letters"), "three", 1.0)

    archive.pack(tmp_path / "out.zip", report=change)
    packed = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert (found_in(packed), packed.judgments.all()) == (before, judged)
    assert "new" in Archive(tmp_path / "a").documents


def test_a_recording_that_is_deleted_meanwhile(tmp_path):
    archive = recognised(tmp_path / "a")
    calls = []

    def delete(done, total):
        calls.append(done)
        if len(calls) == 2:
            Archive(tmp_path / "a").delete(["one"])

    archive.pack(tmp_path / "out.zip", report=delete)
    packed = Archive.unpack(tmp_path / "out.zip", tmp_path / "b")
    assert sorted(packed.documents) == ["deep/two", "three"]


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
