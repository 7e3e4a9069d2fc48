"""Kinds of files of the spoken side that are mutated: lattices, lists and journals (archives: ``kinds_archive``)."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankine import spoken
from rankine.cli.spoken.common import BatchJournal, LatticeSource
from rankine.errors import InputError
from rankine.rankers.auto import jobs
from rankine.spoken.index.about import read_about
from rankine.spoken.lattice import formats
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.lattice.units.dictionary import lexicon
from rankine.spoken.learn.judgments import read_qrels, read_queries
from rankine.spoken.metadata.tables import read_rows
from rankine.spoken.recognise.journal import Journal
from rankine.theory.supervisions import load_distribution
from tests import reference_lattices as slow

from . import mutate
from .kinds import OPENS, Kind, TextKind, number, search_data

WORDS = ["the", "press", "was", "printing", "a", "book", "in", "london", "é", "to(2)", "<s>", "!NULL", "w0", "w1"]


def lattice(rng: random.Random) -> Any:
    """A small lattice."""
    generator = np.random.default_rng(rng.getrandbits(32))
    made = random_lattice(generator, rng.randrange(2, 6), rng.randrange(2, 10), 4)
    return replace(made, name=f"u{rng.randrange(5)}")


class LatticeKind(TextKind):
    """A format of lattices: what is read goes through posteriors, PSPL and confusion network."""

    def __init__(self, name: str, ending: str) -> None:
        self.name, self.ending, self.format = name, ending, name

    def sample(self, rng: random.Random) -> bytes:
        """One utterance, or several where a file can hold them."""
        row, out = formats.TABLE[self.format], b""
        for _ in range(rng.randrange(1, 3) if row.split is not None else 1):
            made = lattice(rng)
            made = replace(made, name=f"u{len(out)}")
            network = replace(spoken.confusion_network(made), name=made.name)
            options = {"numbers": {u: i + 1 for i, u in enumerate(made.units)}} if "numbers" in row.options else {}
            content = {"network": network, "words": formats.transcript_of(network)}
            out += row.write(content.get(row.writes, made), **options)
        return out

    def use(self, path: Path) -> Any:
        """Read all utterances, and make of each what the index is made of."""
        read = list(spoken.read_archive(path, self.format))
        for name, one in read:
            try:
                posteriors = spoken.arc_posteriors(one)
                made = spoken.pspl(one, posteriors), spoken.confusion_network(one, posteriors=posteriors)
            except InputError as error:
                raise InputError(str(error), f"{path}, {name!r}") from None  # the library knows no file any more
            assert all(np.isfinite(entries.posterior).all() for entries in made), name
            self.written_again(made[1], path.with_name("again.mesh"))
        return read

    def written_again(self, network: Any, mesh: Path) -> None:
        """A confusion network that can be written as a mesh can be read from it."""
        try:
            mesh.write_bytes(formats.write_mesh(network))
        except InputError:
            return  # a word that meshes cannot hold
        try:
            assert len(spoken.read_lattice(mesh, "mesh").units) <= len(network.units)
        except InputError as error:
            raise AssertionError(f"the mesh is not read: {error}") from None

    def agrees(self, path: Path, result: Any) -> None:
        """The slow reader of the format finds the same paths."""
        (file,) = formats.files(path, self.format)
        for piece, (name, one) in zip(formats.pieces(file), result, strict=True):
            assert piece.name == name
            parsed = formats.TABLE[piece.format].parse(piece, formats.Reading())
            if parsed.n_paths <= 300:
                assert slow.agrees(piece, one, parsed), name


class WeighedSlf(LatticeKind):
    """SLF with weights of scores in its header."""

    def __init__(self) -> None:
        super().__init__("slf with weights", ".slf")
        self.format = "slf"

    def sample(self, rng: random.Random) -> bytes:
        """A lattice whose scores are weighed."""
        header = (
            f"lmscale={20 * rng.random():.3f}\nacscale={rng.random():.3f}\nwdpenalty={-rng.random():.3f}\nbase=10\n"
        )
        return header.encode() + super().sample(rng)


class BinaryLattice(LatticeKind):
    """Kaldi's binary lattices."""

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Mutated bytes."""
        path = folder / f"input{self.ending}"
        path.write_bytes(_floats(rng, self.sample(rng)) if rng.random() < 0.5 else mutate.data(rng, self.sample(rng)))
        return path


def _floats(rng: random.Random, data: bytes) -> bytes:
    """Other scores: mild changes in the bytes of numbers."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(out) // 2, len(out))
        out[at] ^= 1 << rng.randrange(8)
    return bytes(out)


class NBest(LatticeKind):
    """n-best lists, in one of their layouts."""

    def __init__(self, name: str) -> None:
        super().__init__(name, ".nbest")
        self.format = "nbest"

    def sample(self, rng: random.Random) -> bytes:
        """Some sentences with scores."""
        lines = {"nbest Decipher 1": ["NBestList1.0"], "nbest Decipher 2": ["NBestList2.0"]}.get(self.name, [])
        for _ in range(4):
            words = rng.sample([*WORDS, "-pau-"], rng.randrange(1, 6))
            lines.append(self.hypothesis(rng, words))
        return ("\n".join(lines) + "\n").encode()

    def hypothesis(self, rng: random.Random, words: list[str]) -> str:
        """A line."""
        score = f"{-10 * rng.random():.4f}"
        if self.name == "nbest SRILM":
            return " ".join([score, f"{-5 * rng.random():.3f}", str(len(words)), *words])
        if self.name == "nbest Decipher 1":
            return " ".join([f"({-rng.randrange(500)})", *words])
        if self.name == "nbest Decipher 2":
            timed, at = [f"({-rng.randrange(500)})"], 0.0
            for word in words:
                end = at + rng.randrange(1, 40) / 100
                timed.append(f"{word} ( st: {at:.2f} et: {end:.2f} g: {-rng.randrange(20)} a: {-rng.randrange(200)} )")
                at = end + 0.01
            return " ".join(timed)
        return " ".join([score, *words])


class Transcripts(LatticeKind):
    """Kaldi's numbers of one-best words."""

    def sample(self, rng: random.Random) -> bytes:
        """A few utterances."""
        lines = [" ".join([f"u{i}", *(str(rng.randrange(9)) for _ in range(rng.randrange(5)))]) for i in range(3)]
        return ("\n".join(lines) + "\n").encode()


class SpokenList(TextKind):
    """A list that belongs to an archive, or that a command reads."""

    ending = ".tsv"

    def __init__(self, name: str, read: Any, ending: str = ".tsv") -> None:
        self.name, self.read, self.ending = name, read, ending

    def sample(self, rng: random.Random) -> bytes:
        """A few lines."""
        lines = {
            "about.tsv": lambda: (
                ["utterance\trecording\taudio\toffset\ttitle"]
                + [f"u{i}\td{i // 2}\t\t{number(rng).lstrip('-')}\tTitle {i // 2}" for i in range(4)]
            ),
            "about.csv": lambda: ["utterance,recording,title"] + [f'u{i},d{i},"Title, {i}"' for i in range(4)],
            "metadata.csv": lambda: [
                f"recording,title,date,{rng.choice(['place', 'Tape number'])}",
                *(f"tape{i},Title {i},{1900 + i},x" for i in range(4)),
            ],
            "queries.tsv": lambda: [f"{i}\t{' '.join(rng.sample(WORDS[:8], 2))}" for i in range(4)],
            "spoken qrels": lambda: [f"{i} 0 d{i} {rng.randrange(2)}" for i in range(4)],
            "lexicon": lambda: [f"{w} {' '.join(rng.sample(['AH0', 'B', 'K', 'T', 'IY1'], 3))}" for w in WORDS[:6]],
            "probabilities": lambda: ["1/3 0 1 2", "1/3 2 1 0", "0.25 1 1 1 # note"],
            "words.txt": lambda: ["<eps> 0"] + [f"w{i} {i + 1}" for i in range(6)],
        }[self.name]()
        return ("\n".join(lines) + "\n").encode()

    def use(self, path: Path) -> Any:
        """Read it."""
        return self.read(path)


def read_words(path: Path) -> Any:
    """A Kaldi lattice with this list of words."""
    made = lattice(random.Random(3))
    ark = path.with_name("lattice.ark")
    ark.write_bytes(formats.TABLE["kaldi"].write(made, numbers={u: i + 1 for i, u in enumerate(made.units)}))
    return list(spoken.read_archive(ark, "kaldi", words=str(path)))


class TuneFolder(Kind):
    """The results of finished jobs in the folder of a tuning run."""

    name = "tune folder"
    share = 0.5

    def prepare(self, folder: Path) -> None:
        """Jobs that are all done."""
        from rankine.rankers.table import TABLE

        self.data = jobs.JobData(search_data(), None, 3, 0)
        self.ranker = TABLE["single"].load()
        mark = self.data.fingerprint()
        self.jobs = [jobs.TuningJob("single", {"both_signs": False}, None, i, "nDCG@10", mark) for i in range(3)]
        self.results = jobs.run(self.jobs, self.ranker, self.data, 1, folder / "tune")

    def write(self, rng: random.Random, folder: Path) -> Path:
        """One result is mutated."""
        job = rng.choice(self.jobs)
        for key, result in self.results.items():
            (folder / "tune" / f"{key}.json").write_bytes(json.dumps(result).encode())
        path = folder / "tune" / f"{job.key}.json"
        path.write_bytes(mutate.json_text(rng, self.results[job.key], mild=0.7))
        return path

    def use(self, path: Path) -> Any:
        """Go on with the run."""
        results = jobs.run(self.jobs, self.ranker, self.data, 1, path.parent)
        return [float(np.mean(r["scores"])) + sum(map(float, r["seconds"])) for r in results.values()]


class PlainJournal(Kind):
    """A journal of JSON lines."""

    name = "journal"

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Mutated lines."""
        path = folder / "input.jsonl"
        lines = [json.dumps({"job": i, "result": [1.5, "x"]}).encode() for i in range(4)]
        lines[rng.randrange(4)] = mutate.json_text(rng, {"job": 1, "result": [1.5]}, mild=0.8)
        data = b"\n".join(lines) + b"\n"
        path.write_bytes(mutate.text(rng, data) if rng.random() < 0.3 else data)
        return path

    def use(self, path: Path) -> Any:
        """Open it, add to it, open it again."""
        Journal(path).add({"job": "new"})
        return Journal(path).entries

    def agrees(self, path: Path, result: Any) -> None:
        """What was added is there."""
        assert result[-1] == {"job": "new"}


class PartialBatch(Kind):
    """What a killed batch left of its output."""

    name = "batch .part"
    share = 0.5

    def write(self, rng: random.Random, folder: Path) -> Path:
        """Mutated results of a batch that can go on."""
        path = folder / "out.ctm.part"
        source = folder / "few.sausage"
        shutil.copyfile(OPENS / "few.sausage", source)
        self.source = LatticeSource(str(source), "sausage", Scoring())
        path.unlink(missing_ok=True)
        with BatchJournal(str(path), self.source, "settings") as journal:
            journal.file.write(b"a line\n\x1eu1\t\nanother\n\x1eu2\tbad lattice\nlast\n\x1eu3\t\n")
            journal.file.flush()
            data = path.read_bytes()
        head, _, rest = data.partition(b"\n")
        path.write_bytes(head + b"\n" + mutate.text(rng, rest) if rng.random() < 0.8 else mutate.text(rng, data))
        return path

    def use(self, path: Path) -> Any:
        """Go on with the batch."""
        with BatchJournal(str(path), self.source, "settings") as journal:
            return journal.done, list(journal.lines())


KINDS: list[Kind] = [
    LatticeKind("slf", ".slf"), WeighedSlf(), LatticeKind("openfst", ".fst"), LatticeKind("mesh", ".mesh"),
    LatticeKind("sausage", ".sausage"), LatticeKind("ctm", ".ctm"), Transcripts("kaldi-tra", ".tra"),
    *map(NBest, ("nbest", "nbest SRILM", "nbest Decipher 1", "nbest Decipher 2")),
    LatticeKind("kaldi-text", ".ark"), BinaryLattice("kaldi", ".ark"),
    SpokenList("about.tsv", read_about), SpokenList("about.csv", read_about, ".csv"),
    SpokenList("metadata.csv", lambda path: read_rows(path, {f"tape{i}": i for i in range(4)}), ".csv"),
    SpokenList("queries.tsv", read_queries), SpokenList("spoken qrels", read_qrels, ".qrels"),
    SpokenList("lexicon", lexicon, ".dict"), SpokenList("probabilities", load_distribution, ".txt"),
    SpokenList("words.txt", read_words, ".txt"),
    TuneFolder(), PlainJournal(), PartialBatch(),
]  # fmt: skip
