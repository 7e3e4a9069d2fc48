"""What rankers share: reading training data, predicting, ranking, saving."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import as_numbers, check_positive, check_whole
from ..data.normalisers import Normaliser
from ..data.ranking_data import Preferences, RankingData, group_rows
from ..errors import InputError, in_one_line
from ..losses import Loss
from ..measures import evaluate, parse
from ..system.console import counted
from ..system.records import Count, Finite, checked
from .models import file as model_file
from .models.features import conformed
from .models.provenance import ProvenanceState, provenance_of
from .scikit.fit_arguments import (
    LONG_QUERY,
    ids_or_sizes,
    number_of_rows,
    query_ids,
    warn_of_one_query,
    warn_of_rows,
    with_habits,
)
from .scikit.foreign_arguments import check_rows, missing_values
from .training import nothing_to_learn, warn_of_grades


class QueryState(TypedDict):
    """What is stored of the queries of the training data: without ids, rows are compared with them."""

    number: Count
    longest: Count


class ModelState(TypedDict):
    """What the files of all models hold."""

    parameters: dict[str, Any]
    feature_names: list[str] | None
    normaliser: dict[str, Any] | None
    certificate: dict[str, Any]
    provenance: NotRequired[ProvenanceState]
    first_index: NotRequired[Literal[0, 1]]
    queries: NotRequired[QueryState]


_NUMBERS: dict[str, Any] = {
    "objective_": float, "lower_bound_": float, "gap_": float, "n_iter_": Count, "n_trees_": Count, "n_epochs_": Count,
}  # fmt: skip


class Ranker(BaseEstimator):
    """A scorer with an optional normaliser; subclasses learn it, score rows, and give the state that is saved.

    ``form`` names the function that a fitted model computes, for those who write it in another format: ``"linear"``,
    ``"trees"`` or ``"layers"``; empty where it is none of them.
    """

    form = ""
    normaliser_: Normaliser | None
    n_features_in_: int
    n_queries_in_: int | None = None  # of the training data; None for a model from a file that does not tell it
    longest_query_in_: int = LONG_QUERY
    first_index_: int | None = None  # the number of the first feature in the sparse text that it was trained on
    provenance_: ProvenanceState
    _certificate: tuple[str, ...] = ()
    _schema: Any  # of what ``_state`` gives
    # scikit-learn's metadata routing hands these on without being asked; sample_weight, so that it is refused in words
    __metadata_request__fit = {"qid": True, "sample_weight": True}  # noqa: RUF012
    __metadata_request__predict = {"qid": True}  # noqa: RUF012
    __metadata_request__score = {"qid": True, "sample_weight": True}  # noqa: RUF012

    def __init_subclass__(cls, **options: Any) -> None:
        if "fit" in vars(cls):
            cls.fit = with_habits(cls.fit)
        super().__init_subclass__(**options)

    @property
    def _measure(self) -> str:
        """The measure that ``score`` reports."""
        return "nDCG@10"

    @property
    def needs_queries(self) -> bool:
        """Whether the score of a document depends on the other documents of its query."""
        normaliser = getattr(self, "normaliser_", None)
        return normaliser is not None and normaliser.by_query

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """The parameters; of a fitted model also what it was fitted to."""
        text = super().__repr__(N_CHAR_MAX)
        return f"{text} {self._fitted_to()}" if hasattr(self, "n_features_in_") else text

    def _fitted_to(self) -> str:
        queries = "" if self.n_queries_in_ is None else f"{counted(self.n_queries_in_, 'query')} with "
        return f"fitted to {queries}{counted(self.n_features_in_, 'feature')}"

    def check_parameters(self) -> Loss | None:
        """Raise on a parameter that makes no sense; returns the loss that the ranker learns by, where there is one."""
        kind = getattr(self, "normalise", None)
        if kind is not None:
            Normaliser(kind)
        return None

    def _scores(self, X: Any) -> np.ndarray:
        """Scores of rows whose features are normalised already."""
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        """What was learned, as plain lists and numbers."""
        raise NotImplementedError

    def _set_state(self, content: dict[str, Any]) -> None:
        """Take back what ``_state`` gave, which is of ``_schema``, and set ``n_features_in_``."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = getattr(self, "normalise", None) is None  # a normaliser fills a sparse matrix
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags

    def training_data(self, X: Any, y: Any, qid: Any) -> RankingData:
        """The data that is learned from, with the features normalised by a normaliser that is fitted to them."""
        data = self._read(X, y, qid)
        self.n_queries_in_, self.longest_query_in_ = data.n_queries, int(np.diff(data.ptr).max())
        self.provenance_ = provenance_of(X if isinstance(X, RankingData) else data, getattr(self, "seed", None))
        warn_of_grades(self.problem_of(data), stacklevel=5)
        kind = getattr(self, "normalise", None)
        self.normaliser_ = None if kind is None else Normaliser(kind).fit(data)
        return data if self.normaliser_ is None else self.normaliser_.apply(data)

    def validation_data(self, valid: Any) -> RankingData:
        """Validation data with the features of the training data, normalised like those, and with grades."""
        if not isinstance(valid, RankingData) or isinstance(valid.y, Preferences):
            raise InputError("valid must be a RankingData with grades")
        valid = self.conform(valid, valid=True)
        data = valid if self.normaliser_ is None else self.normaliser_.apply(valid)
        return RankingData.from_valid(data.X, self.grades(data.y), data.qid)

    def _read(self, X: Any, y: Any, qid: Any) -> RankingData:
        """Arrays or a :class:`RankingData`, checked; notes the number and the names of the features."""
        if isinstance(X, RankingData):
            if y is not None or qid is not None:
                raise InputError("a RankingData brings its grades and query ids along: pass nothing else")
            self.n_features_in_ = X.n_features
            self.first_index_ = None if X.numbering is None else X.numbering.first
            if X.feature_names is not None:
                self.feature_names_in_ = np.array(X.feature_names, object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return X
        self.first_index_ = None
        with missing_values():
            if isinstance(y, Preferences):
                X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
            else:
                X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        if qid is None:
            warn_of_one_query(X.shape[0], y, stacklevel=6)
        return RankingData(X, y, query_ids(qid, X.shape[0]))

    @staticmethod
    def _weighted(data: RankingData, X: Any, doc_weight: Any) -> tuple[RankingData, np.ndarray | None]:
        """The documents of weight above 0, and their weights if they are not all 1; weights are in the order of X."""
        if doc_weight is None:
            return data, None
        weights = as_numbers(doc_weight, "doc_weight")
        if len(weights) != data.n_documents or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
            raise InputError(f"doc_weight must hold {data.n_documents} numbers ≥ 0, one per document and not all 0")
        weights = weights if isinstance(X, RankingData) else weights[data.order]
        keep = np.flatnonzero(weights)
        if len(keep) < len(weights):
            data, weights = data.take(keep), weights[keep]
        return data, None if (weights == 1).all() else weights

    def predict(self, X: Any, qid: Any = None) -> np.ndarray:
        """Scores, one per row; ``qid`` is needed only where the others of a query count (``needs_queries``).

        Without it all rows are one query; ``OneQueryWarning`` says so where a model that needs them gets more rows
        than any query of the training data had.
        """
        check_is_fitted(self)
        check_rows(X)
        if isinstance(X, RankingData):
            X = self.conform(X)
        elif qid is None and self.needs_queries and (n := number_of_rows(X)) > self.longest_query_in_:
            what = f"this {type(self).__name__}" if self.normaliser_ is None else repr(self.normaliser_)
            warn_of_rows(n, f"{what} depends on them", stacklevel=3)
        with np.errstate(over="ignore", invalid="ignore"), missing_values():
            scores = self._predicted(X, qid)
        if not np.isfinite(scores).all():
            raise InputError("some scores are too large for numbers: the weights of the model or the features are")
        return scores

    def _predicted(self, X: Any, qid: Any) -> np.ndarray:
        if isinstance(X, RankingData):
            data = X
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
            if self.normaliser_ is None:
                return self._scores(X)
            data = RankingData(X, np.zeros(X.shape[0]), query_ids(qid, X.shape[0]))
        if self.normaliser_ is not None:
            data = self.normaliser_.apply(data)
        scores = np.empty(data.n_documents)
        scores[data.order if not isinstance(X, RankingData) else np.arange(data.n_documents)] = self._scores(data.X)
        return scores

    def conform(self, data: RankingData, valid: bool = False) -> RankingData:
        """The data with the features that the model was trained on; raise if it has others, as far as can be told.

        Data from sparse text is padded with zeros, and numbered from 0 where the training data was. ``valid``:
        it is validation data.
        """
        return conformed(data, self.n_features_in_, self.first_index_, getattr(self, "feature_names_in_", None), valid)

    def rank(self, X: Any, qid: Any = None) -> np.ndarray:
        """Row numbers, best first, query after query in order of first appearance; equal scores in input order."""
        scores = self.predict(X, qid)
        if isinstance(X, RankingData):
            qid = X.qid
        groups = group_rows(query_ids(qid, len(scores)))
        order = np.arange(len(scores)) if groups.order is None else groups.order
        query = np.repeat(np.arange(len(groups.ptr) - 1), np.diff(groups.ptr))
        return order[np.lexsort((-scores[order], query))]

    def score(self, X: Any, y: Any = None, qid: Any = None, sample_weight: Any = None, group: Any = None) -> float:
        """Mean of the measure that the model is made for, nDCG@10 where it is made for none; minus it for an error.

        A model that was trained on several queries needs ``qid``, also for rows of one query; or ``group``, the sizes
        of the queries. scikit-learn's pipelines pass ``sample_weight``; it must be None.
        """
        if sample_weight is not None:
            raise InputError("score takes no sample_weight: it is a mean over queries, and rows have no weight in it")
        qid = ids_or_sizes(X, qid, group)
        supervision, ids = (X.y, X.qid) if isinstance(X, RankingData) else (y, qid)
        scores = self.predict(X, qid)
        if ids is None and len(scores) > 1 and self.n_queries_in_ not in (None, 1):
            raise InputError(
                f"score needs qid, the query id of each of the {len(scores)} rows: the model was trained on "
                f"{self.n_queries_in_} queries. Searches and cross-validation of scikit-learn pass qid on with "
                f"sklearn.set_config(enable_metadata_routing=True) and scoring=rankine.scorer({self._measure!r})"
            )
        measure = parse(self._measure)
        if measure.supervision == "preferences" and not isinstance(supervision, Preferences):
            measure = parse("nDCG@10")
        mean = evaluate(measure, self.grades(supervision), scores, query_ids(ids, len(scores))).mean[str(measure)]
        if ids is None:
            warn_of_one_query(len(scores), supervision, stacklevel=3)
        return -mean if measure.is_error else mean

    def grades(self, y: Any) -> Any:
        """The supervision as grades, larger is better; only a loss on ranks (1 is best) makes a difference."""
        loss = self.check_parameters()
        return y if loss is None else loss.as_grades(y)

    def problem_of(self, data: RankingData, measure: str | None = None) -> str:
        """Why nothing can be learned from this data, whatever its features; empty if something can.

        That is by the measure the ranker is made for, and by another one if it is given.
        """
        if isinstance(data.y, Preferences):
            return ""
        try:
            grades = self.grades(data.y)
        except InputError:  # fit says so
            return ""
        names = [self._measure, *([] if measure is None else [measure])]
        return next(filter(None, (nothing_to_learn(np.asarray(grades), data.ptr, name) for name in names)), "")

    def sweep(self, name: str, values: Sequence[Any], data: RankingData, **options: Any) -> list[Any]:
        """A fitted copy for each value of a parameter; rankers that can do it in one fit do so.

        >>> from rankine import AdaRank
        >>> data = RankingData([[0.1, 1.0], [0.9, 0.0]], [0, 1], [1, 1])
        >>> [model.n_rounds for model in AdaRank().sweep("n_rounds", [1, 2], data)]
        [1, 2]
        """
        return [clone(self).set_params(**{name: value}).fit(data, **options) for value in values]

    def save(self, path: str | os.PathLike) -> None:
        """Write the model as JSON, for :func:`rankine.load`."""
        model_file.write(path, self.content())

    def content(self) -> dict[str, Any]:
        """What the file of the model holds, without its head."""
        check_is_fitted(self)
        parameters = {
            k: v.tolist() if isinstance(v, (np.ndarray, np.generic)) else list(v) if isinstance(v, tuple) else v
            for k, v in self._stored_parameters().items()
        }
        for name, value in parameters.items():
            if not (value is None or isinstance(value, (str, int, float, list, dict))):
                raise InputError(f"a model with {name}={value!r} cannot be saved: give {name} by name or number")
        names = getattr(self, "feature_names_in_", None)
        return {
            "kind": type(self).__name__,
            "parameters": parameters,
            **self._state(),
            "feature_names": None if names is None else [str(n) for n in names],
            "normaliser": None if self.normaliser_ is None else self.normaliser_.to_dict(),
            "certificate": {name: getattr(self, name) for name in self._certificate},
            **({"provenance": self.provenance_} if hasattr(self, "provenance_") else {}),
            **({} if self.first_index_ is None else {"first_index": self.first_index_}),
            **self._queries(),
        }

    def _queries(self) -> dict[str, QueryState]:
        """The queries of the training data as a file holds them; nothing where they are not known."""
        if self.n_queries_in_ is None:
            return {}
        return {"queries": {"number": self.n_queries_in_, "longest": self.longest_query_in_}}

    def _set_queries(self, stored: ModelState) -> None:
        """Take the queries back; a file of an earlier release may tell their number among its provenance."""
        if "provenance" in stored:
            self.n_queries_in_ = stored["provenance"]["data"]["queries"]
        if "queries" in stored:
            self.n_queries_in_, self.longest_query_in_ = stored["queries"]["number"], stored["queries"]["longest"]

    def _stored_parameters(self) -> dict[str, Any]:
        """The parameters as a file holds them."""
        return self.get_params()

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> Any:
        """The model that ``save`` wrote, from the content of its file; raise InputError if it is none of this class."""
        what = f"a {cls.__name__}, or damaged"
        common = checked(content, ModelState, what, None)
        model = cls(**model_file.parameters_of(cls, common["parameters"]))
        try:
            model.check_parameters()
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise InputError(f"not {what}: parameters that make no sense: {in_one_line(error)}") from None
        model._set_state(checked(content, cls._schema, what, None))
        names, state = common["feature_names"], common["normaliser"]
        model.normaliser_ = None if state is None else Normaliser.from_dict(state)
        n = model.n_features_in_
        if names is not None:
            model.feature_names_in_ = np.array(names, object)
        if (names is not None and len(names) != n) or (state is not None and state["n_features"] != n):
            raise InputError(f"not {what}: names or a normaliser for another number of features than {n}")
        certificate: Any = TypedDict("certificate", {name: _NUMBERS[name] for name in cls._certificate})  # type: ignore
        for name, value in checked(common["certificate"], certificate, what, None).items():
            setattr(model, name, value)
        if "provenance" in common:
            model.provenance_ = common["provenance"]
        model.first_index_ = common.get("first_index")
        model._set_queries(common)
        return model


def check_solver_options(ranker: Any) -> None:
    """Raise unless C and tol are positive numbers (C may be "auto") and max_iter a whole number."""
    if isinstance(ranker.C, str) and ranker.C != "auto":
        raise InputError(f"C must be a positive number or 'auto', got {ranker.C!r}")
    for name in ("tol",) if isinstance(ranker.C, str) else ("C", "tol"):
        check_positive(name, getattr(ranker, name))
    check_whole("max_iter", ranker.max_iter, 1)


# -- Models whose scores are weighted sums of features


class LinearState(TypedDict):
    """What is stored of a linear model."""

    coef: list[Finite]


class LinearModel(Ranker):
    """A scorer X @ coef_."""

    form = "linear"
    _schema: Any = LinearState
    coef_: np.ndarray

    def layers(self) -> list[tuple[np.ndarray, np.ndarray | None]]:
        """The scorer as a network of one layer: weights, and no bias."""
        return [(self.coef_[None], None)]

    def _scores(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.coef_.astype(X.dtype, copy=False), np.float64)

    def _state(self) -> dict[str, Any]:
        return {"coef": self.coef_.tolist()}

    def _set_state(self, content: dict[str, Any]) -> None:
        self.coef_ = np.array(content["coef"], np.float64)
        if not len(self.coef_):
            raise InputError("not a model: it has no features")
        self.n_features_in_ = len(self.coef_)

    def explain(self, x: Any) -> list[tuple[str, float]]:
        """What each feature adds to the score of one row, largest first; with the names where they are known.

        >>> from rankine import LinearRanker
        >>> model = LinearRanker(C=10).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1], qid=[1, 1])
        >>> [name for name, _ in model.explain([1.0, 0.0])]
        ['0', '1']
        """
        check_is_fitted(self)
        row = as_numbers(x, "x")
        if len(row) != self.n_features_in_:
            raise InputError(f"the model has {self.n_features_in_} features, x has {len(row)}")
        if self.normaliser_ is not None:
            if self.normaliser_.by_query:
                raise InputError(f"{self.normaliser_!r} depends on the whole query: explain a row after normalising it")
            row = self.normaliser_.apply(RankingData(row[None], [0], [0])).X[0]
        names = getattr(self, "feature_names_in_", range(len(row)))
        parts = [(str(n), float(v)) for n, v in zip(names, row * self.coef_, strict=True)]
        return sorted(parts, key=lambda part: -abs(part[1]))
