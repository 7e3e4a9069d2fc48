"""The table of formats: one row for each format of judged data, of judgments and of runs.

Help, documentation, error messages and the choice of a reader by a file's ending come from it. A reader or writer is
imported when it is first called.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError

if TYPE_CHECKING:
    from ..data import RankingData

COMPRESSION = (".gz", ".xz", ".zst")


class DataFormat(NamedTuple):
    """A row of the table of formats.

    ``holds``: ``judged data`` has features, grades and query ids; ``judgments`` has grades, ``runs`` have scores.
    ``reader`` and ``writer`` are functions, as ``module.name`` within this folder. ``text``: numbers are decimals, the
    file may be compressed, and the reader has the option ``dtype``.
    """

    title: str
    holds: str
    endings: tuple[str, ...]
    explanation: str
    reader: str
    writer: str
    text: bool = False

    @property
    def read(self) -> Callable[..., Any]:
        """The function that reads a file."""
        return _function(self.reader)

    @property
    def write(self) -> Callable[..., None]:
        """The function that writes a file."""
        return _function(self.writer)


def _function(place: str) -> Callable[..., Any]:
    module, name = place.split(".")
    return getattr(import_module(f".{module}", __package__), name)


TABLE = {
    "letor": DataFormat(
        "LETOR text",
        "judged data",
        (".txt", ".letor", ".svm", ".svmlight", ".libsvm", ".dat"),
        "lines of `grade qid:ID index:value … # docid = ID`, as LETOR and SVMlight write them",
        "letor.load_letor",
        "letor_write.save_letor",
        text=True,
    ),
    "parquet": DataFormat(
        "Parquet",
        "judged data",
        (".parquet", ".pq"),
        "a table with a column for each feature, or as Rankine writes it",
        "table.load_table",
        "table.save_table",
    ),
    "arrow": DataFormat(
        "Arrow",
        "judged data",
        (".arrow", ".feather", ".ipc"),
        "the same as Arrow IPC, which is mapped into memory and opens at once",
        "table.load_table",
        "table.save_table",
    ),
    "qrels": DataFormat(
        "TREC qrels",
        "judgments",
        (),
        "lines of `query iteration document grade`",
        "trec.load_qrels",
        "trec_write.save_qrels",
        text=True,
    ),
    "run": DataFormat(
        "TREC run",
        "runs",
        (),
        "lines of `query Q0 document rank score tag`",
        "trec.load_run",
        "trec_write.save_run",
        text=True,
    ),
}
JUDGED = {name: row for name, row in TABLE.items() if row.holds == "judged data"}
_DEFAULT = JUDGED["letor"]  # whatever its file is called


def described() -> str:
    """The formats of judged data, for help texts.

    >>> described()
    'LETOR text (also .gz .xz .zst), Parquet (.parquet .pq) or Arrow (.arrow .feather .ipc)'
    """
    texts = [
        f"{row.title} (also {' '.join(COMPRESSION)})" if row.text else f"{row.title} ({' '.join(row.endings)})"
        for row in JUDGED.values()
    ]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


def format_of(path: Any) -> DataFormat | None:
    """The format of judged data with this ending, if there is one; text may have further endings.

    >>> format_of("train.txt.xz").title, format_of("train.PQ").title, format_of("train")
    ('LETOR text', 'Parquet', None)
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    endings = [ending.lower() for ending in Path(path).suffixes]
    by_last = [row for row in JUDGED.values() if endings[-1:] and endings[-1] in row.endings]
    text = [row for row in JUDGED.values() if row.text and set(endings) & set(row.endings)]
    return next(iter(by_last + text), None)


def load_data(source: Any, dtype: str = "float32") -> RankingData:
    """Read judged data; a file whose ending is none of the table's is LETOR text. ``dtype`` is for text."""
    row = format_of(source) or _DEFAULT
    return row.read(source, dtype=dtype) if row.text else row.read(source)


def save_data(data: RankingData, target: str) -> None:
    """Write judged data in the format of the ending; ``"-"`` is LETOR text on standard output."""
    target_format(target).write(data, target)


def target_format(target: str) -> DataFormat:
    """The format to write: by the ending, which must be one of the table's."""
    row = _DEFAULT if target == "-" else format_of(target)
    if row is None:
        endings = ", ".join(ending for r in JUDGED.values() for ending in r.endings)
        *first, last = COMPRESSION
        text = f"text may add {', '.join(first)} or {last}"
        raise InputError(f"expected a file name ending in one of {endings} ({text})", target)
    return row


def holds_features(source: Any) -> bool:
    """Whether judgments are judged data rather than TREC qrels: by the ending, for text by the first line."""
    from ..sources import line_blocks, open_source

    row = format_of(source)
    if row is not None and not row.text:
        return True
    with open_source(source) as opened:
        block = next(line_blocks(opened), None)
    lines = [] if block is None else block.data[: min(block.end, 1 << 20)].tobytes().split(b"\n")
    words = next((w for line in lines if (w := line.split(b"#")[0].split())), [])
    return len(words) > 1 and words[1].startswith(b"qid:")
