"""Recognisers against each other on read English (LJSpeech): word errors, words in the lattice, processor time.

``RANKINE_DATA=… python -m benchmarks recognisers``. What was said and what was heard are compared as they are said, in
American spelling (``rankine.spoken.writing.normal``), so that "1455" for "fourteen fifty-five" is no error. Every third
recording is taken, with ``--all`` each of them.
"""

import gzip
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from rankine.spoken import confusion_network, read_lattice
from rankine.spoken.recognise.audio.audio import segments
from rankine.spoken.recognise.recognisers.table import get
from rankine.spoken.writing.normal import normal_words

from .timing import goal, heading

STEP = 3
SYSTEMS = {
    "pocketsphinx": {},
    "whisper, best": {"hypotheses": "best"},
    "whisper, nbest": {"hypotheses": "nbest"},
    "whisper, 20 samples": {"hypotheses": "samples"},
    "vosk": {},
}


def best_text(name: str, lattice: object, content: bytes) -> list[str]:
    """The text that a recogniser itself thinks best, else the best words of the confusion network."""
    first = gzip.decompress(content).split(b"\n", 1)[0].decode()
    if first.startswith("# best by language model: "):
        return normal_words(first.partition(": ")[2])
    if name == "whisper, best":  # one text, each word beside an empty arc
        return normal_words(" ".join(lattice.words(sorted(range(len(lattice)), key=lattice.source.__getitem__))))
    return normal_words(" ".join(confusion_network(lattice).best()))


def recordings(place: str, first: int = 0, step: int = STEP) -> tuple[list[Path], dict[str, list[str]]]:
    """Every so-manyth recording, and the words of all."""
    audio = Path(place, "speech", "lj", "audio")
    lines = (audio.parent / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    said = {name: normal_words(text) for name, text in (line.split("\t")[:2] for line in lines)}
    return sorted(audio.glob("*.flac"))[first::step], said


class Heard(NamedTuple):
    """What a recogniser made of recordings: shares of words that are wrong, and in the lattice; seconds per second."""

    wrong: float
    inside: float
    cost: float


def heard(name: str, options: dict, paths: list[Path], said: dict[str, list[str]]) -> Heard:
    """Let a recogniser hear recordings."""
    recogniser = get(name.split(",")[0], **options)
    recogniser.start()
    length = taken = errors = words = inside = 0.0
    for path in paths:
        samples = next(segments(path, recogniser.rate)).samples
        began = time.process_time()
        content = recogniser(samples)
        taken += time.process_time() - began
        length += len(samples) / recogniser.rate
        right = said[path.stem]
        words += len(right)
        if content is None:
            errors += len(right)
            continue
        with TemporaryDirectory() as folder:
            file = Path(folder, f"x{recogniser.ending}")
            file.write_bytes(content)
            lattice = read_lattice(file)
        errors += Levenshtein.distance(right, best_text(name, lattice, content))
        there = {word for unit in lattice.units for word in normal_words(unit)}
        inside += sum(word in there for word in right)
    return Heard(errors / words, inside / words, taken / length)


def main(every: bool = False) -> None:
    """Compare recognisers, on ``every`` recording or on each third."""
    place = os.environ.get("RANKINE_DATA")
    if not place:
        print("recognisers: set RANKINE_DATA")
        return
    paths, said = recordings(place, step=1 if every else STEP)
    heading(f"Recognisers: {len(paths)} recordings, {sum(len(said[p.stem]) for p in paths):,} words")
    rows = {}
    for name, options in SYSTEMS.items():
        rows[name] = row = heard(name, options, paths, said)
        print(
            f"  {name:<22} {row.wrong:6.1%} of words wrong, {row.inside:6.1%} in the lattice, "
            f"{row.cost:5.2f} s of processor time per second", flush=True,
        )  # fmt: skip
    sphinx, best, samples = (rows[name] for name in ("pocketsphinx", "whisper, best", "whisper, 20 samples"))
    goal("words wrong, whisper, best", 100 * best.wrong, 4.0, at_most=True, unit="%")
    goal("processor time, whisper, best / pocketsphinx", best.cost / sphinx.cost, 0.6, at_most=True)
    goal("processor time, whisper, 20 samples / best", samples.cost / best.cost, 4.0, at_most=True)
