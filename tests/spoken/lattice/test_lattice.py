"""Lattices, posteriors, PSPL and confusion networks against enumeration of all paths; readers against bad input."""

import gzip

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ... import reference as ref

SLF = """# made by hand
VERSION=1.0
start=3
end=0
N=4\tL=4
I=0\tt=1.00\tW=!SENT_END\tv=1
I=1\tt=0.50\tW=b(2)\tv=1
I=2\tt=0.40\tW=!NULL\tv=1
I=3\tt=0.00\tW=a\tv=1
J=0\tS=3\tE=1\ta=-1.5\tp=0.75
J=1\tS=3\tE=2\ta=-2.5e0\tp=0.25
J=2\tS=1\tE=0\ta=-1\tp=0.75
J=3\tS=2\tE=0\ta=-1\tp=0.25
"""


def lattices(n=300):
    rng = np.random.default_rng(0)
    for i in range(n):
        yield rng, random_lattice(rng, int(rng.integers(2, 7)), int(rng.integers(2, 14)), 1 + i % 4)


def test_posteriors_are_those_of_all_paths():
    for rng, lattice in lattices():
        scale, penalty = rng.uniform(0.1, 2), rng.normal()
        found = arc_posteriors(lattice, acoustic_scale=scale, penalty=penalty)
        weight = lattice.acoustic * scale + penalty * (lattice.unit >= 0)
        want, counts = np.zeros(len(lattice)), {}
        for path, p in ref.path_probabilities(lattice, weight):
            want[path] += p
            for word in lattice.words(path):
                counts[word] = counts.get(word, 0) + p
        np.testing.assert_allclose(found.posterior, want, atol=1e-10)
        got = expected_counts(lattice, found)
        assert got == pytest.approx({w: counts.get(w, 0.0) for w in got}, abs=1e-10)
        for cut in range(lattice.n_nodes - 1):  # through any cut the posteriors sum to 1
            through = (lattice.source <= cut) & (lattice.target > cut)
            assert found.posterior[through].sum() == pytest.approx(1, abs=1e-10)
        leaving = np.bincount(lattice.source, found.transition, lattice.n_nodes)
        np.testing.assert_allclose(leaving[:-1], 1, atol=1e-10)


def test_best_path_and_number_of_paths():
    for _, lattice in lattices():
        paths = list(lattice.paths())
        assert lattice.n_paths == len(paths)
        best = max(lattice.acoustic[p].sum() for p in paths)
        assert lattice.acoustic[lattice.best_path()].sum() == pytest.approx(best, abs=1e-12)


def test_pspl_is_enumeration():
    for _, lattice in lattices():
        found = rk.spoken.pspl(lattice)
        want = ref.pspl(lattice, lattice.acoustic)
        got = {(p, u): x for p, u, x in found.triples()}
        assert got == pytest.approx({k: v for k, v in want.items() if v > 0}, abs=1e-10)
        lengths = [(len(lattice.words(path)), p) for path, p in ref.path_probabilities(lattice, lattice.acoustic)]
        for position in range(found.n_positions):
            at_least = sum(p for n, p in lengths if n > position)
            assert sum(x for (at, _), x in got.items() if at == position) == pytest.approx(at_least, abs=1e-10)
        pruned = rk.spoken.pspl(lattice, prune=0.1)
        assert {(p, u) for p, u, _ in pruned.triples()} == {k for k, v in got.items() if v > 0.1}


@pytest.mark.parametrize("method", ["pivot", "mangu"])
def test_confusion_networks_keep_posteriors_and_order(method):
    for rng, lattice in lattices(600):
        if rng.random() < 0.3:  # times may be missing
            lattice = rk.spoken.Lattice.from_arcs(
                [(u, v, None if w < 0 else lattice.units[w], s) for u, v, w, s in
                 zip(lattice.source, lattice.target, lattice.unit, lattice.acoustic, strict=True)],
                0, lattice.n_nodes - 1,
            )  # fmt: skip
        network = rk.spoken.confusion_network(lattice, method)
        found = arc_posteriors(lattice)
        slots = np.bincount(network.position, network.posterior, network.n_positions)
        assert (slots <= 1 + 1e-9).all()
        counts = expected_counts(lattice, found)
        for word, count in counts.items():
            mine = network.posterior[[network.units[u] == word for u in network.unit]].sum()
            assert mine == pytest.approx(count, abs=1e-10)
        # every path can be read off the slots from left to right
        for path in lattice.paths():
            at = -1
            for word in lattice.words(path):
                later = [p for p, u, _ in network.triples() if u == word and p > at]
                assert later
                at = min(later)


def test_clustering_arcs_that_take_no_time():
    """Equal words with equal times that stand in either order on two branches."""
    arcs = [
        (0, 1, "a", 0.0, 0.0, 0.0),
        (1, 3, "b", 0.0, 0.0, 0.0),
        (0, 2, "b", 0.0, 0.0, 0.0),
        (2, 3, "a", 0.0, 0.0, 0.0),
    ]
    for method in ("mangu", "pivot"):
        network = rk.spoken.confusion_network(rk.spoken.Lattice.from_arcs(arcs, 0, 3), method)
        assert (np.bincount(network.position, network.posterior) <= 1 + 1e-9).all()
    untimed = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0, 0.0, 0.0), (0, 1, "b", 0.0, 0.0, 0.0)], 0, 1)
    assert rk.spoken.confusion_network(untimed).n_positions == 1


def test_pruning_given_posteriors_is_pruning_scores():
    from dataclasses import replace

    from rankine.spoken.lattice.posteriors import as_scores

    for rng, lattice in lattices(100):
        found = arc_posteriors(lattice)
        given = as_scores(replace(lattice, posterior=found.posterior))
        kept = rng.random(len(lattice)) < 0.7
        kept[lattice.best_path()] = True
        want = expected_counts(lattice.keep(kept), arc_posteriors(lattice.keep(kept)))
        got = expected_counts(given.keep(kept), arc_posteriors(given.keep(kept)))
        assert got == pytest.approx(want, abs=1e-9)


def test_long_texts_of_many_words_need_little_memory():
    n = 20_000
    arcs = [(i, i + 1, f"w{i}", 0.0, i, i + 1.0) for i in range(n)]
    lattice = rk.spoken.Lattice.from_arcs(arcs, 0, n)
    assert len(rk.spoken.pspl(lattice)) == n
    assert len(rk.spoken.confusion_network(lattice)) == n
    with pytest.raises(rk.InputError, match="probability 0"):
        rk.spoken.Lattice.from_arcs([(0, 1, "a", -np.inf), (1, 2, "b", 0.0)], 0, 2).best_path()


def test_a_single_path_gives_that_path():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", -1.0), (1, 2, None, -2.0), (2, 3, "b", -3.0)], 0, 3)
    assert rk.spoken.pspl(lattice).triples() == [(0, "a", 1.0), (1, "b", 1.0)]
    assert rk.spoken.confusion_network(lattice).triples() == [(0, "a", 1.0), (1, "b", 1.0)]
    assert rk.spoken.confusion_network(lattice, "mangu").triples() == [(0, "a", 1.0), (1, "b", 1.0)]
    assert rk.spoken.confusion_network(lattice).best() == ["a", "b"]


def test_trimming_and_pruning():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0), (0, 2, "dead", 0.0), (4, 1, "lost", 0.0)], 0, 1)
    assert lattice.units == ("a",)
    for _, lattice in lattices(50):
        found = arc_posteriors(lattice).posterior
        pruned = lattice.prune(found, 0.2)
        with np.errstate(divide="ignore"):
            best = lattice.words(lattice.best_path(np.log(found)))
        stays = {lattice.units[lattice.unit[a]] for a in np.flatnonzero((found > 0.2) & (lattice.unit >= 0))}
        assert stays | set(best) >= set(pruned.units)
        assert set(best) <= set(pruned.units)


def test_a_beam_keeps_the_arcs_of_the_paths_within_it():
    for rng, lattice in lattices(200):
        width = rng.uniform(0, 3)
        sums = {tuple(path): lattice.acoustic[path].sum() for path in lattice.paths()}
        best = max(sums.values())
        want = {a for path, x in sums.items() if x >= best - width for a in path}
        assert len(lattice.beam(width)) == len(want)
        assert lattice.beam(width).n_paths >= sum(x >= best - width for x in sums.values())
    with pytest.raises(rk.InputError, match="width"):
        lattice.beam(-1.0)
    with pytest.raises(rk.InputError, match="threshold"):
        lattice.prune(arc_posteriors(lattice).posterior, 1.0)


def test_slf_by_hand(tmp_path):
    for name, data in (("a.slf", SLF.encode()), ("b.slf.gz", gzip.compress(SLF.encode()))):
        (tmp_path / name).write_bytes(data)
        lattice = rk.spoken.read_lattice(tmp_path / name)
        assert (lattice.n_nodes, len(lattice), lattice.units) == (4, 4, ("b", "a"))
        assert rk.spoken.pspl(lattice).triples() == [(0, "a", 1.0), (1, "b", 0.75)]
        assert sorted(lattice.acoustic.tolist()) == [-2.5, -1.5, -1.0, -1.0]
        entry = rk.spoken.pspl(lattice)
        assert entry.start.tolist() == [0.0, 0.5]
        assert entry.end[1] == 1.0
    assert rk.spoken.read_lattice(tmp_path / "a.slf", variants=True).units == ("b(2)", "a")
    assert arc_posteriors(lattice, use="scores").posterior.max() < 1.0 + 1e-12
    found = dict(rk.spoken.read_archive(tmp_path))
    assert list(found) == ["a", "b"]


def test_slf_with_words_on_links(tmp_path):
    text = (
        'VERSION=1.1\nbase=10\nlmscale=2\nwdpenalty=-1\nN=3 L=3\nI=0 t=0\nI=1 t=0.3\nI=2 t=0.9\n'
        'J=0 S=0 E=1 W="hello there" a=-1 l=-0.5\nJ=1 S=0 E=1 W=hallo a=-2 l=-0.25\nJ=2 S=1 E=2 W=!NULL a=-1\n'
    )  # fmt: skip
    (tmp_path / "l.slf").write_text(text)
    lattice = rk.spoken.read_lattice(tmp_path / "l.slf")
    assert set(lattice.units) == {"hello there", "hallo"}
    log10 = np.log(10)
    by_word = {lattice.units[u]: i for i, u in enumerate(lattice.unit) if u >= 0}
    assert lattice.acoustic[by_word["hallo"]] == pytest.approx(-2 * log10)
    assert lattice.language[by_word["hallo"]] == pytest.approx((-0.25 * 2 - 1) * log10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("N=4", "N=5"), "N=5, but there are 4"),
        (("L=4", "L=3"), "L=3, but there are 4"),
        (("J=3\tS=2", "J=3\tS=9"), "node 9, which is not defined"),
        (("I=1\t", "I=2\t"), "defined twice"),
        (("S=1\tE=0", "S=1\tE=3"), "circle|no path"),
        (("a=-1.5", "a=nan"), "NaN"),
        (("a=-1.5", "a=x"), "expected a number"),
        (("start=3", "start=7"), "start=7 is not defined"),
        (("J=0\tS=3\t", "J=0\t"), "line 10: S= is missing"),
        (("t=0.50", "t=zero"), "line 7: expected a number"),
    ],
)
def test_bad_slf(tmp_path, change, message):
    (tmp_path / "x.slf").write_text(SLF.replace(*change))
    with pytest.raises(rk.InputError, match=message):
        rk.spoken.read_lattice(tmp_path / "x.slf")


def test_what_leads_elsewhere_is_trimmed(tmp_path):
    (tmp_path / "x.slf").write_text(SLF.replace("end=0", "end=2"))
    assert rk.spoken.read_lattice(tmp_path / "x.slf").n_nodes == 2


def test_damaged_files(tmp_path):
    (tmp_path / "t.slf.gz").write_bytes(gzip.compress(SLF.encode())[:-20])
    with pytest.raises(rk.InputError, match="truncated or damaged"):
        rk.spoken.read_lattice(tmp_path / "t.slf.gz")
    (tmp_path / "e.slf").write_text("")
    with pytest.raises(rk.InputError, match="not a lattice"):
        rk.spoken.read_lattice(tmp_path / "e.slf")
    (tmp_path / "k.ark").write_bytes(b"utt \x00\x00\x00\x00 nonsense nonsense nonsense")
    with pytest.raises(rk.InputError, match=r"not a file of lattices|expected the name"):
        list(rk.spoken.read_archive(tmp_path / "k.ark"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.spoken.Lattice.from_arcs([], 0, 1), "at least one arc"),
        (lambda: rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0), (1, 0, "b", 0.0)], 0, 1), "in a circle"),
        (lambda: rk.spoken.Lattice.from_arcs([(0, 1, "a", np.nan)], 0, 1), "acoustic score nan"),
        (lambda: rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 5), "no path leads"),
        (lambda: rk.spoken.Lattice.from_arcs([(-1, 1, "a", 0.0)], 0, 1), "from 0"),
        (lambda: arc_posteriors(rk.spoken.Lattice.from_arcs([(0, 1, "a", -np.inf)], 0, 1)), "probability 0"),
        (lambda: arc_posteriors(rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), use="given"), "not give"),
        (lambda: rk.spoken.pspl(rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), prune=1), "prune"),
        (lambda: rk.spoken.confusion_network(
            rk.spoken.Lattice.from_arcs([(0, 1, "a", 0.0)], 0, 1), method="x"), "method"),
    ],
)  # fmt: skip
def test_bad_input(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()


def test_all_real_lattices(real_data):
    place = real_data / "speech"
    worst, n = [], 0
    for name, lattice in rk.spoken.read_archive(place / "lj" / "lattices"):
        found = arc_posteriors(lattice)
        worst.append(np.abs(found.posterior - lattice.posterior).max())
        assert np.isfinite(found.posterior).all(), name
        n += 1
    assert n == 385
    assert np.median(worst) < 1e-3
    assert max(worst) < 2e-3  # the files' own p= have six digits and are not quite consistent
    kaldi = list(rk.spoken.read_archive(place / "aishell" / "lat.1.gz", words=place / "aishell" / "words.txt.gz"))
    assert len(kaldi) == 1000
    small = [lattice for _, lattice in kaldi if lattice.n_paths <= 200][:200]
    for lattice in small:
        found = arc_posteriors(lattice, acoustic_scale=0.1)
        weight = lattice.acoustic * 0.1 + lattice.language
        want = np.zeros(len(lattice))
        for path, p in ref.path_probabilities(lattice, weight):
            want[path] += p
        np.testing.assert_allclose(found.posterior, want, atol=1e-10)


def test_units_of_words_equal_enumeration_over_split_paths():
    from rankine.spoken.lattice.units import from_mapping, to_units

    rng = np.random.default_rng(5)
    ways = {"w0": [["x", "y"], ["z"]], "w1": [["y"]], "w2": [["x", "x", "z"]], "w3": [["z", "y"], ["y", "z"], ["x"]]}
    for _ in range(150):
        lattice = random_lattice(rng, int(rng.integers(2, 6)), int(rng.integers(2, 9)), 4)
        small = to_units(lattice, from_mapping(ways))
        want = {}
        for path, p in ref.path_probabilities(lattice, lattice.acoustic):
            sequences = [([], p)]
            for word in lattice.words(path):
                sequences = [(s + w, q / len(ways[word])) for s, q in sequences for w in ways[word]]
            for sequence, q in sequences:
                for position, unit in enumerate(sequence):
                    want[position, unit] = want.get((position, unit), 0.0) + q
        got = {(p, u): x for p, u, x in rk.spoken.pspl(small).triples()}
        assert got == pytest.approx(want, abs=1e-10)
        assert (rk.spoken.confusion_network(small).posterior <= 1 + 1e-9).all()
    whole = to_units(lattice, lambda word: [[word]])
    assert len(whole) == len(lattice)


def test_units_from_a_dictionary_and_characters(tmp_path):
    from rankine.spoken.lattice.units import characters, from_mapping, lexicon, to_units

    (tmp_path / "d.txt").write_text(";;; a dictionary\nto T UW1\nto(2) T AH0\ngo G OW1\n")
    split = from_mapping(lexicon(tmp_path / "d.txt"), "the dictionary")
    assert split("TO") == [["T", "UW"], ["T", "AH"]]
    with pytest.raises(rk.InputError, match="'fro' is not in the dictionary"):
        split("fro")
    (tmp_path / "e.txt").write_text("to\n")
    with pytest.raises(rk.InputError, match="has no units"):
        lexicon(tmp_path / "e.txt")
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "to", 0.0, 0.0, 1.0), (1, 2, "go", 0.0, 1.0, 1.5)], 0, 2)
    phones = rk.spoken.pspl(to_units(lattice, split))
    assert [(p, u) for p, u, _ in phones.triples()] == [(0, "T"), (1, "UW"), (1, "AH"), (2, "G"), (3, "OW")]
    assert phones.start.tolist() == pytest.approx([0, 0.5, 0.5, 1.0, 1.25])
    assert to_units(lattice, characters).units == ("t", "o", "g")
    with pytest.raises(rk.InputError, match="no units"):
        to_units(lattice, lambda word: [])


def test_error_rates():
    from rankine.spoken.lattice.wer import edit_distance, oracle_distance

    rng = np.random.default_rng(6)
    for _ in range(200):
        lattice = random_lattice(rng, int(rng.integers(2, 6)), int(rng.integers(2, 10)), 3)
        reference = [f"w{rng.integers(4)}" for _ in range(rng.integers(0, 6))]
        want = min(edit_distance(lattice.words(path), reference) for path in lattice.paths())
        assert oracle_distance(lattice, reference) == want


def test_mandarin_syllables():
    from rankine.spoken.lattice.units import pinyin, to_units

    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "设定", 0.0), (1, 2, "度", 0.0)], 0, 2)
    assert rk.spoken.pspl(to_units(lattice, pinyin())).best() == ["she4", "ding4", "du4"]
    assert rk.spoken.pspl(to_units(lattice, pinyin(tones=False))).best() == ["she", "ding", "du"]


def test_simple_sources(tmp_path):
    (tmp_path / "a.ctm").write_text(
        ";; comment\nu1 1 0.5 0.5 world 0.6\nu1 1 0.0 0.5 hello 0.9\nu2 1 0 1 <sil>\nu2 1 1 1 x\n"
    )
    found = dict(rk.spoken.read_archive(tmp_path / "a.ctm"))
    assert rk.spoken.pspl(found["u1"]).triples()[0] == (0, "hello", pytest.approx(0.9))
    counts = expected_counts(found["u1"], arc_posteriors(found["u1"]))
    assert counts == pytest.approx({"hello": 0.9, "world": 0.6})
    assert found["u2"].units == ("x",)
    (tmp_path / "w.json").write_text(
        '{"segments": [{"words": [{"word": " Hi,", "start": 0, "end": 0.4, "probability": 0.5},'
        ' {"word": " you", "start": 0.4, "end": 0.9, "probability": 1.0}]}]}'
    )
    lattice = rk.spoken.read_lattice(tmp_path / "w.json")
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"hi": 0.5, "you": 1.0})
    (tmp_path / "n.nbest").write_text(f"{np.log(3.0)} a b\n0.0 a c d\n")
    lattice = rk.spoken.read_lattice(tmp_path / "n.nbest")
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"a": 1, "b": 0.75, "c": 0.25, "d": 0.25})
    (tmp_path / "f.fst").write_text(f"0 1 a a {-np.log(0.25)}\n0 1 b b {-np.log(0.75)}\n1 2 <eps> <eps>\n2\n")
    lattice = rk.spoken.read_lattice(tmp_path / "f.fst")
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"a": 0.25, "b": 0.75})
    for name, text, message in (
        ("x.ctm", "u 1 0 1\n", "5 or 6 columns"),
        ("y.ctm", "u 1 0 1 w 1.5\n", "between 0 and 1"),
        ("z.ctm", "u 1 zero 1 w\n", "expected a number"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(rk.InputError, match=message):
            list(rk.spoken.read_archive(tmp_path / name))
    for name, text, message in (
        ("x.json", "{", "not the JSON"),
        ("y.json", '{"segments": []}', "no words"),
        ("x.nbest", "score a\n", "expected a number"),
        ("y.nbest", "", "no hypotheses"),
        ("x.fst", "0 1 a\n", "no final state"),
        ("y.fst", "q 1 a\n1\n", "number of a state"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(rk.InputError, match=message):
            rk.spoken.read_lattice(tmp_path / name)
