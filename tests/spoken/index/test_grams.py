"""Expected counts of n-grams: stored, merged, and summed over positions."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.build import analyse
from rankine.spoken.index.grams import chain_counts, coded, decoded, gram_postings
from rankine.spoken.index.schema import FORMS
from rankine.spoken.index.settings import Settings
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice.formats import Piece, write_slf
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.lattice.units import to_units

from ... import reference as ref
from ... import reference_spoken as slow
from .test_evidence import KINDS, small_archive, small_lattice


def test_counts_are_those_of_the_lattice():
    rng = np.random.default_rng(0)
    settings = Settings(dict(KINDS[2]))
    splits = settings.splits(None)
    for _ in range(60):
        lattice = small_lattice(rng)
        [utterance] = analyse(settings, Scoring(), None, Piece("u", "slf", "m", write_slf(lattice)))
        assert {key: settings.grams[key[0]] for key in utterance.grams} == {
            ("word", 1): (1,), ("phone", 2): (2, 3), ("phone", 3): (2, 3),
        }  # fmt: skip
        for (kind, order), grams in utterance.grams.items():
            smaller = to_units(lattice, splits[kind], silent=True)
            exact = ref.gram_counts(smaller, smaller.acoustic + smaller.language, order)
            least = 1e-5 if kind == "word" else 1e-3
            stored = {
                tuple(grams.names[u] for u in row): n
                for row, n in zip(grams.grams.tolist(), grams.counts.tolist(), strict=True)
            }
            assert stored == pytest.approx({g: n for g, n in exact.items() if g in stored}, abs=2e-3)
            assert all(n >= least for n in stored.values())
            assert all(g in stored for g, n in exact.items() if n > 2 * least)


def test_words_are_counted_before_arcs_are_left_out(tmp_path):
    arcs = [(0, 1, "a", 0.0, 0.0, 1.0), (0, 1, "b", float(np.log(5e-5)), 0.0, 1.0), (0, 1, "c", -14.0, 0.0, 1.0)]
    archive = Archive.create(tmp_path / "a", Settings(dict(KINDS[1])))
    archive.lattices.add([("u", Lattice.from_arcs(arcs, 0, 1))])
    (reader,) = archive.index.parts
    for word, count in (("a", 1.0), ("b", 5e-5)):
        utterance, stored = gram_postings(reader, "word", [word])
        assert utterance.tolist() == [0]
        assert decoded()[stored] == pytest.approx([count], rel=1e-3)
    assert len(gram_postings(reader, "word", ["c"])[0]) == 0
    assert "b" not in archive.index.vocabulary  # it is counted, and not taken for a word that was said


def test_steps_of_stored_counts():
    counts = np.geomspace(1e-5, 900, 2000)
    np.testing.assert_allclose(decoded()[coded(counts)], counts, rtol=2e-4)
    assert coded(np.array([0.0, 1e9])).tolist() == [0, 65535]
    assert (np.diff(decoded()) > 0).all()


def test_a_part_without_counts_is_damaged(tmp_path):
    archive = small_archive(tmp_path / "a", np.random.default_rng(1), KINDS[2])
    with writing(archive.folder) as writer:
        (reader, *_) = archive.index.parts
        arrays = [(name, reader.part.get(name)) for name in reader.part.places if ".gram" not in name]
        writer.commit([writer.part(arrays, dict(reader.part.meta))])
    with pytest.raises(rk.InputError, match="which is missing, is wrong"):
        Archive(archive.folder).check()
    with pytest.raises(rk.InputError, match="which is missing, is wrong"):
        Archive(archive.folder).search("a b")


def test_chains_are_sums_over_positions(tmp_path):
    rng = np.random.default_rng(4)
    for trial in range(5):
        archive = small_archive(tmp_path / str(trial), rng, KINDS[2])
        counts = slow.Counts(archive)
        before = archive.index.places_before
        for kind in archive.kinds:
            units = sorted({unit for cells in counts.cells["cn"][kind] for _, unit in cells})
            for _ in range(30):
                some = [str(u) for u in rng.choice([*units, "nowhere"], int(rng.integers(1, 4)))]
                for form in FORMS:
                    want = [counts.chain(kind, form, some, x) for x in range(len(counts))]
                    got = np.zeros(len(counts))
                    for reader, begin in zip(archive.index.parts, before.tolist(), strict=False):
                        where, n = chain_counts(reader, kind, form, some)
                        got[begin + where.astype(np.int64)] = n
                        assert (np.diff(where.astype(np.int64)) > 0).all()
                    np.testing.assert_allclose(got, want, atol=1e-12)
