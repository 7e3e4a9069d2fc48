"""HTK's standard lattice format, words on nodes (as PocketSphinx writes it) or on links (HTK, SRILM).

PocketSphinx puts a word and its start time on a node; a link S→E says that the word of S spans t(S) to t(E). It gives
posteriors ``p=`` and no language scores. Of a field that a line repeats the last one counts, as in HTK. Written are
words on links, in natural logarithms.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from .....errors import InputError, shorten
from .....system.files import PADDING
from ....text import decoded, has_blanks, number, stem, whole_number
from ...lattice import Lattice
from ..reading import Piece, Reading, lines_of, remembered_units
from .slf_kernels import read_fields

_FIELD = re.compile(r"(?<!\w)(\w+)=(\"[^\"]*\"|\S*)")  # in a header
_NEXT = re.compile(r"[ \t\r]*([A-Za-z0-9_]+)=(?:\"([^\"]*)(?:\"|$)|(?!\")([^ \t\r]*))(?=[ \t\r]|$)")  # in a line
_LONGEST_HEADER = 1 << 20  # bytes
_MOST_LINES = 1 << 22  # nodes, or links
_BLOCK = 1 << 24  # bytes that the kernel reads at once
_LONG = {"time": "t", "WORD": "W", "START": "S", "END": "E", "acoustic": "a", "language": "l"}


class _Lines(NamedTuple):
    """Columns of the node or link lines: ids, numbers by key (NaN: none), words by number (−1: none)."""

    ids: dict[str, np.ndarray]
    numbers: dict[str, np.ndarray]
    words: np.ndarray
    names: list[tuple[bytes, int]]  # and where it stands
    starts: np.ndarray  # where each line begins
    data: bytes
    path: str

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.words)

    def place(self, row: int) -> str:
        """The place of a line that errors name."""
        return _place(self.path, self.data, int(self.starts[row]))

    def whole(self, key: str) -> np.ndarray:
        """A column of whole numbers that every line must have."""
        x = self.ids[key]
        if x.min() < 0:
            raise InputError(f"{key}= is missing", self.place(int(np.argmin(x))))
        return x

    def raise_doubled(self, key: str) -> None:
        """Raise InputError at the second line that has the same number."""
        x = self.ids[key]
        _, first = np.unique(x, return_index=True)
        again = np.setdiff1d(np.arange(len(x)), first)
        if len(again):
            what = "node" if key == "I" else "link"
            raise InputError(f"{what} {x[again[0]]} is defined twice", self.place(int(again[0])))


def _place(path: str, data: bytes, at: int) -> str:
    line = data.count(b"\n", 0, at) + 1
    return f"{path}, line {line}"


def looks_like_slf(head: bytes) -> bool:
    """Whether a file begins like SLF: with key=value, and with nodes or their number."""
    lines = [line for line in lines_of(head) if not line.startswith(b"#")]
    has_nodes = any(re.match(rb"(N|NODES|I)=", line) for line in lines)
    return has_nodes and re.match(rb"\w+=", lines[0]) is not None


def parse_slf(piece: Piece, reading: Reading) -> Lattice:
    """A lattice from the text of an SLF file."""
    data, where = piece.content(), piece.where
    nodes_at, links_at = _first_line(data, b"I="), _first_line(data, b"J=")
    if max(nodes_at, links_at) == len(data):
        raise InputError("no nodes or no links: not a lattice in SLF", where)
    if nodes_at > _LONGEST_HEADER:
        raise InputError(f"a header of {nodes_at:,} bytes: not a lattice in SLF", where)
    header = _header(decoded(data[:nodes_at], where), where)
    padded = np.zeros(len(data) + PADDING, np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    nodes = _table(data, padded, (nodes_at, links_at), b"I", b"t", header.get("N", ""), where)
    links = _table(data, padded, (links_at, len(data)), b"JSE", b"alpr", header.get("L", ""), where)
    for keys, have in ((("N", "NODES"), nodes.lines), (("L", "LINKS"), links.lines)):
        for key in keys:
            if key in header and number(header[key], where) != have:
                raise InputError(f"{key}={shorten(header[key])[1:-1]}, but there are {have}", where)
    if nodes.lines == 0 or links.lines == 0:
        raise InputError("no nodes or no links: not a lattice in SLF", where)
    return _build(header, nodes, links, where, piece.name or stem(piece.path), reading)


def _first_line(data: bytes, mark: bytes) -> int:
    """Where the first line that begins with ``mark`` begins."""
    at = 0 if data.startswith(mark) else data.find(b"\n" + mark) + 1
    return at if at > 0 or data.startswith(mark) else len(data)


def _header(text: str, where: str) -> dict[str, str]:
    header: dict[str, str] = {}
    for at, line in enumerate(text.split("\n"), 1):
        if (stripped := line.strip()) and not stripped.startswith("#"):
            fields = dict(_FIELD.findall(stripped))
            if not fields:
                raise InputError(f"expected key=value, got {shorten(stripped)}", f"{where}, line {at}")
            header.update(fields)
    if "SUBLAT" in header:
        raise InputError("sub-lattices (SUBLAT=) are not supported: expand them first", where)
    return header


class _Columns:
    """What the kernel fills, with room for ``most`` lines: ids, numbers, words, and where lines and words stand."""

    def __init__(self, most: int, n_ids: int, n_numbers: int) -> None:
        self.ids, self.numbers = np.empty((n_ids, most), np.int64), np.empty((n_numbers, most))
        self.words, self.starts = np.empty(most, np.int64), np.empty(most, np.int64)
        self.slices = np.empty((most, 2), np.int64)
        self.table = np.full(1 << (2 * most).bit_length(), -1, np.int64)


def _room(data: bytes, begin: int, end: int, announced: str) -> int:
    """How many lines to make room for: as many as were announced, if so many fit in, else as many as there can be."""
    shortest = (end - begin) // 3 + 1  # a key, = and the line's end
    most = int(announced) if announced.isascii() and announced.isdigit() and len(announced) < 9 else 0
    most = most if 0 < most <= shortest else min(data.count(b"\n", begin, end) + 1, shortest)
    return max(min(most, _MOST_LINES), 1)


def _table(
    data: bytes,
    padded: np.ndarray,
    span: tuple[int, int],
    id_keys: bytes,
    number_keys: bytes,
    announced: str,
    where: str,
) -> _Lines:
    """Parse lines; one that the kernel cannot read (too many digits, −inf, an error) is parsed in Python."""
    begin, end = span
    most = _room(data, begin, end, announced)
    c = _Columns(most, len(id_keys), len(number_keys))
    row, n_words, at = 0, 0, begin
    codes = np.frombuffer(id_keys + number_keys, np.uint8)
    by_hand: dict[int, str] = {}
    line, counted = 1, 0
    while at < end:
        stop = data.find(b"\n", at + _BLOCK, end) + 1 or end  # a block at a time: Ctrl-C is heard in between
        row, n_words, at = read_fields(
            padded, at, stop, codes, c.ids, c.numbers, c.words, c.starts, row, c.table, c.slices, n_words
        )
        if at == stop:
            continue
        line, counted = line + data.count(b"\n", counted, at), at
        place = f"{where}, line {line}"
        if row == most:
            if most < _MOST_LINES and announced:  # more than were announced
                return _table(data, padded, span, id_keys, number_keys, "", where)
            raise InputError(f"more than {most:,} nodes or links", place)
        stop = data.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        fields = _by_hand(decoded(data[at:stop], place), chr(id_keys[0]), place)
        c.starts[row], c.words[row] = at, -1
        c.ids[:, row] = [
            whole_number(fields[chr(k)], f"{place}, {chr(k)}=") if chr(k) in fields else -1 for k in id_keys
        ]
        c.numbers[:, row] = [number(fields[chr(k)], place) if chr(k) in fields else np.nan for k in number_keys]
        if "W" in fields:
            by_hand[row] = fields["W"]
        row, at = row + 1, stop + 1
    names = [(data[a:b], a) for a, b in c.slices[:n_words].tolist()]
    for i, word in by_hand.items():
        c.words[i] = len(names)
        names.append((word.encode(), 0))
    by_id = {chr(k): c.ids[i, :row] for i, k in enumerate(id_keys)}
    numbers = {chr(k): c.numbers[i, :row] for i, k in enumerate(number_keys)}
    return _Lines(by_id, numbers, c.words[:row], names, c.starts[:row], data, where)


def _by_hand(line: str, mark: str, where: str) -> dict[str, str]:
    """The fields of a line that the kernel cannot read, by the same rules; the last of a repeated field counts."""
    fields: dict[str, str] = {}
    at = 0
    while match := _NEXT.match(line, at):
        key, quoted, plain = match.groups()
        fields[_LONG.get(key, key)] = plain if quoted is None else quoted
        at = match.end()
    if line[at:].strip(" \t\r") or mark not in fields:
        raise InputError(f"expected {mark}=… and further key=value, got {shorten(line.strip())}", where)
    return fields


def _build(header: dict[str, str], nodes: _Lines, links: _Lines, where: str, name: str, reading: Reading) -> Lattice:
    ids = nodes.whole("I")
    if ids.max() > 10 * len(ids) + 1000:
        raise InputError(f"node {ids.max()} of {len(ids)}: nodes must be numbered without large gaps", where)
    place = np.full(int(ids.max()) + 1, -1, np.int64)
    place[ids] = np.arange(len(ids))
    if (place[ids] != np.arange(len(ids))).any():
        nodes.raise_doubled("I")
    if (np.diff(links.whole("J")) <= 0).any():
        links.raise_doubled("J")
    source, target = (_nodes_of(links, key, place) for key in "SE")
    on_links = bool((links.words >= 0).any())
    table = links if on_links else nodes
    unit, units = _units(table, reading)
    unit = unit if on_links else unit[source]
    with np.errstate(over="ignore", invalid="ignore"):  # Lattice.build refuses what comes of it
        times = nodes.numbers["t"] * _option(header, "tscale", 1.0, where)
    acoustic, language = _scores(header, links, unit, reading, where)
    start, end = _ends(header, ids, place, source, target, where)
    return Lattice.build(
        source=source,
        target=target,
        unit=unit,
        units=units,
        acoustic=acoustic,
        language=language,
        posterior=_posteriors(links),
        times=np.column_stack([times[source], times[target]]),
        start=start,
        end=end,
        name=name,
        where=where,
    )


def _nodes_of(links: _Lines, key: str, place: np.ndarray) -> np.ndarray:
    """The nodes where links begin (``S``) or end (``E``)."""
    ids = links.whole(key)
    defined = (ids < len(place)) & (place[np.minimum(ids, len(place) - 1)] >= 0)
    if not defined.all():
        row = int(np.argmin(defined))
        raise InputError(f"a link leads from or to node {ids[row]}, which is not defined", links.place(row))
    return place[ids]


def _decoded(word: bytes, table: _Lines, at: int) -> str:
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise InputError(f"{word[:40]!r} is not UTF-8", _place(table.path, table.data, at)) from None


def _units(table: _Lines, reading: Reading) -> tuple[np.ndarray, list[str]]:
    """The unit of each line, and the units."""
    numbers: dict[str, int] = {}
    units = remembered_units(reading)
    unit_numbers = np.full(len(table.names) + 1, -1, np.int64)  # the last entry serves −1
    for i, (word, at) in enumerate(table.names):
        if word not in units:
            units[word] = reading.unit_of(_decoded(word, table, at))
        unit = units[word]
        if unit is not None:
            unit_numbers[i] = numbers.setdefault(unit, len(numbers))
    return unit_numbers[table.words], list(numbers)


def _language_weight(header: dict[str, str], reading: Reading, where: str) -> float:
    return reading.weight(_option(header, "lmscale", 1.0, where))


def divisor(piece: Piece, reading: Reading) -> float:
    """What the scores of an SLF file are divided by; 1 where its first link has a posterior, which counts instead."""
    data = piece.content()
    links_at = _first_line(data, b"J=")
    if re.search(rb"\sp=", data[links_at:].split(b"\n", 1)[0]):
        return 1.0
    header = _header(decoded(data[: min(_first_line(data, b"I="), _LONGEST_HEADER)], piece.where), piece.where)
    return reading.divisor(_language_weight(header, reading, piece.where))


def _scores(
    header: dict[str, str], links: _Lines, unit: np.ndarray, reading: Reading, where: str
) -> tuple[np.ndarray, np.ndarray]:
    """Acoustic and language scores in natural logarithms, with the header's scales and word penalties.

    All are divided by the weight of language scores, unless another divisor is given: with weights as recognisers
    choose them for finding the best path, the posteriors of words would be close to 0 and 1. SRILM's ``lattice-tool``
    divides too (``-posterior-scale``).
    """
    base = _option(header, "base", np.e, where)
    if base < 0 or base == 1:
        raise InputError(f"base={base:g} is no base of logarithms", where)
    weight = _language_weight(header, reading, where)
    parts = reading.divisor(weight)
    scales = {"a": _option(header, "acscale", 1.0, where), "l": weight, "r": _option(header, "prscale", 1.0, where)}
    logs = {}
    for key, scale in scales.items():
        factor = scale / parts
        x = links.numbers[key]
        missing = np.isnan(x)
        if missing.all():
            logs[key] = np.zeros(len(x))
            continue
        if base == 0 and (x < 0).any():
            raise InputError(f"base=0 says that {key}= are probabilities, but one is negative", where)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # Lattice.build refuses what comes of it
            x = np.log(x) if base == 0 else x * np.log(base)
            logs[key] = np.where(missing | (factor == 0), 0.0, x * factor)
    penalty = _option(header, "wdpenalty", 0.0, where) / parts
    with np.errstate(over="ignore", invalid="ignore"):
        penalties = penalty * (np.log(base) if base > 0 else 1.0) * (unit >= 0)
        return logs["a"], logs["l"] + logs["r"] + penalties


def _posteriors(links: _Lines) -> np.ndarray:
    """The posteriors of links; slightly above 1 is rounding."""
    p = links.numbers["p"]
    bad = np.flatnonzero((p < 0) | (p > 1.01))
    if len(bad):
        raise InputError(f"a posterior must lie between 0 and 1, got p={p[bad[0]]:g}", links.place(int(bad[0])))
    return p


def _option(header: dict[str, str], key: str, default: float, where: str) -> float:
    value = number(header[key], f"{where}, {key}") if key in header else default
    if not np.isfinite(value):
        raise InputError(f"{key}={value} is not finite", where)
    return value


def _ends(
    header: dict[str, str], ids: np.ndarray, place: np.ndarray, source: np.ndarray, target: np.ndarray, where: str
) -> tuple[int, int]:
    """Start and end node: named in the header, or the only ones without an arc to or from them."""
    nodes = []
    for key, ends in (("start", target), ("end", source)):
        if key in header:
            node = whole_number(header[key], f"{where}, {key}")
            if node >= len(place) or place[node] < 0:
                raise InputError(f"{key}={node} is not defined", where)
            nodes.append(int(place[node]))
        else:
            free = np.ones(len(ids), np.bool_)
            free[ends] = False
            if free.sum() != 1:
                raise InputError(f"expected one {key} node, there are {free.sum()}: name it in the header", where)
            nodes.append(int(np.flatnonzero(free)[0]))
    return nodes[0], nodes[1]


def write_slf(lattice: Lattice) -> bytes:
    """SLF with words on links. Times stand on nodes: where arcs disagree an empty link stands between."""
    times, arcs = node_times(lattice)
    lines = [f"VERSION=1.1\nUTTERANCE={lattice.name or 'utterance'}\nstart=0\nend={lattice.n_nodes - 1}"]
    lines.append(f"N={len(times)}\tL={len(arcs)}")
    lines += [f"I={i}" + ("" if np.isnan(t) else f"\tt={t!r}") for i, t in enumerate(times)]
    for j, (u, v, word, a, lm, p) in enumerate(arcs):
        token = "!NULL" if word is None else _quoted(word)
        posterior = "" if np.isnan(p) else f"\tp={p!r}"
        lines.append(f"J={j}\tS={u}\tE={v}\tW={token}\ta={a!r}\tl={lm!r}{posterior}")
    return ("\n".join(lines) + "\n").encode()


def _quoted(word: str) -> str:
    if '"' in word or "\n" in word:
        raise InputError(f"SLF cannot hold the word {shorten(word)}")
    return f'"{word}"' if not word or has_blanks(word) else word


def node_times(lattice: Lattice) -> tuple[list[float], list[tuple[int, int, str | None, float, float, float]]]:
    """Times of nodes, and arcs (from, to, word, acoustic, language, posterior) that keep to them.

    A node has the time at which the arcs that leave it begin. An arc with other times is led through nodes of its own.
    """
    times = np.full(lattice.n_nodes, np.nan)
    times[lattice.target] = lattice.end
    times[lattice.source] = lattice.start
    out: list[tuple[int, int, str | None, float, float, float]] = []
    all_times: list[float] = times.tolist()
    columns = (lattice.source, lattice.target, lattice.unit, lattice.acoustic, lattice.language, lattice.posterior)
    for i, (u, v, w, a, lm, p) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        word = None if w < 0 else lattice.units[w]
        begin, end = float(lattice.start[i]), float(lattice.end[i])
        if not np.isnan(begin) and begin != all_times[u]:
            all_times.append(begin)
            out.append((u, len(all_times) - 1, None, 0.0, 0.0, p))
            u = len(all_times) - 1
        if not np.isnan(end) and end != all_times[v]:
            all_times.append(end)
            out.append((len(all_times) - 1, v, None, 0.0, 0.0, p))
            v = len(all_times) - 1
        out.append((u, v, word, a, lm, p))
    return all_times, out
