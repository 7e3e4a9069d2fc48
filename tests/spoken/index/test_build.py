"""Parts: what is stored is what was computed, and merging changes nothing."""

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.index.build import analyse
from rankine.spoken.index.kernels.build import by_unit
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.formats import Piece, read_lattice, write_slf
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.teaching.papers import recording_scores

from ..cases import SMALL, answers, cells, filled, lattice, sausages, talk


def test_what_is_stored_is_what_was_computed(several):
    [utterance] = analyse(SMALL, Scoring(), None, Piece("u", "slf", "m", write_slf(lattice(0))))
    for (kind, form), entries in utterance.entries.items():
        stored = cells(several, kind, form)["d00"][0]
        want = {(int(p), entries.names[u]): x for p, u, x in zip(*entries[2:0:-1], entries.posterior, strict=True)}
        assert stored == pytest.approx(want, rel=2e-4)


def test_any_order_any_batches_merged_or_not(tmp_path):
    names = [f"d{i:02d}" for i in range(30)]
    one = filled(tmp_path / "one", names)
    rng = np.random.default_rng(1)
    many = Archive.create(tmp_path / "many", SMALL)
    order = rng.permutation(30)
    for part in np.array_split(order, 10):
        many.lattices.add([(names[i], lattice(i)) for i in part])
    assert 1 < len(many.index.parts) < 10  # some merged by themselves
    assert answers(many) == answers(one)
    assert answers(one)
    many.merge()
    assert len(many.index.parts) == 1
    assert answers(many) == answers(one)
    many.check()
    few = [many.search("w0 w1", k=5, candidates=7), one.search("w0 w1", k=5, candidates=7)]
    assert [h.recording for h in few[0]] == [h.recording for h in few[1]]


def test_merging_does_not_change_what_is_known(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(sausages(tmp_path / "s.sausage", "q [ x 0.999 xb 0.0005 ] [ b 1 ] [ w 1 ]"))
    archive.lattices.add([("more", lattice(0))])
    before = "xb" in archive.index.vocabulary, [h.recording for h in archive.search('"xb w"')]
    archive.merge()
    assert ("xb" in archive.index.vocabulary, [h.recording for h in archive.search('"xb w"')]) == before
    assert not before[0]


def test_postings_are_sorted_by_unit_and_stay_in_order():
    rng = np.random.default_rng(5)
    for n, units in ((0, 3), (1, 1), (200, 7)):
        unit = rng.integers(units, size=n)
        ptr, order = np.zeros(units + 1, np.int64), np.empty(n, np.int64)
        by_unit(unit, ptr, order)
        np.testing.assert_array_equal(order, np.argsort(unit, kind="stable"))
        np.testing.assert_array_equal(np.diff(ptr), np.bincount(unit, minlength=units))


def test_the_stretches_of_an_utterance():
    words = "u 1 1 0.5 a 1\nu 1 1.6 0.5 b 1\nu 1 3 1 c 0.9\n"
    one, other = analyse(SMALL, Scoring(), None, Piece("u", "ctm", "m", words.encode()))
    assert (one.name, one.offset, one.length) == ("u", 0.0, 3.0)
    assert (other.name, other.offset, other.length) == ("u", 3.0, 1.0)
    assert [w[:3] for w in one.best] == [("a", 1.0, 1.5), ("b", 1.6, 2.1)]
    assert [w[:3] for w in other.best] == [("c", 0.0, 1.0)]
    assert other.entries["word", "cn"].slots.tolist() == [[0.0, 1.0]]


def test_a_phrase_counts_alike_wherever_it_is_said(tmp_path):
    """In one piece, nine thousand words with a confidence of 0.9 left 0.008 of 0.303."""
    archive = Archive.create(tmp_path / "a", SMALL)
    for name, at in (("early", 5), ("later", 497), ("late", 8501)):
        (tmp_path / f"{name}.ctm").write_text(talk(9000, {at: "railway", at + 1: "station"}))
        assert archive.lattices.index(tmp_path / f"{name}.ctm", {"rec": About(name)}).errors == []
    words = recording_scores(archive.index, archive.parse("railway station"), np.arange(3))[:, :6]
    scores = dict(zip(archive.recordings.names, words, strict=True))
    assert archive.ranker_names[1] == "word-pspl-2"
    assert scores["early"] == pytest.approx(scores["later"])
    assert scores["early"] == pytest.approx(scores["late"])
    assert scores["early"][1] == pytest.approx(0.303, abs=1e-3)


@pytest.mark.parametrize("pause", [0.0, 0.7])
def test_the_index_grows_with_the_length_and_not_with_its_square(tmp_path, pause):
    entries = []
    for n in (1500, 3000, 6000):
        utterances = analyse(SMALL, Scoring(), None, Piece("u", "ctm", "m", talk(n, pause=pause).encode()))
        assert sum(len(u.best) for u in utterances) == n
        entries.append(sum(len(e.unit) for u in utterances for e in u.entries.values()))
    assert entries[1] == pytest.approx(2 * entries[0], rel=0.02)
    assert entries[2] == pytest.approx(4 * entries[0], rel=0.02)


def test_no_smaller_units_are_taken_for_words():
    """A stretch in which no word is likelier than none has no likeliest words."""
    [utterance] = analyse(SMALL, Scoring(), None, Piece("u", "ctm", "m", b"u 1 0 1 aa 0.4\n"))
    assert utterance.best == []


MESH = """name u
numaligns 3
align 0 the 1
info 0 the 0.1 0.1 0 0 0
align 1 cat 0.5 cap 0.4 *DELETE* 0.1
info 1 cat 0.3 0.3 0 0 0
info 1 cap 0.7 0.2 0 0 0
align 2 sat 1
info 2 sat 0.9 0.3 0 0 0
"""


def test_a_network_keeps_its_slots(tmp_path):
    """The words of a slot stay together, whatever their times; read from a file or given as a lattice."""
    (tmp_path / "u.mesh").write_text(MESH)
    files = Archive.create(tmp_path / "files", SMALL)
    files.lattices.index(tmp_path / "u.mesh")
    memory = Archive.create(tmp_path / "memory", SMALL)
    memory.lattices.add([("u", read_lattice(tmp_path / "u.mesh"))])
    want = {(0, "the"): 1.0, (1, "cat"): 0.5, (1, "cap"): 0.4, (2, "sat"): 1.0}
    for archive in (files, memory):
        assert cells(archive, "word", "cn")["u"][0] == pytest.approx(want, rel=2e-4)
        positions = cells(archive, "word", "pspl")["u"][0]
        assert positions[2, "sat"] == pytest.approx(0.9, rel=2e-4)
        assert positions[1, "sat"] == pytest.approx(0.1, rel=2e-4)


def test_an_n_best_list_is_indexed_as_its_network(tmp_path):
    (tmp_path / "u.nbest").write_text(f"{np.log(3.0)} the cat sat\n0.0 the big cap sat\n")
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(tmp_path / "u.nbest")
    want = {(0, "the"): 1.0, (1, "big"): 0.25, (2, "cat"): 0.75, (2, "cap"): 0.25, (3, "sat"): 1.0}
    stored = cells(archive, "word", "cn")["u"][0]
    assert {word for _, word in stored} == {word for _, word in want}
    assert sorted(stored.values()) == pytest.approx(sorted(want.values()), rel=2e-4)
    network = confusion_network(read_lattice(tmp_path / "u.nbest"))
    assert stored == pytest.approx({(p, u): x for p, u, x in network.triples()}, rel=2e-4)
