"""Learning which evidence to trust: weights for the weak rankers from judged queries, tested over folds of queries."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import losses
from ...data import RankingData
from ...errors import InputError, nearest
from ...io import load_table, save_table
from ...measures import evaluate
from ...measures.compare import mean_interval, wilcoxon
from ...normalise import Normaliser
from ...progress import bar
from ...version import __version__
from ..index.storage import replace_file, sealed, unsealed
from .judgments import Judged

if TYPE_CHECKING:
    from ..archive.archive import Archive

NORMALISERS = ("query-minmax", "query-zscore", None)
C_GRID = tuple(10.0**e for e in range(-3, 5))
_FOLDER, _CURRENT = "weights", "current.json"


@dataclass(frozen=True)
class Weights:
    """What was learned: a weight for each weak ranker, whose scores are normalised within a query's candidates."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    normalise: str | None
    ranker: str
    provenance: dict[str, Any]
    version: str = __version__

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(float(v) for v in self.values))
        if self.normalise not in NORMALISERS:
            known = ", ".join(map(str, NORMALISERS))
            raise InputError(f"scores are normalised within a query ({known}), got {self.normalise!r}")

    @property
    def id(self) -> str:
        """Tells weights apart: the same learning gives the same."""
        return hashlib.blake2b(self._text().encode(), digest_size=6).hexdigest()

    def _text(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)

    def to_bytes(self) -> bytes:
        """As a file, with a checksum."""
        return sealed(self._text())

    @classmethod
    def read(cls, path: str | Path) -> Weights:
        """From a file that ``to_bytes`` wrote."""
        content = unsealed(Path(path), "learned weights")
        try:
            return cls(
                tuple(content["names"]), tuple(map(float, content["values"])), content["normalise"], content["ranker"],
                content["provenance"], content["version"],
            )  # fmt: skip
        except InputError:
            raise
        except (KeyError, TypeError, ValueError):
            raise InputError("not a file of learned weights", str(path)) from None

    def features(self, X: np.ndarray) -> np.ndarray:
        """Scores of a query's candidates as they were normalised for learning."""
        if self.normalise is None or len(X) == 0:
            return X
        data = RankingData(X, np.zeros(len(X)), np.zeros(len(X), np.int64))
        return np.asarray(Normaliser(self.normalise).fit(data).apply(data).X)


class Shelf:
    """The weights of an archive: all that were ever used, in order, and which are used now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / _FOLDER

    def _state(self) -> dict[str, Any]:
        path = self.folder / _CURRENT
        return unsealed(path, "the list of weights") if path.exists() else {"current": None, "history": []}

    @property
    def history(self) -> list[str]:
        """The ids of all weights that were used, the oldest first."""
        return list(self._state()["history"])

    def current(self) -> Weights | None:
        """The weights that search uses, None for equal ones."""
        name = self._state()["current"]
        if name is not None and not (self.folder / f"{name}.json").exists():
            raise InputError(
                f"the weights {name} are in use but missing: go back with `weights --use`", str(self.folder)
            )
        return None if name is None else Weights.read(self.folder / f"{name}.json")

    def use(self, weights: Weights | None) -> None:
        """Use these from now on; None goes back to equal ones. The change is whole or not at all."""
        self.folder.mkdir(exist_ok=True)
        state = self._state()
        if weights is not None:
            replace_file(self.folder / f"{weights.id}.json", weights.to_bytes())
        name = None if weights is None else weights.id
        history = state["history"] + ([name] if name is not None and name not in state["history"] else [])
        replace_file(self.folder / _CURRENT, sealed(json.dumps({"current": name, "history": history}, indent=1)))

    def get(self, name: str) -> Weights:
        """Earlier weights."""
        if name not in self.history:
            raise InputError(f"no weights are called {name!r}; there are: {', '.join(self.history) or 'none'}")
        return Weights.read(self.folder / f"{name}.json")

    def check(self) -> None:
        """Read all of them."""
        for name in self.history:
            self.get(name)


@dataclass(frozen=True)
class Examples:
    """Features of judged queries, and what is needed to count as trec_eval does."""

    data: RankingData
    relevant: np.ndarray  # relevant documents of each query, candidates or not
    known: np.ndarray  # whether all words of the query occur in the archive; those that are lost last
    digest: str
    lost: tuple[str, ...] = ()  # queries without a candidate: their AP is 0

    def average_precision(self, data: RankingData, scores: np.ndarray) -> np.ndarray:
        """AP of each query as trec_eval computes it: ties by name, relevant documents that are not found count."""
        found = evaluate("AP", data.y, scores, data.qid, ties="trec", doc_ids=data.doc_ids).per_query["AP"]
        there = np.add.reduceat(np.asarray(data.y) > 0, data.ptr[:-1])
        total = dict(zip(self.data.query_ids, self.relevant.tolist(), strict=True))
        return found * there / np.array([total[q] for q in data.query_ids])


def examples(archive: Archive, judged: Judged, candidates: int = 1000, keep: bool = True) -> Examples:
    """Features of all queries that have a relevant document; kept in the archive's folder for the next time."""
    documents = set(archive.documents)
    for name, grades in judged.qrels.items():
        if name not in judged.queries:
            raise InputError(f"judgments of the query {name!r}, which is not among the queries")
        unknown = next((d for d in grades if d not in documents), None)
        if unknown is not None:
            raise InputError(
                f"query {name}: a judgment of {unknown!r}, which is not in the archive.{nearest(unknown, documents)}"
            )
    wanted = {n: t for n, t in judged.queries.items() if any(g > 0 for g in judged.qrels.get(n, {}).values())}
    if not wanted:
        raise InputError("no query has a document that was judged relevant: there is nothing to learn from")
    for name, asked in wanted.items():
        try:
            archive.parse(asked)
        except InputError as error:
            raise InputError(f"query {name}: {error}") from None
    content = [__version__, archive.manifest.parts, archive.manifest.settings, candidates, list(wanted.items())]
    judgments = [[q, sorted(judged.qrels[q].items())] for q in wanted]
    digest = hashlib.blake2b(json.dumps([content, judgments]).encode(), digest_size=10).hexdigest()
    place = archive.folder / "cache" / f"{digest}.arrow"
    data = _kept(place)
    if data is None:
        with bar("features", len(wanted)) as update:
            data = archive.features(wanted, judged.qrels, candidates, update)
        if keep:
            place.parent.mkdir(exist_ok=True)
            for old in place.parent.glob("*.arrow"):
                old.unlink(missing_ok=True)
            save_table(data, place)
    relevant = np.array([sum(g > 0 for g in judged.qrels[str(q)].values()) for q in data.query_ids])
    lost = tuple(q for q in wanted if q not in set(map(str, data.query_ids)))
    order = [*map(str, data.query_ids), *lost]
    known = np.array([all(map(archive.knows, archive.parse(wanted[q]).words)) for q in order])
    if all(len(np.unique(data.y[a:b])) == 1 for a, b in zip(data.ptr[:-1], data.ptr[1:], strict=True)):
        raise InputError("all candidates of every query have the same grade: there is nothing to learn from")
    return Examples(data, relevant, known, digest, lost)


def _kept(place: Path) -> RankingData | None:
    """Features of an earlier time, if they are there and can be read."""
    try:
        return load_table(place) if place.exists() else None
    except (InputError, OSError):
        return None


def make_ranker(name: str, data: RankingData, normalise: str | None, C: float | None = None, seed: int = 0) -> Any:
    """A ranker for these queries: ``svm-map`` with the paper's C, ``adarank``, ``single``, or a loss, C chosen."""
    from ...rankers import AdaRank, LinearRanker, SingleFeature

    if name == "adarank":
        return AdaRank(measure="AP", normalise=normalise)
    if name == "single":
        return SingleFeature(measure="AP")
    losses.get(name)  # an unknown one ends it here
    if C is None:
        C = 1e4 / data.n_queries if name == "svm-map" else choose_C(name, data, normalise, seed)
    return LinearRanker(loss=name, C=C, normalise=normalise)


def choose_C(loss: str, data: RankingData, normalise: str | None, seed: int = 0, folds: int = 3) -> float:
    """The C of a grid (over the number of queries) with the best mean AP over folds of the training queries."""
    from ...rankers import LinearRanker

    grid = [c / data.n_queries for c in C_GRID]
    if data.n_queries < 2:
        return 1.0
    total = np.zeros(len(grid))
    for train, test in data.folds(min(folds, data.n_queries), seed):
        for i, model in enumerate(LinearRanker(loss=loss, normalise=normalise).path(grid, train)):
            total[i] += evaluate("AP", test.y, model.predict(test), test.qid).mean["AP"]
    return grid[int(np.argmax(total))]


@dataclass(frozen=True)
class Fold:
    """What was learned on the other folds, and the AP of each of this fold's queries."""

    coef: dict[str, np.ndarray]
    precision: dict[str, np.ndarray]
    query_ids: list[Any]


@dataclass(frozen=True)
class Trial:
    """The outcome of cross-validation: APs of all queries by every system, those that are lost last."""

    precision: dict[str, np.ndarray]
    folds: tuple[Fold, ...]
    known: np.ndarray

    def table(self) -> list[tuple[str, ...]]:
        """System, MAP, with known and unknown words, and the differences to two baselines with their tests."""
        rows = []
        for name, x in self.precision.items():
            parts = [f"{x[m].mean():.4f}" if m.any() else "-" for m in (self.known, ~self.known)]
            tests = [cell for baseline in ("uniform", "best single") for cell in self._against(name, baseline)]
            rows.append((name, f"{x.mean():.4f}", *parts, *tests))
        return rows

    def _against(self, name: str, baseline: str) -> tuple[str, str]:
        """The mean difference with its interval, and p of Wilcoxon's test."""
        if name == baseline:
            return "-", "-"
        d = self.precision[name] - self.precision[baseline]
        low, high = mean_interval(d, 0.95, 0)
        return f"{d.mean():+.4f} [{low:+.4f}, {high:+.4f}]", f"{wilcoxon(d):.2g}"


COLUMNS = ("system", "MAP", "known words", "unknown words", "to uniform", "p", "to best single", "p (Wilcoxon)")


def cross_validate(
    found: Examples,
    rankers: Mapping[str, str],
    folds: int = 4,
    seed: int = 0,
    normalise: str | None = "query-minmax",
) -> Trial:
    """Every ranker on folds of the queries, beside equal weights and the weak ranker that is best in training."""
    data = found.data
    if data.n_queries < folds:
        raise InputError(f"{data.n_queries} judged queries are too few for {folds} folds")
    if normalise not in NORMALISERS:
        raise InputError(f"normalise must be one of {', '.join(map(str, NORMALISERS))}; got {normalise!r}")
    systems = ["best single", "uniform", *(["uniform, normalised"] if normalise else []), *rankers]
    precision = {name: np.zeros(data.n_queries + len(found.lost)) for name in systems}
    number = {q: i for i, q in enumerate(data.query_ids)}
    done: list[Fold] = []
    with bar("folds", folds) as update:
        for train, test in data.folds(folds, seed):
            fold = Fold({}, {}, list(test.query_ids))
            for name in systems:
                fold.coef[name], scores = _scored(name, rankers, train, test, normalise, seed)
                fold.precision[name] = found.average_precision(test, scores)
                precision[name][[number[q] for q in test.query_ids]] = fold.precision[name]
            done.append(fold)
            update(len(done))
    return Trial(precision, tuple(done), found.known)


def _scored(
    name: str, rankers: Mapping[str, str], train: RankingData, test: RankingData, normalise: str | None, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a system that sees ``train``, and its scores of ``test``."""
    if name.startswith("uniform"):
        coef = np.full(train.n_features, 1 / train.n_features)
        return coef, normalised(test, None if name == "uniform" else normalise) @ coef
    how, ranker = (None, "single") if name == "best single" else (normalise, rankers[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_ranker(ranker, train, how, seed=seed).fit(train)
    return model.coef_, np.asarray(model.predict(test), np.float64)


def normalised(data: RankingData, kind: str | None) -> np.ndarray:
    """Features as a ranker with this normaliser sees them."""
    return np.asarray(data.X if kind is None else Normaliser(kind).fit(data).apply(data).X, np.float64)


def learn(
    archive: Archive,
    judged: Judged,
    ranker: str = "svm-map",
    normalise: str | None = "query-minmax",
    folds: int = 4,
    seed: int = 0,
    candidates: int = 1000,
) -> tuple[Weights, Trial]:
    """Weights from all judged queries, and how well such weights do on queries they have not seen.

    Nothing in the archive is changed: hand the weights to :meth:`Archive.use_weights`.
    """
    found = examples(archive, judged, candidates)
    data = found.data
    make_ranker(ranker, data, normalise, C=1.0)  # an unknown name ends it here
    trial = cross_validate(found, {ranker: ranker}, folds, seed, normalise)
    model = make_ranker(ranker, data, normalise, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data)
    provenance = {
        "queries": data.n_queries, "documents": data.n_documents, "judged": judged.n_judgments,
        "judgments": found.digest, "folds": folds, "seed": seed, "candidates": candidates,
        "parameters": {k: v for k, v in model.get_params().items() if isinstance(v, (int, float, str))},
        "MAP": {name: float(x.mean()) for name, x in trial.precision.items()},
    }  # fmt: skip
    values = tuple(float(x) for x in model.coef_)
    return Weights(tuple(archive.ranker_names), values, normalise, ranker, provenance), trial
