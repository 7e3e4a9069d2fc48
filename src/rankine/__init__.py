"""Rankine learns rankings by the measure they will be judged by.

``import rankine as rk``: load judged rankings (:func:`load_letor`, :func:`load_table`, :func:`load_qrels`), evaluate
(:func:`evaluate`, :func:`evaluate_run`) and compare (:func:`compare`). Names are loaded when first used, so that the
import itself is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

# public name -> the room it lives in
_ROOMS = {
    "Preferences": "data",
    "RankingData": "data",
    "concatenate": "data",
    "Normaliser": "normalise",
    "InputError": "errors",
    "TrecTable": "io",
    "from_table": "io",
    "load_letor": "io",
    "load_qrels": "io",
    "load_run": "io",
    "load_table": "io",
    "save_letor": "io",
    "save_qrels": "io",
    "save_run": "io",
    "save_table": "io",
    "Comparison": "measures",
    "Measure": "measures",
    "Report": "measures",
    "compare": "measures",
    "compare_reports": "measures",
    "evaluate": "measures",
    "evaluate_run": "measures",
    "parse": "measures",
    "AdaRank": "rankers",
    "BoostedRanker": "rankers",
    "KernelRanker": "rankers",
    "LinearRanker": "rankers",
    "NeuralRanker": "rankers",
    "RankBoost": "rankers",
    "RegressionRanker": "rankers",
    "SingleFeature": "rankers",
    "UniformFusion": "rankers",
    "tune": "rankers",
    "load": "rankers",
    "risk_bound": "theory",
}
# sub-modules that are imported when first used
_SUBMODULES = (
    "adapters", "data", "export", "io", "losses", "measures", "rankers", "sample", "solvers", "spoken", "theory",
)  # fmt: skip
__all__ = [*_ROOMS, "__version__"]

if TYPE_CHECKING:
    from .data import Preferences, RankingData, concatenate
    from .errors import InputError
    from .io import (
        TrecTable,
        from_table,
        load_letor,
        load_qrels,
        load_run,
        load_table,
        save_letor,
        save_qrels,
        save_run,
        save_table,
    )
    from .measures import Comparison, Measure, Report, compare, compare_reports, evaluate, evaluate_run, parse
    from .normalise import Normaliser
    from .rankers import (
        AdaRank,
        BoostedRanker,
        KernelRanker,
        LinearRanker,
        NeuralRanker,
        RankBoost,
        RegressionRanker,
        SingleFeature,
        UniformFusion,
        load,
        tune,
    )
    from .theory import risk_bound


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        value = getattr(import_module(f".{_ROOMS[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _SUBMODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'rankine' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS])
