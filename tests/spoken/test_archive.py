"""The archive as a whole: making it, bad input, learning, real lattices."""

import shutil

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive, create_or_open
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.learn.learning import learn
from rankine.spoken.learn.weights import Weights, is_evidence, shipped
from rankine.spoken.teaching.training_data import examples

from .cases import filled, lattice, sausages


def test_bad_input(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    for call, message in (
        (lambda: archive.recordings.delete(["e"]), "no recording is called 'e'"),
        (lambda: archive.recordings.delete(["d", "e"]), "no recording is called 'e'"),
        (lambda: Archive.create(tmp_path / "a"), "there is an archive already"),
        (lambda: Archive(tmp_path / "nowhere"), "there is no such folder"),
        (lambda: Archive(tmp_path), "it has no manifest"),
        (lambda: Archive.create(tmp_path), "the folder is not empty"),
        (lambda: Archive.create(tmp_path / "b", Settings(kinds={"phone": "phones"})), "must be words"),
        (lambda: Archive.create(tmp_path / "b", Settings(prune=1.0)), "prune must be at least 0 and below 1, got 1.0"),
        (lambda: archive.lattices.add([("x", lattice(1)), ("x", lattice(2))]), "two recordings are called 'x'"),
        (lambda: create_or_open(tmp_path / "b", "French"), "a code such as de; got 'French'"),
    ):
        with pytest.raises(rk.InputError, match=message):
            call()
    assert archive.recordings.names == ["d"]
    assert not (tmp_path / "b").exists()


def test_learning_from_the_judgments_of_the_archive(taught, tmp_path):
    source, judged = taught
    archive = Archive(shutil.copytree(source.folder, tmp_path / "a"))
    archive.judgments.add_judged(judged)
    want, _ = learn(examples(archive.index, archive.judgments.all()), "adarank", begin=shipped(archive.kinds))
    result = archive.weights.learn(ranker="adarank", use=False)
    assert (result.weights, result.ignored) == (want, 0)
    assert archive.weights.learned is None
    result = archive.weights.learn(ranker="adarank", keep=True)
    assert result.adopted
    assert archive.weights.learned == Archive(archive.folder).weights.learned == want
    assert result.trial.precision["adarank"].mean() == pytest.approx(want.provenance["MAP"]["adarank"])
    gone = next(iter(judged.qrels["1"]))
    archive.recordings.delete([gone])
    result = archive.weights.learn(ranker="adarank")
    assert result.ignored == sum(gone in grades for grades in judged.qrels.values())
    with pytest.raises(rk.InputError, match="not in the archive"):
        archive.weights.learn(judged)


def test_learning_again_changes_nothing(taught, tmp_path):
    """What is learned does not depend on the weights in use; those that have seen the queries are tested without."""
    source, judged = taught
    archive = Archive(shutil.copytree(source.folder, tmp_path / "a"))
    archive.weights.use(None)
    first = archive.weights.learn(judged, keep=True)
    assert (first.adopted, first.unchanged) == (True, False)
    history = archive.weights.history
    again = archive.weights.learn(judged, keep=True)
    assert again.unchanged
    assert again.weights == first.weights == archive.weights.learned
    assert archive.weights.history == history
    assert again.means == (max(first.means), first.means[1])
    assert list(again.trial.precision) == ["uniform", "shipped", "in use", "neighbours"]
    np.testing.assert_array_equal(again.trial.precision["in use"], again.trial.precision["neighbours"])
    archive.weights.use(Weights.equal([n for n in archive.ranker_names if not is_evidence(n)]))
    fair = archive.weights.learn(judged, use=False)
    assert fair.means[0] == max(fair.trial.precision[name].mean() for name in ("shipped", "in use"))


def test_a_dictionary_belongs_to_the_archive(tmp_path):
    (tmp_path / "d.txt").write_text("book B UH K\n")
    archive = create_or_open(tmp_path / "a", "en", tmp_path / "d.txt")
    archive.lattices.add([("x", one_best([("book", 0.0, 1.0, 1.0)]))])
    assert archive.index.dictionary == str(tmp_path / "a" / "dictionary.txt")
    assert archive.parse("book").units("phone") == ["B", "UH", "K"]
    with pytest.raises(rk.InputError, match="an archive already"):
        Archive.create(tmp_path / "a", dictionary=tmp_path / "d.txt")
    assert len(Archive(tmp_path / "a")) == 1
    (tmp_path / "d.txt").write_text("book T UH K\n")
    with pytest.raises(rk.InputError, match="another pronunciation dictionary"):
        create_or_open(tmp_path / "a", "en", tmp_path / "d.txt")
    with pytest.raises(rk.InputError, match="has prune"):
        create_or_open(tmp_path / "a", "en", prune=0.5)
    with pytest.raises(rk.InputError, match="not those of the language"):
        create_or_open(tmp_path / "a", "zh")
    other = create_or_open(tmp_path / "b", "en", tmp_path / "d.txt")
    assert other.parse("book").units("phone") == ["T", "UH", "K"]
    kept = tmp_path / "a" / "dictionary.txt"
    kept.write_text("book T UH K\n")
    with pytest.raises(rk.InputError, match="damaged"):
        Archive(tmp_path / "a")
    kept.unlink()
    with pytest.raises(rk.InputError, match="missing"):
        Archive(tmp_path / "a")


def test_words_without_a_sound(tmp_path):
    archive = Archive.create(tmp_path / "a")
    changes = archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ *** 1 ] [ book 1 ]"))
    assert changes[:2] == (1, 0)
    assert not changes.errors
    assert archive.search("book")[0].recording == "u"


def test_the_english_lattices(tmp_path, real_data):
    archive = Archive.create(tmp_path / "a")
    place = tmp_path / "some"
    place.mkdir()
    for file in sorted((real_data / "speech" / "lj" / "lattices").iterdir())[40:60]:
        (place / file.name).symlink_to(file)
    assert archive.lattices.index(place)[:4] == (20, 0, 0, 0)
    hits = archive.search('"roman type"', k=3)
    assert hits[0].recording in ("LJ001-0042", "LJ001-0047", "LJ001-0048")
    assert len(archive.ranker_names) == 63
