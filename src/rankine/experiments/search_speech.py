"""The speech that the shipped weights are learned on: each set is a way to hear a collection.

Collections are ``lj`` (385 English utterances), ``aishell`` (1,000 Mandarin commands) and ``sample`` (the 80 bundled
recordings). Lattices are those given, at three beams and two prunings, and some that are recognised here by
PocketSphinx: chapter 1 of LJ (its audio) with white noise at 20 and 10 dB, and chapter 1 and the sample with words
taken out of the recogniser's dictionary. What is recognised stays in the work folder.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError, needs
from ..files import write_file
from ..sample import spoken_sample
from ..spoken.lattice.formats import Reading
from ..spoken.recognise.audio import blocks
from ..spoken.recognise.run import PocketSphinx, recognise
from .collections import speech_folder, transcripts, words_of
from .spoken import ENGLISH_STOP

NOISES = (20, 10)  # dB
LEAST = 2  # transcripts that a word which is taken out occurs in
RATE = 16000


def removed_words(texts: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Every second, in alphabetical order, of the words that are in at least two transcripts and can be recognised."""
    ps = needs("pocketsphinx", "spoken")
    listed = {line.split()[0] for line in open(ps.get_model_path("en-us/cmudict-en-us.dict"), encoding="utf-8")}
    counts = Counter(w for text in texts.values() for w in set(text))
    return tuple(sorted(w for w, n in counts.items() if n >= LEAST and w not in ENGLISH_STOP and w in listed)[::2])


def chapter() -> dict[str, list[str]]:
    """The words of the LJ utterances whose audio is there (chapter 1)."""
    names = {p.stem for p in (speech_folder("lj") / "audio").glob("*.flac")}
    return {u: words_of(t) for u, t in transcripts("lj").items() if u in names}


def sample_texts() -> dict[str, list[str]]:
    """The words of the bundled recordings."""
    with spoken_sample() as sample:
        sentences = (sample / "sentences.txt").read_text(encoding="utf-8").splitlines()
    return {f"tape-{i:02d}": words_of(text) for i, text in enumerate(sentences, 1)}


def noisy_audio(folder: Path, decibels: int) -> Path:
    """The audio of chapter 1 with white noise so many decibels below it, as FLAC files in a folder."""
    soundfile = needs("soundfile", "spoken")
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((speech_folder("lj") / "audio").glob("*.flac")):
        target = folder / path.name
        if target.exists():
            continue
        samples = np.concatenate(list(blocks(path, RATE))).astype(np.float64)
        rng = np.random.default_rng([zlib.crc32(path.stem.encode()), decibels])
        level = np.sqrt(np.mean(samples**2)) * 10 ** (-decibels / 20)
        noisy = (samples + rng.normal(0, level, len(samples))).round().clip(-32768, 32767).astype(np.int16)
        beside = folder / f".{path.name}"
        soundfile.write(beside, noisy, RATE, format="FLAC")
        write_file(target, beside.read_bytes())
        beside.unlink()
    return folder


@dataclass(frozen=True)
class Recognition:
    """A set that is recognised here: its audio, and the words that the recogniser does not know."""

    audio: Path
    without: tuple[str, ...] = ()


def recognitions(work: Path) -> dict[str, Callable[[], Recognition]]:
    """What is recognised, by the name of the set."""

    def sample(without: tuple[str, ...] = ()) -> Recognition:
        with spoken_sample() as place:
            return Recognition(place / "audio", without)

    return {
        "sample-whole": sample,
        "sample-without": lambda: sample(removed_words(sample_texts())),
        "lj-without": lambda: Recognition(speech_folder("lj") / "audio", removed_words(chapter())),
        **{f"lj-noise-{n}": lambda n=n: Recognition(noisy_audio(work / f"audio-{n}", n)) for n in NOISES},
    }


def recognised(
    name: str, work: Path, workers: int, report: Callable[[float, float], None] = lambda done, total: None
) -> Path:
    """The folder of a set's lattices; what was recognised before is not recognised again."""
    job = recognitions(work)[name]()
    folder = work / name
    done = recognise([job.audio], folder, PocketSphinx(without=job.without), workers=workers, report=report)
    if done.errors:
        raise InputError(f"{len(done.errors)} recordings could not be recognised: {done.errors[0]}")
    return folder


READING = Reading(lower=True)
