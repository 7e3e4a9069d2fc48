"""The candidates of :class:`~rankine.AutoRanker`: a row for each, from cheap to dear.

A candidate is an estimator of :data:`rankine.rankers.table.TABLE` with fixed settings and one parameter that is swept.
All values of the swept parameter are one job: C is a warm-started path, numbers of trees and of rounds are the stages
of one fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from ...errors import unknown
from ...measures import parse
from ...measures.table import TABLE as MEASURES
from ..table import TABLE
from .estimate import DEAR, FLOOR, PLAIN

MEASURE = "{measure}"  # in settings: the measure that is asked for
STEPS = tuple(float(f"{10 ** (e / 2):.3g}") for e in range(-3, 8))  # 0.0316 … 3160: C in units of the first step


class Task(NamedTuple):
    """What a candidate must fit: the measure, and the size of the data that it learns from in each fold."""

    measure: str
    n_queries: int
    n_documents: int
    n_features: int
    sparse: bool
    deployable: bool = False
    seed: int = 0

    @property
    def millions(self) -> float:
        """Values of X, in millions."""
        return self.n_documents * self.n_features / 1e6


def _always(task: Task) -> str:
    return ""


class Candidate(NamedTuple):
    """A candidate.

    ``sweep`` is a parameter and its values, from simple to involved; empty: there is one configuration. ``level`` is
    the class of :mod:`.estimate`. ``seconds`` is about how long one fold takes on one core: a constant,
    and what a million values of X add; it decides what is tried by default. ``unsuited`` says why a task is not for it.
    ``takes_wide``: it is tried on data with more than ``WIDE`` features too, with every third value of its sweep.
    """

    name: str
    ranker: str
    settings: Mapping[str, Any]
    sweep: tuple[str, tuple[Any, ...]] | None
    level: int
    seconds: tuple[float, float]
    unsuited: Callable[[Task], str] = _always
    takes_wide: bool = False

    def settings_for(self, task: Task) -> dict[str, Any]:
        """The fixed settings, with the measure and the loss made for it in place of their names."""
        out = {k: task.measure if v == MEASURE else v for k, v in self.settings.items()}
        if out.get("loss") == STRUCTURED:
            out["loss"] = structured_loss(task.measure)
        elif out.get("loss") == TIGHT:
            out["loss"] = f"{structured_loss(task.measure)}:tight"
        if self.ranker in _SEEDED:
            out["seed"] = task.seed
        if (task.sparse or task.deployable) and "normalise" in out:  # by query: the others of the query are needed
            out["normalise"] = None if task.sparse else "zscore"  # which would fill a sparse matrix
        return out

    def reason_against(self, task: Task) -> str:
        """Why it is not tried: what is missing here, or what does not suit the task; empty if nothing."""
        extra = TABLE[self.ranker].extra
        if extra and find_spec(_PACKAGES[extra]) is None:
            return f"needs the extra [{extra}]"
        if task.deployable and TABLE[self.ranker].load().form != "linear":
            return "not linear, and only linear models can be exported to every target"
        if task.n_features > WIDE and not self.takes_wide:
            return f"for at most {WIDE:,} features"
        return self.unsuited(task)

    def for_task(self, task: Task) -> Candidate:
        """This candidate, with fewer values to sweep where the data is wide."""
        if task.n_features <= WIDE or self.sweep is None:
            return self
        return self._replace(sweep=(self.sweep[0], self.sweep[1][::3]))

    def cost(self, task: Task) -> float:
        """About the seconds of one fold on one core."""
        constant, per_million = self.seconds
        return constant + per_million * task.millions


WIDE = 10_000  # features
STRUCTURED, TIGHT = "{structured}", "{tight}"  # in settings: the structural loss of the measure, and its tight bound
_SEEDED = ("linear", "kernel", "boosted", "neural")
_PACKAGES = {"boost": "lightgbm", "torch": "torch"}
_LOSSES = {"nDCG": "svm-ndcg", "DCG": "svm-ndcg", "AP": "svm-map", "P": "svm-p", "Success": "svm-rr", "RR": "svm-rr"}


def structured_loss(measure: str) -> str:
    """The structural loss that is made for a measure, or for the nearest that has one.

    >>> structured_loss("nDCG@5"), structured_loss("AP"), structured_loss("ERR@20")
    ('svm-ndcg@5', 'svm-map', 'svm-ndcg@20')
    """
    of = parse(measure)
    name = _LOSSES.get(of.name, "svm-ndcg")
    takes_cutoff = name in ("svm-ndcg", "svm-p")
    cutoff = of.cutoff if of.cutoff is not None else (10 if name == "svm-p" else None)
    return f"{name}@{cutoff}" if takes_cutoff and cutoff is not None else name


def _not_up_to_one(task: Task) -> str:
    row = MEASURES[parse(task.measure).name]
    return f"boosts measures up to 1, which {task.measure} is not" if row.range[1] > 1 else ""


def _structured_is_map(task: Task) -> str:
    return "the same as linear svm-map" if structured_loss(task.measure) == "svm-map" else ""


def _not_sparse(task: Task) -> str:
    return "fills a sparse matrix" if task.sparse else ""


def _few_documents(most: int) -> Callable[[Task], str]:
    def unsuited(task: Task) -> str:
        return f"for at most {most:,} documents" if task.n_documents > most else ""

    return unsuited


def _linear(loss: str, name: str = "", **settings: Any) -> Candidate:
    fixed = {"loss": loss, "normalise": "query-zscore", "tol": 1e-2, **settings}
    return Candidate(name or f"linear {loss}", "linear", fixed, ("C_steps", STEPS), PLAIN, (0.1, 0.8))


def _trees(loss: str, **settings: Any) -> Candidate:
    fixed = {"loss": loss, "n_leaves": 7, "learning_rate": 0.05, "min_documents": 50, "threads": 1, **settings}
    return Candidate(f"trees {loss}", "boosted", fixed, ("n_trees", (25, 50, 100, 200, 400)), DEAR, (1.5, 2.0))


_SAMPLED = {"feature_fraction": 0.3, "bagging_freq": 1, "bagging_fraction": 0.5}

CANDIDATES = (
    Candidate("single feature", "single", {"measure": MEASURE, "both_signs": True}, None, FLOOR, (0.05, 0.2)),
    Candidate("uniform fusion", "uniform", {}, None, FLOOR, (0.02, 0.1), _not_sparse),
    _linear("listmle"),
    _linear("listnet")._replace(takes_wide=True),
    _linear("consistent-ndcg@10")._replace(takes_wide=True),
    _linear("preorder:norm+dcg"),
    _linear("ranksvm-l2"),
    _linear("svm-map"),
    _linear(STRUCTURED, "linear structural")._replace(unsuited=_structured_is_map),
    Candidate(
        "regression", "regression", {"normalise": "query-zscore"}, ("alpha", (1.0, 10.0, 100.0, 1000.0, 10000.0)),
        PLAIN, (0.05, 0.1),
    ),
    Candidate("RankBoost", "rankboost", {}, ("n_rounds", (25, 50, 100, 200, 300)), PLAIN, (0.1, 0.6)),
    Candidate(
        "AdaRank", "adarank", {"measure": MEASURE}, ("n_rounds", (1, 5, 20, 100)), PLAIN, (0.3, 0.3), _not_up_to_one,
    ),
    _trees("listnet", params=_SAMPLED),
    _trees("consistent-ndcg@10", params=_SAMPLED),
    Candidate(
        "linear tight", "linear", {"loss": TIGHT, "normalise": "query-zscore", "tol": 1e-2},
        ("C_steps", (1.0, 10.0, 100.0)), DEAR, (2.0, 6.0),
    ),
    Candidate(
        "kernel listnet", "kernel", {"loss": "listnet", "normalise": "query-zscore", "max_documents": 1,
        "n_components": 200}, ("C", (0.001, 0.01, 0.1)), DEAR, (2.0, 4.0), _few_documents(100_000),
    ),
    Candidate(
        "network listnet", "neural", {"loss": "listnet", "normalise": "query-zscore", "threads": 1, "epochs": 30},
        None, DEAR, (4.0, 8.0), _few_documents(500_000),
    ),
)  # fmt: skip


def allowance(task: Task) -> float:
    """The predicted seconds of one core that are spent by default: more for larger data, a few minutes at most."""
    return min(60.0 + 30.0 * task.millions, 600.0)


def named(names: Any) -> tuple[Candidate, ...]:
    """The candidates that the parameter of AutoRanker means: ``"auto"`` for all, or a list of names and own rows."""
    if isinstance(names, str) and names == "auto":
        return CANDIDATES
    table = {row.name: row for row in CANDIDATES}
    out = []
    for name in [names] if isinstance(names, str | Candidate) else names:
        if not isinstance(name, Candidate) and name not in table:
            raise unknown("candidate", name, table)
        out.append(name if isinstance(name, Candidate) else table[name])
    return tuple(out)
