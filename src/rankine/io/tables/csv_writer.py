"""CSV and TSV out: pyarrow formats the numbers (shortest exact form) and joins the columns."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from ...arrays import dense
from ...data.ranking_data import Preferences, RankingData
from ...errors import InputError, is_utf8
from ...system.files import open_target
from ...system.progress import bar
from .columns import GUESSES, STANDARD, plain_name

_VALUES_PER_BLOCK = 1_000_000
_TABS = (".tsv", ".tab")
_EDGE = re.compile("^[ \t]|[ \t]$|[\0\r\n]")


def save_csv(data: RankingData, target: str | os.PathLike | IO[bytes], delimiter: str | None = None) -> None:
    """Write CSV, or TSV by its ending; reading it back gives bit-identical features and grades.

    The columns are ``label``, ``qid``, ``doc_id`` if there are document ids, and the features; features without names
    are called ``f1``, ``f2``, …. Numbers are written in their shortest exact form, sparse features with their zeros.
    Query ids that all look like whole numbers are read back as numbers, document ids as strings.

    Args:
        data: what to write; grades only, no :class:`~rankine.Preferences`.
        target: a path (compressed if it ends in .gz, .bz2, .xz or .zst; replaced only when complete), ``"-"`` for
            standard output, or a binary file object.
        delimiter: by default a tab for .tsv and .tab, else a comma.

    >>> import io
    >>> out = io.BytesIO()
    >>> save_csv(RankingData([[0.5, 0.0]], [2], ["a"], feature_names=["bm25", "age, days"]), out)
    >>> print(out.getvalue().decode())
    label,qid,bm25,"age, days"
    2,a,0.5,0
    """
    if isinstance(data.y, Preferences):
        raise InputError("CSV holds grades, this data set has preferences")
    if delimiter is None:
        named = isinstance(target, (str, os.PathLike))
        endings = {s.lower() for s in Path(target).suffixes} if named else set()  # type: ignore[arg-type]
        delimiter = "\t" if endings & set(_TABS) else ","
    if delimiter not in (",", ";", "\t", "|"):
        raise InputError(f"the delimiter must be a comma, a semicolon, a tab or a bar, got {delimiter!r:.60}")
    header = _header(data)
    for ids, what in ((data.query_ids, "query id"), (data.doc_ids, "document id")):
        _check_ids(ids, what)
    with open_target(target) as stream:
        stream.write(delimiter.join(_quoted(name, delimiter) for name in header).encode() + b"\n")
        _write_rows(data, stream, delimiter)


def _header(data: RankingData) -> list[str]:
    """The names of the columns, which must be told from each other when they are read."""
    roles = STANDARD if data.doc_ids is not None else STANDARD[:2]
    first = 1 if data.numbering is None else data.numbering.first
    numbered = [f"f{first + i}" for i in range(data.n_features)]
    names = numbered if data.feature_names is None else list(data.feature_names)
    for i, name in enumerate(names):
        if not name or _EDGE.search(name) or not is_utf8(name):
            raise InputError(f"feature {i + 1} is called {name!r}: CSV cannot carry such a name")
        if name in STANDARD or (data.doc_ids is None and _is_document(name)):
            raise InputError(f"feature {i + 1} is called {name!r}, which would be read as another column")
    if len(set(names)) < len(names):
        twice = next(n for i, n in enumerate(names) if n in names[:i])
        raise InputError(f"two features are called {twice!r}")
    return [*roles, *names]


def _is_document(name: str) -> bool:
    return plain_name(name) in GUESSES["doc_id"]


def _check_ids(ids: np.ndarray | None, what: str) -> None:
    if ids is None or ids.dtype.kind in "iu":
        return
    for i in ids.tolist():
        if _EDGE.search(i) or (not i and what == "query id") or not is_utf8(i):
            raise InputError(f"the {what} {i!r:.60} is empty, has blanks around it, a line break or no Unicode: "
                             "CSV cannot carry it")  # fmt: skip


def _quoted(text: str, delimiter: str) -> str:
    return '"' + text.replace('"', '""') + '"' if delimiter in text or '"' in text else text


def _write_rows(data: RankingData, stream: BinaryIO, delimiter: str) -> None:
    step = max(_VALUES_PER_BLOCK // data.n_features, 1)
    with bar("writing", data.n_documents, show=data.n_documents * data.n_features > 10_000_000) as update:
        for start in range(0, data.n_documents, step):
            stop = min(start + step, data.n_documents)
            stream.write(_lines(data, start, stop, delimiter))
            update(stop)


def _lines(data: RankingData, start: int, stop: int, delimiter: str) -> Any:
    """These rows as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    X = dense(data.X[start:stop])
    columns = [pc.cast(pa.array(data.y[start:stop]), pa.large_string()), _texts(data.qid[start:stop], delimiter)]
    if data.doc_ids is not None:
        columns.append(_texts(data.doc_ids[start:stop], delimiter))
    columns += [pc.cast(pa.array(np.ascontiguousarray(X[:, j])), pa.large_string()) for j in range(data.n_features)]
    lines = pc.binary_join_element_wise(*columns, pa.scalar(delimiter, pa.large_string()))
    empty, newline = pa.scalar("", pa.large_string()), pa.scalar("\n", pa.large_string())
    _, offsets, text = pc.binary_join_element_wise(lines, empty, newline).buffers()
    return text.slice(0, np.frombuffer(offsets, np.int64)[stop - start])


def _texts(ids: np.ndarray, delimiter: str) -> Any:
    """Ids as text, with quotes where they need them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if ids.dtype.kind in "iu":
        return pc.cast(pa.array(ids), pa.large_string())
    return pa.array([_quoted(i, delimiter) for i in ids.tolist()], pa.large_string())
