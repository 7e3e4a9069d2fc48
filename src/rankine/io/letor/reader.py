"""LETOR / SVMlight text with ``qid:``, as fast as memory allows.

The stream is cut into blocks of whole lines; each block is parsed by one kernel call (on several threads at
once), and the results are appended in order to arrays that grow in place. Memory stays near the size of the
finished arrays plus a few blocks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from ...data.alignment import aligned
from ...data.ranking_data import RankingData
from ...errors import InputError, shorten
from ...system.limits import max_features
from ...system.parallel import ordered_map, thread_count
from ...system.progress import bar
from ...system.sources import Block, FilePiece, OpenSource, line_pieces, open_source
from ..notes import said
from ..paths import expand, named, tell_joined
from ..side_files import GROUPS, beside, called, group_sizes, weighted
from . import kernels as k
from .lines import LetorLineError, LetorLines, parse_block, stated_first
from .rows import SPARSE_BELOW, LetorRows, ParsedBlock, check_size

_BAR_FROM = 50_000_000
_SECOND_WORD = re.compile(rb"^[ \t\r]*[^\x00-\x20#]++[ \t]+([^\x00-\x20#]+)", re.MULTILINE)
_DENSE = re.compile(rb"[ ]*[0-9.+-]+\t[0-9.eE+-]+$")  # a line of a table of numbers
_CELL = re.compile(rb"[0-9]+:")


def load_letor(
    source: Any,
    dtype: str | type = "float32",
    sparse: bool | None = None,
    n_features: int | None = None,
    threads: int | None = None,
    *,
    features: Any = None,
    groups: Any = None,
    weights: Any = None,
    first_index: int | None = None,
    unordered: bool = False,
) -> RankingData:
    """Read judged rankings from LETOR / SVMlight text: ``label qid:ID index:value ... # docid = ID``.

    Indices start at 1, or at 0 where an index 0 occurs, and increase along a line; features that a line leaves out are
    0. A document id is taken from ``#docid = ID`` or from a comment of one word. Compression (.gz, .bz2, .xz, .zst) is
    recognised by content. Text of LightGBM and XGBoost has no ``qid:``: the sizes of its queries stand in a file beside
    it (``train.txt.query`` or ``train.txt.group``), and perhaps weights in ``train.txt.weight``.

    Args:
        source: a path, ``"-"`` for standard input, or a binary file object; or several, a folder, a pattern.
        dtype: ``"float32"`` or ``"float64"``; every value is the nearest float of that type.
        sparse: CSR if True, dense if False; None means dense unless fewer than one value in ten is non-zero.
        n_features: the number of columns; by default the largest index in the file, which may be 1,048,576 or
            ``RANKINE_MAX_FEATURES``.
        threads: parsing threads, by default one per core.
        features: only these features, by their numbers: ``"1-46"``, ``"1-10,20"`` or a list.
        groups: a file with the size of each query, in place of one beside the data.
        weights: a file with a weight for each row or each query, or ``"none"`` to leave one beside the data alone.
        first_index: the number of the first feature, 0 or 1.
        unordered: whether the indices of a line may come in any order.

    >>> import io
    >>> data = load_letor(io.BytesIO(b"2 qid:7 1:0.5 3:1 # docid = d1\\n0 qid:7 2:0.25 # docid = d2\\n"))
    >>> data.X
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ]], dtype=float32)
    >>> data.doc_ids.tolist()
    ['d1', 'd2']
    """
    numbers = None if features is None else feature_numbers(features)
    if numbers is not None and numbers[0] == 0 and first_index is None:
        first_index = 0
    lines = _checked(np.dtype(dtype), n_features, first_index, unordered)
    files = expand(source)
    reader = _LetorReader(lines, sparse, thread_count(threads), _total_size(files))
    given = None if groups is None else group_sizes(groups)
    for file in files:
        with open_source(file) as opened:
            reader.read(opened, file, given is not None)
    name = named(files[0]) if len(files) == 1 else f"{named(files[0])} and {len(files) - 1} more"
    data = reader.finish(given, called(groups), name)
    tell_joined(data, reader.rows)
    data = data if numbers is None else chosen_features(data, numbers)
    return weighted(data, files, weights, name)


def _checked(dtype: np.dtype, n_features: int | None, first_index: int | None, unordered: bool) -> LetorLines:
    """How lines are to be read, if it makes sense."""
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype must be float32 or float64, got {dtype}")
    if n_features is not None and not 1 <= n_features <= k.LARGEST_INDEX:
        raise ValueError(f"n_features must be at least 1 and at most {k.LARGEST_INDEX}, got {n_features}")
    if first_index not in (None, 0, 1):
        raise InputError(f"first_index (--first-index) must be 0 or 1, got {first_index!r}")
    return LetorLines(dtype, n_features, first_index, True, unordered)


def _total_size(files: list[Any]) -> int | None:
    """The bytes of all files, as far as they are files."""
    try:
        return sum(os.path.getsize(file) for file in files)
    except (OSError, TypeError):
        return None


class _LetorReader:
    """Reads files one after another into one table."""

    def __init__(self, lines: LetorLines, sparse: bool | None, threads: int, size: int | None) -> None:
        self.lines, self.sparse, self.threads, self.size = lines, sparse, threads, size
        self.table: LetorRows | None = None
        self.before = 0  # bytes of the files that are done
        self.name = ""  # of the file before
        self.rows: list[int] = []  # of each file

    def read(self, opened: OpenSource, source: Any, grouped: bool) -> None:
        """Append the rows of a file; ``grouped``: the sizes of all queries are given."""
        pieces = line_pieces(opened)
        start = next(pieces, None)
        if start is None:
            raise InputError("the file is empty", opened.name)
        block, lines = start.load(), 0
        if self.lines.first is None:
            self.lines = self.lines._replace(first=stated_first(block))
        place = self._file_of_groups(block, opened.name, source, grouped)
        try:
            table, rows_per_byte = self._table_for(block)
            before = table.rows

            def parse(piece: Block | FilePiece) -> ParsedBlock:
                part = piece.load()
                return parse_block(part, int(part.end * rows_per_byte) + 16, table.stride, table.first, self.lines)

            with bar(f"reading {opened.name}", opened.size, (opened.size or 0) > _BAR_FROM, "bytes") as update:
                for parsed in ordered_map(parse, chain([block], pieces), self.threads):
                    table.append(parsed._replace(raw_position=self.before + parsed.raw_position))
                    lines += parsed.lines
                    update(parsed.raw_position)
        except LetorLineError as error:
            raise InputError(str(error), f"{opened.name}, line {lines + error.line}") from None
        if table.rows == before:
            raise InputError("there is no data line in the file", opened.name)
        if place is not None:
            self._append_groups(group_sizes(place), table.rows - before, place, opened.name)
            said(f"{opened.name}: sizes of queries from {place}")
        self.rows.append(table.rows - before)
        self.before, self.name = self.before + (opened.size or 0), opened.name

    def _table_for(self, block: Block) -> tuple[LetorRows, float]:
        """The table, begun by the first block; and how many rows there are in a byte of this file, about."""
        if self.table is not None:
            return self.table, 1.1 * k.count_lines(block.data, block.end) / block.end
        dtype, limit = self.lines.dtype, self.lines.limit
        first = 1 if self.lines.first is None else self.lines.first
        probe = parse_block(block, k.count_lines(block.data, block.end), 0, first, self.lines)
        width = limit or max(probe.width, 1)
        as_sparse = probe.entries < SPARSE_BELOW * probe.rows * width if self.sparse is None else self.sparse
        if not as_sparse:
            check_size(probe.rows, width, dtype.itemsize)
        self.table = LetorRows(dtype, 0 if as_sparse else width, self.size, self.sparse is None, probe.first)
        return self.table, 1.1 * probe.rows / block.end

    def _file_of_groups(self, block: Block, name: str, source: Any, grouped: bool) -> str | None:
        """The file with the sizes of the queries of a file, None if its lines have query ids or the sizes are given."""
        match = _SECOND_WORD.search(block.data[: block.end].tobytes())
        place = beside(source, GROUPS)
        has_qid = not grouped and place is None if match is None else _CELL.match(match[1]) is None
        if self.table is not None and has_qid != self.lines.has_qid:
            other = "query ids" if self.lines.has_qid else "no query ids"
            raise InputError(f"its lines have {'' if has_qid else 'no '}query ids, {self.name} has {other}", name)
        self.lines = self.lines._replace(has_qid=has_qid)
        if has_qid and grouped:
            raise InputError("its lines have query ids (qid:): groups (--groups) are for files without", name)
        if has_qid and match is not None and _DENSE.match(match[0]):
            raise InputError(
                f"expected 'qid:' after the label, got {shorten(match[1].decode())}; a table with tabs is read "
                "by load_csv, on the command line with --delimiter tab", name,
            )  # fmt: skip
        if has_qid or grouped:
            return None
        if place is None and match is not None:
            word = shorten(match[1].decode("utf-8", "replace"))
            line = 1 + block.data[: match.start(1)].tobytes().count(b"\n")
            beside_it = " or ".join(f"{name}{ending}" for ending in GROUPS)
            raise InputError(
                f"expected 'qid:' after the label, got {word}; without it the sizes of queries must stand in "
                f"{beside_it}, or in a file that groups (--groups) names", f"{name}, line {line}",
            )  # fmt: skip
        return place

    def _append_groups(self, sizes: np.ndarray, rows: int, place: str, name: str) -> None:
        if sizes.sum() != rows:
            raise InputError(
                f"the sizes of {len(sizes)} queries add up to {sizes.sum()}, but {name} has {rows} rows", place
            )
        assert self.table is not None
        self.table.append_groups(sizes)

    def finish(self, groups: np.ndarray | None, groups_from: str, name: str) -> RankingData:
        """The data of all files."""
        table = self.table
        assert table is not None
        if groups is not None:
            self._append_groups(groups, table.rows, groups_from, name)
        limit, given = self.lines.limit, self.lines.first
        if limit is not None and table.width > limit:
            raise InputError(f"features up to number {table.width - 1 + table.first}, but n_features is {limit}", name)
        if table.first == 0 and given is None:
            said(f"{name}: features are numbered from 0")
        if table.missing:
            said(f"{name}: {table.missing} values 1.79769313486231E308 stand for no value, and count as 0")
        return table.finish(limit, self.sparse, assumed=given is None)


# -- Some features of sparse text, chosen by their numbers


_RANGE = re.compile(r"\s*([0-9]{1,10})\s*(?:-\s*([0-9]{1,10})\s*)?", re.ASCII)


def feature_numbers(features: Any) -> list[int]:
    """The numbers of features that a text such as ``1-46`` or ``1-10,20`` names, or a list of numbers; ascending.

    >>> feature_numbers("1-3,7"), feature_numbers([2, 1])
    ([1, 2, 3, 7], [1, 2])
    """
    words = features.split(",") if isinstance(features, str) else [str(f) for f in _listed(features)]
    numbers: set[int] = set()
    for word in words:
        match = _RANGE.fullmatch(word)
        if match is None:
            raise InputError(f"features (--features) of text are numbers such as 1-46 or 1-10,20; got {word!r:.60}")
        low, high = int(match[1]), int(match[2] or match[1])
        if not low <= high <= max_features():
            raise InputError(f"features (--features): expected numbers up to {max_features()}, ascending; got {word!r}")
        numbers.update(range(low, high + 1))
    if not numbers:
        raise InputError("features (--features) must name at least one feature, got none")
    return sorted(numbers)


def _listed(features: Any) -> Iterable[Any]:
    return features if isinstance(features, Iterable) else [features]


def chosen_features(data: RankingData, numbers: list[int]) -> RankingData:
    """The columns with these numbers. All from the first on keep their numbering; others get their numbers as names."""
    assert data.numbering is not None
    first = data.numbering.first
    if numbers[0] < first:
        raise InputError(f"there is no feature {numbers[0]}: features are numbered from {first}")
    columns = [n - first for n in numbers]
    wide = aligned(data, max(columns[-1] + 1, data.n_features), None)
    out = wide.select(columns)
    if out.numbering is None:
        out.feature_names = tuple(map(str, numbers))
    return out
