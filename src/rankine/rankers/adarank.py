r"""AdaRank (Xu & Li 2007; Meng, Lee & Lee, Algorithm 1): boosting of features by the measure itself.

A weight :math:`P_t` over queries starts uniform. Each round takes the feature with the best weighted performance
:math:`\sum_i P_t(i)\,E_i(h)`, gives it the weight

.. math:: \alpha_t = \tfrac12 \ln \frac{\sum_i P_t(i)(1 + E_i(h_t))}{\sum_i P_t(i)(1 - E_i(h_t))}

(the logarithm and the denominator are lost in the scan of the second paper), and moves the weights to the queries that
the ensemble :math:`f_t = \sum_k \alpha_k h_k` serves badly: :math:`P_{t+1} \propto e^{-E(f_t)}` (``original``) or
:math:`P_{t+1} \propto P_t\,e^{-E(f_t)}` (``meng``).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..arrays import check_whole, column
from ..data.ranking_data import RankingData
from ..errors import InputError
from ..measures import parse
from ..measures.table import TABLE
from ..system.progress import bar
from ..system.records import Count, Finite
from .base import LinearModel, LinearState
from .baselines import feature_performances, performances
from .training import AUTO, NothingLearnedWarning, first_best, inner_folds, warn_if_constant

_PERFECT = 1e-10  # a weighted performance this close to 1 counts as this far away from it
_STALLED = 3
_MOST = 100  # rounds that n_rounds="auto" may have


class Round(NamedTuple):
    """One round: the feature chosen (its sign too), its weight, and the mean performance afterwards."""

    feature: int
    sign: int
    alpha: float
    train: float
    valid: float | None
    set_aside: bool


class NoWeakRankerWarning(NothingLearnedWarning):
    """No feature has a positive weighted performance."""


class AdaRankState(LinearState):
    """What is stored of AdaRank: feature, sign and weight of each round."""

    rounds: list[tuple[Count, Literal[-1, 1], Finite]]


class AdaRank(LinearModel):
    """Boost features by the measure they will be judged by.

    Args:
        measure: any measure of the table with values up to 1 (AP, nDCG@10, ERR, …).
        n_rounds: the most rounds. ``"auto"``: up to 100; as many as are best on validation data, or without it on
            inner folds of the training queries.
        update: ``"original"`` (Xu & Li) or ``"meng"`` (Meng, Lee & Lee).
        both_signs: also offer each feature the other way round.
        patience: with validation data, stop after so many rounds without a better validation performance.
        normalise: a kind of :class:`~rankine.Normaliser`, fitted with the model and applied when it predicts.

    A feature that is chosen three more times in a row without a gain in training performance is set aside until another
    has been chosen; ``history_`` notes it.

    >>> X, y, qid = [[0.1, 1.0], [0.9, 0.0], [0.4, 0.5]], [0, 2, 1], [1, 1, 1]
    >>> AdaRank(n_rounds=2).fit(X, y, qid=qid).rank(X, qid)
    array([1, 2, 0])
    """

    _schema = AdaRankState

    def __init__(
        self,
        measure: str = "AP",
        n_rounds: int | str = AUTO,
        update: str = "original",
        both_signs: bool = False,
        patience: int = 20,
        normalise: str | None = None,
    ) -> None:
        self.measure = measure
        self.n_rounds = n_rounds
        self.update = update
        self.both_signs = both_signs
        self.patience = patience
        self.normalise = normalise

    @property
    def _measure(self) -> str:
        return self.measure

    def fit(self, X: Any, y: Any = None, qid: Any = None, valid: RankingData | None = None) -> AdaRank:
        """Learn from arrays or a :class:`~rankine.RankingData`; ``valid`` chooses the number of rounds."""
        self.check_parameters()
        data = self.training_data(X, y, qid)
        held_out = None if valid is None else self.validation_data(valid)
        rounds = _MOST if isinstance(self.n_rounds, str) else self.n_rounds
        if isinstance(self.n_rounds, str) and held_out is None:
            rounds = self._best_number(data)
        self._boost(data, held_out, rounds)
        if not self.rounds_:
            warnings.warn(
                f"no feature has a positive {self.measure} on the training queries: the model scores everything 0. "
                "Try LinearRanker; AutoRanker compares rankers on the data",
                NoWeakRankerWarning,
                stacklevel=2,
            )
        else:
            warn_if_constant(self._scores(data.X), data)
        return self

    def _best_number(self, data: RankingData) -> int:
        """The number of rounds that is best on inner folds of the training queries."""
        part = clone(self).set_params(n_rounds=_MOST, patience=_MOST, normalise=None)
        sums = np.zeros(_MOST)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for queries, apart in inner_folds(data):
                part.fit(data.subset(queries), valid=data.subset(apart))
                values = [r.valid for r in part.history_] or [0.0]
                sums += len(apart) * np.array(values + values[-1:] * (_MOST - len(values)), np.float64)
        return first_best(sums) + 1 if sums.any() else _MOST

    def _boost(self, data: RankingData, held_out: RankingData | None, n_rounds: int) -> None:
        name = str(parse(self.measure))
        table = feature_performances(data, name, self.both_signs)
        P = np.full(data.n_queries, 1 / data.n_queries)
        scores, on_valid = np.zeros(data.n_documents), None if held_out is None else np.zeros(held_out.n_documents)
        history: list[Round] = []
        alphas: list[tuple[int, int, float]] = []
        aside, run, best_train = -1, 0, -np.inf
        best_round, best_valid = 0, -np.inf
        with bar("AdaRank", n_rounds) as update:
            for t in range(n_rounds):
                weighted = table @ P
                if aside >= 0:
                    weighted[aside :: data.n_features] = -np.inf  # with either sign
                k = int(np.argmax(weighted))
                E = float(weighted[k])
                if E <= 0:
                    break
                alpha = 0.5 * float(np.log((1 + E) / max(1 - E, _PERFECT)))
                f, sign = k % data.n_features, 1 if k < data.n_features else -1
                alphas.append((f, sign, alpha))
                scores += sign * alpha * column(data.X, f, np.float64)
                served = performances(data, scores, name)
                train, last = float(served.mean()), alphas[-2][:2] if len(alphas) > 1 else None
                gained = train > best_train + 1e-12
                best_train = max(best_train, train)
                run = 0 if gained or last != (f, sign) else run + 1
                aside = f if run >= _STALLED else -1
                v = None
                if held_out is not None and on_valid is not None:
                    on_valid += sign * alpha * column(held_out.X, f, np.float64)
                    v = float(performances(held_out, on_valid, name).mean())
                    if v > best_valid:
                        best_round, best_valid = t, v
                history.append(Round(f, sign, alpha, train, v, aside == f))
                P = np.exp(-served) * (P if self.update == "meng" else 1.0)
                P /= P.sum()
                update(t + 1)
                if held_out is not None and t - best_round >= self.patience:
                    break
        self.history_ = tuple(history)
        self._keep(alphas if held_out is None else alphas[: best_round + 1], data.n_features)

    def _keep(self, rounds: Sequence[tuple[int, int, float]], n_features: int) -> None:
        self.rounds_ = tuple(rounds)
        self.coef_ = np.zeros(n_features)
        for f, sign, alpha in self.rounds_:
            self.coef_[f] += sign * alpha

    def sweep(self, name: str, values: Sequence[Any], data: RankingData, **options: Any) -> list[Any]:
        """A fitted copy for each value of a parameter; numbers of rounds are stages of one fit."""
        if name != "n_rounds" or options or any(isinstance(value, str) for value in values):
            return super().sweep(name, values, data, **options)
        whole = clone(self).set_params(n_rounds=max(values)).fit(data)
        models = [copy.copy(whole).set_params(n_rounds=value) for value in values]
        for model in models:
            model.history_ = whole.history_[: model.n_rounds]
            model._keep(whole.rounds_[: model.n_rounds], data.n_features)
        return models

    def staged_predict(self, X: Any, qid: Any = None) -> Iterator[np.ndarray]:
        """Scores after one round, two rounds, …"""
        check_is_fitted(self)
        stage = copy.copy(self)
        stage.coef_ = np.zeros_like(self.coef_)
        for f, sign, alpha in self.rounds_:
            stage.coef_ = stage.coef_.copy()
            stage.coef_[f] += sign * alpha
            yield stage.predict(X, qid)

    def check_parameters(self) -> None:
        """Raise on a parameter that makes no sense."""
        super().check_parameters()
        measure = parse(self.measure)
        row = TABLE[measure.name]
        if row.range[1] > 1 or row.supervision != "grades":
            raise InputError(f"AdaRank needs a measure of grades with values up to 1, which {measure} is not")
        if self.update not in ("original", "meng"):
            raise InputError(f"update must be original or meng, got {self.update!r}")
        if self.n_rounds != AUTO:
            check_whole("n_rounds", self.n_rounds, 1)
        check_whole("patience", self.patience, 0)

    def _state(self) -> dict[str, Any]:
        return super()._state() | {"rounds": [list(r) for r in self.rounds_]}

    def _set_state(self, content: dict[str, Any]) -> None:
        super()._set_state(content)
        self.rounds_ = tuple(content["rounds"])
        if any(f >= self.n_features_in_ for f, _, _ in self.rounds_):
            raise InputError("not an AdaRank: a round chose a feature that the model has not")
