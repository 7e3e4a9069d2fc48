"""CSV as a kind of file that is mutated."""

from __future__ import annotations

import contextlib
import csv
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from rankine.errors import InputError, InputNote
from rankine.io import load_csv

from .kinds import Kind, TextKind, number


class Csv(TextKind):
    """CSV: read with its columns named, and as it comes."""

    name = "csv"
    ending = ".csv"

    def sample(self, rng: random.Random) -> bytes:
        """A few rows, in one of several encodings."""
        width = rng.randrange(1, 5)
        lines = [",".join(["label", "qid", "doc_id", *(f"f{i + 1}" for i in range(width))])]
        for row in range(rng.randrange(1, 8)):
            document = rng.choice([f"d{row}", f'"d,{row}"', f'"say ""{row}"""', "é", ""])
            lines.append(",".join([str(rng.randrange(4)), rng.choice(["q1", "7", "8"]), document,
                                   *(number(rng) for _ in range(width))]))  # fmt: skip
        text = rng.choice(["\n", "\n", "\r\n"]).join(lines) + "\n"
        return text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "cp1252", "utf-16"]))

    def use(self, path: Path) -> Any:
        """Read it twice; what is told about it is of no interest."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputNote)
            with contextlib.suppress(InputError):
                guessed = load_csv(path)
                assert np.isfinite(guessed.X).all()
            return load_csv(path, "label", "qid", "doc_id", delimiter=",", header=True, dtype="float64")

    def agrees(self, path: Path, result: Any) -> None:
        """Line by line with Python's own reader."""
        content = path.read_bytes()
        if b"\0" in content:
            return  # UTF-16
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252")
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        try:
            header, *rows = [next(csv.reader([line])) for line in lines if line.strip("\r")]
        except csv.Error:  # a field that is too long for it
            return
        names = [name.strip(" \t") for name in header]
        back = np.argsort(result.order, kind="stable")
        assert len(rows) == len(result.y)
        assert [str(q) for q in result.qid[back]] == [row[names.index("qid")].strip(" \t") for row in rows]
        assert result.doc_ids[back].tolist() == [row[names.index("doc_id")].strip(" \t") for row in rows]
        assert result.y[back].tolist() == [float(row[names.index("label")]) for row in rows]
        for j, name in enumerate(result.feature_names):
            assert result.X[back, j].tolist() == [float(row[names.index(name)]) for row in rows]


KINDS: list[Kind] = [Csv()]
