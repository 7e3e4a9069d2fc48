"""``rankine describe``: a data set at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import print_table, put_csv, put_json
from . import common as c

if TYPE_CHECKING:
    import numpy as np

    from ..data import RankingData

_BLOCKS = " ▁▂▃▄▅▆▇█"


def command(
    data: c.JudgedData,
    output: c.OutputOption = c.Output.table,
    top: Annotated[int, typer.Option(help="Number of features to look at, from the first.")] = 1000,
) -> None:
    """Show a judged data set at a glance: queries, documents, grades, features, and features that are constant.

    `rankine describe train.txt.xz`
    """
    facts = summary(c.load_data(data), top)
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
    print_table(data, ["", ""], _overview(facts))
    constant = sum(bool(r[-1]) for r in rows)
    remark = f"{constant} of {len(rows)} features are constant." if constant else "No feature is constant."
    more = facts["n_features"] - len(rows)
    print_table("Features", columns, rows, remark + (f" {more:,} more were not looked at (--top)." if more else ""))


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
    names = data.feature_names or [str(i + 1) for i in shown]
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
