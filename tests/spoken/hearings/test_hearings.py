"""Weights of hearings: learned from judged queries or from words, given, kept and checked."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken import Archive
from rankine.spoken.hearings.hearings import HearingWeight, hearing_folder, hearing_of, write_weight

from .cases import Second, Third, Told, word_archive, write_recordings

pytest.importorskip("soundfile")
N = 48
NAMES = [f"{a}{b}{c}a" for a in "bdgk" for b in "aeio" for c in "lmn"]  # a word for each recording


def unsure():
    """At each recording the word of the next one is likelier than its own."""
    return tuple(((0.3, NAMES[i]), (0.7, NAMES[(i + 1) % N])) for i in range(N))


def right():
    return tuple(((1.0, NAMES[i]),) for i in range(N))


def noise(seed=0):
    return tuple(((1.0, NAMES[i]),) for i in np.random.default_rng(seed).permutation(N).tolist())


@pytest.fixture(scope="module")
def audio(tmp_path_factory):
    return write_recordings(tmp_path_factory.mktemp("audio"), range(N))


@pytest.fixture(scope="module")
def archive(tmp_path_factory, audio):
    """An archive whose own recogniser is mostly wrong, a second is right, and a third hears anything."""
    archive = word_archive(tmp_path_factory.mktemp("hearings") / "archive")
    archive.recordings.add(audio, [Told(unsure()), Second(right()), Third(noise())])
    return archive


def test_a_hearing_that_is_right_counts_and_one_of_noise_does_not(archive):
    second, third = archive.hearings.learn()
    assert (second.weight.source, third.weight.source) == ("agreement", "none")
    assert second.weight.weight > 0
    assert second.weight.queries == N
    assert second.weight.without == pytest.approx(0.5)
    assert second.weight.with_it == pytest.approx(1.0)
    assert second.weight.p < 0.001
    assert third.weight.weight == 0
    assert archive.search(NAMES[7])[0].recording == "r07"
    assert [h.weight for h in archive.hearings.all()] == [second.weight, third.weight]
    assert archive.hearings.learn() == [second, third]  # it draws no other words


def test_judged_queries_decide(archive):
    for i in range(12):
        query = archive.judgments.store.query(NAMES[i])
        archive.judgments.store.add(query, f"r{(i - 1) % N:02d}", 1)  # the judge finds that the own hearing was right
    second, third = archive.hearings.learn()
    assert (second.weight.source, second.weight.queries) == ("judged queries", 12)
    assert second.weight.weight == third.weight.weight == 0
    assert "no evidence that it helps" in str(second.weight)
    archive.hearings.weigh("third", 0.3)
    assert [h.weight.weight for h in archive.hearings.learn(given=False)] == [0, 0.3]
    assert archive.hearings.learn()[1].weight.source == "judged queries"


def test_weights_are_checked(archive, tmp_path):
    for weight in (-0.1, 11.0, float("nan")):
        with pytest.raises(rk.InputError, match="must be between 0 and 10"):
            archive.hearings.weigh("second", weight)
    path = archive.folder / "hearings" / "second" / "hearing.json"
    kept = path.read_bytes()
    for broken in (kept.replace(b'"weight": ', b'"weight": 9'), b"{}\n{}\n", kept.replace(b"judged", b"jugged")):
        path.write_bytes(broken)
        with pytest.raises(rk.InputError, match="the weight of a hearing"):
            Archive(archive.folder).search(NAMES[0])
    path.write_bytes(kept)


@pytest.mark.parametrize("name", ["../x", "", ".x", "a/b", "x" * 65, "a b"])
def test_names_are_names(tmp_path, name):
    with pytest.raises(rk.InputError, match="a hearing is called by letters"):
        hearing_folder(tmp_path, name)


def test_a_hearing_with_other_units_is_refused(archive, tmp_path):
    other = rk.spoken.Archive.create(archive.folder / "hearings" / "other")
    write_weight(hearing_of(archive.folder, "other"), HearingWeight(1.0, "given"))
    with pytest.raises(rk.InputError, match="indexed with other units"):
        Archive(archive.folder).search(NAMES[0])
    assert other.folder.name == "other"
    archive.hearings.remove("other")
