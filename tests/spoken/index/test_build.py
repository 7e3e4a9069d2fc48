"""Parts: what is stored is what was computed, and merging changes nothing."""

import numpy as np
import pytest

from rankine.spoken.archive.archive import Archive
from rankine.spoken.index.build import analyse
from rankine.spoken.index.build_kernels import by_unit
from rankine.spoken.lattice.formats import Piece, write_slf
from rankine.spoken.lattice.scoring import Scoring

from ..cases import SMALL, answers, cells, filled, lattice, sausages


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
        many.add_lattices([(names[i], lattice(i)) for i in part])
    assert 1 < len(many.index.parts) < 10  # some merged by themselves
    assert answers(many) == answers(one)
    assert answers(one)
    many.merge()
    assert len(many.index.parts) == 1
    assert answers(many) == answers(one)
    many.check()
    few = [many.search("w0 w1", k=5, candidates=7), one.search("w0 w1", k=5, candidates=7)]
    assert [h.document for h in few[0]] == [h.document for h in few[1]]


def test_merging_does_not_change_what_is_known(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(sausages(tmp_path / "s.sausage", "q [ x 0.999 xb 0.0005 ] [ b 1 ] [ w 1 ]"))
    archive.add_lattices([("more", lattice(0))])
    before = "xb" in archive.index.vocabulary, [h.document for h in archive.search('"xb w"')]
    archive.merge()
    assert ("xb" in archive.index.vocabulary, [h.document for h in archive.search('"xb w"')]) == before
    assert not before[0]


def test_postings_are_sorted_by_unit_and_stay_in_order():
    rng = np.random.default_rng(5)
    for n, units in ((0, 3), (1, 1), (200, 7)):
        unit = rng.integers(units, size=n)
        ptr, order = np.zeros(units + 1, np.int64), np.empty(n, np.int64)
        by_unit(unit, ptr, order)
        np.testing.assert_array_equal(order, np.argsort(unit, kind="stable"))
        np.testing.assert_array_equal(np.diff(ptr), np.bincount(unit, minlength=units))
