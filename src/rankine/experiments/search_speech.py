"""The speech that the shipped weights are learned on: each *hearing* is a collection and a way to hear it.

Collections are ``lj`` (385 English utterances), ``aishell`` (1,000 Mandarin commands) and ``sample`` (the 80 bundled
recordings). Lattices are those given, at three beams and two prunings of the index, and some that PocketSphinx makes
here: of chapter 1 of LJ (its audio) with white noise at 20 and 10 dB; of the sample; and of chapter 1 and the sample
with words taken out of the recogniser's dictionary, once with a pronunciation dictionary of the archive that has them
(they are *listed*) and once without (*unknown*). What is recognised stays in the work folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError, needs
from ..sample import spoken_sample
from ..spoken.lattice.formats import Reading
from ..spoken.lattice.scoring import Scoring
from ..spoken.recognise.run import PocketSphinx, recognise
from ..spoken.text import STOP_WORDS, without_variant
from .collections import speech_folder, transcripts, words_of
from .noise import noisy_audio
from .spoken import collection

NOISES = (20, 10)  # dB
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


def dictionary_lines() -> list[str]:
    """The lines of the recogniser's pronunciation dictionary."""
    ps = needs("pocketsphinx", "spoken")
    return Path(ps.get_model_path("en-us/cmudict-en-us.dict")).read_text(encoding="utf-8").splitlines(keepends=True)


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


def _audio(name: str, work: Path) -> Path:
    if name.startswith("sample"):
        with spoken_sample() as place:
            return place / "audio"
    if name.startswith("lj-noise"):
        decibels = int(name.rpartition("-")[2])
        return noisy_audio(speech_folder("lj") / "audio", work / f"audio-{decibels}", "white", decibels)
    return speech_folder("lj") / "audio"


def recognised_sets() -> dict[str, tuple[str, ...]]:
    """The sets that are recognised here, each with the words that the recogniser does not know."""
    return {
        "sample-whole": (),
        "sample-without": removed_words(sample_texts()),
        "lj-without": removed_words(chapter()),
        **{f"lj-noise-{n}": () for n in NOISES},
    }


def recognised(
    name: str, work: Path, workers: int, report: Callable[[float, float], None] = lambda done, total: None
) -> Path:
    """The folder of a set's lattices; what was recognised before is not recognised again."""
    folder = work / name
    recogniser = PocketSphinx(without=recognised_sets()[name])
    done = recognise([_audio(name, work)], folder, recogniser, workers=workers, report=report)
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
    for name, without in recognised_sets().items():
        texts = sample.texts if name.startswith("sample") else chapter()
        hearing = Hearing(
            name, name.split("-")[0], "en", str(work / name), plain, texts, without=without
        )  # fmt: skip
        out += [hearing, *([replace(hearing, name=f"{name}-hidden", hidden=True)] if without else [])]
    return out


def write_dictionary(path: Path, without: tuple[str, ...]) -> Path:
    """The recogniser's pronunciation dictionary without some words."""
    gone = set(without)
    lines = [line for line in dictionary_lines() if without_variant(line.split(None, 1)[0]) not in gone]
    path.write_text("".join(lines), encoding="utf-8")
    return path
