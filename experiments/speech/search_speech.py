"""The speech that the shipped weights are learned on: each *hearing* is a collection and a way to hear it.

Collections are ``lj`` (385 English utterances), ``aishell`` (1,000 Mandarin commands) and ``sample`` (the 80 bundled
recordings). Lattices are those given, at three beams and two prunings of the index, and some that are made here.
PocketSphinx hears chapter 1 of LJ (its audio) with white noise at 20 and 10 dB; the sample; and chapter 1 and the
sample with words taken out of its dictionary, once with a pronunciation dictionary of the archive that has them (they
are *listed*) and once without (*unknown*). Whisper (samples) hears chapter 1 and the sample, clean and with white noise
at 5 dB, and Vosk hears both. What is recognised stays in the work folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rankine.errors import InputError
from rankine.sample import spoken_sample
from rankine.spoken.lattice.formats import Reading
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.lattice.units.english import cmu_file
from rankine.spoken.recognise.recognisers.table import Recogniser, get
from rankine.spoken.recognise.run import PocketSphinx, recognise
from rankine.spoken.text import STOP_WORDS, without_variant

from ..collections import speech_folder, transcripts, words_of
from .noise import noisy_audio
from .spoken import collection

NOISES = (20, 10)  # dB, for PocketSphinx
WHISPER_NOISE = 5
BEAMS = (4.5, 7.0)
PRUNE = 0.01
LEAST = 2  # transcripts that a word which is taken out occurs in
COLLECTIONS = ("lj", "aishell", "sample")


@dataclass(frozen=True)
class Hearing:
    """Lattices of a collection: where they are, how they are read and indexed, and what was really said.

    ``without`` are words that the recogniser did not know; ``hidden`` says whether the archive's own pronunciation
    dictionary lacks them, too.
    """

    name: str
    collection: str
    language: str
    source: str
    scoring: Scoring
    texts: Mapping[str, list[str]]
    prune: float | None = None
    without: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True)
class RecognisedSet:
    """A collection that is recognised here: by what, with noise so many decibels below, without some words."""

    collection: str
    recogniser: str = "pocketsphinx"
    noise: int | None = None
    without: tuple[str, ...] = ()

    def make(self) -> Recogniser:
        """The recogniser."""
        return PocketSphinx(without=self.without) if self.recogniser == "pocketsphinx" else get(self.recogniser)


def dictionary_lines() -> list[str]:
    """The lines of the recogniser's pronunciation dictionary."""
    return cmu_file().read_text(encoding="utf-8").splitlines(keepends=True)


def removed_words(texts: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Every second, in alphabetical order, of the words that are in at least two transcripts and can be recognised."""
    listed = {line.split()[0] for line in dictionary_lines()}
    counts = Counter(w for text in texts.values() for w in set(text))
    words = sorted(w for w, n in counts.items() if n >= LEAST and w not in STOP_WORDS["en"] and w in listed)
    return tuple(words[::2])


def chapter() -> dict[str, list[str]]:
    """The words of the LJ utterances whose audio is there (chapter 1)."""
    names = {p.stem for p in (speech_folder("lj") / "audio").glob("*.flac")}
    return {u: words_of(t) for u, t in transcripts("lj").items() if u in names}


def sample_texts() -> dict[str, list[str]]:
    """The words of the bundled recordings."""
    with spoken_sample() as sample:
        sentences = (sample / "sentences.txt").read_text(encoding="utf-8").splitlines()
    return {f"tape-{i:02d}": words_of(text) for i, text in enumerate(sentences, 1)}


def _audio(some: RecognisedSet, work: Path) -> Path:
    if some.collection == "sample":
        with spoken_sample() as sample:
            place = sample / "audio"
    else:
        place = speech_folder(some.collection) / "audio"
    if some.noise is None:
        return place
    return noisy_audio(place, work / f"audio-{some.collection}-{some.noise}", "white", some.noise)


def recognised_sets() -> dict[str, RecognisedSet]:
    """The sets that are recognised here, by name."""
    sets = {
        "sample-whole": RecognisedSet("sample"),
        "sample-without": RecognisedSet("sample", without=removed_words(sample_texts())),
        "lj-without": RecognisedSet("lj", without=removed_words(chapter())),
        **{f"lj-noise-{n}": RecognisedSet("lj", noise=n) for n in NOISES},
    }
    for name in ("lj", "sample"):
        sets[f"{name}-whisper"] = RecognisedSet(name, "whisper")
        sets[f"{name}-whisper-noise"] = RecognisedSet(name, "whisper", WHISPER_NOISE)
        sets[f"{name}-vosk"] = RecognisedSet(name, "vosk")
    return sets


def recognised(
    name: str, work: Path, workers: int, report: Callable[[float, float], None] = lambda done, total: None
) -> Path:
    """The folder of a set's lattices; what was recognised before is not recognised again."""
    folder, some = work / name, recognised_sets()[name]
    done = recognise([_audio(some, work)], folder, some.make(), workers=workers, report=report)
    if done.errors:
        raise InputError(f"{len(done.errors)} recordings could not be recognised: {done.errors[0]}")
    return folder


def hearings(work: Path) -> list[Hearing]:
    """All of them; what is recognised here must have been recognised."""
    out = []
    for name in ("lj", "aishell"):
        c = collection(name)
        out.append(Hearing(name, name, c.language, c.source, Scoring(c.reading), c.texts))
    lj, plain = out[0], Scoring(Reading(lower=True))
    out += [replace(lj, name=f"lj-beam-{b:g}", scoring=replace(lj.scoring, beam=b)) for b in BEAMS]
    out.append(replace(lj, name=f"lj-prune-{PRUNE:g}", prune=PRUNE))
    with spoken_sample() as place:
        sample = Hearing("sample", "sample", "en", str(place / "lattices"), plain, sample_texts())
    out.append(sample)
    for name, some in recognised_sets().items():
        texts = sample.texts if some.collection == "sample" else chapter()
        hearing = Hearing(name, some.collection, "en", str(work / name), plain, texts, without=some.without)
        out += [hearing, *([replace(hearing, name=f"{name}-hidden", hidden=True)] if some.without else [])]
    return out


def write_dictionary(path: Path, without: tuple[str, ...]) -> Path:
    """The recogniser's pronunciation dictionary without some words."""
    gone = set(without)
    lines = [line for line in dictionary_lines() if without_variant(line.split(None, 1)[0]) not in gone]
    path.write_text("".join(lines), encoding="utf-8")
    return path
