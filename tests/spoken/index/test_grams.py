"""Expected counts of n-grams: stored, merged, and derived where a part does not hold them."""

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index import grams as stored_grams
from rankine.spoken.index.build import analyse
from rankine.spoken.index.evidence import place_evidence
from rankine.spoken.index.grams import chain_counts, coded, decoded, gram_postings, part_grams
from rankine.spoken.index.schema import FORMS, GramPostings
from rankine.spoken.index.settings import Settings
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice.formats import Piece, write_slf
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.lattice.units import to_units

from ... import reference as ref
from ... import reference_spoken as slow
from .test_evidence import KINDS, random_query, small_archive, small_lattice


def without_counts(folder):
    """Rewrite the parts of an archive as an older release wrote them."""
    archive = Archive(folder)
    with writing(folder) as writer:
        parts = []
        for reader in archive.index.parts:
            arrays = [(name, reader.part.get(name)) for name in reader.part.places if ".gram" not in name]
            parts.append(writer.part(arrays, dict(reader.part.meta)))
        writer.commit(parts)
    return Archive(folder)


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


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: list(kinds)[-1])
def test_an_archive_of_an_older_release(kinds, tmp_path):
    rng = np.random.default_rng(20 + len(kinds))
    for trial in range(8):
        place = tmp_path / str(trial)
        small_archive(place, rng, kinds)
        archive = without_counts(place)
        archive.check()
        counts = slow.Counts(archive)
        texts = [random_query(rng) for _ in range(10)]
        before = []
        for text in texts:
            query = archive.parse(text)
            places, X = place_evidence(archive.index, query)
            want = slow.evidence(counts, query)
            assert places.tolist() == [x for x, row in enumerate(want) if row]
            np.testing.assert_allclose(X.sum(axis=1), [sum(want[x].values()) for x in places.tolist()], atol=1e-11)
            before.append((places.tolist(), X))
        archive.lattices.add([("zz", Lattice.from_arcs([(0, 1, "zebra", 0.0, 0.0, 1.0)], 0, 1))])
        archive.merge()
        (reader,) = archive.index.parts
        assert all(
            GramPostings(k, n).stored(reader.part) for k, orders in archive.settings.grams.items() for n in orders
        )
        archive.recordings.delete(["zz"])
        archive.check()
        for text, (places, X) in zip(texts, before, strict=True):
            after, Y = place_evidence(archive.index, archive.parse(text))
            assert after.tolist() == places
            np.testing.assert_allclose(Y, X, atol=1e-11)


def test_derived_grams_are_those_of_the_slots(tmp_path):
    rng = np.random.default_rng(3)
    for trial in range(6):
        place = tmp_path / str(trial)
        small_archive(place, rng, KINDS[2])
        archive = without_counts(place)
        for reader in archive.index.parts:
            names, tables = part_grams(reader.part, "phone", (2, 3), reader.posteriors)
            for order, table in tables.items():
                for code, a, b in zip(
                    table.codes.tolist(), table.ptr[:-1].tolist(), table.ptr[1:].tolist(), strict=True
                ):
                    units = [names[code // len(names) ** i % len(names)] for i in range(order - 1, -1, -1)]
                    utterance, stored = gram_postings(reader, "phone", units)
                    assert utterance.tolist() == table.utterance[a:b].tolist()
                    assert stored.tolist() == table.coded[a:b].tolist()


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


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_table_of_all_codes_gives_the_same_sums_as_sorting(monkeypatch, order):
    rng = np.random.default_rng(order)
    place = np.sort(rng.integers(0, 8, 200) << 32 | rng.integers(0, 6, 200))
    unit, p = rng.integers(0, 5, 200), rng.random(200) ** 8
    dense = stored_grams._summed(place, unit, p, 5, order)
    numbered = stored_grams._numbered(dense.code)
    monkeypatch.setattr(stored_grams, "_DENSE", 0)
    by_sorting = stored_grams._summed(place, unit, p, 5, order)
    key = np.lexsort((dense.code, dense.utterance))
    assert len(key) > 10
    np.testing.assert_array_equal(dense.code[key], by_sorting.code)
    np.testing.assert_array_equal(dense.utterance[key], by_sorting.utterance)
    np.testing.assert_allclose(dense.counts[key], by_sorting.counts, rtol=1e-12)
    assert (np.diff(dense.utterance) >= 0).all()
    for got, want in zip(numbered, stored_grams._numbered(dense.code), strict=True):
        np.testing.assert_array_equal(got, want)
