"""Several files as one data set: lists, folders and patterns, wherever a reader takes one file."""

from __future__ import annotations

import glob
import inspect
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from ..errors import InputError
from .notes import said

if TYPE_CHECKING:
    from ..data.ranking_data import RankingData

P = ParamSpec("P")

COMPRESSION = (".gz", ".bz2", ".xz", ".zst")  # endings behind those of text
PARQUET, ARROW = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")  # endings of tables
BESIDE = (".query", ".group", ".weight", ".init", ".position")  # what LightGBM and XGBoost keep beside data
_PATTERN = re.compile(r"[*?\[]")
_NUMBER = re.compile(r"(\d+)")
_PARTS = {"train": "train", "training": "train", "test": "test", "vali": "valid", "valid": "valid", "val": "valid"}


def expand(sources: Any) -> list[Any]:
    """The files that are meant: of a folder its files, of a pattern such as ``part-*.txt`` those that match.

    Files of a folder or a pattern come in the order of their names, where ``part-2`` stands before ``part-10``.
    Hidden files, names that begin with ``_``, and files that stand beside another one (``.query``, ``.weight``) are no
    data. ``-`` and file objects stay what they are.

    >>> expand("train.txt"), expand(["a.txt", "b.txt"])
    (['train.txt'], ['a.txt', 'b.txt'])
    """
    given = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    if not given:
        raise InputError("expected at least one file, got none")
    files = [file for source in given for file in _files(source)]
    places = [os.path.realpath(f) for f in files if isinstance(f, (str, os.PathLike)) and str(f) != "-"]
    if len(set(places)) < len(places):
        twice = Counter(places).most_common(1)[0][0]
        raise InputError("the same file is given twice", twice)
    return files


def named(source: Any) -> str:
    """What a source is called in messages.

    >>> named("-"), named("a.txt")
    ('<stdin>', 'a.txt')
    """
    if hasattr(source, "read"):
        return str(getattr(source, "name", "<stream>"))
    return "<stdin>" if str(source) == "-" else str(source)


def several(read: Callable[P, RankingData]) -> Callable[P, RankingData]:
    """A reader of one file, its first argument, as a reader of one or several, of folders and of patterns.

    The rows of the files follow each other; equal query ids are one query.
    """
    name = next(iter(inspect.signature(read).parameters))

    @wraps(read)
    def read_all(*arguments: P.args, **options: P.kwargs) -> RankingData:
        from ..data.alignment import concatenate

        source = arguments[0] if arguments else options.pop(name)
        files = expand(source)
        parts = [read(file, *arguments[1:], **options) for file in files]  # type: ignore[arg-type]
        if len(parts) == 1:
            return parts[0]
        whole = concatenate(parts, [named(file) for file in files])
        tell_joined(whole, [part.n_documents for part in parts])
        return whole

    return read_all


def tell_joined(data: RankingData, rows: Sequence[int]) -> None:
    """Say how many queries have documents from several files, which have these numbers of rows."""
    import numpy as np

    from ..arrays import per_row

    if len(rows) < 2:
        return
    query = np.empty(data.n_documents, np.int64)
    query[data.order] = per_row(np.arange(data.n_queries), data.ptr)
    seen = np.zeros(data.n_queries, np.int64)
    for part in np.split(query, np.cumsum(rows[:-1])):
        seen[np.unique(part)] += 1
    joined = np.count_nonzero(seen > 1)
    if joined:
        says = "query id occurs in several files and is" if joined == 1 else "query ids occur in several files and are"
        said(f"{joined} {says} joined")


def _files(source: Any) -> list[Any]:
    """The files that one source stands for."""
    if not isinstance(source, (str, os.PathLike)) or str(source) == "-":
        return [source]
    if os.path.isdir(source):
        inside = sorted(Path(source).iterdir(), key=_in_order)
        files = _data_files([p for p in inside if p.is_file()])
        if not files:
            folders = [p.name for p in inside if p.is_dir()]
            only = (
                f", only the folders {', '.join(folders[:6])}{', …' * (len(folders) > 6)}: name one" if folders else ""
            )
            raise InputError(f"there is no file of data in the folder{only}", str(source))
    elif _PATTERN.search(str(source)) and not os.path.exists(source):
        matches = [Path(p) for p in glob.glob(str(source), recursive=True)]
        files = _data_files(sorted((p for p in matches if p.is_file()), key=_in_order))
        if not files:
            raise InputError("no file has a name of this pattern", str(source))
    else:
        return [source]
    _check_parts(files, str(source))
    return [str(file) for file in files]


def _in_order(path: Path) -> list[Any]:
    """Names with numbers in their order as numbers."""
    return [(int(word), word) if i % 2 else word for i, word in enumerate(_NUMBER.split(str(path)))]


def _data_files(paths: list[Path]) -> list[Path]:
    there = {str(p) for p in paths} | {str(p.with_suffix("")) for p in paths if p.suffix not in BESIDE}
    return [
        p
        for p in paths
        if not p.name.startswith((".", "_")) and not (p.suffix in BESIDE and str(p.with_suffix("")) in there)
    ]


def _check_parts(files: list[Path], where: str) -> None:
    """Raise if both training and test data are among the files: to read them as one would mix them."""
    parts = {_PARTS[word]: f.name for f in files for word in re.split(r"[^a-z]+", f.name.lower()) if word in _PARTS}
    if len(parts) > 1:
        a, b = list(parts.values())[:2]
        raise InputError(f"holds {a} and {b}, which are not one data set: name the files", where)
