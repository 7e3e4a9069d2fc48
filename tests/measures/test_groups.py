"""Judgments in groups: several people, preferences, subtopics; against slow versions on random sets."""

import numpy as np
import pytest

import rankine as rk
from rankine.io import JudgmentGroups

from .. import reference_trec as trec

PREFS = [
    (f"Prefs(average={average!r},over={over!r})", {"average": average, "over": over})
    for average in ("preferences", "pairs", "groups")
    for over in ("all", "retrieved", "implied")
]


def random_groups(rng, subgroups):
    """Rows (query, group, subgroup, document, level) without contradictions, and a run with holes and ties."""
    docs = [f"d{i}" for i in rng.permutation(30)[: rng.integers(1, 9)]]
    rows = []
    for q in ("q1", "q2"):
        for g in range(rng.integers(1, 4)):
            levels = {d: int(rng.integers(-1 if subgroups == 1 else 0, 4)) for d in docs}
            for s in range(subgroups):
                part = [d for d in docs if rng.random() < 0.7] or docs[:1]
                rows += [(q, f"g{g}", f"s{s}", d, levels[d]) for d in part]
    run = {q: {d: float(rng.integers(0, 5)) for d in [*docs, "x"] if rng.random() < 0.7} for q in ("q1", "q2")}
    run["q3"] = {rows[0][3]: 1.0}  # a run without any judged document is an error
    return rows, {q: lists for q, lists in run.items() if lists}


def judged(rows):
    q, g, s, d, v = zip(*rows, strict=True)
    return JudgmentGroups.from_columns(q, g, d, v, s)


def ranking(lists, ascending):
    """Documents by score; of equal ones by name, as trec_eval: ascending for preferences."""
    return sorted(sorted(lists, reverse=not ascending), key=lambda d: -lists[d])


@pytest.mark.parametrize("subgroups", [1, 2])
def test_preferences_on_random_sets(subgroups):
    rng = np.random.default_rng(subgroups)
    names = [*(name for name, _ in PREFS), "NumPrefs", "NumPrefsMet", "NumPrefsMet(over='retrieved')"]
    checked = 0
    for _ in range(500):
        rows, run = random_groups(rng, subgroups)
        report = rk.evaluate_run(names, judged(rows), run, complete=True)
        for i, q in enumerate(report.query_ids):
            mine = [(g, s, d, v) for r, g, s, d, v in rows if r == q]
            groups = [[(s, d, v) for h, s, d, v in mine if h == g] for g in dict.fromkeys(g for g, *_ in mine)]
            ranked = ranking(run.get(q, {}), ascending=True)
            for name, params in PREFS:
                assert report.per_query[name][i] == pytest.approx(trec.prefs(groups, ranked, **params), abs=1e-12)
            pairs = [pair for g in groups for pair in trec.preferences_of(g)]
            met, possible = trec.preference_counts(pairs, ranked, "all")
            counts = [report.per_query[n][i] for n in names[-3:]]
            assert counts == [possible, met, trec.preference_counts(pairs, ranked, "retrieved")[0]]
            checked += 1
    assert checked == 1000


@pytest.mark.parametrize(
    ("levels", "ranked", "share", "of_retrieved"),
    [
        ({"a": 1, "b": 0}, "ab", 1.0, 1.0),
        ({"a": 1, "b": 0}, "a", 1.0, 1.0),
        ({"a": 1, "b": 0}, "b", 0.0, 0.0),
        ({"a": 1, "b": 0}, "c", 0.0, 0.0),
        ({"a": 1, "b": 1}, "ab", 1.0, 1.0),  # two relevant, no other: those that lack count as below
        ({"a": 0, "b": 0}, "ab", 0.0, 0.0),
        ({"a": 1}, "a", 1.0, 1.0),
    ],
)
def test_as_many_other_documents_as_relevant_ones(levels, ranked, share, of_retrieved):
    """The small cases of trec_eval's own test."""
    run = {"q": {d: -float(i) for i, d in enumerate(ranked)}, "other": {"a": 1.0}}
    report = rk.evaluate_run(["PrefsR", "PrefsR(over='retrieved')"], {"q": {"g": levels}}, run)
    assert list(report.mean.values()) == [share, of_retrieved]


def test_as_many_other_documents_in_groups_with_and_without_subgroups():
    """trec_eval prints 0.4810 and 0.6476 for the same preferences without and with subgroups."""
    levels = {"0": (0, 1, 0, 5), "1": (4, 6, 6, 5), "2": (9, 8, 7, 5)}
    rows = [("plain", g, "0", d, v) for g, vs in levels.items() for d, v in zip("ABCX", vs, strict=True)]
    rows += [("parts", *row[1:]) for row in rows]
    rows += [("parts", g, "1", d, v) for g, vs in levels.items() for d, v in zip("AB", vs[:2], strict=True)]
    run = {query: {"A": 3.0, "B": 2.0, "C": 1.0} for query in ("plain", "parts")}
    report = rk.evaluate_run(["prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret", "prefs_pair"], judged(rows), run)
    printed = [[f"{v:.4f}" for v in column] for column in report.per_query.values()]
    assert printed == [["0.5616", "0.5616"], ["0.4810", "0.6476"], ["0.5833", "0.5833"]]


def test_measures_are_averaged_over_people():
    rng = np.random.default_rng(3)
    singles = {"map_avgjg": "map", "P_avgjg_2": "P_2", "Rprec_mult_avgjg_0.60": "Rprec_mult_0.60"}
    checked = 0
    for _ in range(200):
        rows, run = random_groups(rng, 1)
        report = rk.evaluate_run(list(singles), judged(rows), run, complete=True)
        for i, q in enumerate(report.query_ids):
            people = dict.fromkeys(g for r, g, *_ in rows if r == q)
            values = np.zeros(len(singles))
            for person in people:
                qrels = {q: {d: v for r, g, _, d, v in rows if (r, g) == (q, person)}}
                if any(v >= 0 and d in run.get(q, {}) for d, v in qrels[q].items()):  # otherwise the values are 0
                    values += list(rk.evaluate_run(list(singles.values()), qrels, {q: run[q]}).mean.values())
            assert np.allclose([report.per_query[n][i] for n in singles], values / len(people), atol=1e-12)
            checked += 1
    assert checked == 400


def test_diversity_on_random_sets():
    rng = np.random.default_rng(4)
    names = {"alpha_nDCG@3": 3, "alpha_nDCG(alpha=0.3,rel=2)@20": 20, "ERR_IA@5": 5, "ERR_IA(alpha=0.7)@20": 20}
    for _ in range(500):
        rows, run = random_groups(rng, 1)
        report = rk.evaluate_run(list(names), judged(rows), run, complete=True)
        for i, q in enumerate(report.query_ids):
            grades = {
                g: {d: v for r, h, _, d, v in rows if (r, h) == (q, g)} for g in {g for r, g, *_ in rows if r == q}
            }
            ranked = ranking(run.get(q, {}), ascending=False)
            for name, cutoff in names.items():
                params = {k: v for k, v in rk.parse(name).params if k != "cutoff"}
                slow = trec.alpha_ndcg if name.startswith("alpha") else trec.err_ia
                assert report.per_query[name][i] == pytest.approx(slow(grades, ranked, cutoff, **params), abs=1e-9)


def test_diversity_by_hand():
    """Values of ndeval."""
    qrels = {"q": {"1": {"a": 1, "b": 1}, "2": {"c": 1}}}
    report = rk.evaluate_run(["alpha-nDCG@2", "ERR-IA@2"], qrels, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    log3 = np.log2(3)
    assert report.mean["alpha-nDCG@2"] == pytest.approx((1 + 0.5 / log3) / (1 + 1 / log3))
    assert report.mean["ERR-IA@2"] == pytest.approx((1 + 0.5 / 2) / (2 * (1 + 0.5 / 2)))
    assert rk.evaluate_run("ERR_IA@2", {"q": {"1": {"a": 0}}}, {"q": {"a": 1.0}}, empty="skip").averaged == {
        "ERR_IA@2": 0
    }


GROUPS, RUN = {"q": {"1": {"a": 1}}}, {"q": {"a": 1.0}}
CONFLICT = [("q", "g", "1", "a", 1), ("q", "g", "1", "b", 0), ("q", "g", "2", "a", 0), ("q", "g", "2", "b", 1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rk.evaluate_run(["ERR_IA@5", "AP"], GROUPS, RUN), "ask for them apart"),
        (lambda: rk.evaluate_run("ERR_IA@5", [1], RUN), "dict of dicts of dicts"),
        (lambda: rk.evaluate_run("ERR_IA@5", GROUPS, {"p": {"a": 1.0}}), "no query in common"),
        (lambda: rk.evaluate_run("prefs_simp", GROUPS, RUN, ties="expected"), "need an order"),
        (lambda: rk.evaluate_run("AP", JudgmentGroups.from_dict(GROUPS), RUN), "in groups"),
        (
            lambda: rk.evaluate_run("ERR_IA@5", GROUPS, {"q": {f"b{i}": 1.0 for i in range(10)}}),
            "run has 'b0', .* the judgments have 'a'",
        ),
        (lambda: rk.evaluate("ERR_IA@5", [1], [1.0]), "needs subtopics"),
        (lambda: rk.evaluate_run("prefs_simp", judged(CONFLICT), RUN), "query q: a judgment group prefers"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(rk.InputError, match=message):
        call()
