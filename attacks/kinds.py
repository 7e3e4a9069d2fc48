"""Kinds of files that are mutated: judged data, tables, models and lists.

A kind makes a mutated file, uses it as a user would, and compares what was accepted with a slow reader.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import lzma
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from backports import zstd

import rankine as rk
from rankine.cli.shared import common
from rankine.errors import naming
from rankine.io import load_letor, load_table
from rankine.rankers.auto.fusion import FusedRanker

from . import mutate

OPENS = Path(__file__).parent.parent / "tests" / "opens"


def search_data() -> rk.RankingData:
    """The data that the models of the tests were trained on."""
    return load_table(OPENS / "models" / "search.arrow")


class Kind:
    """A kind of file. ``share`` is its part of all inputs; ``archive``: it is a file of a spoken archive."""

    name = ""
    share = 1.0
    archive = False

    def prepare(self, folder: Path) -> None:
        """Called once in each process."""

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Write a mutated file; the place that the user names."""
        raise NotImplementedError

    def use(self, path: Path) -> Any:
        """Use it; an InputError or an OSError refuses it."""
        raise NotImplementedError

    def agrees(self, path: Path, result: Any) -> None:
        """Raise AssertionError if a slow reader reads something else from a file that was accepted."""

    def named(self, path: Path) -> str:
        """What the line of a refusal must contain."""
        return path.name


class TextKind(Kind):
    """A text that is made anew for each input."""

    ending = ".txt"
    share = 2.0

    def sample(self, rng: random.Random) -> bytes:
        """A good file."""
        raise NotImplementedError

    def write(self, rng: random.Random, folder: Path) -> Path:
        """A mutated text."""
        path = folder / f"input{self.ending}"
        path.write_bytes(mutate.text(rng, self.sample(rng)))
        return path


def number(rng: random.Random) -> str:
    """A number as files have them."""
    return rng.choice([str(rng.randrange(5)), f"{rng.random():.4f}", f"{rng.gauss(0, 10):.6g}", f"{rng.random():.2e}"])


class Letor(TextKind):
    """LETOR text."""

    name = "letor"

    def sample(self, rng: random.Random) -> bytes:
        """A few queries."""
        lines = []
        for q in range(rng.randrange(1, 4)):
            for d in range(rng.randrange(1, 4)):
                cells = " ".join(f"{i}:{number(rng)}" for i in range(1, rng.randrange(2, 7)) if rng.random() < 0.9)
                comment = rng.choice(["", "", f" # docid = d{d}", f" #d{d}", " # docid = GX0-1 inc = 1"])
                lines.append(f"{rng.randrange(3)} qid:{q + 1} {cells}{comment}")
        return ("\n".join(lines) + "\n").encode()

    def use(self, path: Path) -> Any:
        """Read it in both precisions."""
        return load_letor(path), load_letor(path, dtype="float64")

    def agrees(self, path: Path, result: Any) -> None:
        """Grades, queries and features line by line."""
        _same_letor(path.read_bytes(), result[1])
        np.testing.assert_array_equal(_dense(result[0]), _dense(result[1]).astype(np.float32))


def _dense(data: Any) -> np.ndarray:
    return data.X.toarray() if data.is_sparse else np.asarray(data.X)


def _same_letor(content: bytes, data: Any) -> None:
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    lines = [line for line in re.split(r"\n", text) if re.sub(r"[\x00-\x20]", "", line.split("#")[0])]
    rows = [_letor_line(line) for line in lines]
    first = {row[1]: i for i, row in reversed(list(enumerate(rows)))}
    rows.sort(key=lambda row: first[row[1]])  # the rows of a query are brought together
    assert len(rows) == len(data.y)
    X = np.zeros((len(rows), data.n_features))
    for i, (_, _, cells) in enumerate(rows):
        for index, value in cells.items():
            X[i, index - data.numbering.first] = value
    assert [r[0] for r in rows] == np.asarray(data.y, float).tolist()
    np.testing.assert_array_equal(X, _dense(data))
    numbers = {q: i for i, q in enumerate(dict.fromkeys(r[1] for r in rows))}
    ours = {q: i for i, q in enumerate(dict.fromkeys(np.asarray(data.qid).tolist()))}
    assert [numbers[r[1]] for r in rows] == [ours[q] for q in np.asarray(data.qid).tolist()]


def _letor_line(line: str) -> tuple[float, str, dict[int, float]]:
    """The grade, the query and the features of a line, by splitting; a query's id ends at a blank."""
    grade, query, rest = re.fullmatch(
        r"[\x00-\x20]*([^\x00-\x20]+)[\x00-\x20]+qid:([^\x00-\x20]+)(.*)", line, re.S
    ).groups()
    cells = [cell.split(":") for cell in re.split(r"[\x00-\x20]+", rest.split("#")[0]) if cell]
    return float(grade), query, {int(index): float(value) for index, value in cells}


class Grouped(Letor):
    """Text without query ids, features in any order; the sizes of its queries are given."""

    name = "grouped"

    def sample(self, rng: random.Random) -> bytes:
        """Lines of one query."""
        lines = []
        for _ in range(rng.randrange(1, 8)):
            cells = [f"{i}:{number(rng)}" for i in range(rng.randrange(2), rng.randrange(2, 7))]
            rng.shuffle(cells)
            lines.append(f"{rng.randrange(3)} {' '.join(cells)}")
        return ("\n".join(lines) + "\n").encode()

    def use(self, path: Path) -> Any:
        """Read it in both precisions, as one query."""
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
        groups = [max(sum(bool(line.split(b"#")[0].strip(b" \t\r")) for line in lines), 1)]
        return [load_letor(path, dtype, groups=groups, unordered=True) for dtype in ("float32", "float64")]

    def agrees(self, path: Path, result: Any) -> None:
        """The same as of text whose lines say that they are of query 1."""
        first = re.compile(rb"^([\x00-\x20]*[^\x00-\x20#]+)")
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        lines = [first.sub(rb"\1 qid:1 ", line) for line in content.split(b"\n")]
        _same_letor(b"\n".join(lines), result[1])


class Packed(Letor):
    """LETOR text in a compressed file: the text is mutated, or the compressed bytes are."""

    share = 0.7
    packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd.compress}  # noqa: RUF012

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, rng: random.Random, folder: Path) -> Path:
        """A compressed file."""
        path = folder / f"input.txt.{self.name}"
        content = self.sample(rng)
        inside = rng.random() < 0.6
        packed = self.packers[self.name](mutate.text(rng, content) if inside else content)
        path.write_bytes(packed if inside else mutate.data(rng, packed))
        return path

    def agrees(self, path: Path, result: Any) -> None:
        """The same as the library of the compression reads."""
        unpack = {"gz": gzip, "bz2": bz2, "xz": lzma, "zst": zstd}[self.name].decompress
        content = path.read_bytes()
        with contextlib.suppress(Exception):  # a header that only we accept is none of the reader's business
            content = unpack(content)
        if not content.startswith(path.read_bytes()[:2]) or content != path.read_bytes():
            _same_letor(content, result[1])


class Table(Kind):
    """Parquet and Arrow: bytes are mutated, or columns are, and the file is written anew."""

    def __init__(self, name: str) -> None:
        self.name = name

    def prepare(self, folder: Path) -> None:
        """A table as Rankine writes it, and one with a column for each feature."""
        own = search_data()
        from rankine.io import save_table

        save_table(own, folder / f"own.{self.name}")
        self.own = (folder / f"own.{self.name}").read_bytes()
        read = pa.parquet.read_table if self.name == "parquet" else pa.feather.read_table
        wide = pa.table({"qid": [1, 1, 2, 2], "y": [0, 1, 0, 2], "a": [0.5, 1.0, 2.0, 3.0], "b": [1, 2, 3, 4]})
        self.tables = [read(folder / f"own.{self.name}").slice(0, 12), wide]

    def write(self, rng: random.Random, folder: Path) -> Path:
        """A mutated table."""
        path = folder / f"input.{self.name}"
        if rng.random() < 0.4:
            path.write_bytes(mutate.data(rng, self.own))
            return path
        table = rng.choice(self.tables)
        for _ in range(rng.randrange(1, 3)):
            table = _changed_table(rng, table)
        write = pa.parquet.write_table if self.name == "parquet" else pa.feather.write_feather
        options = {} if self.name == "parquet" else {"compression": "uncompressed"}
        try:
            write(table, path, **options)
        except (pa.ArrowException, ValueError):
            path.write_bytes(mutate.data(rng, self.own))
        return path

    def use(self, path: Path) -> Any:
        """Read it, and all of its values."""
        data = load_table(path)
        return data, float(np.abs(_dense(data)).sum() + np.abs(data.y).sum())

    def agrees(self, path: Path, result: Any) -> None:
        """As many rows as the library of the format reads."""
        slow = pa.parquet.read_table(path) if self.name == "parquet" else pa.ipc.open_file(path.read_bytes()).read_all()
        assert len(slow) == len(result[0].y)


def _changed_table(rng: random.Random, table: pa.Table) -> pa.Table:
    if not table.num_columns or not len(table):
        return table
    way, at = rng.randrange(7), rng.randrange(table.num_columns)
    name = table.column_names[at]
    if way == 0:
        return table.remove_column(at)
    if way == 1:
        return table.append_column(rng.choice([name, "extra", "qid", ""]), table.column(at))
    if way == 2:
        values = rng.choice([[None] * len(table), ["x"] * len(table), [[1]] * len(table), [float("nan")] * len(table),
                             [-(2**40)] * len(table), [True] * len(table), list(range(len(table)))])  # fmt: skip
        return table.set_column(at, name, pa.array(values))
    if way == 3:
        return table.slice(rng.randrange(len(table) + 1))
    if way == 4:
        return table.rename_columns([rng.choice([n, n, n, "z"]) for n in table.column_names])
    if way == 5 and table.schema.metadata:
        own = table.schema.metadata.get(b"rankine", b"null")
        with contextlib.suppress(ValueError, RecursionError):  # it was mutated before
            return table.replace_schema_metadata({b"rankine": mutate.json_text(rng, json.loads(own))})
    return table.take(pa.array([rng.randrange(len(table)) for _ in range(rng.randrange(8))], pa.int64()))


class Model(Kind):
    """A model file of one kind of ranker: its JSON is mutated, then it is loaded, used, saved and used again."""

    share = 0.6

    def __init__(self, class_name: str, files: list[str]) -> None:
        self.name, self.files = f"model {class_name}", files

    def prepare(self, folder: Path) -> None:
        """Read the good models."""
        self.contents = [json.loads((OPENS / "models" / f"{name}.json").read_text()) for name in self.files]
        self.data = search_data()

    def write(self, rng: random.Random, folder: Path) -> Path:
        """A mutated model."""
        path = folder / "input.json"
        content = rng.choice(self.contents)
        path.write_bytes(mutate.json_text(rng, content, mild=0.6))
        return path

    def use(self, path: Path) -> Any:
        """Load it and score documents."""
        model = rk.load(path)
        with naming(str(path)):  # other data have as many features as the model
            return model, model.predict(self.data)

    def agrees(self, path: Path, result: Any) -> None:
        """Scores are one finite number a document; the saved model gives them again; a linear one by hand."""
        model, scores = result
        assert len(scores) == len(self.data.y)
        content = json.loads(path.read_bytes())
        again = path.with_name("again.json")
        model.save(again)
        np.testing.assert_array_equal(rk.load(again).predict(self.data), scores)
        if content["kind"] == "LinearRanker" and model.normaliser_ is None:
            features = _dense(self.data).astype(float)
            coef = np.array(content["coef"], float)[: features.shape[1]]  # features that data lacks count as 0
            by_hand = features @ coef
            np.testing.assert_allclose(scores, by_hand, rtol=1e-5, atol=1e-5 * np.abs(by_hand).max())


class Choice(Model):
    """A model file of AutoRanker, or of the fusion that it may choose: models stand inside models."""

    def __init__(self, class_name: str) -> None:
        super().__init__(class_name, ["single", "svm-map", "rankboost", "uniform"])
        self.class_name = class_name

    def prepare(self, folder: Path) -> None:
        """Good models: one of each kind of fusion, of a fusion of fusions, and what AutoRanker says of them."""
        super().prepare(folder)
        members = [rk.load(OPENS / "models" / f"{name}.json") for name in self.files]
        fused = [FusedRanker.of(members, [0.4, 0.3, 0.2, 0.1], [1.0, 2.0, 0.5, 3.0], kind) for kind in (False, True)]
        fused.append(FusedRanker.of([fused[0], members[1]], [0.5, 0.5], [1.0, 1.0], False))
        if self.class_name == "FusedRanker":
            models: list[Any] = fused
        else:
            models = []
            for best in (members[0], fused[1]):
                auto = rk.AutoRanker("AP", ["single feature", "uniform fusion"], folds=2, workers=1).fit(self.data)
                auto.best_ = best
                models.append(auto)
        self.contents = [{"rankine": rk.__version__, "schema": 1, **model.content()} for model in models]


class Lists(Kind):
    """Lists on the command line: measures and grids."""

    name = "command-line lists"

    def write(self, rng: random.Random, folder: Path) -> Path:
        """A mutated list, as a file so that all kinds are alike."""
        path = folder / "input.list"
        good = rng.choice([b"M nDCG@10 AP", b"M P@5 RR ERR@20", b"M nDCG(dcg='log2')@5 RBP(p=0.8)", b"M AP(rel=2)",
                           b"G 0.001:10", b"G 0.1,1,10", b"M nDCG@1 nDCG@3", b"L svm-ndcg@10:tight", b"L ranksvm",
                           b"M P.5,10,map utility.2,-1,0,0", b"M ndcg_cut 11pt_avg.0.2,0.5", b"M all_trec,rbp.p=0.5",
                           b"L svm-map", b"L svm-p@5:slack", b"L consistent-wpd"])  # fmt: skip
        path.write_bytes(good[:2] + mutate.text(rng, good[2:]))
        return path

    def use(self, path: Path) -> Any:
        """Parse it as the option does."""
        content = path.read_bytes().decode("utf-8", "surrogateescape")
        way, text = content[:1], content[2:]
        if way == "G":
            return common.grid_of(text, "-C")
        if way == "L":
            return rk.losses.get(text)
        return [rk.measures.parse(name) for name in common.measure_names([text], common.Gain.exp)]

    def named(self, path: Path) -> str:
        """The list itself is on the command line: no file is named."""
        return ""


MODELS = {
    "LinearRanker": ["svm-map", "ranksvm", "ranksvm-l2", "listnet", "svm-ndcg", "svm-ndcg-tight", "svm-map-slack",
                     "svm-ndcg-given-weights", "svm-ndcg-learned-weights", "svm-p-best", "consistent-wpd", "preorder",
                     "consistent-rank", "consistent-ndcg-norm"],
    "KernelRanker": ["kernel-poly", "kernel-rbf"],
    "RegressionRanker": ["regression"],
    "AdaRank": ["adarank"],
    "RankBoost": ["rankboost"],
    "SingleFeature": ["single"],
    "UniformFusion": ["uniform"],
    "lightgbm": ["lightgbm"],
    "xgboost": ["xgboost"],
    "NeuralRanker": ["neural", "neural-linear"],
}  # fmt: skip
KINDS: list[Kind] = [
    Letor(), Grouped(), *map(Packed, ("gz", "bz2", "xz", "zst")), Table("parquet"), Table("arrow"),
    *(Model(name, files) for name, files in MODELS.items()), Choice("AutoRanker"), Choice("FusedRanker"), Lists(),
]  # fmt: skip
