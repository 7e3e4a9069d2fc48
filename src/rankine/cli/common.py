"""What several commands share: options, and reading judgments and systems."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np

    from ..data import RankingData
    from ..measures import Report

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


Judgments = Annotated[
    str,
    typer.Argument(help="TREC qrels, or a judged data set: LETOR text (also .gz .xz .zst), .parquet or .arrow."),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m", "--measure", help="A measure; repeat it or separate several by blanks. `rankine measures` lists all."
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


def measure_names(given: Sequence[str] | None, gain: Gain) -> list[str]:
    """The measures asked for; with a linear gain, nDCG and DCG that do not name one get it."""
    from ..measures import parse
    from ..measures.table import TABLE

    names = [n for text in given or DEFAULT_MEASURES for n in _split(text)]
    if gain is Gain.exp:
        return names
    out = []
    for name in names:
        measure = parse(name)
        linear = TABLE[measure.name].has_gain and "dcg" not in name
        cut = "" if measure.cutoff is None else f"@{measure.cutoff}"
        out.append(f"{measure.name}(dcg='log2'){cut}" if linear else name)
    return out


def _split(text: str) -> list[str]:
    """Measures separated by blanks; blanks inside parentheses belong to the name."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c.isspace() and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p for p in parts if p]


def load_data(source: str | io.BytesIO) -> RankingData:
    """A judged data set, by its ending: a table or LETOR text."""
    from ..io import load_letor, load_table
    from ..io.table import TABLE_SUFFIXES

    if isinstance(source, str) and Path(source).suffix.lower() in TABLE_SUFFIXES:
        return load_table(source)
    return load_letor(source)


def holds_features(source: str | io.BytesIO) -> bool:
    """Whether judgments are a data set with features rather than TREC qrels."""
    from ..files import line_blocks, open_source
    from ..io.table import TABLE_SUFFIXES

    if isinstance(source, str) and Path(source).suffix.lower() in TABLE_SUFFIXES:
        return True
    with open_source(source) as opened:
        block = next(line_blocks(opened), None)
    lines = [] if block is None else block.data[: min(block.end, 1 << 20)].tobytes().split(b"\n")
    words = next((w for line in lines if (w := line.split(b"#")[0].split())), [])
    return len(words) > 1 and words[1].startswith(b"qid:")


def system_names(paths: Iterable[str]) -> list[str]:
    """A short name for each file: its stem, or the whole path where stems repeat."""
    every = list(paths)
    twice = [p for p in every if every.count(p) > 1]
    if twice:
        from ..errors import InputError

        raise InputError("the same file is given twice", twice[0])
    stems = [Path(p).name.split(".")[0] or p for p in every]
    return stems if len(set(stems)) == len(stems) else every


def reports(
    judgments: str,
    systems: Sequence[str],
    names: list[str],
    ties: Ties,
    complete: bool,
    judged_only: bool,
    empty: Empty,
) -> dict[str, Report]:
    """Evaluate every system against the judgments."""
    from ..errors import InputError
    from ..io import load_qrels
    from ..measures import evaluate, evaluate_run

    labels = system_names(systems)
    source: str | io.BytesIO = judgments
    if judgments == "-":  # looked at twice
        source = io.BytesIO(sys.stdin.buffer.read())
        source.name = "<stdin>"
    features = holds_features(source)
    if isinstance(source, io.BytesIO):
        source.seek(0)
    if not features:
        qrels = load_qrels(source)
        rule = "trec" if ties is Ties.auto else ties.value
        return {
            label: evaluate_run(names, qrels, path, rule, complete, judged_only, empty.value)
            for label, path in zip(labels, systems, strict=True)
        }
    if complete or judged_only:
        raise InputError("-c and -J are for TREC judgments; in a judged data set every document is judged")
    data = load_data(source)
    if ties is Ties.trec and data.doc_ids is None:
        raise InputError("--ties trec breaks ties by document id, and the data set has none", judgments)
    rule = "expected" if ties is Ties.auto else ties.value
    return {
        label: evaluate(names, data.y, load_scores(path, data), data.qid, rule, empty.value, data.doc_ids)
        for label, path in zip(labels, systems, strict=True)
    }


def load_scores(path: str, data: RankingData) -> np.ndarray:
    """Scores for the rows of a data set: one number per line in file order, or by a model (.json)."""
    import numpy as np

    if Path(path).suffix == ".json":
        from ..rankers import load

        return np.asarray(load(path).predict(data))

    from ..errors import InputError, shorten
    from ..files import line_blocks, open_source

    with open_source(path) as opened:
        lines = b"".join(b.data[: b.end].tobytes() for b in line_blocks(opened)).split(b"\n")
    values = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values.append(float(line))
        except ValueError:
            text = shorten(line.decode("utf-8", "replace").strip())
            hint = "a TREC run needs TREC qrels; `rankine rank --scores` writes scores"
            raise InputError(f"expected one score per line, got {text} ({hint})", f"{path}, line {number}") from None
        if not np.isfinite(values[-1]):
            raise InputError(f"expected a finite score, got {values[-1]}", f"{path}, line {number}")
    if len(values) != data.n_documents:
        raise InputError(f"{len(values)} scores, but the data set has {data.n_documents} documents", path)
    return np.array(values)[data.order]


def top_documents(judgments: str, system: str, queries: Sequence[Any], depth: int = 5) -> dict[Any, str]:
    """The first documents of a system for each of these queries, with their grades in brackets (– for none)."""
    import numpy as np

    from ..io import load_qrels, load_run

    out = {}
    if holds_features(judgments):
        data = load_data(judgments)
        scores = load_scores(system, data)
        where = {q: i for i, q in enumerate(data.query_ids.tolist())}
        why = _reasons(system, data)
        for query in queries:
            lo, hi = data.ptr[where[query]], data.ptr[where[query] + 1]
            best = lo + np.argsort(-scores[lo:hi], kind="stable")[:depth]
            names = [f"row {data.order[r]}" if data.doc_ids is None else str(data.doc_ids[r]) for r in best]
            out[query] = ", ".join(f"{n} ({data.y[r]:g}){why(r)}" for n, r in zip(names, best, strict=True))
        return out
    qrels, run = load_qrels(judgments), load_run(system)
    wanted = {str(q) for q in queries}
    grades = {
        (qrels.query_ids[q], qrels.document_ids[d]): v
        for q, d, v in zip(qrels.query.tolist(), qrels.document.tolist(), qrels.value.tolist(), strict=True)
        if qrels.query_ids[q] in wanted
    }
    for query in queries:
        known = str(query) in run.query_ids
        rows = np.flatnonzero(run.query == (run.query_ids.index(str(query)) if known else -1))
        found = sorted(
            ((np.float32(run.value[r]), run.document_ids[run.document[r]]) for r in rows), reverse=True
        )[:depth]  # fmt: skip
        shown = [f"{d} ({grades[str(query), d]:g})" if (str(query), d) in grades else f"{d} (–)" for _, d in found]
        out[query] = ", ".join(shown)
    return out


def _reasons(system: str, data: RankingData) -> Callable[[int], str]:
    """For a linear model, the largest parts of a row's score; nothing for other systems."""
    from ..rankers import load
    from ..rankers.analysis import contributions

    model: Any = load(system) if Path(system).suffix == ".json" else None
    if not hasattr(model, "coef_"):
        return lambda row: ""
    X = (data if model.normaliser_ is None else model.normaliser_.apply(data)).dense().X
    names = getattr(model, "feature_names_in_", [f"f{f + 1}" for f in range(data.n_features)])
    return lambda row: f" [{contributions(model.coef_, X[row].astype(float), names)}]"
