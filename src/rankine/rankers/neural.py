"""A small neural network as a scorer, on any loss; torch is its engine."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta
from sklearn.base import clone

from ..adapters.boosting import Metric
from ..arrays import check_whole, dense
from ..data.ranking_data import Preferences, RankingData
from ..errors import InputError, needs
from ..losses import Loss, resolve
from ..losses.supervision import check_query_weight
from ..measures import parse
from ..system.progress import bar
from ..system.records import Finite
from .base import Ranker
from .training import AUTO, LongQueryWarning, inner_folds, warn_if_constant, warn_of_long_queries

_MOST, _FEW = 100, 20  # epochs that "auto" may have; those where there are too few queries to choose


class NeuralState(TypedDict):
    """What is stored of a network: weights and biases of its layers."""

    layers: list[tuple[list[list[Finite]], list[Finite] | None]]
    n_features: Annotated[int, Meta(ge=1, le=2**31)]


class NeuralRanker(Ranker):
    """A multi-layer perceptron over one document's features, trained by mini-batches of queries.

    Args:
        loss: a name (see :func:`rankine.losses.get`) or a loss.
        hidden: sizes of the hidden layers; () is a linear scorer.
        epochs: how many passes over the queries; with validation data at most so many. ``"auto"``: up to 100, as many
            as are best on validation data; without it on a fifth of the training queries, and then trained on all.
        batch: queries in a mini-batch; None takes all of them at once.
        learning_rate: of AdamW.
        weight_decay: of AdamW.
        dropout: share of hidden units that is left out in training; not with ``"lbfgs"``.
        optimiser: ``"adamw"``, or ``"lbfgs"`` on all queries at once, with ``weight_decay`` as a ridge ½λ‖w‖².
        measure: the measure on validation data that decides when to stop; by default the one that the loss is made for.
        patience: stop when so many epochs have not improved it.
        loss_options: keywords of the loss.
        normalise: a normaliser of features; by default to mean 0 and deviation 1 over the training data.
        threads: of torch; by default its own choice.
        seed: of the first weights, the batches and the dropout.

    After fitting: ``layers_`` (weights and biases), ``history_`` (mean loss, and the measure, after each epoch).
    """

    def __init__(
        self,
        loss: str | Loss = "listmle",
        hidden: Sequence[int] = (64, 32),
        epochs: int | str = AUTO,
        batch: int | None = 32,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-4,
        dropout: float = 0.1,
        optimiser: str = "adamw",
        measure: str | None = None,
        patience: int = 20,
        loss_options: Mapping[str, Any] | None = None,
        normalise: str | None = "zscore",
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self.loss = loss
        self.hidden = hidden
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.optimiser = optimiser
        self.measure = measure
        self.patience = patience
        self.loss_options = loss_options
        self.normalise = normalise
        self.threads = threads
        self.seed = seed

    form = "layers"
    _schema = NeuralState
    _certificate = ("n_epochs_",)

    def layers(self) -> list[tuple[np.ndarray, np.ndarray | None]]:
        """Weights and biases of the layers; between them negative values become 0."""
        return self.layers_

    @property
    def _measure(self) -> str:
        return self.measure or self.check_parameters().measure

    def check_parameters(self) -> Loss:
        """Raise on a parameter that makes no sense; returns the loss."""
        super().check_parameters()
        if self.epochs != AUTO:
            check_whole("epochs", self.epochs, 1)
        for name, low in (("patience", 1), ("seed", 0)):
            check_whole(name, getattr(self, name), low)
        if isinstance(self.hidden, (int, np.integer, str)):
            raise InputError(f"hidden must be a list of layer sizes, such as (64, 32); got {self.hidden!r}")
        if self.threads is not None:
            check_whole("threads", self.threads, 1)
        for size in self.hidden:
            check_whole("each hidden layer", size, 1)
        if self.batch is not None:
            check_whole("batch", self.batch, 1)
        if self.optimiser not in ("adamw", "lbfgs"):
            raise InputError(f"optimiser must be adamw or lbfgs, got {self.optimiser!r}")
        if not (self.learning_rate > 0 and self.weight_decay >= 0 and 0 <= self.dropout < 1):
            raise InputError("learning_rate must be above 0, weight_decay at least 0, dropout within [0, 1)")
        return resolve(self.loss, self.loss_options)

    def fit(
        self, X: Any, y: Any = None, qid: Any = None, query_weight: Any = None, valid: RankingData | None = None
    ) -> NeuralRanker:
        """Train; with ``valid`` (judged queries) the weights of the epoch that was best there are kept."""
        torch = needs("torch", "torch")
        loss = self.check_parameters()
        data = self.training_data(X, y, qid)
        if isinstance(data.y, Preferences):
            raise InputError("a neural ranker needs grades, the data has a preference graph")
        loss.remark(data.y, data.ptr, data.query_ids)  # an error there names the query by its id
        weight = np.ones(data.n_queries)
        if query_weight is not None:
            weight = check_query_weight(query_weight, data.n_queries, some=True)
        held = None if valid is None else self.validation_data(valid)
        epochs = _MOST if isinstance(self.epochs, str) else self.epochs
        if held is None and isinstance(self.epochs, str):
            epochs = self._best_epochs(data, weight)
        before = torch.get_num_threads()
        if self.threads is not None:
            torch.set_num_threads(self.threads)
        try:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self.seed)
                self._train(torch, loss, data, weight, held, epochs)
        finally:
            torch.set_num_threads(before)
        warn_of_long_queries(loss, data)
        warn_if_constant(self._scores(data.X), data)
        return self

    def _best_epochs(self, data: RankingData, weight: np.ndarray) -> int:
        """The number of epochs that is best on a fifth of the queries, having learned from the others."""
        for queries, apart in inner_folds(data, seed=self.seed):
            part = clone(self).set_params(epochs=_MOST, normalise=None)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", LongQueryWarning)  # the whole says it
                    part.fit(data.subset(queries), query_weight=weight[queries], valid=data.subset(apart))
            except InputError:
                return _FEW
            values = np.array([value for _, value in part.history_])
            return int(np.argmin(values) if parse(self._measure).is_error else np.argmax(values)) + 1
        return _FEW

    def _train(
        self, torch: Any, loss: Loss, data: RankingData, weight: np.ndarray, held: RankingData | None, epochs: int
    ) -> None:
        from ..adapters.torch import RankingLoss

        dropout = self.dropout if self.optimiser == "adamw" else 0.0  # a line search needs a function that stands still
        network = _network(torch, data.n_features, tuple(self.hidden), dropout)
        values = RankingLoss(loss, reduction="none")
        queries = _Queries(torch, data, weight)
        metric = None if held is None else Metric(self._measure, held.qid)
        self.history_: list[tuple[float, float]] = []
        best, best_state, waited = -math.inf, None, 0
        rng = np.random.default_rng(self.seed)
        step = self._stepper(torch, network, values, queries, rng)
        with bar("epochs", epochs) as update:
            for epoch in range(1, epochs + 1):
                network.train()
                mean = step()
                network.eval()
                reached = math.nan
                if metric is not None and held is not None:
                    reached = metric(_forward(torch, network, held.X), held.y)
                    good = -reached if metric.measure.is_error else reached
                    waited += 1
                    if good > best:
                        best, waited = good, 0
                        best_state = {k: v.clone() for k, v in network.state_dict().items()}
                self.history_.append((mean, reached))
                update(epoch)
                if waited >= self.patience:
                    break
        if best_state is not None:
            network.load_state_dict(best_state)
        self.n_epochs_ = len(self.history_)
        self.layers_ = [
            (m.weight.detach().double().numpy(), m.bias.detach().double().numpy() if m.bias is not None else None)
            for m in network
            if isinstance(m, torch.nn.Linear)
        ]

    def _stepper(self, torch: Any, network: Any, values: Any, queries: _Queries, rng: np.random.Generator) -> Any:
        """A function that makes one pass and returns the mean loss."""
        total = float(queries.weight.sum())
        if self.optimiser == "lbfgs":
            optimiser = torch.optim.LBFGS(network.parameters(), max_iter=100, line_search_fn="strong_wolfe",
                                          tolerance_grad=1e-10, tolerance_change=1e-14)  # fmt: skip
            everything = queries.take(np.arange(queries.n))

            def closure() -> Any:
                optimiser.zero_grad()
                ridge = sum((p**2).sum() for p in network.parameters())
                objective = queries.loss(network, values, everything) / total + 0.5 * self.weight_decay * ridge
                objective.backward()
                return objective

            return lambda: float(optimiser.step(closure).detach())
        optimiser = torch.optim.AdamW(network.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay)
        size = queries.n if self.batch is None else self.batch

        def step() -> float:
            order, total_loss = rng.permutation(queries.n), 0.0
            for first in range(0, queries.n, size):
                batch = order[first : first + size]
                optimiser.zero_grad()
                loss = queries.loss(network, values, queries.take(np.sort(batch)))
                (loss / len(batch)).backward()
                optimiser.step()
                total_loss += float(loss.detach())
            return total_loss / total

        return step

    def _scores(self, X: Any) -> np.ndarray:
        rows = dense(X, np.float64)
        for i, (weights, bias) in enumerate(self.layers_):
            rows = rows @ weights.T + (0.0 if bias is None else bias)
            if i + 1 < len(self.layers_):
                np.maximum(rows, 0.0, out=rows)
        return rows[:, 0]

    def _state(self) -> dict[str, Any]:
        layers = [[w.tolist(), None if b is None else b.tolist()] for w, b in self.layers_]
        return {"layers": layers, "n_features": self.n_features_in_}

    def _set_state(self, content: dict[str, Any]) -> None:
        self.n_features_in_ = inputs = content["n_features"]
        for weights, bias in content["layers"]:
            if {*map(len, weights)} != {inputs} or (bias is not None and len(bias) != len(weights)):
                raise InputError("not a NeuralRanker: the layers do not fit together")
            inputs = len(weights)
        if inputs != 1 or not content["layers"]:
            raise InputError("not a NeuralRanker: the last layer does not give one number")
        self.layers_ = [
            (np.array(w, np.float64), None if b is None else np.array(b, np.float64)) for w, b in content["layers"]
        ]
        self.history_ = []


class _Queries:
    """The training queries as torch wants them."""

    def __init__(self, torch: Any, data: RankingData, weight: np.ndarray) -> None:
        self.torch, self.data, self.weight, self.n = torch, data, weight, data.n_queries

    def take(self, queries: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, Any]:
        """Features, labels, query ids and weights of some queries."""
        ptr = self.data.ptr
        rows = np.concatenate([np.arange(ptr[q], ptr[q + 1]) for q in queries.tolist()])
        X = self.torch.from_numpy(dense(self.data.X[rows], np.float64))
        ids = np.repeat(queries, np.diff(ptr)[queries])
        return X, self.data.y[rows], ids, self.torch.from_numpy(self.weight[queries])

    def loss(self, network: Any, values: Any, batch: tuple[Any, np.ndarray, np.ndarray, Any]) -> Any:
        """The weighted sum of the losses of a batch that :meth:`take` gave."""
        X, y, ids, weight = batch
        return (values(network(X)[:, 0], y, ids) * weight).sum()


def _network(torch: Any, inputs: int, hidden: tuple[int, ...], dropout: float) -> Any:
    """Linear layers with rectifiers between them, in double precision; the last one needs no bias."""
    layers: list[Any] = []
    for size in hidden:
        layers += [torch.nn.Linear(inputs, size), torch.nn.ReLU(), torch.nn.Dropout(dropout)]
        inputs = size
    return torch.nn.Sequential(*layers, torch.nn.Linear(inputs, 1, bias=False)).double()


def _forward(torch: Any, network: Any, X: Any) -> np.ndarray:
    with torch.no_grad():
        return network(torch.from_numpy(dense(X, np.float64)))[:, 0].numpy()
