"""PocketSphinx as a recogniser."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError, needs, shorten
from ....system.temporary import temporary_folder
from ...text import read_text, without_variant


@dataclass(frozen=True)
class PocketSphinx:
    """PocketSphinx with its English model, or others; makes lattices in HTK's SLF.

    Args:
        model: folder of an acoustic model; default: the one in the package.
        language_model: an n-gram model (ARPA or binary); default: the one in the package.
        dictionary: a pronunciation dictionary; default: the one in the package.
        without: words that are taken out of the dictionary.
        beam: the decoder's beam, a ratio of probabilities (1e-48); smaller is slower and finer.
        word_beam: the same at the ends of words (7e-29).
    """

    model: str | None = None
    language_model: str | None = None
    dictionary: str | None = None
    without: tuple[str, ...] = ()
    beam: float | None = None
    word_beam: float | None = None
    rate: int = field(default=16000, init=False)
    ending: str = field(default=".slf.gz", init=False)

    def __post_init__(self) -> None:
        for name in ("model", "language_model", "dictionary"):
            path = getattr(self, name)
            if path is not None and not (Path(path).is_dir() if name == "model" else Path(path).is_file()):
                raise FileNotFoundError(2, f"there is no such {name.replace('_', ' ')}", str(path))
        for name in ("beam", "word_beam"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise InputError(f"{name} must be a ratio of probabilities between 0 and 1, got {value}")

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its model; none are stated of a model that was given."""
        return ("en",) if self.model is None and self.language_model is None else ()

    def start(self) -> None:
        """Load the models; raise InputError where PocketSphinx cannot use them."""
        own = [path for path in (self.model, self.language_model, self.dictionary) if path is not None]
        if own:
            _check_models(_options(self), own)
        _decoder(self)

    def __call__(self, samples: np.ndarray) -> bytes | None:
        """The lattice of a segment of speech; None if nothing was understood."""
        decoder = _decoder(self)
        decoder.reinit_feat()  # resets the estimate of the noise: a lattice must not depend on earlier utterances
        decoder.start_utt()
        decoder.process_raw(np.ascontiguousarray(samples, np.int16).tobytes(), full_utt=True)
        decoder.end_utt()
        lattice, best = decoder.get_lattice(), decoder.hyp()
        if lattice is None or best is None:
            return None
        with temporary_folder("rankine-") as folder:
            path = os.path.join(folder, "lattice.slf")
            lattice.write_htk(path)
            content = Path(path).read_bytes()
        size = re.search(rb"\bL=(\d+)", content)
        if size is None or content.count(b"\nJ=") != int(size[1]) or not content.endswith(b"\n"):
            raise OSError(28, "the recogniser could not write its lattice: is the disk full?", folder)
        return gzip.compress(f"# best by language model: {best.hypstr}\n".encode() + content, 6, mtime=0)


def _options(settings: PocketSphinx) -> dict[str, Any]:
    """The decoder's options but for the dictionary without words."""
    own = {"hmm": settings.model, "lm": settings.language_model, "beam": settings.beam, "wbeam": settings.word_beam}
    # batch: means are those of the utterance itself
    options = {"dict": settings.dictionary, "cmn": "batch", "loglevel": "FATAL", **own}
    return {k: v for k, v in options.items() if v is not None}


def _check_models(options: dict[str, Any], paths: Sequence[str]) -> None:
    """Load models in a process of their own, because the library ends its process where they are damaged."""
    script = "import json, sys, pocketsphinx; pocketsphinx.Decoder(**json.loads(sys.argv[1]))"
    arguments = [sys.executable, "-c", script, json.dumps(options)]
    said = subprocess.run(arguments, capture_output=True, text=True, errors="replace", check=False).stderr
    fatal = re.search(r'^FATAL: "[^"]*", line \d+: (.*)', said, re.MULTILINE)
    if fatal is not None:
        raise InputError(f"PocketSphinx cannot use this: {shorten(fatal[1].strip(), 200)}", ", ".join(paths))


@lru_cache(maxsize=1)
def _decoder(settings: PocketSphinx) -> Any:
    """The decoder of this process: loading it takes half a second."""
    ps = needs("pocketsphinx", "spoken")
    if settings.model is not None and not Path(settings.model, "mdef").is_file():
        raise InputError("expected a model of PocketSphinx (mdef, means, …); there is no mdef", settings.model)
    options = _options(settings)
    source = options.pop("dict", None) or ps.get_model_path("en-us/cmudict-en-us.dict")
    try:
        if not settings.without:
            decoder = ps.Decoder(dict=str(source), **options)
        else:
            with temporary_folder("rankine-") as folder:
                path = os.path.join(folder, "words.dict")
                _write_dictionary(Path(source), set(settings.without), path)
                decoder = ps.Decoder(dict=path, **options)
    except (RuntimeError, ValueError) as error:
        raise InputError(f"PocketSphinx cannot be started with these settings: {error}") from None
    if settings.dictionary is not None:
        words = [w for w in entries(Path(settings.dictionary)) if w not in settings.without][:1000]
        if not any(decoder.lookup_word(w) for w in words):
            raise InputError("no word of the dictionary is in the sounds of the model", settings.dictionary)
    return decoder


def entries(dictionary: Path) -> list[str]:
    """The words of a pronunciation dictionary."""
    lines = read_text(dictionary).split("\n")
    return [line.split(None, 1)[0] for line in lines if len(line.split(None, 1)) == 2]


def _write_dictionary(source: Path, without: set[str], path: str) -> None:
    """The dictionary without some words and their other pronunciations, ``word(2)``."""
    with open(source, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as out:
        out.writelines(
            line for line in file if line.split(None, 1)[:1] and without_variant(line.split(None, 1)[0]) not in without
        )


def read_words(path: str | os.PathLike) -> tuple[str, ...]:
    """Words, one on each line, in lower case."""
    words = sorted(set(read_text(path).lower().split()))
    if not words:
        raise InputError("expected words, one on each line", str(path))
    return tuple(words)
