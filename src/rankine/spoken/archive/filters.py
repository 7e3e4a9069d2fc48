"""Which documents a search may return: by title, speaker, tag, date and name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError, nearest, shorten
from ..index.reader import Index
from .dates import EXPECTED, read_date, read_dates
from .folding import HYPHENS, fold
from .grammar import has_words
from .terms import FieldFilter

_COMPARED = 5000  # values among which the nearest one is looked for
_MISSING = {"speaker": "a speaker", "title": "a title", "tag": "tags", "date": "a date", "recording": "a name"}
_NOBODY = {
    "speaker": "no recording is by the speaker {}",
    "title": "no recording has {} in its title",
    "tag": "no recording has the tag {}",
    "date": "no recording is of the date {}",
    "recording": "no recording is called {}",
}


class DocumentFilter(NamedTuple):
    """Filters of which a document must pass each."""

    fields: tuple[FieldFilter, ...] = ()

    @classmethod
    def of(cls, speaker: str | None = None, since: str | None = None, until: str | None = None) -> DocumentFilter:
        """The filters of a speaker, and of dates from ``since`` to ``until``; a date that cannot be read is an error.

        >>> DocumentFilter.of(since="5.11")
        Traceback (most recent call last):
        rankine.errors.InputError: since: expected a year (2023), a month (2023-05) or a day (2023-05-17); got '5.11'
        """
        fields = []
        if speaker is not None:
            if not has_words(speaker):
                raise InputError(f"expected a name, got {shorten(speaker)}", "speaker")
            fields.append(FieldFilter("speaker", (speaker,)))
        for name, text in (("since", since), ("until", until)):
            if text is not None and read_date(text.strip()) is None:
                raise InputError(f"expected {EXPECTED}; got {shorten(text)}", name)
        if since is not None or until is not None:
            dates = f"{since or ''}..{until or ''}"
            read_dates(dates)
            fields.append(FieldFilter("date", (dates,)))
        return cls(tuple(fields))

    def mask(self, index: Index) -> np.ndarray | None:
        """True for the documents that pass; None: all of them. Filters that leave none are an InputError."""
        if not self.fields or len(index) == 0:
            return None
        masks = [_mask(index, field) for field in self.fields]
        together = np.logical_and.reduce(masks)
        if not together.any():
            alone = ", ".join(f"{_written(f)} leaves {m.sum():,}" for f, m in zip(self.fields, masks, strict=True))
            raise InputError(f"no recording passes all filters: {alone}")
        return together

    def notes(self, index: Index) -> list[str]:
        """What the filters cannot judge, a line each."""
        if not any(field.name == "date" for field in self.fields):
            return []
        dates = _values(index, "date")
        unread = [date for date in dates if date and read_date(date.strip()) is None]
        if not unread:
            return []
        have = f"{len(unread):,} recordings have a date" if len(unread) > 1 else "1 recording has a date"
        return [f"{have} that cannot be read, such as {shorten(unread[0])}: no filter of dates finds it"]


def _written(field: FieldFilter) -> str:
    values = (shorten(v) if re.search(r"\s", v) else v for v in field.values)
    return " OR ".join(f"{'-' if field.excluded else ''}{field.name}:{value}" for value in values)


def _values(index: Index, name: str) -> Sequence[str]:
    """What all documents have in a field; empty where nothing is said."""
    if name == "recording":
        return index.names
    texts = index.document_texts
    column = texts.get(name, texts.get(f"{name}s"))
    return [""] * len(index) if column is None else column.tolist()


def _mask(index: Index, field: FieldFilter) -> np.ndarray:
    """Which documents pass one filter; an InputError where none does."""
    values = _values(index, field.name)
    tests = [_TESTS[field.name](value) for value in field.values]
    passes = {value: any(test(value) for test in tests) for value in set(values)}
    mask = np.fromiter((passes[value] for value in values), np.bool_, len(values))
    if field.excluded:
        if mask.all():
            raise InputError(f"no recording is left by {_written(field)}")
        return ~mask
    if not mask.any():
        raise _nobody(field, values)
    return mask


def _nobody(field: FieldFilter, values: Iterable[str]) -> InputError:
    """The error for a filter that no document passes."""
    there = list(dict.fromkeys(value for value in values if value))[:_COMPARED]
    if not there:
        return InputError(f"no recording of this archive has {_MISSING[field.name]}, so {_written(field)} leaves none")
    names = " or ".join(map(shorten, field.values))
    hint = "" if field.name == "date" else nearest(field.values[0], there)
    if field.name == "date":
        days = sorted((days, date) for date in there if (days := read_date(date.strip())))
        hint = f"; there are dates from {days[0][1]} to {days[-1][1]}" if days else "; no date can be read"
    return InputError(
        _NOBODY[field.name].format(names) + (hint if field.name == "date" else f".{hint}" if hint else "")
    )


Test = Callable[[str], bool]  # of a document's text


def _holds_words(value: str) -> Test:
    """Whether a text holds the words of a value one after the other; a part of a word with hyphens is a word."""
    sought = _spaced(value)
    return lambda text: f" {sought} " in f" {_spaced(text)} " or f" {sought} " in f" {_spaced(text, parts=True)} "


def _spaced(text: str, parts: bool = False) -> str:
    words = re.split(rf"[\s,;/()|{HYPHENS[1:]}-]+" if parts else r"[\s,;/()|]+", text)
    return " ".join(folded for word in words if (folded := fold(word)))


def _contains(value: str) -> Test:
    sought = _spaced(value)
    return lambda text: sought in _spaced(text)


def _is_named(value: str) -> Test:
    sought = fold(value)
    return lambda text: fold(text) == sought


def _is_of(value: str) -> Test:
    days = read_dates(value)
    return lambda text: (date := read_date(text.strip())) is not None and days.holds(date)


_TESTS: dict[str, Callable[[str], Test]] = {
    "title": _contains, "speaker": _holds_words, "tag": _holds_words, "date": _is_of, "recording": _is_named,
}  # fmt: skip
