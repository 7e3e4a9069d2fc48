"""The table of estimators: one row for each. Names, files of models, the command line and tests are made from it.

Classes are named by module, and loaded when they are used: looking at the table imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

from ..errors import InputError, naming, unknown

_POWERS = tuple(10**e for e in range(-4, 2))
_LOSS = "listmle"  # the default of every ranker that learns by a loss


class RankerRow(NamedTuple):
    """An estimator.

    ``class_name`` is also its name in files of models. ``extra`` is the optional dependency that it needs. ``grid``
    holds the values that ``rankine tune`` tries for its parameters.
    """

    class_name: str
    module: str
    explanation: str
    grid: Mapping[str, Sequence[Any]]
    extra: str = ""

    def load(self) -> Any:
        """The class."""
        return getattr(import_module(f".{self.module}", __package__), self.class_name)

    def make(self, **settings: Any) -> Any:
        """An estimator with those of the settings that are parameters of it.

        >>> TABLE["adarank"].make(measure="RR", C=0.1)
        AdaRank(measure='RR')
        """
        kind = self.load()
        parameters = signature(kind).parameters
        return kind(**{name: value for name, value in settings.items() if name in parameters})


TABLE = {
    "auto": RankerRow(
        "AutoRanker", "auto.auto_ranker",
        "tries the others, keeps the best at the measure, and says how good it is", {},
    ),
    "linear": RankerRow(
        "LinearRanker", "linear", "linear scores by any loss, to a certified gap",
        {"loss": [_LOSS], "C": _POWERS},
    ),
    "kernel": RankerRow(
        "KernelRanker", "kernel", "scores by similarity to training documents, by any convex loss",
        {"loss": [_LOSS], "C": _POWERS},
    ),
    "regression": RankerRow(
        "RegressionRanker", "baselines", "least squares on grades or gains",
        {"on": ["grades", "gains"], "alpha": [0.1, 1.0, 10.0, 100.0]},
    ),
    "adarank": RankerRow(
        "AdaRank", "adarank", "boosting of features by the measure itself",
        {"n_rounds": [50, 100, 200], "update": ["original", "meng"]},
    ),
    "rankboost": RankerRow(
        "RankBoost", "rankboost", "boosting of thresholds of features on pairs", {"n_rounds": [50, 100, 200]}
    ),
    "single": RankerRow(
        "SingleFeature", "baselines", "the one feature that ranks best", {"both_signs": [False, True]},
    ),
    "uniform": RankerRow(
        "UniformFusion", "baselines", "the mean of all features on one scale", {"normalise": ["zscore", "query-zscore"]}
    ),
    "boosted": RankerRow(
        "BoostedRanker", "boosted", "gradient-boosted trees (LightGBM or XGBoost) by any loss",
        {"loss": [_LOSS], "n_trees": [50, 200], "n_leaves": [7, 31]}, extra="boost",
    ),
    "neural": RankerRow(
        "NeuralRanker", "neural", "a small neural network (torch) by any loss",
        {"loss": [_LOSS], "hidden": [(), (64, 32)], "learning_rate": [1e-3, 1e-2]}, extra="torch",
    ),
}  # fmt: skip
FUSED = RankerRow("FusedRanker", "auto.fusion", "a weighted sum of fitted rankers, which AutoRanker makes", {})
CLASSES = {row.class_name: row for row in (*TABLE.values(), FUSED)}


def row_of(name: str) -> RankerRow:
    """The row of this name.

    >>> row_of("adarank").load().__name__
    'AdaRank'
    >>> row_of("adrank")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown ranker 'adrank'. Did you mean 'adarank'? There are: auto, ...
    """
    if name not in TABLE:
        from ..losses.table import TABLE as LOSSES
        from ..losses.table import habit

        hint = habit(name)
        if hint is None and name.partition("@")[0].partition(":")[0] in LOSSES:
            hint = f"it is a loss, which several rankers can learn by: --loss {name}"
        raise unknown("ranker", name, TABLE) if hint is None else InputError(f"unknown ranker {name!r}: {hint}")
    return TABLE[name]


def load(path: str | os.PathLike) -> Any:
    """Read a model that ``save`` wrote.

    >>> import tempfile
    >>> from rankine import LinearRanker
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LinearRanker("ranksvm", C=1.0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]).save(folder + "/model.json")
    ...     load(folder + "/model.json").coef_.round(3)
    array([1.])
    """
    from .models.file import read

    content = read(path)
    with naming(str(path)):
        return model_of(content)


def model_of(content: dict[str, Any]) -> Any:
    """The model that the content of a file, or a member of it, describes."""
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in CLASSES:
        raise InputError(f"unknown kind of model {kind!r:.60}; there are: {', '.join(CLASSES)}")
    return CLASSES[kind].load().from_content(content)
