"""What is known about recordings: a table of utterances with their documents, and the language of a source."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from itertools import islice
from pathlib import Path

from ...errors import InputError, nearest
from ..lattice.formats import files, load, pieces
from ..lattice.scoring import Scoring
from ..text import decoded, number
from .build import TEXTS
from .changes import About

_COLUMNS = ("utterance", "document", *TEXTS, "audio", "offset")


def read_about(path: str | os.PathLike) -> dict[str, About]:
    """A table with a head line; of its columns only ``utterance`` must be there."""
    comma = "," if Path(path).suffix.lower() == ".csv" else "\t"
    out: dict[str, About] = {}
    said: dict[str, tuple[dict[str, str], str]] = {}
    text = decoded(Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf"), str(path))
    with io.StringIO(text, newline="") as file:
        quotes = '"' if comma == "," else None
        rows = csv.DictReader(file, delimiter=comma, quotechar=quotes, quoting=0 if quotes else 3)
        names = rows.fieldnames or []
        for name in names:
            if name not in _COLUMNS:
                hint = nearest(name, _COLUMNS)
                raise InputError(f"unknown column {name!r}; there are {', '.join(_COLUMNS)}.{hint}", f"{path}, line 1")
        if "utterance" not in names:
            raise InputError("the column 'utterance' is missing", f"{path}, line 1")
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            if None in row or any(v is None for v in row.values()):
                raise InputError(f"expected {len(names)} columns", where)
            utterance = row["utterance"].strip()
            if not utterance or utterance in out:
                raise InputError(f"the utterance {utterance!r} is missing or there twice", where)
            document = row.get("document", "").strip() or utterance
            texts = {t: row[t].strip() for t in TEXTS if row.get(t, "").strip()}
            before = said.setdefault(document, (texts, where))
            if before[0] != texts:
                raise InputError(f"what is said about {document!r} differs from {before[1]}", where)
            offset = number(row["offset"], where) if row.get("offset", "").strip() else 0.0
            if not math.isfinite(offset):
                raise InputError(f"an offset must be a number of seconds, got {offset}", where)
            out[utterance] = About(document, texts, row.get("audio", "").strip(), offset)
    if not out:
        raise InputError("no utterances", str(path))
    return out


def guess_language(source: str | os.PathLike, format: str | None, scoring: Scoring) -> str:
    """``zh`` where the first words are mostly Chinese characters, else ``en``."""
    chinese = other = 0
    for file in files(source, format)[:20]:
        try:
            for piece in islice(pieces(file), 20):
                units = load(piece, scoring.reading).units
                chinese += sum(bool(re.search("[㐀-䶿一-鿿]", u)) for u in units)
                other += len(units)
        except InputError:
            continue
        if other > 100:
            break
    return "zh" if 2 * chinese > other else "en"
