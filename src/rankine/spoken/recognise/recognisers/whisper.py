"""Whisper as a recogniser, by CTranslate2: on the processor, in 8-bit numbers, without torch and without ffmpeg.

A window of at most 30 seconds is heard at a time. What was said before it does not matter, nor does what else this
process has heard. Words have the times at which the decoder looked at the audio (the cross-attention of the heads that
the model names, by dynamic time warping); pauses in the sound belong to no word.

CTranslate2 takes the seed of random numbers when a model draws its first sample, and never again. So each window that
is sampled gets a model object of its own, which is seeded by the user's seed and the audio. Making it takes 0.13 s for
tiny.en (76 MB), and longer for larger models. The seed belongs to the thread in which the object works: neither files
in memory (0.17 s) nor ``unload_model`` and ``load_model``, which keep the thread, are a way around it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ....errors import InputError, needs
from ....system.files import fingerprint
from ...lattice.formats.transcripts.transcript import TranscriptWord
from ...writing.tokens import clean
from ..audio.cutting import Segment, windows
from ..audio.pauses import outside_pauses, pauses
from ..models import models
from ..models.table import DEFAULT, TABLE
from .hypotheses import TextHypothesis, WeighedWords, WindowHypotheses, as_slf, by_count, by_score, trust, written_alike
from .mel import HOP, RATE, SECONDS, log_mel

_BEAM = 5  # as OpenAI's program
_NUMBER = {"best": 1, "nbest": _BEAM, "samples": 20}
_MULTILINGUAL = 51865  # tokens that a model of several languages has at least
_LONGEST_CODE = 3  # letters of the code of a language
_MOST = 200  # hypotheses
_UNSPACED = frozenset(["zh", "ja", "th", "lo", "my", "yue"])  # languages that are written without blanks
_FILES = ("config.json", "model.bin", "tokenizer.json")
_SAMPLES_A_STEP = 2 * HOP  # of the encoder: 20 ms
_MARGIN = 50  # steps of silence that alignment sees behind the audio; more of them cost time and hardly move a word
_LATE = 4  # steps; the median of `python -m benchmarks times` without them was 0.09 s
_seeding = threading.Lock()


@dataclass(frozen=True)
class Whisper:
    """Whisper models in CTranslate2's form; makes lattices of several hypotheses in HTK's SLF.

    Args:
        model: a model that ``rankine spoken models`` lists, or the folder of one.
        hypotheses: ``"samples"`` (drawn at random from the model, weighing equally), ``"nbest"`` (of a beam search,
            weighed by their scores) or ``"best"`` (the best of a beam search, each word with its probability).
        number: how many samples (default: 20), or how wide the beam of an n-best list is (default: 5).
        temperature: of the samples; 1 draws from the model's own distribution, less prefers what is likely (0.6).
        seed: of the samples; the same seed gives the same samples of the same audio.
        language: what is spoken, such as ``"de"``; default: what the model thinks, of a whole recording where one is
            recognised, else of a segment. Not for English-only models.
    """

    model: str = DEFAULT
    hypotheses: str = "samples"
    number: int | None = None
    temperature: float = 0.6  # found more than 1, above all in noise: `rankine experiment hearings --temperature 1`
    seed: int = 0
    language: str | None = None
    rate: int = field(default=RATE, init=False)
    ending: str = field(default=".slf.gz", init=False)

    def __post_init__(self) -> None:
        if self.hypotheses not in _NUMBER:
            raise InputError(f"hypotheses must be samples, nbest or best; got {self.hypotheses!r}")
        if not 1 <= self.n_hypotheses <= _MOST:
            raise InputError(f"the number of hypotheses must be from 1 to {_MOST}, got {self.number}")
        if not 0 < self.temperature <= 10:
            raise InputError(f"temperature must be above 0 and at most 10, got {self.temperature}")
        models.check_name_or_folder(self.model, "whisper")

    @property
    def n_hypotheses(self) -> int:
        """How many hypotheses are made of a window."""
        return _NUMBER[self.hypotheses] if self.number is None else self.number

    @property
    def languages(self) -> tuple[str, ...]:
        """The language of a model that knows only one."""
        if self.model in TABLE:
            return (TABLE[self.model].language,) if TABLE[self.model].language else ()
        return ("en",) if 0 < _n_tokens(Path(self.model)) < _MULTILINGUAL else ()

    @property
    def detects(self) -> bool:
        """Whether it can tell what is spoken, and nobody has said it."""
        return self.language is None and not self.languages

    def language_of(self, segments: Sequence[np.ndarray]) -> str:
        """What is spoken in segments: the language with the largest mean probability in them; "" where all is silent.

        Of a segment the first 30 seconds count.
        """
        first = [next(windows(samples, self.rate, float(SECONDS))).samples for samples in segments]
        return _engine(self.model).detected([samples for samples in first if samples.any()])

    def in_language(self, language: str) -> Whisper:
        """The same for recordings in a language, unless one was given or the model knows only one."""
        free = not self.languages and self.language is None
        return replace(self, language=language) if free and len(language) <= _LONGEST_CODE else self

    @property
    def settings(self) -> str:
        """What the lattices depend on; a model counts by its content, wherever its folder is."""
        drawn = f" temperature={self.temperature!r} seed={self.seed}" if self.hypotheses == "samples" else ""
        what = f"model={models.identity(self.model)} hypotheses={self.hypotheses} number={self.n_hypotheses}"
        return f"{what}{drawn} language={self.language} rate={self.rate} ending={self.ending}"

    def start(self) -> None:
        """Load the model; raise InputError where it is not there or cannot be used."""
        engine = _engine(self.model)
        engine.prompt(self.language or "en")

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The lattice of a segment of speech; None if nothing was understood."""
        engine = _engine(self.model)
        parts = windows(samples, self.rate, float(SECONDS))
        language = self.language or self.language_of([samples])
        return as_slf([self._hear(engine, part, language) for part in parts if part.samples.any()])

    def _hear(self, engine: _Engine, window: Segment, language: str) -> WindowHypotheses:
        """The hypotheses of a window, with the words of its inner part."""
        offset, samples, _ = window
        begin, end = max(window.inner[0], 0.0), min(window.inner[1], len(samples) / self.rate)
        encoded = engine.encode(samples)
        hypotheses, no_speech = self._decode(engine, encoded, samples, language)
        said = [h for h in hypotheses if h.tokens]
        times, silent = engine.words(encoded, [h.tokens for h in said], language, len(samples)), pauses(samples, RATE)
        rows, reasons = list[WeighedWords](), dict[str, int]()
        for h, words in zip(said, times, strict=True):
            share, why = trust(h, no_speech)
            for reason in why:
                reasons[reason] = reasons.get(reason, 0) + 1
            if self.hypotheses != "best":
                words = [w._replace(confidence=1.0) for w in words]
            own = [
                w for w in outside_pauses(words, silent) if window.inner[0] <= (w.start + w.end) / 2 < window.inner[1]
            ]
            shifted = [w._replace(start=w.start + offset, end=w.end + offset) for w in own]
            rows.append((h.weight * share, shifted))
        marks = ", ".join(f"{reason} ({n} of {len(hypotheses)} texts)" for reason, n in reasons.items())
        marks += f"; probability of no speech {no_speech:.3f}" if marks else ""
        alike = written_alike(rows) if language == "en" else rows
        return WindowHypotheses(offset + begin, offset + end, alike, marks)

    def _decode(
        self, engine: _Engine, encoded: Any, samples: np.ndarray, language: str
    ) -> tuple[list[TextHypothesis], float]:
        """Hypotheses with weights, and the probability of no speech."""
        if self.hypotheses != "samples":
            width = max(_BEAM, self.n_hypotheses)
            options = {"beam_size": width, "num_hypotheses": self.n_hypotheses}
            heard, no_speech = engine.generate(engine.model, encoded, language, **options)
            return by_score(heard, language), no_speech
        heard, no_speech = self.drawn(engine, encoded, samples, language)
        return by_count(heard, language), no_speech

    def drawn(
        self, engine: _Engine, encoded: Any, samples: np.ndarray, language: str
    ) -> tuple[list[TextHypothesis], float]:
        """Samples of the texts of a window, and the probability of no speech."""
        seed = int(fingerprint(f"{self.seed} ", samples, size=4), 16) & 0x7FFFFFFF
        options = {"beam_size": 1, "num_hypotheses": self.n_hypotheses, "sampling_topk": 0}
        with _seeding:  # the seed is taken when the first sample is drawn
            engine.ctranslate2.set_random_seed(seed)
            temperature = float(self.temperature)
            return engine.generate(engine.load(), encoded, language, sampling_temperature=temperature, **options)


def _n_tokens(folder: Path) -> int:
    """The number of tokens of a model in CTranslate2's form; 0 where there is no list of them."""
    try:
        with suppress(FileNotFoundError):
            return len((folder / "vocabulary.txt").read_bytes().rstrip(b"\n").split(b"\n"))
        return len(json.loads((folder / "vocabulary.json").read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        return 0


@lru_cache(maxsize=1)
def _engine(model: str) -> _Engine:
    """The model of this process, loaded once."""
    return _Engine(models.find(model))


class _Special(NamedTuple):
    """Numbers of tokens that are no text."""

    start: int
    transcribe: int | None
    no_times: int
    first: int  # from here on tokens are no text


class _Engine:
    """A model with its tokens: encoding, decoding, aligning."""

    def __init__(self, folder: Path) -> None:
        for name in _FILES:
            if not (folder / name).is_file():
                raise InputError(
                    f"expected a Whisper model in CTranslate2's form ({', '.join(_FILES)}); there is no {name}",
                    str(folder),
                )
        self.folder = folder
        self.ctranslate2 = needs("ctranslate2", "whisper")
        tokenizers = needs("tokenizers", "whisper")
        try:
            self.model = self.load()
            self.tokenizer = tokenizers.Tokenizer.from_file(os.fspath(folder / "tokenizer.json"))
        except Exception as error:  # both libraries raise what their own languages have
            raise InputError(f"CTranslate2 cannot load this model: {error}", str(folder)) from None
        self.special = _Special(
            self._number("<|startoftranscript|>"),
            self.tokenizer.token_to_id("<|transcribe|>"),
            self._number("<|notimestamps|>"),
            self._number("<|endoftext|>"),
        )

    def load(self) -> Any:
        """A new object of the model; one thread, so that results do not depend on their number."""
        return self.ctranslate2.models.Whisper(
            os.fspath(self.folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=1
        )

    def _number(self, token: str) -> int:
        number = self.tokenizer.token_to_id(token)
        if number is None:
            raise InputError(f"the tokens of a Whisper model have {token}, and these have not", str(self.folder))
        return int(number)

    def prompt(self, language: str) -> list[int]:
        """The tokens that a text begins with; raise InputError if the model does not know the language."""
        if not self.model.is_multilingual:
            if language != "en":
                raise InputError(f"this model knows only English, got the language {language!r}", str(self.folder))
            return [self.special.start]
        spoken = self.tokenizer.token_to_id(f"<|{language}|>")
        if spoken is None or self.special.transcribe is None:
            raise InputError(f"this model does not know the language {language!r}", str(self.folder))
        return [self.special.start, spoken, self.special.transcribe]

    def encode(self, samples: np.ndarray) -> Any:
        """The encoder's view of a window."""
        features = log_mel(samples, self.model.n_mels)[None]
        return self.model.encode(self.ctranslate2.StorageView.from_array(np.ascontiguousarray(features)))

    def detected(self, audio: Sequence[np.ndarray]) -> str:
        """The language that is likeliest in all windows together, by the mean of its probabilities; "" without any."""
        if not self.model.is_multilingual:
            return "en"
        total: dict[str, float] = {}
        for samples in audio:
            for token, probability in self.model.detect_language(self.encode(samples))[0]:
                total[token] = total.get(token, 0.0) + probability
        return max(total, key=lambda token: total[token], default="").strip("<|>")

    def generate(self, model: Any, encoded: Any, language: str, **options: Any) -> tuple[list[TextHypothesis], float]:
        """Hypotheses by one of the model's objects, and the probability of no speech."""
        prompt = [*self.prompt(language), self.special.no_times]
        result = model.generate(encoded, [prompt], return_scores=True, return_no_speech_prob=True, **options)[0]
        hypotheses = []
        for tokens, score in zip(result.sequences_ids, result.scores, strict=True):
            text = tuple(t for t in tokens if t < self.special.first)
            total = score * max(len(tokens), 1)  # scores are divided by the length
            hypotheses.append(TextHypothesis(text, self.tokenizer.decode(text), total))
        return hypotheses, float(result.no_speech_prob)

    def words(
        self, encoded: Any, texts: Sequence[tuple[int, ...]], language: str, length: int
    ) -> list[list[TranscriptWord]]:
        """The words of texts with times in seconds from the window's beginning, and their probabilities."""
        if not texts:
            return []
        heard = np.array(encoded)[:, : length // _SAMPLES_A_STEP + _MARGIN]  # silence costs as much as speech
        repeated = np.repeat(heard, len(texts), axis=0)
        results = self.model.align(
            self.ctranslate2.StorageView.from_array(np.ascontiguousarray(repeated)), self.prompt(language),
            [list(text) for text in texts], max(length // HOP, 2),
        )  # fmt: skip
        decode: Callable[[Sequence[int]], str] = self.tokenizer.decode
        unspaced = language in _UNSPACED
        return [
            timed(split(text, decode, unspaced), result.alignments, result.text_token_probs)
            for text, result in zip(texts, results, strict=True)
        ]


class TokenWord(NamedTuple):
    """A word, how many tokens it has, and how many tokens of punctuation follow."""

    text: str
    tokens: int
    after: int = 0


def split(tokens: Sequence[int], decode: Callable[[Sequence[int]], str], unspaced: bool = False) -> list[TokenWord]:
    """The words of a text: one begins with a blank, or (unspaced) with any letter.

    >>> split([1, 2, 3, 4], lambda tokens: "".join([" the", " cat", "s", "."][t - 1] for t in tokens))
    [TokenWord(text=' the', tokens=1, after=0), TokenWord(text=' cats.', tokens=2, after=1)]
    """
    words: list[TokenWord] = []
    waiting: list[int] = []
    for i, token in enumerate(tokens):
        waiting.append(token)
        piece, n = decode(waiting), len(waiting)
        if "\ufffd" in piece and i < len(tokens) - 1:
            continue  # a part of a character
        waiting = []
        if not words or piece.startswith(" ") or (unspaced and clean(piece)):
            words.append(TokenWord(piece, n))
            continue
        text, before, after = words[-1]
        if clean(piece):  # what stands between a word's beginning and its end belongs to it
            words[-1] = TokenWord(text + piece, before + after + n)
        else:
            words[-1] = TokenWord(text + piece, before, after + n)
    return words


def timed(
    words: Sequence[TokenWord], alignment: Sequence[tuple[int, int]], probabilities: Sequence[float]
) -> list[TranscriptWord]:
    """Words with times from (token, 20 ms of audio) pairs, and with the mean probabilities of their tokens.

    The decoder looks at a word a little after it has begun, so times are earlier than that by ``_LATE``. A word ends
    where its punctuation begins, which stands for a pause; there, and at the end of a text, it is not late.

    >>> alignment = [(0, 5), (1, 6), (1, 7), (2, 10), (3, 12)]
    >>> [word[1:] for word in timed([TokenWord("one", 2), TokenWord("two", 1)], alignment, [0.5, 0.5, 1.0])]
    [(0.02, 0.12, 0.5), (0.12, 0.24, 1.0)]
    """
    first: dict[int, int] = {}
    for token, at in alignment:
        first.setdefault(token, at)
    last = max((at for _, at in alignment), default=0)
    out, at = [], 0
    for i, (text, n, after) in enumerate(words):
        mean = float(np.mean(probabilities[at : at + n]))
        start, end = max(first.get(at, last) - _LATE, 0), first.get(at + n, last)
        following = max(first.get(at + n + after, last) - _LATE, 0) if i < len(words) - 1 else last
        end = max(min(end, following), end - _LATE, start)
        out.append(TranscriptWord(text.strip(), _seconds(start), _seconds(end), min(max(mean, 0.0), 1.0)))
        at += n + after
    return out


def _seconds(steps: int) -> float:
    return steps * _SAMPLES_A_STEP / RATE
