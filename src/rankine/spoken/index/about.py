"""Tables that say which recording an utterance belongs to, and the language of a source."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError, nearest
from ..lattice.formats import files, load, pieces
from ..lattice.scoring import Scoring
from ..text import ABOUT_COLUMNS, ABOUT_TEXTS, AUDIO, HAN, OFFSET, RECORDING, UTTERANCE, decoded, number

_FORMER = {"document": RECORDING}  # columns by names that tables had before


class About(NamedTuple):
    """What is said about an utterance: its recording and that one's texts, its audio file and where it begins there."""

    recording: str
    texts: Mapping[str, str] = {}
    audio: str = ""
    offset: float = 0.0


def read_about(path: str | os.PathLike) -> dict[str, About]:
    """A table with a head line, by utterance; only the column ``utterance`` is needed."""
    out: dict[str, About] = {}
    first: dict[str, tuple[Mapping[str, str], str]] = {}
    for where, row in _rows(path):
        utterance = row[UTTERANCE]
        if not utterance or utterance in out:
            raise InputError(f"the utterance {utterance!r} is missing or there twice", where)
        about = _about(row, where)
        texts, place = first.setdefault(about.recording, (about.texts, where))
        if texts != about.texts:
            raise InputError(f"what is said about {about.recording!r} differs from {place}", where)
        out[utterance] = about
    if not out:
        raise InputError("no utterances", str(path))
    return out


def _about(row: Mapping[str, str], where: str) -> About:
    """A row of the table."""
    offset = number(row[OFFSET], where) if row.get(OFFSET) else 0.0
    if not math.isfinite(offset):
        raise InputError(f"an offset must be a number of seconds, got {offset}", where)
    texts = {t: row[t] for t in ABOUT_TEXTS if row.get(t)}
    return About(row.get(RECORDING) or row[UTTERANCE], texts, row.get(AUDIO, ""), offset)


def _rows(path: str | os.PathLike) -> Iterator[tuple[str, dict[str, str]]]:
    """(place, row) of a table, with columns that are known and cells without blanks around them."""
    comma = Path(path).suffix.lower() == ".csv"
    text = decoded(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"), str(path))
    with io.StringIO(text, newline="") as file:
        if comma:
            rows = csv.DictReader(file)
        else:
            rows = csv.DictReader(file, delimiter="\t", quotechar=None, quoting=csv.QUOTE_NONE)
        names = rows.fieldnames = [_FORMER.get(name, name) for name in rows.fieldnames or ()]
        for name in names:
            if name not in ABOUT_COLUMNS:
                hint = nearest(name, ABOUT_COLUMNS)
                raise InputError(
                    f"unknown column {name!r}; there are {', '.join(ABOUT_COLUMNS)}.{hint}", f"{path}, line 1"
                )
        if UTTERANCE not in names:
            raise InputError(f"the column {UTTERANCE!r} is missing", f"{path}, line 1")
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            if None in row or any(v is None for v in row.values()):
                raise InputError(f"expected {len(names)} columns", where)
            yield where, {name: cell.strip() for name, cell in row.items()}


def guess_language(source: str | os.PathLike, format: str | None, scoring: Scoring) -> str:
    """``zh`` where the first words are mostly Chinese characters, else ``en``."""
    chinese = total = 0
    for file in files(source, format)[:20]:
        try:
            for piece in islice(pieces(file, scoring.reading.encoding), 20):
                units = load(piece, scoring.reading).units
                chinese += sum(bool(re.search(f"[{HAN}]", u)) for u in units)
                total += len(units)
        except InputError:
            continue
        if total > 100:
            break
    return "zh" if 2 * chinese > total else "en"
