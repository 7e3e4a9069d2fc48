"""Vosk as a recogniser: Kaldi's decoder with small models, on the processor.

A segment is heard in stretches that end at pauses. Of each stretch Vosk lists its best paths, with a number that it
calls confidence: the log likelihood of the path, acoustic and language together, which is overstated. So the paths are
weighed by the softmax of these numbers times ``SCALE``; paths of the same words are one.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError, needs
from ....system.temporary import temporary_folder
from ...lattice.formats.transcripts.transcript import TranscriptWord
from ..models import models
from ..models.table import TABLE, names_of
from .hypotheses import TextHypothesis, WindowHypotheses, as_slf, by_score

SCALE = 0.6  # makes words of best paths right about as often as they claim: `python -m benchmarks vosk-scale`
_MOST = 500  # alternatives
_BLOCK = 4000  # samples; pauses are looked for after each
_FILES = ("am/final.mdl", "conf/mfcc.conf", "conf/model.conf")
_SETTINGS = {  # of Kaldi, that count instead of a model's own
    "mfcc.conf": "--dither=0",  # no noise is added to the audio: with it no two runs are the same
    "model.conf": "--lattice-beam=6",  # small models keep fewer paths, which misses words
}


@dataclass(frozen=True)
class Vosk:
    """Vosk models; makes lattices of several hypotheses in HTK's SLF.

    Args:
        model: a model that ``rankine spoken models`` lists, or the folder of one; default: the one of the archive's
            language, else English.
        number: how many alternatives are listed between two pauses.
    """

    model: str | None = None
    number: int = 100
    rate: int = field(default=16000, init=False)
    ending: str = field(default=".slf.gz", init=False)

    def __post_init__(self) -> None:
        if not 1 <= self.number <= _MOST:
            raise InputError(f"the number of hypotheses must be from 1 to {_MOST}, got {self.number}")
        if self.model is not None:
            models.check_name_or_folder(self.model, "vosk")

    @property
    def languages(self) -> tuple[str, ...]:
        """The language of its model; none is stated of a folder."""
        return (TABLE[self._model].language,) if self._model in TABLE else ()

    def in_language(self, language: str) -> Vosk:
        """The same with the model of a language, unless a model was given."""
        if self.model is not None:
            return self
        of = {TABLE[name].language: name for name in names_of("vosk")}
        if language not in of:
            there = ", ".join(f"{name} ({code})" for code, name in of.items())
            raise InputError(f"no model of Vosk for the language {language!r}: there are {there}; or give a folder")
        return replace(self, model=of[language])

    @property
    def settings(self) -> str:
        """What the lattices depend on; a model counts by its content, wherever its folder is."""
        what = f"model={models.identity(self._model)} number={self.number} scale={SCALE} {_SETTINGS}"
        return f"{what} rate={self.rate} ending={self.ending}"

    @property
    def _model(self) -> str:
        return self.model or names_of("vosk")[0]

    def start(self) -> None:
        """Load the model; raise InputError where it is not there or cannot be used."""
        self._decoder()

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The lattice of a segment of speech; None if nothing was understood."""
        length = len(samples) / self.rate
        return as_slf([_window(result, length) for result in self._results(samples) if _is_text(result)])

    def _results(self, samples: np.ndarray) -> Iterator[dict[str, Any]]:
        """What Vosk says, from pause to pause."""
        decoder = self._decoder()
        for at in range(0, len(samples), _BLOCK):
            if decoder.AcceptWaveform(np.ascontiguousarray(samples[at : at + _BLOCK], np.int16).tobytes()):
                yield json.loads(decoder.Result())
        yield json.loads(decoder.FinalResult())

    def _decoder(self) -> Any:
        """A new decoder: what it hears does not depend on earlier segments."""
        vosk, model = _loaded(self._model)
        try:
            decoder = vosk.KaldiRecognizer(model, float(self.rate))
        except Exception as error:  # Vosk raises nothing more particular
            raise _unusable(models.find(self._model), error) from None
        decoder.SetMaxAlternatives(self.number)
        decoder.SetWords(True)
        return decoder


def _is_text(result: dict[str, Any]) -> bool:
    return any(alternative.get("result") for alternative in result["alternatives"])


def _window(result: dict[str, Any], length: float) -> WindowHypotheses:
    """A result as hypotheses of a window, which lasts from the first word to the last."""
    texts = [
        [TranscriptWord(w["word"], min(w["start"], length), min(w["end"], length)) for w in a.get("result", [])]
        for a in result["alternatives"]
    ]
    heard = [
        TextHypothesis((number,), alternative["text"], alternative["confidence"])
        for number, alternative in enumerate(result["alternatives"])
    ]
    weighed = [(h.weight, texts[h.tokens[0]]) for h in by_score(heard, sharpness=SCALE)]
    words = [word for text in texts for word in text]
    return WindowHypotheses(min(w.start for w in words), max(w.end for w in words), weighed)


@lru_cache(maxsize=1)
def _loaded(model: str) -> tuple[Any, Any]:
    """The package and the model of this process, loaded once."""
    folder = models.find(model)
    for name in _FILES:
        if not (folder / name).is_file():
            raise InputError(f"expected a model of Vosk ({', '.join(_FILES)}, …); there is no {name}", str(folder))
    try:
        vosk = needs("vosk", "vosk")
    except OSError as error:  # its library does not fit this system
        raise InputError(f"the package vosk cannot be loaded: {error}") from None
    vosk.SetLogLevel(-3)
    with temporary_folder("rankine-") as place:
        _link(folder, Path(place))
        try:
            return vosk, vosk.Model(place)
        except Exception as error:  # Vosk raises nothing more particular
            raise _unusable(folder, error) from None


def _link(folder: Path, place: Path) -> None:
    """Links to the files of a model, and its settings with ours behind them."""
    for path in folder.iterdir():
        if path.name != "conf":
            os.symlink(path.resolve(), place / path.name)
    shutil.copytree(folder / "conf", place / "conf")
    for name, line in _SETTINGS.items():
        with open(place / "conf" / name, "ab") as file:
            file.write(f"\n{line}\n".encode())


def _unusable(folder: Path, error: Exception) -> InputError:
    return InputError(f"Vosk cannot use this model: {error}", str(folder))
