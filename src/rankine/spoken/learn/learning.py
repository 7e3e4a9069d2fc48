"""Learning which evidence to trust: weights for the weak rankers from judged queries, tested over folds of queries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ... import losses
from ...data.ranking_data import RankingData
from ...errors import InputError
from ...measures import evaluate
from ...measures.compare import mean_interval, wilcoxon
from ...system.console import counted
from ...system.files import fingerprint
from ...system.progress import bar
from .classes import C as OWN_C
from .classes import ContinuedRanker
from .neighbours import NeighbourRanker
from .table import AUTO, NEIGHBOURS, RANKERS
from .weights import Weights, check_normaliser, is_evidence, normalised

C_GRID = tuple(10.0**e for e in range(-3, 5))
START_GRID = tuple(10.0**e for e in range(-7, 1))
SHIPPED, IN_USE = "shipped", "in use"
LearningProgress = Callable[[str, int, int], object]  # gets the stage, how much of it is done, and the whole


class LearningStopped(Exception):
    """Whoever watches the progress of learning has stopped it; nothing has changed."""


def watched_by(progress: LearningProgress | None) -> Callable[[str, int, int], None]:
    """What reports progress, and raises LearningStopped where the function that is told returns False."""

    def report(stage: str, done: int, total: int) -> None:
        if progress is not None and progress(stage, done, total) is False:
            raise LearningStopped("learning was stopped; the weights in use are as they were")

    return report


@dataclass(frozen=True)
class Examples:
    """Features of judged queries, and what is needed to compute AP as trec_eval does.

    Args:
        data: the weak rankers' scores of every query's candidates, with their grades.
        relevant: how many relevant documents each query has, candidates or not.
        in_vocabulary: whether all words of the query occur in the archive, for the queries of ``data`` and of ``lost``.
        n_judgments: how many judgments they come from.
        digest: a fingerprint of queries, judgments and archive.
        lost: queries without a candidate: their AP is 0.
        n_judged: how many queries have judgments, of relevant places or not.
        origin: the language and the kinds of units of the archive, for the provenance of weights.
        texts: of the queries of ``data`` and of ``lost``, by name.
    """

    data: RankingData
    relevant: np.ndarray
    in_vocabulary: np.ndarray
    n_judgments: int = 0
    digest: str = ""
    lost: tuple[str, ...] = ()
    n_judged: int = 0
    origin: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def query_marks(self) -> dict[str, str]:
        """Return a short fingerprint of the text of each query, by which weights know what they were learned from."""
        names = (*map(str, self.data.query_ids), *self.lost)
        return {name: fingerprint(self.texts.get(name, name), size=6) for name in names}

    def subset(self, queries: Sequence[int]) -> Examples:
        """Some of the queries with candidates, by number."""
        rows = np.asarray(queries, np.int64)
        return replace(
            self, data=self.data.subset(rows), relevant=self.relevant[rows], in_vocabulary=self.in_vocabulary[rows],
            lost=(),
        )  # fmt: skip

    def average_precision(self, data: RankingData, scores: np.ndarray) -> np.ndarray:
        """AP of each query as trec_eval computes it: ties by name; relevant documents that are no candidates count."""
        precision = evaluate("AP", data.y, scores, data.qid, ties="trec", doc_ids=data.doc_ids).per_query["AP"]
        there = np.add.reduceat(np.asarray(data.y) > 0, data.ptr[:-1])
        total = dict(zip(self.data.query_ids, self.relevant.tolist(), strict=True))
        return precision * there / np.array([total[q] for q in data.query_ids])

    def precision(self, weights: Weights) -> np.ndarray:
        """AP of all queries by given weights, those without a candidate last."""
        values = self.average_precision(self.data, weights.scores(self.data))
        return np.concatenate([values, np.zeros(len(self.lost))])


def make_ranker(
    name: str, data: RankingData, normalise: str | None, seed: int = 0, start: np.ndarray | None = None
) -> Any:
    """A ranker for these queries: one of ``RANKERS``, or a linear one with any loss and C by cross-validation.

    With ``start`` a linear one begins at these weights of columns of evidence.
    """
    from ...rankers import LinearRanker

    if start is not None and name == NEIGHBOURS:
        return NeighbourRanker(start)
    if start is not None:
        C = OWN_C if name == "svm-map" else choose_C(name, data, None, seed, start=start)
        return ContinuedRanker(name, C, start)
    if name in RANKERS:
        return RANKERS[name].make(data, normalise)
    return LinearRanker(loss=name, C=choose_C(name, data, normalise, seed), normalise=normalise)


def check_ranker(name: str) -> None:
    """Raise InputError if there is no such ranker."""
    if name not in RANKERS:
        losses.get(name)


def choose_C(
    loss: str,
    data: RankingData,
    normalise: str | None,
    seed: int = 0,
    folds: int = 3,
    start: np.ndarray | None = None,
) -> float:
    """The C of a grid (over the number of queries) with the best mean AP over folds of the training queries."""
    from ...rankers import LinearRanker

    grid = [c / data.n_queries for c in (C_GRID if start is None else START_GRID)]
    if data.n_queries < 2:
        return 1.0 if start is None else grid[0]
    total = np.zeros(len(grid))
    for train, test in data.folds(min(folds, data.n_queries), seed):
        models = (
            LinearRanker(loss=loss, normalise=normalise).path(grid, train)
            if start is None
            else (_fitted(ContinuedRanker(loss, C, start), train) for C in grid)
        )
        for i, model in enumerate(models):
            total[i] += evaluate("AP", test.y, model.predict(test), test.qid).mean["AP"]
    return grid[int(np.argmax(total))]


@dataclass(frozen=True)
class QueryFold:
    """Weights learned on the other folds, and the AP of each of this fold's queries, by system."""

    coef: dict[str, np.ndarray]
    precision: dict[str, np.ndarray]
    query_ids: list[Any]


@dataclass(frozen=True)
class CrossValidation:
    """APs of all queries by every system, those without a candidate last."""

    precision: dict[str, np.ndarray]
    folds: tuple[QueryFold, ...]
    in_vocabulary: np.ndarray
    baselines: tuple[str, ...] = ("uniform", "best single")
    query_ids: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The heads of the table."""
        tests = [head for baseline in self.baselines for head in (f"to {baseline}", "p")]
        return ("system", "MAP", "known words", "unknown words", *tests[:-1], "p (Wilcoxon)")

    def table(self) -> list[tuple[str, ...]]:
        """System, MAP, with known and unknown words, and the differences to baselines with their tests."""
        rows = []
        for name, x in self.precision.items():
            subsets = (self.in_vocabulary, ~self.in_vocabulary)
            means = [f"{x[subset].mean():.4f}" if subset.any() else "-" for subset in subsets]
            tests = [cell for baseline in self.baselines for cell in self._against(name, baseline)]
            rows.append((name, f"{x.mean():.4f}", *means, *tests))
        return rows

    def _against(self, name: str, baseline: str) -> tuple[str, str]:
        """The mean difference with its interval, and p of Wilcoxon's test."""
        if name == baseline:
            return "-", "-"
        d = self.precision[name] - self.precision[baseline]
        low, high = mean_interval(d, 0.95, 0)
        return f"{d.mean():+.4f} [{low:+.4f}, {high:+.4f}]", f"{wilcoxon(d):.2g}"


def cross_validate(
    examples: Examples,
    rankers: Mapping[str, str],
    folds: int = 4,
    seed: int = 0,
    normalise: str | None = "query-minmax",
    start: np.ndarray | None = None,
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> CrossValidation:
    """Test every ranker on folds of the queries, beside equal weights and the weak ranker that is best in training.

    Where rankers begin at weights of evidence (``start``), only they are tested. ``report`` is told of folds.
    """
    data = examples.data
    if data.n_queries < folds:
        judged = counted(examples.n_judged or data.n_queries, "judged query")
        raise InputError(
            f"of {judged} only those with at least one relevant place count: "
            f"{data.n_queries}, too few for {folds} folds: judge more queries"
            f"{f', or --folds {data.n_queries}' if data.n_queries > 1 else ''}"
        )
    check_normaliser(normalise)
    baselines = [] if start is not None else ["best single", "uniform", *(["uniform, normalised"] if normalise else [])]
    systems = [*baselines, *rankers]
    precision = {name: np.zeros(data.n_queries + len(examples.lost)) for name in systems}
    number = {q: i for i, q in enumerate(data.query_ids)}
    tested: list[QueryFold] = []
    with bar("folds", folds) as update:
        for train, test in data.folds(folds, seed):
            fold = QueryFold({}, {}, list(test.query_ids))
            for name in systems:
                fold.coef[name], scores = _scored(name, rankers, train, test, normalise, seed, start)
                fold.precision[name] = examples.average_precision(test, scores)
                precision[name][[number[q] for q in test.query_ids]] = fold.precision[name]
            tested.append(fold)
            update(len(tested))
            report("folds", len(tested), folds)
    names = (*map(str, data.query_ids), *examples.lost)
    return CrossValidation(precision, tuple(tested), examples.in_vocabulary, query_ids=names)


def _scored(
    name: str,
    rankers: Mapping[str, str],
    train: RankingData,
    test: RankingData,
    normalise: str | None,
    seed: int,
    start: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a system that sees ``train``, and its scores of ``test``."""
    if name.startswith("uniform"):
        coef = np.full(train.n_features, 1 / train.n_features)
        return coef, normalised(test, None if name == "uniform" else normalise) @ coef
    how, ranker = (None, "single") if name == "best single" else (normalise, rankers[name])
    model = _fitted(make_ranker(ranker, train, how, seed, start), train)
    return model.coef_, np.asarray(model.predict(test), np.float64)


def _fitted(model: Any, data: RankingData) -> Any:
    """Fit without warnings: how well it does is measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(data)


def learn(
    examples: Examples,
    ranker: str = NEIGHBOURS,
    normalise: str | None = AUTO,
    folds: int = 4,
    seed: int = 0,
    candidates: int = 1000,
    begin: Weights | None = None,
    current: Weights | None = None,
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> tuple[Weights, CrossValidation]:
    """Weights from all judged queries, and how well such weights do on queries they have not seen.

    Args:
        examples: features of judged queries.
        ranker: a name in ``RANKERS``, or any loss.
        normalise: how scores are normalised within a query, which makes the weights those of the papers' weak rankers;
            None: not at all. ``"auto"``: not at all for linear rankers, which begin at given weights of evidence;
            ``"query-minmax"`` for the papers' weak rankers.
        folds: of queries, for the test.
        seed: of the folds.
        candidates: how many places of each query there are at the most.
        begin: the shipped weights, which are tested on the same queries; linear rankers begin at them. None: linear
            rankers learn weights of the papers' weak rankers.
        current: the weights in use where they are others, which are tested too (:func:`in_use_precision`).
        report: is called with the stage, how much of it is done, and the whole; it may raise.
    """
    check_ranker(ranker)  # raises InputError before the long computation starts
    data, start = _task(examples, ranker, normalise, begin)
    trial = _trial(examples, ranker, normalise, folds, seed, begin, report)
    normalise = _used_normaliser(normalise, start)
    if begin is not None:
        others = [n for n in map(str, examples.data.feature_names or ()) if not is_evidence(n)]
        given = {"uniform": Weights.equal(others)} if start is not None and others else {}
        before = {name: examples.precision(w) for name, w in (given | {SHIPPED: begin}).items()}
        if current is not None:
            test = partial(_trial, examples, folds=folds, seed=seed, begin=begin)
            before[IN_USE] = in_use_precision(examples, current, {(ranker, normalise): trial}, test)
        baselines = (list(before)[-1], *(() if start is not None else trial.baselines))
        trial = replace(trial, precision=before | trial.precision, baselines=baselines)
    model = _fitted(make_ranker(ranker, data, normalise, seed, start), data)
    provenance = {
        "queries": data.n_queries, "documents": data.n_documents, "judged": examples.n_judgments,
        "judgments": examples.digest, "folds": folds, "seed": seed, "candidates": candidates,
        "parameters": {k: v for k, v in model.get_params().items() if isinstance(v, (int, float, str))},
        "MAP": {n: float(x.mean()) for n, x in trial.precision.items() if n != IN_USE},
        "seen": sorted(set(examples.query_marks.values())), **examples.origin,
    }  # fmt: skip
    return Weights(tuple(data.feature_names or ()), tuple(model.coef_), normalise, ranker, provenance), trial


def in_use_precision(
    examples: Examples,
    current: Weights,
    tested: Mapping[tuple[str, str | None], CrossValidation],
    test: Callable[[str, str | None], CrossValidation],
) -> np.ndarray:
    """AP of all queries by the weights in use, as if they had not seen them.

    Weights do better on queries that they were learned from. For these queries, weights that the same ranker learned on
    the other folds stand in their place, if all that the weights in use were learned from is here, and so is at least
    as much. Else they are tested as they are, which favours them.

    Args:
        examples: features of judged queries.
        current: the weights in use.
        tested: the tests of rankers that were made already, by the names of ranker and normaliser.
        test: makes the test of a ranker.
    """
    out = examples.precision(current)
    marks, origin = examples.query_marks, current.provenance
    if origin.get("judgments") == examples.digest:
        seen = set(marks.values())
    else:
        seen = set(origin.get("seen", ()))
    there = [mark in seen for mark in marks.values()]
    how = (current.ranker, current.normalise)
    if any(there) and seen <= set(marks.values()) and origin.get("judged", 0) <= examples.n_judgments:
        with suppress(InputError):  # a ranker that is not known here
            out[there] = (tested.get(how) or test(*how)).precision[current.ranker][there]
    return out


def _trial(
    examples: Examples,
    ranker: str,
    normalise: str | None,
    folds: int,
    seed: int,
    begin: Weights | None,
    report: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> CrossValidation:
    """Test a ranker on folds of the queries."""
    check_ranker(ranker)
    data, start = _task(examples, ranker, normalise, begin)
    how = _used_normaliser(normalise, start)
    return cross_validate(replace(examples, data=data), {ranker: ranker}, folds, seed, how, start, report)


def _used_normaliser(normalise: str | None, start: np.ndarray | None) -> str | None:
    """Return the normaliser that is meant by ``"auto"``, or the one that is given."""
    return ("query-minmax" if start is None else None) if normalise == AUTO else normalise


def learns_evidence(ranker: str, normalise: str | None) -> bool:
    """Whether a ranker learns weights of evidence, beginning at the shipped ones."""
    return (ranker not in RANKERS or RANKERS[ranker].continues) and normalise in (AUTO, None)


def _task(
    examples: Examples, ranker: str, normalise: str | None, begin: Weights | None
) -> tuple[RankingData, np.ndarray | None]:
    """The columns whose weights are learned, and the weights that it begins at, if it does."""
    data = examples.data
    names = list(map(str, data.feature_names or ()))
    evidence, others = [n for n in names if is_evidence(n)], [n for n in names if not is_evidence(n)]
    if evidence and begin is not None and learns_evidence(ranker, normalise):
        return data.select(evidence), np.array([begin.by_name.get(n, 0.0) for n in evidence])
    return (data.select(others) if evidence and others else data), None
