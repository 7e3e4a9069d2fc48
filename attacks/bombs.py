"""Bombs: small files that ask for much memory or time. ``python -m attacks.bombs`` sets them all off.

Each is read by a command in a process of its own, which must end in one line of ours (or well, if the file is legal)
within 1 GB of memory and ten seconds of processor time (20 for a gigabyte that is legal). One line is printed for each.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MEMORY, SECONDS, LEGAL_SECONDS, WATCHDOG = 1 << 30, 10.0, 20.0, 300.0
GIGABYTE = 1 << 30
OPENS = Path(__file__).parent.parent / "tests" / "opens"
_PIECE = 16 << 20


class Bomb(NamedTuple):
    """A file, the command that reads it (after ``rankine``), and how it must end."""

    name: str
    make: Callable[[Path], None]
    command: list[str]
    legal: bool = False
    small: bool = True  # made and refused in a moment: for every run of the tests


class End(NamedTuple):
    """How a command ended."""

    code: int
    seconds: float  # of processor time
    memory: int
    text: str


def packed(content: bytes, ending: str, size: int = GIGABYTE) -> Callable[[Path], None]:
    """Write about ``size`` bytes of repeated content, packed: one piece that is packed once and written many times."""

    def make(path: Path) -> None:
        piece = content * max(min(_PIECE, size) // len(content), 1)
        pack = {".gz": gzip.compress, ".xz": lambda data: lzma.compress(data, preset=0), ".zst": _zstd}[ending]
        with open(path, "wb") as file:
            data = pack(piece)
            for _ in range(max(size // len(piece), 1)):
                file.write(data)

    return make


def _zstd(data: bytes) -> bytes:
    from io import BytesIO

    from rankine.system.sources import zstd_open

    out = BytesIO()
    with zstd_open(out, "wb") as stream:
        stream.write(data)
    return out.getvalue()


def text(content: str | bytes) -> Callable[[Path], None]:
    """Write this content."""
    return lambda path: path.write_bytes(content.encode() if isinstance(content, str) else content) and None


def zeros(size: int) -> Callable[[Path], None]:
    """A file of zeros that takes no room."""

    def make(path: Path) -> None:
        path.touch()
        os.truncate(path, size)

    return make


def model(kind: str = "svm-map", measure: str = "", **changes: object) -> Callable[[Path], None]:
    """A model with other content."""

    def make(path: Path) -> None:
        kept = json.loads((OPENS / "models" / f"{kind}.json").read_text(encoding="utf-8"))
        if measure:
            kept["parameters"]["measure"] = measure
        path.write_text(json.dumps(kept | changes), encoding="utf-8")

    return make


def zero_table(ending: str, rows: int) -> Callable[[Path], None]:
    """A table of zeros."""

    def make(path: Path) -> None:
        import numpy as np
        import pyarrow as pa
        from pyarrow import feather, parquet

        column = pa.array(np.zeros(rows))
        table = pa.table({"label": column, "qid": pa.array(np.zeros(rows, np.int64)), "a": column, "b": column})
        if ending == ".parquet":
            parquet.write_table(table, path, compression="zstd")
        else:
            feather.write_feather(table, path, compression="zstd", chunksize=rows)

    return make


def judged() -> Iterator[Bomb]:
    """Judged data, judgments, runs and scores."""
    data = "1 qid:1 1:0.5\n0 qid:1 1:0.25\n"
    for ending in (".gz", ".xz", ".zst"):
        yield Bomb(f"LETOR, a gigabyte of newlines, {ending}", packed(b"\n", ending), ["describe", "{}"], small=False)
    more = ["--max-size", "2GB"]
    yield Bomb("LETOR, a gigabyte of newlines, allowed", packed(b"\n", ".gz"), ["describe", "{}", *more], small=False)
    yield Bomb("LETOR, one line of a gigabyte", packed(b"x", ".gz"), ["describe", "{}"], small=False)
    yield Bomb("LETOR, one line of a gigabyte, allowed", packed(b"x", ".gz"), ["describe", "{}", *more], small=False)
    yield Bomb("LETOR, one comment of a gigabyte, allowed", packed(b"#", ".gz"), ["describe", "{}", *more], small=False)
    row = b"0 qid:1 1:0.5\n" + b"\n" * 1000
    yield Bomb("LETOR, few lines in a gigabyte", packed(row, ".gz"), ["describe", "{}", *more], legal=True, small=False)
    yield Bomb("LETOR, a large feature number", text("1 qid:1 2147483647:1\n0 qid:1 1:1\n"), ["train", "{}", "-o", "m"])
    wide = "".join(f"{i % 2} qid:{i // 9} {1 + 9999 * i}:1\n" for i in range(100))
    yield Bomb("LETOR, wide rows", text(wide), ["train", "{}", "-o", "{}.json", "--loss", "svm-map", "-C1"], legal=True)
    yield Bomb(
        "LETOR, wide rows to be made dense",
        text(wide),
        ["train", "{}", "-o", "m", "--loss", "svm-map", "--normalise", "zscore"],
    )
    tiny = "1 qid:1 1:0.1111111111111111111111e-9999999\n" * 1000
    yield Bomb("LETOR, tiny numbers of many digits", text(tiny), ["describe", "{}"], legal=True)
    long = "1 qid:1 1:0." + "1" * 4_000_000 + "\n"
    yield Bomb("LETOR, a number of four million digits", text(long), ["describe", "{}"], legal=True)
    huge = "1 qid:1 1:" + "9" * 4_000_000 + "\n"
    yield Bomb("LETOR, a number of 10^4000000", text(huge), ["describe", "{}"])
    yield Bomb("LETOR, a device without end", text(data), ["describe", "/dev/zero"])
    for name, arguments in (("run", ["qrels", "{}"]), ("qrels", ["{}", "run"])):
        for what, content in (("newlines", b"\n"), ("one line", b"x")):
            yield Bomb(
                f"TREC {name}, a gigabyte: {what}", packed(content, ".gz"), ["evaluate", *arguments], small=False
            )
            yield Bomb(
                f"TREC {name}, a gigabyte: {what}, allowed", packed(content, ".gz"), ["evaluate", *arguments, *more],
                small=False,
            )  # fmt: skip
    yield Bomb("TREC run, a score of 10^9999999", text("q Q0 d 1 1e9999999 x\n"), ["evaluate", "qrels", "{}"])
    yield Bomb("scores, a gigabyte of newlines, allowed", packed(b"\n", ".gz"), ["evaluate", "data.txt", "{}", *more],
               small=False)  # fmt: skip
    yield Bomb(
        "Parquet, ten million rows of zeros", zero_table(".parquet", 10_000_000), ["describe", "{}"], small=False
    )
    yield Bomb("Arrow, ten million rows of zeros", zero_table(".arrow", 10_000_000), ["describe", "{}"], legal=True,
               small=False)  # fmt: skip
    probabilities = text("1e-9999999 0 1\n1 1 0\n")
    yield Bomb("probabilities of many digits", probabilities, ["consistency", "DCG", "-l", "preorder", "--given", "{}"])


def own_files() -> Iterator[Bomb]:
    """Models and tune folders."""
    rank = ["rank", "{}", "data.txt"]
    yield Bomb("model, a gigabyte of zeros", zeros(GIGABYTE), rank)
    yield Bomb("model, a gigabyte of blanks, packed", packed(b" ", ".gz"), rank, small=False)
    yield Bomb("model, lists in lists", text("[" * 1_000_000), rank)
    yield Bomb("model, 200 MB of lists", packed(b"[],", ".gz", 200 << 20), [*rank, "--max-size", "256MB"], small=False)
    yield Bomb("model, 200 MB of numbers", packed(b"1,", ".gz", 200 << 20), [*rank, "--max-size", "256MB"], small=False)
    yield Bomb("model, a device without end", text(""), ["rank", "/dev/zero", "data.txt"])
    yield Bomb("model, a whole number of many digits", text('{"schema": ' + "9" * 1_000_000 + "}"), rank)
    yield Bomb("model, a normaliser of many features", model(normaliser={
        "kind": "query-zscore", "n_features": 2**53, "shift": None, "scale": None}), rank)  # fmt: skip
    for what, measure in (
        ("signs", "-" * 3500 + "1"),
        ("sums", "1" + "+1" * 3500),
        ("functions", "lambda:" * 3000 + "1"),
    ):
        boosted = {"kind": "adarank", "measure": f"AP(rel={measure})"}
        yield Bomb(f"model, a measure of many {what}", model(**boosted), rank)
    yield Bomb("model, a version that is long", model(schema=2, rankine="x" * 1_000_000), rank)


def lattices() -> Iterator[Bomb]:
    """Lattices in every format."""
    transcripts = ("whisper", "vtt", "textgrid", "tei")
    own = ("slf", "openfst", "mesh", "sausage", "nbest", "ctm", "kaldi", "kaldi-text", "kaldi-tra")
    for form in (*own, *transcripts):
        for what, content in (("newlines", b"\n"), ("one line", b"x")):
            inspect = ["spoken", "inspect", "{}", "--format", form]
            yield Bomb(f"lattice {form}, a gigabyte: {what}", packed(content, ".gz"), inspect, small=False)
    for form in ("slf", "whisper", "srt"):
        yield Bomb(
            f"lattice {form}, a gigabyte of zeros", zeros(GIGABYTE), ["spoken", "inspect", "{}", "--format", form]
        )
    deep = text("[" * 1_000_000)
    yield Bomb("lattice whisper, lists in lists", deep, ["spoken", "inspect", "{}", "--format", "whisper"])
    nested = text("<TEI>" + "<p>" * 1_000_000)
    yield Bomb("lattice tei, elements in elements", nested, ["spoken", "inspect", "{}", "--format", "tei"])
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    entities = text(f'<!DOCTYPE TEI [<!ENTITY l0 "ha">{laughs}]><TEI>&l11;</TEI>')
    yield Bomb("lattice tei, entities of entities", entities, ["spoken", "inspect", "{}", "--format", "tei"])


def captions(words: str) -> Callable[[Path], None]:
    """Captions of ten seconds with these words."""
    return text(f"1\n00:00:00,000 --> 00:00:10,000\n{words}\n")


def rivals(words: list[str]) -> Callable[[Path], None]:
    """A lattice in which two words are possible at each place."""
    n = len(words) // 2
    nodes = "".join(f"I={i} t={i / 2}\n" for i in range(n + 1))
    arcs = "".join(f"J={j} S={j // 2} E={j // 2 + 1} W={words[j]} a=-1\n" for j in range(2 * n))
    return text(f"N={n + 1} L={2 * n}\n{nodes}{arcs}")


def indexed() -> Iterator[Bomb]:
    """Words that take long to be indexed: numbers, words that no dictionary has, one word without end."""
    legal = {
        "a number of 29 digits": "1" * 29,
        "numbers of 900 digits": " ".join(str(d) * 900 for d in range(1, 10)),
        "a small number of 900 digits": "0." + "1" * 900,
        "an abbreviation of 400 letters": "a." * 400,
        "abbreviations": "a.b.c. " * 700,
        "combining characters": " ".join("e" + "\u0301" * n for n in range(1, 900, 9)),
        "Han": "".join(chr(0x4E00 + i) for i in range(10_000)),
        "blanks": "a" + " \u00a0\u3000\t" * 250_000 + "b",
        "signs": " ".join(f"{a}1{b}{a}" for a in "$£€%#&@+-.,:;/" for b in "$£€%#&@+-.,:;/"),
        "Thai without blanks": "".join(chr(0x0E01 + i % 40) for i in range(900)),
        "accents": " ".join(chr(0xC0 + i) + "a" + chr(0xC0 + j) for i in range(40) for j in range(40)),
    }
    index = ["spoken", "index", "archive", "{}", "--workers", "1", "--language", "en", "--format"]
    for name, words in legal.items():
        yield Bomb(f"indexed captions, {name}", captions(words), [*index, "srt"], legal=True, small=len(words) < 10_000)
    unknown = [f"w{i}" for i in range(2000)] + [f"zq{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}d" for i in range(676)]
    yield Bomb("indexed lattice, words that no dictionary has", rivals(unknown), [*index, "slf"], legal=True)
    equal = rivals([f"w{i}" for i in range(4000)])
    to_nbest = ["spoken", "convert", "{}", "{}.nbest", "--to", "nbest"]
    yield Bomb("lattice, equally likely words, to n-best", equal, to_nbest, legal=True)
    for size in (50_000, 1_000_000):
        endless = "a" * size
        yield Bomb(f"indexed captions, a word of {size:,} letters", captions(endless), [*index, "srt"])
        yield Bomb(f"indexed lattice, a word of {size:,} letters", rivals([endless, "b"]), [*index, "slf"])
        said = {"word": endless, "start": 0.0, "end": 9.0, "probability": 0.5}
        whole = text(json.dumps({"segments": [{"start": 0.0, "end": 9.0, "text": endless, "words": [said]}]}))
        yield Bomb(f"indexed Whisper, a word of {size:,} letters", whole, [*index, "whisper"])
    yield Bomb("indexed captions, initials of 100 KB", captions("a." * 50_000), [*index, "srt"])


def every() -> list[Bomb]:
    """All bombs."""
    return [*judged(), *own_files(), *lattices(), *indexed()]


def set_off(bomb: Bomb, folder: Path) -> End:
    """Make the file and run the command on it; the process ends if it takes 8 GB of addresses or far too long."""
    path = folder / "bomb"
    endings = {"Parquet": ".parquet", "Arrow": ".arrow"}
    path = path.with_suffix(endings.get(bomb.name.split(",")[0], ".txt" if "model" not in bomb.name else ".json"))
    path.unlink(missing_ok=True)
    shutil.rmtree(folder / "archive", ignore_errors=True)
    bomb.make(path)
    (folder / "qrels").write_text("q 0 d 1\n")
    (folder / "run").write_text("q Q0 d 1 0.5 x\n")
    (folder / "data.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.25\n")
    arguments = [part.replace("{}", str(path)) for part in bomb.command]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-c", "from rankine.cli import main; main()", *arguments], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=output, stdin=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
        )  # fmt: skip
        watchdog = threading.Timer(WATCHDOG, lambda: process.send_signal(signal.SIGKILL))
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    path.unlink()
    return End(process.returncode, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss, said.strip())


def failure(bomb: Bomb, end: End) -> str:
    """What is wrong with how a command ended; empty if nothing is."""
    seconds = LEGAL_SECONDS if bomb.legal or "--max-size" in bomb.command else SECONDS
    if end.code < 0:
        return f"the process died of signal {-end.code}"
    if end.seconds > seconds:
        return f"more than {seconds:g} seconds"
    if end.memory > MEMORY:
        return "more than 1 GB of memory"
    lines = [line for line in end.text.splitlines() if line.startswith("rankine: ") and "warning" not in line]
    if "Traceback" in end.text:
        return "a traceback"
    if bomb.legal:
        return "" if end.code == 0 else f"exit code {end.code}: {end.text[-200:]!r}"
    most = 2 if bomb.command[0] == "spoken" else 1  # the lattice, and how many could not be used
    return (
        ""
        if end.code == 1 and 1 <= len(lines) <= most
        else f"exit code {end.code}, {len(lines)} lines: {end.text[-200:]!r}"
    )


def main() -> None:
    """Set all bombs off; exit code 1 if one of them did harm."""
    parser = argparse.ArgumentParser(prog="python -m attacks.bombs", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only bombs whose names have one of these")
    parser.add_argument("--seed", type=int, help="not used: bombs are always the same")
    words = parser.parse_args().words
    failures, began = 0, time.monotonic()
    bombs = [bomb for bomb in every() if not words or any(word in bomb.name for word in words)]
    with tempfile.TemporaryDirectory(prefix="rankine-bombs-") as folder:
        for bomb in bombs:
            end = set_off(bomb, Path(folder))
            wrong = failure(bomb, end)
            failures += bool(wrong)
            how = wrong.upper() if wrong else "read" if end.code == 0 else end.text.splitlines()[-1][-100:]
            print(f"{bomb.name:<48} {end.seconds:5.1f} s {end.memory >> 20:5d} MB  {how}", flush=True)
    print(f"{len(bombs)} bombs, {failures} failures, {time.monotonic() - began:.0f} s")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
