"""Which recordings a search may return: by title, speaker, tag, date, name and other fields, and by their rights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import InputError, nearest, shorten
from ...system.console import counted
from ..dates import EXPECTED, read_date, read_dates, read_days
from ..hearings.hearings import HeardIndex, without_recordings
from ..index.reader import Index
from ..metadata.fields import TABLE, field_name, in_order, values_of
from ..metadata.rights import OPEN, RIGHTS, access, not_open
from ..metadata.turns import speakers_by_recording
from ..query.folding import HYPHENS, fold
from ..query.grammar import has_words, mistake, parse_syntax
from ..query.terms import FieldFilter

_COMPARED = 5000  # values among which the nearest one is looked for
_MISSING = {"speaker": "a speaker", "title": "a title", "tag": "tags", "date": "a date", "recording": "a name"}
_NOBODY = {
    "speaker": "no recording is by the speaker {}",
    "title": "no recording has {} in its title",
    "tag": "no recording has the tag {}",
    "date": "no recording is of the date {}",
    "recording": "no recording is called {}",
}


class RecordingFilter(NamedTuple):
    """Filters of which a recording must pass each; closed recordings pass only where ``closed`` says so.

    ``recording`` is the exact name of the only one that passes; None: any.
    """

    fields: tuple[FieldFilter, ...] = ()
    closed: bool = False
    recording: str | None = None

    @classmethod
    def of(
        cls,
        speaker: str | None = None,
        since: str | None = None,
        until: str | None = None,
        closed: bool = False,
        collection: str | None = None,
        recording: str | None = None,
    ) -> RecordingFilter:
        """The filters of a speaker, dates, a collection, one recording; a date that cannot be read is an error.

        >>> RecordingFilter.of(since="5.11")
        Traceback (most recent call last):
        rankine.errors.InputError: since: expected a year (2023), a month (2023-05) or a day (2023-05-17); got '5.11'
        """
        fields = []
        for name, text in (("speaker", speaker), ("collection", collection)):
            if text is not None:
                if not has_words(text):
                    raise InputError(f"expected a name, got {shorten(text)}", name)
                fields.append(FieldFilter(name, (text,)))
        for name, text in (("since", since), ("until", until)):
            if text is not None and read_date(text.strip()) is None:
                raise InputError(f"expected {EXPECTED}; got {shorten(text)}", name)
        if since is not None or until is not None:
            dates = f"{since or ''}..{until or ''}"
            read_dates(dates)
            fields.append(FieldFilter("date", (dates,)))
        return cls(tuple(fields), closed, recording)

    def also(self, fields: Iterable[FieldFilter]) -> RecordingFilter:
        """These filters and others."""
        return self._replace(fields=(*self.fields, *fields))

    def views(self, index: Index, hearings: Sequence[HeardIndex]) -> tuple[Index, list[HeardIndex]]:
        """Return an index and its hearings as far as they may be told: what is not open exists only for the keeper."""
        names = [] if self.closed else not_open(index)
        return index.without(names), without_recordings(hearings, index, names)

    def mask(self, index: Index) -> np.ndarray | None:
        """True for the recordings that pass; None: all of them. Filters that leave none are an InputError."""
        if len(index) == 0:
            return None
        only = None if self.recording is None else _only(index, self.recording)
        if not self.fields:
            return only
        masks = [_mask(index, field) for field in self.fields]
        together = np.logical_and.reduce([*masks, *([] if only is None else [only])])
        if not together.any():
            alone = ", ".join(f"{_written(f)} leaves {m.sum():,}" for f, m in zip(self.fields, masks, strict=True))
            raise InputError(f"no recording passes all filters: {alone}")
        return together

    def notes(self, index: Index, view: Index) -> list[str]:
        """Return what the filters cannot judge, and how many recordings a view leaves out; a line each."""
        notes = []
        if any(field.name == "date" for field in self.fields):
            dates = _values(view, "date")
            unread = [date for date in dates if date and read_days(date.strip()) is None]
            have = f"{len(unread):,} recordings have a date" if len(unread) > 1 else "1 recording has a date"
            if unread:
                notes.append(f"{have} that cannot be read, such as {shorten(unread[0])}: no filter of dates finds it")
        n = len(index) - len(view)
        if n:
            notes.append(f"{counted(n, 'recording')} {'is' if n == 1 else 'are'} not open and left out")
        return notes


def _only(index: Index, recording: str) -> np.ndarray:
    """Return a mask of one recording; an InputError where it is not there."""
    number = index.numbers.get(recording, -1)
    if number < 0:
        raise InputError(f"no recording that may be searched is called {shorten(recording)}")
    mask = np.zeros(len(index), np.bool_)
    mask[number] = True
    return mask


def _written(field: FieldFilter) -> str:
    values = (shorten(v) if re.search(r"\s", v) else v for v in field.values)
    return " OR ".join(f"{'-' if field.excluded else ''}{field.name}:{value}" for value in values)


def _values(index: Index, name: str) -> Sequence[str]:
    """Return what all recordings have in a field; empty where nothing is said."""
    if name == "recording":
        return index.names
    field = field_name(name)
    column = index.recording_texts.get(field)
    values = [""] * len(index) if column is None else column.tolist()
    if name == "speaker":
        return _with_turns(index, values)
    return [_effective(value) for value in values] if field == RIGHTS else values


def _effective(rights: str) -> str:
    """Rights as they are today: those that end with a day that is past are open."""
    means = access(rights)
    return rights if means in rights and means != OPEN else f"{means}; {rights}" if means != OPEN else OPEN


def _with_turns(index: Index, values: list[str]) -> list[str]:
    """Speakers of recordings, with those of single turns."""
    out = list(values)
    for number, speakers in speakers_by_recording(index).items():
        out[number] = "; ".join(dict.fromkeys([*values_of(values[number]), *speakers]))
    return out


def _mask(index: Index, field: FieldFilter) -> np.ndarray:
    """Return which recordings pass one filter; an InputError where none does."""
    values = _values(index, field.name)
    test_of = _TESTS.get(field.name, _holds_words)
    tests = [test_of(value) for value in field.values]
    passes = {value: any(test(value) for test in tests) for value in set(values)}
    mask = np.fromiter((passes[value] for value in values), np.bool_, len(values))
    if field.excluded:
        mask = ~mask
        if not mask.any():
            raise InputError(f"no recording is left by {_written(field)}")
        return mask
    if not mask.any():
        raise _nobody(index, field, values)
    return mask


def _nobody(index: Index, field: FieldFilter, values: Iterable[str]) -> InputError:
    """The error for a filter that no recording passes."""
    every = dict.fromkeys(value for value in values if value)
    if field_name(field.name) in TABLE and TABLE[field_name(field.name)].several:
        every = dict.fromkeys(part for value in every for part in values_of(value))
    there = list(every)[:_COMPARED]
    if not there:
        missing = _MISSING.get(field.name, f"the field {field.name}")
        return InputError(f"no recording of this archive has {missing}, so {_written(field)} leaves none")
    names = " or ".join(map(shorten, field.values))
    hint = "" if field.name == "date" else nearest(field.values[0], there)
    if field.name == "date":
        days = sorted((days, date) for date in there if (days := read_days(date.strip())))
        hint = f"; there are dates from {days[0][1]} to {days[-1][1]}" if days else "; no date can be read"
    message = _NOBODY.get(field.name, f"no recording has {{}} in its {field.name}").format(names)
    return InputError(message + (hint if field.name == "date" else f".{hint}" if hint else ""))


def read_filter(index: Index, text: str) -> RecordingFilter:
    """The filters of a text that has only fields, such as ``speaker:ann date:2021..2023``; closed recordings pass."""
    fields = []
    for item in parse_syntax(text, lambda: free_fields(index)).items:
        if not item.field:
            raise mistake("expected a field, such as speaker:ann or date:2021..2023", text, item.operands[0].at)
        fields.append(FieldFilter(item.field, tuple(operand.text for operand in item.operands), item.excluded))
    return RecordingFilter(tuple(fields), closed=True)


def free_fields(index: Index) -> list[str]:
    """The fields of this archive's recordings that are not in the table of fields."""
    return in_order(field for field, column in index.recording_texts.items() if field not in TABLE and column.any())


Test = Callable[[str], bool]  # of a recording's text


def _holds_words(value: str) -> Test:
    """Whether a text holds the words of a value one after the other; a part of a word with hyphens is a word."""
    sought = _spaced(value)

    def holds(text: str) -> bool:
        return any(f" {sought} " in f" {_spaced(some, parts)} " for some in text.split(";") for parts in (False, True))

    return holds


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
    return lambda text: (date := read_days(text.strip())) is not None and days.holds(date)


_TESTS: dict[str, Callable[[str], Test]] = {
    "title": _contains, "notes": _contains, "date": _is_of, "recording": _is_named,
}  # fmt: skip
