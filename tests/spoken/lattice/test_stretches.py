"""Stretches against the enumeration of paths; joining and cutting at pauses; what is computed of stretches."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import stretches as module
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.lattice.lattice import Lattice, random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts
from rankine.spoken.lattice.stretches import cut_nodes, stretches

from ... import reference_stretches as ref


def drawn(rng, pauses=True):
    """A random lattice of words, its scores far apart or equal, with a piece of silence here and there."""
    lattice = random_lattice(rng, int(rng.integers(2, 9)), int(rng.integers(2, 14)), 4)
    scale = rng.choice([0.0, 0.3, 3.0, 8.0])
    at = np.cumsum(rng.choice([0.0, 0.1, 0.5, 0.5, 1.0], lattice.n_nodes)) if pauses else np.zeros(lattice.n_nodes)
    shift = rng.choice([0.0, 0.3], len(lattice)) * (rng.random() < 0.3)  # some words begin later than their node
    return replace(
        lattice, acoustic=lattice.acoustic * scale, start=at[lattice.source] + shift,
        end=np.maximum(at[lattice.target], at[lattice.source] + shift),
    )  # fmt: skip


def arcs_of(lattice):
    columns = (lattice.source, lattice.target, lattice.unit, lattice.acoustic, lattice.start, lattice.end)
    rows = zip(*(c.tolist() for c in columns), strict=True)
    return [(u, v, None if w < 0 else lattice.units[w], *rest) for u, v, w, *rest in rows]


def joined(lattices, gap):
    """Lattices one after the other, with so many seconds of silence between them, and where each begins."""
    arcs, starts, node, time = [], [], 0, 0.0
    for lattice in lattices:
        if starts:
            arcs.append((node, node + 1, None, 0.0, time, time + gap))
            node, time = node + 1, time + gap
        starts.append(time)
        arcs += [(u + node, v + node, w, x, s + time, e + time) for u, v, w, x, s, e in arcs_of(lattice)]
        node, time = node + lattice.n_nodes - 1, time + float(lattice.end.max())
    return Lattice.from_arcs(arcs, 0, node), starts


def forms(lattice):
    return rk.spoken.pspl(lattice), rk.spoken.confusion_network(lattice)


def content(stretch, more=0.0):
    """(position, unit) → (posterior, start, end) of both forms, with times in the whole."""
    shift = stretch.start + more
    return [
        {
            (p, u): pytest.approx((x, s + shift, e + shift), abs=1e-9)
            for (p, u, x), s, e in zip(f.triples(), f.start.tolist(), f.end.tolist(), strict=True)
        }
        for f in forms(stretch.lattice)
    ]


def plain(contents):
    return [{key: value.expected for key, value in form.items()} for form in contents]


@pytest.mark.parametrize(("seconds", "words"), [(10.0, 30.0), (1.0, 30.0), (10.0, 1.37), (0.4, 1.0)])
def test_cut_nodes_are_those_of_the_slow_twin(monkeypatch, seconds, words):
    monkeypatch.setattr(module, "LONGEST_SECONDS", seconds)
    monkeypatch.setattr(module, "LONGEST_WORDS", words)
    rng = np.random.default_rng(0)
    cuts = 0
    for _ in range(1500):
        lattice = drawn(rng, pauses=rng.random() < 0.8)
        posterior = arc_posteriors(lattice).posterior
        with np.errstate(divide="ignore"):
            path = lattice.best_path(np.log(posterior))
        arcs = arcs_of(lattice)
        want = ref.cut_nodes(
            arcs, lattice.n_nodes - 1, ref.nodes_of(arcs, path), pause=module.PAUSE - 1e-6, all_=module.ALL,
            enough=module.ENOUGH, seconds=seconds, words=words,
        )  # fmt: skip
        assert cut_nodes(lattice) == want
        cuts += len(want)
    assert cuts > 50


def test_posteriors_of_a_stretch_are_those_given_its_ends(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_SECONDS", 0.7)
    monkeypatch.setattr(module, "ENOUGH", 0.5)
    rng = np.random.default_rng(1)
    lost = 0
    for _ in range(500):
        lattice = drawn(rng)
        arcs, nodes, parts = arcs_of(lattice), cut_nodes(lattice), stretches(lattice)
        paths = ref.weighted_paths(arcs, lattice.n_nodes - 1)
        assert len(parts) == len(nodes) + 1
        for part, u, v in zip(parts, [0, *nodes], [*nodes, lattice.n_nodes - 1], strict=True):
            counts = {}
            for a, p in enumerate(arc_posteriors(part.lattice).posterior.tolist()):
                if part.lattice.unit[a] >= 0:
                    times = (round(float(x[a]) + part.start, 6) for x in (part.lattice.start, part.lattice.end))
                    key = (part.lattice.units[part.lattice.unit[a]], *times)
                    counts[key] = counts.get(key, 0.0) + p
            assert counts == pytest.approx(ref.given(arcs, paths, u, v), abs=1e-9)
            lost += ref.mass(arcs, paths, u, v) < 1 - 1e-9
    assert lost > 50


def test_networks_of_stretches_in_a_row_are_that_of_the_whole(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_SECONDS", 1.0)
    monkeypatch.setattr(module, "ENOUGH", 1 - 1e-12)
    monkeypatch.setattr(module, "ALL", 1 - 1e-12)
    rng = np.random.default_rng(2)
    several = 0
    for _ in range(1000):
        lattice, _ = joined([drawn(rng) for _ in range(3)], float(rng.choice([0.0, 0.2, 1.0])))
        if arc_posteriors(lattice).posterior.min() < 1e-6:  # paths beside a node must be there, or not at all
            continue
        parts = stretches(lattice)
        several += len(parts) > 2
        position, cells, counts = 0, {}, {}
        for part in parts:
            network = rk.spoken.confusion_network(part.lattice)
            for p, u, x in network.triples():
                cells[position + p, u] = x
            position += network.n_positions if len(network) else 0
            for _, u, x in rk.spoken.pspl(part.lattice).triples():
                counts[u] = counts.get(u, 0.0) + x
        whole = rk.spoken.confusion_network(lattice)
        assert cells == pytest.approx({(p, u): x for p, u, x in whole.triples()}, abs=1e-9)
        want = expected_counts(lattice, arc_posteriors(lattice))
        assert counts == pytest.approx({u: x for u, x in want.items() if u in counts}, abs=1e-9)
    assert several > 200


def spoken(lattice):
    """Whether words are spoken in a lattice, none of them negligible: such a one may stand on either side of a cut."""
    words = arc_posteriors(lattice).posterior[lattice.unit >= 0]
    return len(words) > 0 and words.min() > 1 - module.ALL


@pytest.mark.parametrize("seconds", [10.0, 0.7])
def test_joining_at_pauses_and_cutting_there_change_no_stretch(monkeypatch, seconds):
    monkeypatch.setattr(module, "LONGEST_SECONDS", seconds)
    rng = np.random.default_rng(3)
    done = several = 0
    while done < 300:
        some = [drawn(rng) for _ in range(4)]
        if not all(map(spoken, some)):
            continue
        done += 1
        whole, starts = joined(some, float(rng.choice([0.5, 0.7, 2.0])))
        apart = [(part, start) for lattice, start in zip(some, starts, strict=True) for part in stretches(lattice)]
        together = stretches(whole)
        several += len(apart) > 4
        assert len(together) == len(apart)
        for one, (other, start) in zip(together, apart, strict=True):
            assert plain(content(one)) == content(other, start)
    assert several > 40


def words(n, rng, pause=0.7):
    """Words of an hour: a pause now and then, or never."""
    out, time = [], 0.0
    for _ in range(n):
        time += pause * (rng.random() < 0.1)
        length = 0.1 * int(rng.integers(1, 5))
        out.append((f"w{rng.integers(500)}", time, time + length, float(rng.choice([0.6, 0.9, 1.0]))))
        time += length
    return out


def test_one_best_words_in_two_files_or_in_one():
    rng = np.random.default_rng(4)
    for _ in range(20):
        whole = words(300, rng)
        gaps = [i for i in range(1, 300) if whole[i][1] - whole[i - 1][2] > 0.5]
        cut = int(rng.choice(gaps))
        parts = [stretches(one_best(some)) for some in (whole[:cut], whole[cut:])]
        together = stretches(one_best(whole))
        apart = [part for half in parts for part in half]
        assert len(together) == len(apart) > 10
        for one, other in zip(together, apart, strict=True):
            assert plain(content(one)) == content(other)


def test_stretches_follow_each_other_and_are_short():
    rng = np.random.default_rng(5)
    for pause in (0.0, 0.3, 0.7):
        lattice = one_best(words(2000, rng, pause))
        parts = stretches(lattice)
        assert parts[0].start == 0
        for one, other in pairwise(parts):
            assert one.start + one.length == pytest.approx(other.start)
        assert parts[-1].start + parts[-1].length == pytest.approx(float(lattice.end.max()))
        for part in parts:
            assert part.lattice.start.min() >= 0
            assert part.lattice.end.max() <= 10 + 1e-6
            assert expected_counts(part.lattice, arc_posteriors(part.lattice)).values()
        assert sum(len(part.lattice) for part in parts) == len(lattice)


def test_without_times_words_are_counted():
    arcs = [(i, i + 1, f"w{i}", 0.0) for i in range(100)]
    parts = stretches(Lattice.from_arcs(arcs, 0, 100))
    assert [len(p.lattice) for p in parts] == [25] * 4
    assert all(p.start == 0 and np.isnan(p.length) for p in parts)
    assert [w for p in parts for w in p.lattice.units] == [a[2] for a in arcs]


def test_some_times_are_missing():
    nan = np.nan
    times = [(0.0, 0.2), (nan, nan), (3.0, 3.2), (5.0, 5.1)]
    arcs = [(i, i + 1, f"w{i}", 0.0, *span) for i, span in enumerate(times)]
    parts = stretches(Lattice.from_arcs(arcs, 0, 4))
    assert [(p.start, p.lattice.units) for p in parts] == [(0.0, ("w0", "w1", "w2")), (5.0, ("w3",))]


def test_what_is_not_cut_stays_as_it_is():
    silence = Lattice.from_arcs([(0, 1, None, 0.0, 0.0, 100.0), (1, 2, None, 0.0, 100.0, 200.0)], 0, 2)
    short = one_best([("a", 5.0, 5.2, 0.5), ("b", 5.3, 5.4, 0.5)])
    for lattice in (silence, short):
        [part] = stretches(lattice)
        assert part.lattice is lattice
        assert (part.start, part.length) == (0.0, lattice.end.max())


def test_without_a_node_that_enough_pass_nothing_is_cut():
    """Two hypotheses that share no node: neither is lost."""
    one, other = ([(0 if i == 0 else f + i, 1 if i == 99 else f + i + 1, f"w{f}", 0.0) for i in range(100)]
                  for f in (10, 200))  # fmt: skip
    lattice = Lattice.from_arcs([*one, *other], 0, 1)
    assert [p.lattice for p in stretches(lattice)] == [lattice]
    after = [(1 if i == 0 else 400 + i, 401 + i, "b", 0.0) for i in range(29)]
    longer = Lattice.from_arcs([*one, *other, *after], 0, 429)
    assert [len(p.lattice) for p in stretches(longer)] == [200, 29]


def test_no_word_of_the_likeliest_path_is_lost(monkeypatch):
    monkeypatch.setattr(module, "LONGEST_WORDS", 1.0)
    monkeypatch.setattr(module, "ENOUGH", 0.0)  # the worst
    rng = np.random.default_rng(6)
    for _ in range(500):
        lattice = drawn(rng)
        posterior = arc_posteriors(lattice).posterior
        with np.errstate(divide="ignore"):
            best = lattice.words(lattice.best_path(np.log(posterior)))
        left = {u for part in stretches(lattice) for u in part.lattice.units}
        assert set(best) <= left


@pytest.mark.parametrize("timed", [True, False])
def test_stretches_of_a_network_are_networks_of_its_slots(timed):
    """No slot is divided: those of the stretches, one after the other, are those of the whole."""
    rng = np.random.default_rng(11)
    arcs = []
    for step in range(200):
        p = rng.dirichlet(np.ones(3))
        for word, x in zip(("a", f"w{step}", None), p, strict=True):
            begin = 0.4 * step + rng.random()
            arcs.append((step, step + 1, word, np.log(x), *((begin, begin + 0.3) if timed else (np.nan, np.nan))))
    lattice = Lattice.from_arcs(arcs, 0, 200)
    parts = stretches(lattice)
    assert len(parts) > 2
    assert all(part.lattice.is_network for part in parts)
    slots = []
    for part in parts:
        network = rk.spoken.confusion_network(part.lattice)
        for slot in range(network.n_positions):
            slots.append({u: x for p, u, x in network.triples() if p == slot})
    whole = rk.spoken.confusion_network(lattice)
    want = [{u: x for p, u, x in whole.triples() if p == slot} for slot in range(whole.n_positions)]
    assert slots == [pytest.approx(slot) for slot in want]
