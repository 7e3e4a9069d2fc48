"""Data and models as files: ``rankine describe``, ``convert`` and ``export``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..export.table import TABLE
from ..io.formats import DataReading, save_data, source_format, target_format
from ..system.console import print_table, put_csv, put_json, say
from .shared import common as c

if TYPE_CHECKING:
    import numpy as np

    from ..data.ranking_data import RankingData

_BLOCKS = " ▁▂▃▄▅▆▇█"


def describe_command(
    data: Annotated[list[str], typer.Argument(help=f"A judged data set: {c.FORMATS}; or a model. {c.SEVERAL}")],
    output: c.OutputOption = c.Output.table,
    top: Annotated[
        int | None, typer.Option(help="Number of features to look at, from the first; by default 1000.")
    ] = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Show a judged data set at a glance: queries, documents, grades, features; or where a model comes from.

    `rankine describe train.txt.xz`

    `rankine describe model.json`
    """
    from ..errors import InputError

    if len(data) == 1 and (c.is_model(data[0]) or Path(data[0]).suffix == ".json"):
        if top is not None:
            raise InputError("--top is of data, and this is a model", data[0])
        c.refuse_reading(reading, f"{data[0]} is a model")
        _describe_model(data[0], output)
        return
    facts = summary(c.load_data(data, reading), 1000 if top is None else top)
    if output is c.Output.json:
        put_json(facts, indent=2)
        return
    rows = [
        (
            f["feature"],
            *(f"{f[k]:.4g}" for k in ("min", "mean", "max")),
            f"{f['zero']:.0%}",
            f["histogram"],
            f["remark"],
        )
        for f in facts["features"]
    ]
    columns = ["feature", "min", "mean", "max", "zero", "histogram", "remark"]
    if output is c.Output.csv:
        put_csv([columns, *rows])
        return
    print_table(c.listed(data), ["", ""], _overview(facts))
    constant = sum(bool(r[-1]) for r in rows)
    remark = f"{constant} of {len(rows)} features are constant." if constant else "No feature is constant."
    more = facts["n_features"] - len(rows)
    print_table("Features", columns, rows, remark + (f" {more:,} more were not looked at (--top)." if more else ""))


def _describe_model(path: str, output: c.Output) -> None:
    from ..rankers import load

    facts = about_model(load(path))
    if output is c.Output.json:
        put_json(facts, indent=2)
        return
    origin, lines = facts.pop("provenance"), facts.pop("report", [])
    rows = [(name.replace("_", " "), _in_words(value)) for name, value in facts.items()]
    if origin is None:
        rows.append(("provenance", "not stored: an early version of Rankine wrote it"))
    else:
        about = origin["data"]
        rows += [
            ("made by", f"Rankine {origin['rankine']}"),
            ("command", _in_words(origin["command"])),
            ("data", f"{about['queries']:,} queries, {about['documents']:,} documents, {about['features']:,} features"),
            ("fingerprint", about["fingerprint"]),
            ("seed", _in_words(origin["seed"])),
        ]
    if output is c.Output.csv:
        put_csv(rows)
        return
    print_table(path, ["", ""], rows)
    for line in lines:
        say(line)


def about_model(model: Any) -> dict[str, Any]:
    """The facts about a model: its kind, its parameters that are not the default, its measure, and its provenance.

    Of an AutoRanker also its best model, and what that is worth on new queries.

    >>> from rankine import SingleFeature
    >>> facts = about_model(SingleFeature(both_signs=True).fit([[0.0], [1.0]], [0, 1], qid=[1, 1]))
    >>> facts["kind"], facts["parameters"], facts["features"]
    ('SingleFeature', {'both_signs': True}, 1)
    """
    default = type(model)().get_params()
    best = getattr(model, "best_", model)
    members = getattr(best, "members_", ())
    facts: dict[str, Any] = {
        "kind": type(model).__name__,
        "parameters": {name: value for name, value in model.get_params().items() if value != default[name]},
        "measure": _measure(model),
        "features": model.n_features_in_,
    }
    if model.first_index_ is not None:
        facts["first_feature"] = model.first_index_
    if best is not model:
        facts["best"] = _named(best)
        facts["estimate"] = dict(zip(("mean", "low", "high"), map(_finite, model.estimate_), strict=True))
        facts["report"] = list(model.report_.lines)
    if members:
        facts["members"] = [
            f"{weight:.2f} × {_named(member)}" for member, weight in zip(members, best.weights_, strict=True)
        ]
    facts["provenance"] = getattr(model, "provenance_", None)
    return facts


def _named(model: Any) -> str:
    """A model in a few words."""
    settings = model.get_params()
    about = [f"{name} {settings[name]}" for name in ("loss", "C", "n_trees", "n_rounds") if name in settings]
    return type(model).__name__ + (f" ({', '.join(about)})" if about else "")


def _measure(model: Any) -> str:
    """The measure that a model is made for, nDCG@10 where it is made for none."""
    measure = getattr(model, "measure", None)
    loss = model.check_parameters()
    return str(measure or (loss.measure if loss is not None else "nDCG@10"))


def _finite(value: float) -> float | None:
    return value if value == value else None


def _in_words(value: Any) -> str:
    """A fact in a table."""
    if isinstance(value, dict) and set(value) == {"mean", "low", "high"}:
        return "none" if value["mean"] is None else "{mean:.4f}, 90 % interval {low:.4f} to {high:.4f}".format(**value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {entry}" for name, entry in value.items()) or "-"
    if isinstance(value, list):
        return " + ".join(value)
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _overview(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The facts about the whole data set, for people."""
    sizes = facts["documents_per_query"]
    return [
        ("queries", f"{facts['queries']:,}"),
        ("documents", f"{facts['documents']:,}"),
        ("per query", f"{sizes['min']} to {sizes['max']}, median {sizes['median']:g}, mean {sizes['mean']:.1f}"),
        ("features", f"{facts['n_features']:,}, {facts['layout']}, {facts['density']:.1%} non-zero"),
        ("grades", ", ".join(f"{g}: {n:,} ({n / facts['documents']:.1%})" for g, n in facts["grades"].items())),
        ("without relevant", f"{facts['queries_without_relevant']:,} queries"),
        ("all grades equal", f"{facts['queries_of_one_grade']:,} queries"),
        ("document ids", "yes" if facts["document_ids"] else "no"),
    ]


def summary(data: RankingData, top: int = 1000) -> dict[str, Any]:
    """The facts that ``rankine describe`` prints.

    >>> from rankine import RankingData
    >>> summary(RankingData([[1.0], [2.0]], [0, 1], [7, 7]))["grades"]
    {'0': 1, '1': 1}
    """
    import numpy as np

    from ..arrays import column

    sizes = np.diff(data.ptr)
    grades, counts = np.unique(data.y, return_counts=True)
    high = np.maximum.reduceat(data.y, data.ptr[:-1])
    low = np.minimum.reduceat(data.y, data.ptr[:-1])
    shown = range(min(top, data.n_features))
    first = 1 if data.numbering is None else data.numbering.first
    names = data.feature_names or [str(i + first) for i in shown]
    X = data.X[:, : len(shown)].tocsc() if data.is_sparse else data.X
    features = [_feature(names[j], column(X, j)) for j in shown]
    stored = np.count_nonzero(data.X.data if data.is_sparse else data.X)
    return {
        "queries": data.n_queries,
        "documents": data.n_documents,
        "documents_per_query": {
            "min": int(sizes.min()),
            "median": float(np.median(sizes)),
            "mean": float(sizes.mean()),
            "max": int(sizes.max()),
        },
        "layout": f"{'CSR' if data.is_sparse else 'dense'} {data.X.dtype}",
        "density": stored / (data.n_documents * data.n_features),
        "n_features": data.n_features,
        "grades": {f"{g:g}": int(n) for g, n in zip(grades.tolist(), counts.tolist(), strict=True)},
        "queries_without_relevant": int((high < 1).sum()),
        "queries_of_one_grade": int((high == low).sum()),
        "document_ids": data.doc_ids is not None,
        "features": features,
    }


def _feature(name: str, x: np.ndarray) -> dict[str, Any]:
    import numpy as np

    low, high = float(x.min()), float(x.max())
    remark = "" if low < high else "all zero (missing?)" if low == 0 else "constant"
    half = (x.astype(np.float64) / 2 - low / 2) / (high / 2 - low / 2 if high > low else 1)  # halves cannot overflow
    counts = np.bincount(np.minimum(12 * half, 11).astype(int), minlength=12)
    bars = "".join(_BLOCKS[int(np.ceil(8 * n / counts.max()))] for n in counts)
    return {
        "feature": name,
        "min": low,
        "mean": float(x.mean(dtype=np.float64)),
        "max": high,
        "zero": float((x == 0).mean()),
        "histogram": bars,
        "remark": remark,
    }


# -- ``rankine convert``


def convert_command(
    source: Annotated[list[str], typer.Argument(help=f"{c.FORMATS}; - is standard input. {c.SEVERAL}")],
    target: Annotated[str, typer.Argument(help="The same, by its ending; - is standard output.")],
    dtype: Annotated[
        str | None, typer.Option(help="float32 or float64, of LETOR text; by default float64 from text to text.")
    ] = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Convert judged data between the formats that `rankine formats` lists (Arrow opens at once, whatever its size).

    `rankine convert train.txt.xz train.arrow`
    """
    c.check_output(target, source)
    if dtype is None and target_format(target).text and "dtype" in source_format(source).options:
        dtype = "float64"
    data = c.load_data(source, replace(reading, dtype=dtype))
    weighted = data.query_weight is not None or data.doc_weight is not None
    if weighted and target_format(target).text:
        say(f"{target}: without the weights, which text does not hold")
    save_data(data, target)
    say(f"{data} -> {target}")


# -- ``rankine export``


_RUN = ", ".join(name for name, row in TABLE.items() if row.runs)


def export_command(
    model: Annotated[str, typer.Argument(help="A model that `rankine train` (or `save`) wrote.")],
    to: Annotated[str, typer.Option("--to", help=f"The target: {', '.join(TABLE)}.")],
    output: Annotated[str, typer.Option("-o", "--output", help="The file to write.")],
    name: Annotated[str, typer.Option(help="What the model is called there.")] = "rankine",
    features: Annotated[
        str | None,
        typer.Option(help="A file of two columns: the model's feature (or its number), and its name there."),
    ] = None,
    check: Annotated[
        list[str] | None, typer.Option(help=f"For {_RUN}: data on which the result is compared with the model.")
    ] = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Write a model in the format of a search engine, or as ONNX.

    `rankine export model.json --to opensearch -o model-opensearch.json --features names.txt`

    `rankine export boosted.json --to onnx -o model.onnx --check test.txt`
    """
    from ..export import export

    c.check_output(output, [model, features, *(check or [])])
    names = None if features is None else _read_names(features)
    if check is None:
        c.refuse_reading(reading, "there is no --check")
    data = None if check is None else c.load_data(check, reading)
    export(c.load_model(model), to, output, name=name, features=names, data=data)
    checked = "" if check is None else f", the same scores as the model on {c.listed(check)}"
    say(f"{output}: for {to}{checked}")


def _read_names(path: str) -> dict[str, str]:
    """Two columns, separated by a tab or by blanks."""
    from ..errors import InputError
    from ..system.sources import text_lines

    names = {}
    for number, line in text_lines(path):
        words = line.split("\t") if "\t" in line else line.split()
        if len(words) not in (0, 2):
            raise InputError("expected a feature and its name there", f"{path}, line {number}")
        if words:
            names[words[0]] = words[1]
    return names
