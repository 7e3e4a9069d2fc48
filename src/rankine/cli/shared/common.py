"""What several commands share: options, and reading judgments and systems."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.normaliser_table import TABLE as NORMALISER_TABLE
from ...io.formats import DataReading, described
from ...system.limits import FEATURES, MOST_FEATURES, RATIO, SIZE, STREAM, WHOLE, max_features, max_size, shown
from .kinds import check_judged, is_model_text

if TYPE_CHECKING:
    import numpy as np

    from ...data.ranking_data import RankingData
    from ...measures import Report

NORMALISERS = ", ".join(NORMALISER_TABLE)
FORMATS = described()
NOTHING_SAID = DataReading()
DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "P@10"]


class Output(StrEnum):
    """How results are printed."""

    table = "table"
    json = "json"
    csv = "csv"


class Gain(StrEnum):
    """What nDCG and DCG mean where the name does not say."""

    exp = "exp"
    linear = "linear"


class Ties(StrEnum):
    """How equal scores are ranked."""

    auto = "auto"
    trec = "trec"
    expected = "expected"
    stable = "stable"


class Empty(StrEnum):
    """The value of a query without a relevant document."""

    zero = "zero"
    one = "one"
    skip = "skip"


Judgments = Annotated[str, typer.Argument(help=f"TREC qrels, or a judged data set: {FORMATS}.")]
SEVERAL = "Several files, a folder, or a pattern such as 'part-*.txt' are one data set."
JudgedData = Annotated[list[str], typer.Argument(help=f"A judged data set: {FORMATS}. {SEVERAL}")]
TrainingData = Annotated[list[str], typer.Argument(help=f"Training data: {FORMATS}. {SEVERAL}")]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        help="A measure; repeat it or separate several by commas or blanks. `rankine measures` lists all.",
    ),
]
GainOption = Annotated[
    Gain, typer.Option("--gain", help="Gain of nDCG and DCG: exp is 2^g−1, linear is g (as trec_eval).")
]
TiesOption = Annotated[
    Ties,
    typer.Option(
        "--ties",
        help="Equal scores: trec (by document id, as trec_eval), expected (exact mean over all orders), stable "
        "(input order). auto: trec for runs, expected for score files.",
    ),
]
Complete = Annotated[
    bool, typer.Option("-c", "--complete", help="Average over all judged queries; missing ones count as empty.")
]
JudgedOnly = Annotated[bool, typer.Option("-J", "--judged-only", help="Drop documents without judgment first.")]
EmptyOption = Annotated[Empty, typer.Option("--empty", help="Value of queries without a relevant document.")]
OutputOption = Annotated[Output, typer.Option("-o", "--output", help="How to print.")]


_MAX_SIZE = Annotated[
    str | None,
    typer.Option(
        help=f"The most bytes that a file may hold when it is unpacked, such as 500MB. By default {shown(STREAM)}, "
        f"{shown(WHOLE)} of a file that is read whole (a model, a lattice), and {RATIO} times the packed size.",
    ),
]
_MAX_FEATURES = Annotated[
    int | None,
    typer.Option(help=f"The largest number that a feature may have in LETOR text. By default {MOST_FEATURES:,}."),
]


def limited(command: Callable[..., None], features: bool = True) -> Callable[..., None]:
    """A command that reads files, with the options ``--max-size`` and, for data sets, ``--max-features``.

    The limits go into the environment, where worker processes have them too.
    """
    signature = inspect.signature(command, eval_str=True)
    options = {SIZE: ("max_size", _MAX_SIZE), FEATURES: ("max_features", _MAX_FEATURES)}
    if not features:
        del options[FEATURES]

    @wraps(command)
    def run(**settings: Any) -> None:
        for variable, (name, _) in options.items():
            value = settings.pop(name)
            if value is not None:
                os.environ[variable] = str(value)
        max_size()
        max_features()  # an error before the work begins
        command(**settings)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in options.values()
    ]
    with_options = signature.replace(parameters=[*signature.parameters.values(), *more])
    run.__signature__ = with_options  # type: ignore[attr-defined]
    run.__annotations__ = {name: p.annotation for name, p in with_options.parameters.items()}
    return run


def measure_names(options: Sequence[str] | None, gain: Gain) -> list[str]:
    """The measures of all ``--measure`` options; with a linear gain, nDCG and DCG that do not name one get it.

    >>> measure_names(["nDCG@10,AP", "success"], Gain.linear)
    ["nDCG(dcg='log2')@10", 'AP', 'success_1', 'success_5', 'success_10']
    """
    from ...errors import InputError
    from ...measures.names import as_asked, split_names
    from ...measures.table import TABLE

    names = [pair for text in options or DEFAULT_MEASURES for n in split_names(text) for pair in as_asked(n).items()]
    if gain is Gain.exp:
        return [name for name, _ in names]
    out = []
    for name, measure in names:
        linear = TABLE[measure.name].has_gain and measure.is_exponential and "dcg=" not in name
        cut = "" if measure.cutoff is None else f"@{measure.cutoff}"
        out.append(f"{measure.name}(dcg='log2'){cut}" if linear else name)
    if out == [name for name, _ in names]:
        raise InputError(f"--gain linear is for nDCG and DCG that do not name a gain, got {', '.join(out)}")
    return out


def load_data(source: Any, reading: DataReading = NOTHING_SAID) -> RankingData:
    """Read a judged data set, in one or several files, in the format of its ending."""
    from ...io.formats import load_data

    if reading.delimiter is None and reading.header is None:
        for path in source if isinstance(source, (list, tuple)) else [source]:
            if isinstance(path, str):
                check_judged(path)
    return load_data(source, reading)


def listed(files: Sequence[str]) -> str:
    """Files in messages.

    >>> listed(["a.txt", "b.txt"])
    'a.txt, b.txt'
    """
    return ", ".join(files)


def grid_of(text: str, option: str) -> list[float]:
    """The numbers of ``low:high``, its ends and the powers of ten between them, or of a comma-separated list.

    >>> grid_of("0.1:10", "-C"), grid_of("0.3:4", "-C"), grid_of("3,0.5", "-C")
    ([0.1, 1, 10], [0.3, 1, 4.0], [0.5, 3.0])
    """
    import math

    from ...errors import InputError

    try:
        values = [float(v) for v in text.split("," if ":" not in text else ":")]
    except ValueError:
        values = []
    if not values or not all(0 < v < float("inf") for v in values) or (":" in text and len(values) != 2):
        raise InputError(f"{option} must be low:high or a list of positive numbers, got {text!r}")
    if ":" not in text:
        return sorted(set(values))
    low, high = values
    if low > high:
        first, last = text.split(":")
        raise InputError(f"{option} must be low:high, the smaller first: write {last}:{first} instead of {text}")
    between = [10**e for e in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)]
    inside = [v for v in between if low * (1 + 1e-9) < v < high * (1 - 1e-9)]
    ends = [next((v for v in between if math.isclose(v, end, rel_tol=1e-9)), end) for end in (low, high)]
    return list(dict.fromkeys([ends[0], *inside, ends[1]]))


def check_output(output: str, inputs: Sequence[str | None] = ()) -> None:
    """Raise before the long computation starts if a file cannot be written there, or would replace one that is read."""
    from ...errors import InputError
    from ...io.paths import expand
    from ...system.files import check_folder_of

    if output == "-":
        return
    if Path(output).is_dir():
        raise InputError("is a folder, a file is needed", output)
    check_folder_of(output)
    for path in (path for source in inputs if source is not None for path in expand(source)):
        if Path(output).exists() and Path(path).exists() and os.path.samefile(output, path):
            raise InputError(f"would replace {path}, which is read: choose another output", output)


def command_line() -> str:
    """The command that is running, as it can be typed again."""
    import shlex

    return shlex.join(["rankine", *sys.argv[1:]])


def system_names(paths: Iterable[str]) -> list[str]:
    """A short name for each file: its stem, or the whole path where stems repeat."""
    names = list(paths)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        from ...errors import InputError

        raise InputError("the same file is given twice", twice[0])
    stems = [Path(p).name.split(".")[0] or p for p in names]
    return stems if len(set(stems)) == len(stems) else names


def reports(
    judgments: str,
    systems: Sequence[str],
    names: list[str],
    ties: Ties,
    complete: bool,
    judged_only: bool,
    empty: Empty,
    reading: DataReading = NOTHING_SAID,
    preferences: str | None = None,
    run_columns: str | None = None,
) -> dict[str, Report]:
    """Evaluate every system against the judgments, or against a preference graph over the judged data."""
    from ...errors import InputError, naming
    from ...io import load_run
    from ...io.formats import holds_features
    from ...measures import evaluate, evaluate_run
    from ...system.files import Rewindable
    from .preferences import preferred
    from .runs import run_columns_of

    labels = system_names(systems)
    source: Any = judgments
    if judgments == "-":  # looked at twice
        source = Rewindable(sys.stdin.buffer, "<stdin>")
    features = holds_features(source, reading)
    if isinstance(source, Rewindable):
        source.rewind()
    if not features:
        if preferences is not None:
            raise InputError("--preferences needs a judged data set, and these are TREC qrels", judgments)
        _refuse_models(systems)
        qrels = _judgments(source, judgments, names, reading)
        rule = "trec" if ties is Ties.auto else ties.value
        columns = run_columns_of(run_columns)
        out = {}
        for label, path in zip(labels, systems, strict=True):
            run = load_run(path, **columns)
            with naming(path):
                out[label] = evaluate_run(names, qrels, run, rule, complete, judged_only, empty.value)
        return out
    if run_columns is not None:
        raise InputError("--run-columns is for TREC judgments; systems of a judged data set are scores or models")
    if complete or judged_only:
        raise InputError("-c and -J are for TREC judgments; in a judged data set every document is judged")
    data = preferred(load_data(source, reading), preferences)
    if ties is Ties.trec and data.doc_ids is None:
        raise InputError("--ties trec breaks ties by document id, and the data set has none", judgments)
    rule = "expected" if ties is Ties.auto else ties.value
    return {
        label: evaluate(names, data.y, load_scores(path, data), data.qid, rule, empty.value, data.doc_ids)
        for label, path in zip(labels, systems, strict=True)
    }


def _judgments(source: Any, name: str, measures: list[str], reading: DataReading) -> Any:
    """TREC judgments, in groups if a measure needs groups."""
    from ...io import load_groups, load_qrels
    from ...measures.evaluation import parse_all
    from ...measures.run import are_grouped

    if not are_grouped(parse_all(measures)):
        return load_qrels(source, **qrels_columns(reading, name))
    refuse_reading(reading, f"{name} holds judgments in groups")
    return load_groups(source)


def _refuse_models(systems: Sequence[str]) -> None:
    """Raise if a system is a model where judgments have no features that it could rank by."""
    from ...errors import InputError

    for path in systems:
        if is_model(path):
            raise InputError(
                "is a model, which ranks judged data: give a data set in place of the judgments, or the run that "
                f"`rankine rank {path} data.txt` writes", path
            )  # fmt: skip


def qrels_columns(reading: DataReading, judgments: str) -> dict[str, str]:
    """The columns of judgments that options name, as ``load_qrels`` takes them; other options are refused."""
    roles = {"qid": "query", "doc_id": "document", "label": "grade"}
    others = replace(reading, qid=None, doc_id=None, label=None)
    refuse_reading(others, f"{judgments} holds TREC qrels")
    return {roles[name]: value for name, value in reading.given().items()}


def refuse_reading(reading: DataReading, why: str) -> None:
    """Raise if an option of reading is given where no judged data is read."""
    from ...errors import InputError
    from ...io.formats import on_command_line

    options = [on_command_line(name) for name in reading.given()]
    if options:
        raise InputError(f"{options[0]} says how judged data is read, but {why}")


def is_model(path: str) -> bool:
    """Whether a file holds a model, whatever it is called."""
    if path == "-" or not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return is_model_text(file.read(256))


def load_model(path: str) -> Any:
    """A model of a file; a warning says of a linear one whose weights are all 0 that it learned nothing."""
    import warnings

    from ...rankers import load

    model = load(path)
    weights = getattr(getattr(model, "best_", model), "coef_", None)
    if weights is not None and not weights.any():
        warnings.warn(f"{path}: the model learned nothing: it gives all documents the same score", stacklevel=2)
    return model


def load_scores(path: str, data: RankingData) -> np.ndarray:
    """Scores for the rows of a data set: one number per line in file order, or by a model."""
    import numpy as np

    if is_model(path) or Path(path).suffix == ".json":
        from ...io.notes import said
        from ...rankers.models.provenance import trained_on

        model = load_model(path)
        if trained_on(model, data):
            said(f"{path}: the model was trained on this data: expect less on new queries")
        return np.asarray(model.predict(data))

    from ...errors import InputError, shorten
    from ...system.sources import text_lines

    values = []
    for number, line in text_lines(path):
        if not line.strip():
            continue
        try:
            values.append(float(line))
        except ValueError:
            hint = "a TREC run needs TREC qrels; `rankine rank --scores` writes scores"
            raise InputError(
                f"expected one score per line, got {shorten(line.strip())} ({hint})", f"{path}, line {number}"
            ) from None
        if not np.isfinite(values[-1]):
            raise InputError(f"expected a finite score, got {values[-1]}", f"{path}, line {number}")
    if len(values) != data.n_documents:
        raise InputError(f"{len(values)} scores, but the data set has {data.n_documents} documents", path)
    return np.array(values)[data.order]
