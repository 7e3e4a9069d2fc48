"""Judgments, runs and preferences as kinds of files that are mutated."""

from __future__ import annotations

import csv
import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rankine import RankingData
from rankine.errors import InputNote
from rankine.io import load_groups, load_preferences, load_qrels, load_run

from .kinds import Kind, TextKind, number

_WORDS = re.compile(r"[^\x00-\x20]+")
_BYTES = re.compile(rb"[^\x00-\x20]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_NAMES = [("query-id", "corpus-id", "score"), ("qid", "docno", "label")]
_READERS: dict[str, Callable[[Path], Any]] = {"qrels": load_qrels, "run": load_run}


class QuietKind(TextKind):
    """Text whose reader tells what it guessed, which is of no interest here."""

    def use(self, path: Path) -> Any:
        """Read it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputNote)
            return self.read(path)

    def read(self, path: Path) -> Any:
        """What it holds."""
        raise NotImplementedError


class Trec(QuietKind):
    """TREC judgments or runs, with these fields in a line."""

    def __init__(self, name: str, fields: str) -> None:
        self.name, self.kind, self.fields = name, name.split()[0], fields.split()
        self.share = 2.0 if name == self.kind else 0.7

    def sample(self, rng: random.Random) -> bytes:
        """A few queries."""
        lines, tag = [], rng.choice(["bm25", "é", "run-1"])
        for q in range(rng.randrange(1, 4)):
            for d in rng.sample(range(9), rng.randrange(1, 6)):
                values = {"query": q + 301, "iteration": 0, "Q0": "Q0", "document": f"d{d}", "rank": d, "tag": tag,
                          "grade": rng.randrange(3), "score": number(rng)}  # fmt: skip
                lines.append(rng.choice(" \t").join(str(values[field]) for field in self.fields))
        return ("\n".join(lines) + "\n").encode()

    def read(self, path: Path) -> Any:
        """A table."""
        return _READERS[self.kind](path)

    def agrees(self, path: Path, result: Any) -> None:
        """Line by line, for files of three fields, of four (judgments) and of six or more (runs)."""
        content = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")  # fields that nobody reads
        rows = [row for line in content.split("\n") if (row := _WORDS.findall(line))]
        at = {("qrels", 4): (0, 2, 3), ("qrels", 3): (0, 1, 2), ("run", 3): (0, 1, 2)}.get((self.kind, len(rows[0])))
        if self.kind == "run" and len(rows[0]) > 5:
            at = 0, 2, 4
        if at is None or not _NUMBER.fullmatch(rows[0][at[2]]):
            return  # five fields, which are a guess, or a table
        assert len(rows) == len(result)
        ranks = self.kind == "run" and at == (0, 1, 2) and (result.value < 0).all()
        for i, row in enumerate(rows):
            query, document, value = (row[j] for j in at)
            assert result.query_ids[result.query[i]] == query
            assert result.document_ids[result.document[i]] == document
            assert result.value[i] in ((float(value), -float(value)) if ranks else (float(value),))


class Groups(QuietKind):
    """Judgments in groups."""

    name = "judgment groups"

    def sample(self, rng: random.Random) -> bytes:
        """A few queries, with subgroups or without."""
        part = rng.choice(["", "s1 "])
        lines = [f"q{q} g{g} {part}d{d} {rng.randrange(3)}" for q in range(2) for g in range(2) for d in range(3)]
        return ("\n".join([*lines, "# end"]) + "\n").encode()

    def read(self, path: Path) -> Any:
        """Judgments."""
        return load_groups(path)

    def agrees(self, path: Path, result: Any) -> None:
        """Line by line."""
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        rows = [f for line in content.split(b"\n") if (f := re.findall(rb"[^\x00-\x20]+", line))]
        rows = [row for row in rows if not row[0].startswith(b"#")]
        assert len(rows) == len(result)
        for i, row in enumerate(rows):
            names = result.query_ids[result.query[i]], result.group_ids[result.group[i]]
            assert [name.encode() for name in names] == row[:2]
            assert result.document_ids[result.document[i]].encode() == row[-2]
            assert result.value[i] == float(row[-1])


class JudgmentTable(QuietKind):
    """Judgments as CSV, TSV, JSON lines or nested JSON."""

    share = 0.7

    def __init__(self, ending: str) -> None:
        self.name, self.ending = f"judgments {ending}", ending

    def sample(self, rng: random.Random) -> bytes:
        """A few queries, some names between quotes."""
        names = rng.choice(_NAMES)
        rows = [(f"q{q}", f"d{d}", number(rng)) for q in range(rng.randrange(1, 4)) for d in range(rng.randrange(1, 5))]
        if self.ending == ".json":
            nested: dict[str, dict[str, float]] = {}
            for q, d, v in rows:
                nested.setdefault(q, {})[d] = float(v)
            return json.dumps(nested, indent=rng.choice([None, 1])).encode()
        if self.ending == ".jsonl":
            return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()
        mark = "\t" if self.ending == ".tsv" else ","
        quote = rng.choice(["", '"'])
        lines = [mark.join(names), *(mark.join([f"{quote}{q}{quote}", d, v]) for q, d, v in rows)]
        return ("\n".join(lines) + "\n").encode()

    def read(self, path: Path) -> Any:
        """A table."""
        return load_qrels(path)

    def agrees(self, path: Path, result: Any) -> None:
        """The same as Python's own readers, where the names of the columns are as they were."""
        text = path.read_bytes().decode().removeprefix("\ufeff")
        ours = [
            (result.query_ids[q], result.document_ids[d], v)
            for q, d, v in zip(result.query.tolist(), result.document.tolist(), result.value.tolist(), strict=True)
        ]
        assert np.isfinite(result.value).all()
        mark = "\t" if self.ending == ".tsv" else ","
        if self.ending == ".json":
            content = json.loads(text)
            if isinstance(content, dict) and all(isinstance(v, dict) for v in content.values()):
                assert ours == [(q, d, float(v)) for q, documents in content.items() for d, v in documents.items()]
        elif text.split("\n")[0].rstrip("\r").split(mark) in (list(names) for names in _NAMES):
            lines = [line.removesuffix("\r") for line in text.split("\n")[1:] if _WORDS.search(line)]
            rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
            assert ours == [(q, d, float(v)) for q, d, v in rows]


class PreferenceTable(QuietKind):
    """Preferences as CSV, over a small data set without document ids."""

    name = "preferences"
    ending = ".csv"

    def prepare(self, folder: Path) -> None:
        """The data set."""
        self.data = RankingData(np.ones((9, 1)), np.zeros(9), np.repeat([1, 2, 3], 3))

    def sample(self, rng: random.Random) -> bytes:
        """Some edges, with weights or without, with names or without."""
        weights, names = rng.random() < 0.5, rng.random() < 0.5
        lines = ["query,winner,loser" + ",weight" * weights] if names else []
        for _ in range(rng.randrange(1, 6)):
            winner, loser = rng.sample([1, 2, 3], 2)
            lines.append(f"{rng.randrange(1, 4)},{winner},{loser}" + f",{abs(float(number(rng)))}" * weights)
        return ("\n".join(lines) + "\n").encode()

    def read(self, path: Path) -> Any:
        """A graph."""
        return load_preferences(path, self.data)

    def agrees(self, path: Path, result: Any) -> None:
        """Every edge lies within a query, and no weight is negative."""
        result.check(self.data.ptr)
        assert (result.weight >= 0).all()
        assert len(result) <= path.read_bytes().count(b"\n") + 1


KINDS: list[Kind] = [
    Trec("qrels", "query iteration document grade"), Trec("run", "query Q0 document rank score tag"),
    Trec("qrels of 3 fields", "query document grade"), Trec("run of 3 fields", "query document score"),
    Trec("run of 5 fields", "query document rank score tag"),
    *map(JudgmentTable, (".csv", ".tsv", ".jsonl", ".json")), PreferenceTable(), Groups(),
]  # fmt: skip
