"""The table of formats: one row for each format of judged data, of judgments and of runs.

Help, documentation, error messages and the choice of a reader by a file's ending come from it. A reader or writer is
imported when it is first called.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError
from .paths import ARROW, COMPRESSION, PARQUET, expand, named

if TYPE_CHECKING:
    from ..data.ranking_data import RankingData

_CELL = re.compile(rb"(qid|[0-9]+):")


class DataFormat(NamedTuple):
    """A row of the table of formats.

    ``holds``: ``judged data`` has features, grades and query ids; ``judgments`` has grades, ``runs`` have scores.
    ``reader`` and ``writer`` are functions, as ``module.name`` within this folder. ``text``: numbers are decimals, and
    the file may be compressed. ``options`` are the fields of :class:`DataReading` that the reader takes. The
    source of judged data may be a list.
    """

    title: str
    holds: str
    endings: tuple[str, ...]
    explanation: str
    reader: str
    writer: str
    text: bool = False
    options: tuple[str, ...] = ()

    @property
    def read(self) -> Callable[..., Any]:
        """The function that reads a file."""
        return _function(self.reader)

    @property
    def write(self) -> Callable[..., None]:
        """The function that writes a file."""
        return _function(self.writer)


@dataclass(frozen=True)
class DataReading:
    """How judged data is to be read; what is None (or False) is found out by the reader.

    ``label``, ``qid``, ``doc_id`` and ``features`` name columns of tables; ``features`` of sparse text are numbers such
    as ``1-46``. ``groups`` and ``weights`` are files with the sizes of queries, and with weights. ``first_index`` is
    the number of the first feature in sparse text, 0 or 1; ``unordered`` allows its indices in any order. ``ungraded``:
    a table may be without grades; sparse text always has some.
    """

    label: Any = None
    qid: Any = None
    doc_id: Any = None
    features: Any = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    groups: Any = None
    weights: Any = None
    first_index: int | None = None
    unordered: bool = False
    n_features: int | None = None
    dtype: str | None = None
    ungraded: bool = False

    def given(self) -> dict[str, Any]:
        """The options that were given.

        >>> DataReading(label="grade").given()
        {'label': 'grade'}
        """
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value is not default}

    def options_of(self, row: DataFormat, where: str) -> dict[str, Any]:
        """The options that were given, for the reader of this format; one that it does not take is an error."""
        options = {name: value for name, value in self.given().items() if name != "ungraded" or name in row.options}
        for name in options:
            if name not in row.options:
                there = ", ".join(on_command_line(n) for n in row.options if n not in _PYTHON_ONLY) or "none"
                raise InputError(f"{row.title} has no {on_command_line(name)}; it has {there}", where)
        return options


_PYTHON_ONLY = ("dtype", "n_features", "ungraded")
_OPTIONS = {"qid": "--query", "doc_id": "--document", "weights": "--weight-file", "header": "--header/--no-header"}


def on_command_line(name: str) -> str:
    """An option of reading as the command line has it.

    >>> on_command_line("qid"), on_command_line("first_index")
    ('--query', '--first-index')
    """
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")


def _function(place: str) -> Callable[..., Any]:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f".{module}", __package__), name)


_COLUMNS = ("label", "qid", "doc_id", "features", "ungraded")
_DELIMITED = (*_COLUMNS, "delimiter", "encoding", "header", "groups", "weights", "dtype")
TABLE = {
    "letor": DataFormat(
        "LETOR text",
        "judged data",
        (".txt", ".letor", ".svm", ".svmlight", ".libsvm", ".dat", ".train", ".test", ".valid", ".vali"),
        "lines of `grade qid:ID index:value … # docid = ID`, as LETOR, SVMlight, LightGBM and XGBoost have them",
        "letor.reader.load_letor",
        "letor.writer.save_letor",
        text=True,
        options=("features", "groups", "weights", "first_index", "unordered", "dtype", "n_features"),
    ),
    "csv": DataFormat(
        "CSV",
        "judged data",
        (".csv",),
        "a column for each feature, as text; names in the first line, or not; any delimiter",
        "tables.csv.load_csv",
        "tables.csv_writer.save_csv",
        text=True,
        options=_DELIMITED,
    ),
    "tsv": DataFormat(
        "TSV",
        "judged data",
        (".tsv", ".tab"),
        "the same with tabs",
        "tables.csv.load_csv",
        "tables.csv_writer.save_csv",
        text=True,
        options=_DELIMITED,
    ),
    "parquet": DataFormat(
        "Parquet",
        "judged data",
        PARQUET,
        "a table with a column for each feature, or as Rankine writes it",
        "tables.parquet.load_table",
        "tables.parquet.save_table",
        options=_COLUMNS,
    ),
    "arrow": DataFormat(
        "Arrow",
        "judged data",
        ARROW,
        "the same as Arrow IPC, which is mapped into memory and opens at once",
        "tables.parquet.load_table",
        "tables.parquet.save_table",
        options=_COLUMNS,
    ),
    "qrels": DataFormat(
        "TREC qrels",
        "judgments",
        (),
        "lines of `query iteration document grade` or `query document grade`; also CSV, TSV, JSON, Parquet",
        "trec.reader.load_qrels",
        "trec.writer.save_qrels",
        text=True,
    ),
    "run": DataFormat(
        "TREC run",
        "runs",
        (),
        "lines of `query Q0 document rank score tag`, of five of these or `query document score`; also as above",
        "trec.reader.load_run",
        "trec.writer.save_run",
        text=True,
    ),
}
JUDGED = {name: row for name, row in TABLE.items() if row.holds == "judged data"}
_DEFAULT = JUDGED["letor"]  # whatever its file is called


def described() -> str:
    """The formats of judged data, for help texts.

    >>> described()
    'LETOR text, CSV or TSV (also .gz .bz2 .xz .zst), Parquet (.parquet .pq) or Arrow (.arrow .feather .ipc)'
    """
    texts = [row.title for row in JUDGED.values() if row.text]
    tables = [f"{row.title} ({' '.join(row.endings)})" for row in JUDGED.values() if not row.text]
    return f"{_or(texts)} (also {' '.join(COMPRESSION)}), {_or(tables)}"


def _or(texts: list[str]) -> str:
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


def format_of(path: Any) -> DataFormat | None:
    """The format of judged data with this ending, if there is one; text may have further endings.

    >>> format_of("train.txt.xz").title, format_of("train.PQ").title, format_of("train")
    ('LETOR text', 'Parquet', None)
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    endings = [ending.lower() for ending in Path(path).suffixes]
    last, packed = _last_ending(path), endings[-1:] and endings[-1] in COMPRESSION
    by_last = [row for row in JUDGED.values() if last in row.endings and (row.text or not packed)]
    text = [row for row in JUDGED.values() if row.text and set(endings) & set(row.endings)]
    return next(iter(by_last + text), None)


def _last_ending(path: Any) -> str:
    """The ending of a file, before that of its compression."""
    endings = ["", "", *(ending.lower() for ending in Path(path).suffixes)]
    return endings[-2] if endings[-1] in COMPRESSION else endings[-1]


def load_data(source: Any, reading: DataReading = DataReading()) -> RankingData:  # noqa: B008
    """Read judged data from one or several files of one format; a file whose ending is none of the table's is text.

    Text is LETOR text, but CSV if a delimiter is given, or whether there is a header.

    >>> import io
    >>> load_data(io.BytesIO(b"1 qid:1 1:0.5\\n"), DataReading(dtype="float64"))
    RankingData(1 query, 1 document, 1 feature, dense float64)
    """
    files = expand(source)
    row = source_format(files)
    if row is _DEFAULT and (reading.delimiter is not None or reading.header is not None):
        row = JUDGED["csv"]
    options = reading.options_of(row, named(files[0]))
    return row.read(files if len(files) > 1 else files[0], **options)


def source_format(source: Any) -> DataFormat:
    """The format of one or several files, which must be one format."""
    files = expand(source)
    rows = [format_of(file) or _DEFAULT for file in files]
    other = next((i for i, row in enumerate(rows) if row is not rows[0]), None)
    if other is not None:
        kinds = f"{rows[other].title}, but {named(files[0])} is {rows[0].title}"
        raise InputError(f"{kinds}: files that are read as one data set have one format", named(files[other]))
    return rows[0]


def save_data(data: RankingData, target: str) -> None:
    """Write judged data in the format of the ending; ``"-"`` is LETOR text on standard output."""
    target_format(target).write(data, target)


def target_format(target: str) -> DataFormat:
    """The format to write: by the ending, which must be one of the table's."""
    row = _DEFAULT if target == "-" else format_of(target)
    if row is None or (target != "-" and _last_ending(target) not in row.endings):
        endings = ", ".join(ending for r in JUDGED.values() for ending in r.endings)
        *first, last = COMPRESSION
        text = f"text may add {', '.join(first)} or {last}"
        raise InputError(f"expected a file name ending in one of {endings} ({text})", target)
    return row


def holds_features(source: Any, reading: DataReading = DataReading()) -> bool:  # noqa: B008
    """Whether judgments are judged data rather than qrels: by the columns of a table, for text by the first line."""
    from ..system.sources import line_blocks, open_source
    from .trec.detection import holds_judgments

    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source) and holds_judgments(source):
        return False
    first = expand(source)[0]
    columns = {"query": reading.qid, "document": reading.doc_id, "grade": reading.label}
    if reading.features is None and holds_judgments(first, columns):
        return False
    row = format_of(first)
    if row is not None and row is not _DEFAULT:
        return True
    with open_source(first) as opened:
        block = next(line_blocks(opened), None)
    lines = [] if block is None else block.data[: min(block.end, 1 << 20)].tobytes().split(b"\n")
    rows = [words for line in lines if (words := line.split(b"#")[0].split())]
    words = next((words for words in rows if len(words) > 1), [])  # a label alone: all features are 0
    return len(words) > 1 and _CELL.match(words[1]) is not None
