"""HTK's standard lattice format, words on nodes (as PocketSphinx writes it) or on links (HTK, SRILM); plain or .gz.

PocketSphinx puts a word and its start time on a node; a link S→E says that the word of S spans t(S) to t(E). It gives
posteriors ``p=`` and no language scores.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, shorten
from ..lattice import Lattice, numbered
from .slf_kernels import read_links

NOTHING = frozenset(
    ["!NULL", "!SENT_START", "!SENT_END", "!ENTER", "!EXIT", "<s>", "</s>", "<sil>", "<eps>", "SIL", "sil", "[NOISE]",
     "[SPEECH]", "++NOISE++", "-"]
)  # fmt: skip
_VARIANT = re.compile(r"^(.+)\(\d+\)$")
_NODE = re.compile(r"^I=(\d+)[ \t]+t=([-+.\deE]+)[ \t]+W=([^\s\"]+)(?:[ \t]+v=\d+)?[ \t\r]*$", re.MULTILINE)
_FIELD = re.compile(r"(\w+)=(\"[^\"]*\"|\S+)")


def read_slf(
    path: str | os.PathLike, nothing: Collection[str] = NOTHING, variants: bool = False, lower: bool = False
) -> Lattice:
    """A lattice from an SLF file.

    Args:
        path: the file, perhaps gzipped.
        nothing: words that say nothing (fillers, silence, sentence marks); their arcs take no position.
        variants: keep pronunciation variants such as ``to(2)`` apart.
        lower: turn words to lower case.
    """
    where = str(path)
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"a damaged gzip file ({error})", where) from None
    return _parse(data, where, nothing, variants, lower)


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{data[error.start : error.start + 4]!r} is not UTF-8", where) from None


def _parse(data: bytes, where: str, nothing: Collection[str], variants: bool, lower: bool) -> Lattice:
    header: dict[str, str] = {}
    at = 0 if data.startswith(b"J=") else data.find(b"\nJ=") + 1
    cut = at if at > 0 or data.startswith(b"J=") else len(data)
    text = _text(data[:cut], where)
    first_node, first_link = _first_line(text, "I="), len(text)
    nodes = _plain_nodes(text[first_node:first_link])
    rest = text[:first_link] if nodes is None else text[:first_node]
    nodes = nodes or {}
    for number, line in enumerate(rest.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        fields = _fields(stripped)
        if not fields:
            raise InputError(f"expected key=value, got {shorten(stripped)}", f"{where}, line {number}")
        if "I" in fields:
            node = _whole(fields, "I", where, number)
            if node in nodes:
                raise InputError(f"node {node} is defined twice", f"{where}, line {number}")
            nodes[node] = fields
        else:
            header.update(fields)
    links = _links(data[cut:], where, 1 + text.count("\n"))
    for key, have in (("N", len(nodes)), ("L", len(links["J"]))):
        if key in header and _number(header[key], where) != have:
            raise InputError(f"{key}={header[key]}, but there are {have}", where)
    if not nodes or len(links["J"]) == 0:
        raise InputError("no nodes or no links: not a lattice in SLF", where)
    return _build(header, nodes, links, where, nothing, variants, lower)


def _plain_nodes(text: str) -> dict[int, dict[str, str]] | None:
    """The nodes of lines that all look as PocketSphinx writes them, or None."""
    text = text[: text.find("\n#")] if "\n#" in text else text
    found = _NODE.findall(text)
    if len(found) != text.rstrip("\n").count("\n") + 1:
        return None
    nodes = {int(i): {"t": t, "W": w} for i, t, w in found}
    return nodes if len(nodes) == len(found) else None


def _fields(line: str) -> dict[str, str]:
    """The key=value pairs of a line; quoted values may hold blanks."""
    if '"' in line:
        return dict(_FIELD.findall(line))
    return dict(pair for part in line.split() if len(pair := part.split("=", 1)) == 2)


def _first_line(text: str, mark: str) -> int:
    """Where the first line that begins with ``mark`` begins."""
    if text.startswith(mark):
        return 0
    at = text.find("\n" + mark)
    return len(text) if at < 0 else at + 1


def _links(data: bytes, where: str, first_line: int) -> dict[str, Any]:
    """Columns of the link lines. Lines with one layout of numbers are read all at once, others one by one."""
    if not data:
        return {"J": np.empty(0)}
    first = _text(data[: data.find(b"\n")] if b"\n" in data else data, where)
    keys = re.findall(r"(\w+)=", first)
    if all(re.fullmatch(r"\w=[-+.\deE]+", part) for part in first.split()) and len(set(keys)) == len(keys):
        found = _all_at_once(data, keys)
        if found is not None:
            return found
    text = _text(data, where)
    columns: dict[str, list[Any]] = {}
    for number, line in enumerate(text.splitlines(), first_line):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        fields = _fields(line)
        if "J" not in fields:
            raise InputError(f"expected a link J=…, got {shorten(line.strip())}", f"{where}, line {number}")
        for key in ("S", "E"):
            if key not in fields:
                raise InputError(f"a link needs {key}=", f"{where}, line {number}")
        row = {k: fields.get(k) for k in {*columns, *fields}}
        have = len(next(iter(columns.values()))) if columns else 0
        for key, value in row.items():
            columns.setdefault(key, [None] * have).append(value)
    out: dict[str, Any] = {}
    for key, values in columns.items():
        if key in ("W", "v", "d", "n", "s"):
            out[key] = values
            continue
        numbers = np.full(len(values), np.nan)
        for i, value in enumerate(values):
            if value is not None:
                numbers[i] = _number(value, where)
        out[key] = numbers
    return out


def _all_at_once(data: bytes, keys: list[str]) -> dict[str, Any] | None:
    """Columns of link lines that all have the layout of the first, or None where one has not."""
    if keys[:3] != ["J", "S", "E"] or any(len(key) != 1 for key in keys):
        return None
    buffer = np.frombuffer(data + b"\n" * 32, np.uint8)
    out = np.empty((data.count(b"\n") + 1, len(keys)))
    n = read_links(buffer, 0, len(data), np.frombuffer("".join(keys).encode(), np.uint8), out)
    return None if n < 0 else {key: np.ascontiguousarray(out[:n, i]) for i, key in enumerate(keys)}


def _build(
    header: dict[str, str],
    nodes: dict[int, dict[str, str]],
    links: dict[str, Any],
    where: str,
    nothing: Collection[str],
    variants: bool,
    lower: bool,
) -> Lattice:
    source, target = links["S"].astype(np.int64), links["E"].astype(np.int64)
    if (source != links["S"]).any() or (target != links["E"]).any():
        raise InputError("S= and E= must be whole numbers", where)
    ids = np.array(sorted(nodes))
    for ends in (source, target):
        unknown = ends[~np.isin(ends, ids)]
        if len(unknown):
            raise InputError(f"a link leads from or to node {unknown[0]}, which is not defined", where)
    times = np.full(ids.max() + 1, np.nan)
    timed = [node for node, fields in nodes.items() if "t" in fields]
    try:
        times[timed] = np.array([nodes[node]["t"] for node in timed], np.float64)
    except ValueError as error:
        raise InputError(f"a node's time is not a number: {error}", where) from None
    meaning = {w: _word(w, nothing, variants, lower) for w in {f["W"] for f in nodes.values() if "W" in f}}
    on_links = links.get("W")
    if on_links is not None:
        unit, units = numbered([None if w is None else _word(w, nothing, variants, lower) for w in on_links])
    else:
        on_nodes, units = numbered([meaning[f["W"]] if "W" in f else None for f in nodes.values()])
        at_node = np.full(ids.max() + 1, -1, np.int64)
        at_node[list(nodes)] = on_nodes
        unit = at_node[source]
    base = _number(header["base"], where) if "base" in header else np.e
    in_logs = np.log(base) if base > 0 else 1.0
    scale = _number(header["lmscale"], where) if "lmscale" in header else 1.0
    penalty = _number(header["wdpenalty"], where) * in_logs if "wdpenalty" in header else 0.0
    n = len(source)
    acoustic = np.nan_to_num(links["a"]) * in_logs if "a" in links else np.zeros(n)
    language = np.nan_to_num(links["l"]) * in_logs * scale if "l" in links else np.zeros(n)
    language = language + penalty * (unit >= 0)
    start, end = _ends(header, ids, source, target, where)
    return Lattice.build(
        source=source,
        target=target,
        unit=unit,
        units=units,
        acoustic=acoustic,
        language=language,
        posterior=links.get("p", np.full(n, np.nan)),
        times=np.column_stack([times[source], times[target]]),
        start=start,
        end=end,
        name=Path(where).name.split(".")[0],
    )


def _ends(
    header: dict[str, str], ids: np.ndarray, source: np.ndarray, target: np.ndarray, where: str
) -> tuple[int, int]:
    """Start and end node: named in the header, or the only ones without an arc to or from them."""
    found = []
    for key, ends in (("start", target), ("end", source)):
        if key in header:
            node = int(_number(header[key], where))
            if node not in set(ids.tolist()):
                raise InputError(f"{key}={node} is not defined", where)
        else:
            free = ids[~np.isin(ids, ends)]
            if len(free) != 1:
                raise InputError(f"expected one {key} node, there are {len(free)}: name it in the header", where)
            node = int(free[0])
        found.append(node)
    return found[0], found[1]


def _word(text: str, nothing: Collection[str], variants: bool, lower: bool) -> str | None:
    word = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
    if word in nothing:
        return None
    if not variants and (match := _VARIANT.match(word)):
        word = match[1]
    return None if word in nothing else word.lower() if lower else word


def _whole(fields: dict[str, str], key: str, where: str, number: int) -> int:
    if not fields[key].isdigit():
        raise InputError(f"expected a whole number {key}=, got {shorten(fields[key])}", f"{where}, line {number}")
    return int(fields[key])


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"expected a number, got {shorten(text)}", where) from None
    if np.isnan(value):
        raise InputError("expected a number, got NaN", where)
    return value
