"""The fields of what is said about a recording: their names, what they mean, and how a cell is read.

A cell is text. A field that has several values, such as speakers, has them in one cell, with ``;`` between them. Any
further column of a table is a free field: its name is written in small letters, with ``-`` for blanks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...errors import InputError, shorten
from ..dates import date_cell
from .rights import RIGHTS, is_licence, read_rights

LICENCE = "licence"  # the field
LONGEST_VALUE = 100_000  # characters of a cell
_LONGEST_NAME = 60  # characters of the name of a field
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_PREFIX = re.compile(r"(dc|dcterms|dcterm|dct)[:._]\s*", re.IGNORECASE)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})([-_][A-Za-z0-9]+)*")
MEASURED = ("length", "segments", "audio", "offset", "utterance")  # columns that say nothing which can be set
KEYS = ("recording", "document", "name", "file", "filename", "identifier", "utterance")  # columns that name a recording


class MetadataField(NamedTuple):
    """A field: its name, what it says, other names of it, and what makes a cell of text."""

    name: str
    explanation: str
    aliases: tuple[str, ...]
    read: Callable[[str], str]
    several: bool = False


def _line(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _several(text: str) -> str:
    return "; ".join(dict.fromkeys(value for part in text.split(";") if (value := _line(part))))


def _languages(text: str) -> str:
    """Names of languages; codes such as EN-gb begin with small letters."""
    values = [
        (match[1].lower() + value[len(match[1]) :].replace("_", "-"))
        if (match := _LANGUAGE.fullmatch(value))
        else value
        for value in values_of(_several(text))
    ]
    return "; ".join(dict.fromkeys(values))


TABLE: dict[str, MetadataField] = {
    field.name: field
    for field in (
        MetadataField("title", "what the recording is called", ("heading", "titel"), _line),
        MetadataField(
            "date",
            "when it was recorded: 2023, 2023-05, 2023-05-17, 2021..2023; other notations where they are clear",
            ("created", "recorded", "issued", "day", "year", "recording-date", "date-recorded", "date-created"),
            date_cell,
        ),
        MetadataField(
            "speakers", "who speaks, with ; between several people",
            ("speaker", "creator", "contributor", "author", "artist", "performer", "presenter", "interviewee"),
            _several, True,
        ),
        MetadataField(
            "collection", "the series or collection that it belongs to",
            ("ispartof", "is-part-of", "part-of", "series", "album"), _line,
        ),
        MetadataField(
            "tags", "what it is about, with ; between several words",
            ("tag", "subject", "subjects", "keyword", "keywords", "topic", "topics"), _several, True,
        ),
        MetadataField("language", "the language that is spoken, such as en", ("lang", "languages"), _languages, True),
        MetadataField(
            "rights", "who may hear it: open, on request, closed, or closed until 2030-01-01",
            ("accessrights", "access-rights", "access", "embargo", "embargo-date", "embargo-until", "embargo-end"),
            read_rights,
        ),
        MetadataField(
            LICENCE, "what may be done with it, such as CC-BY 4.0; it opens and closes nothing",
            ("license", "licences", "licenses", "rights-statement"), _several, True,
        ),
        MetadataField(
            "notes", "anything else; may have several lines",
            ("note", "description", "abstract", "comment", "comments", "remarks", "summary"), _paragraphs,
        ),
    )
}  # fmt: skip
_ALIASES = {alias: field.name for field in TABLE.values() for alias in (field.name, *field.aliases)}


def field_name(text: str) -> str:
    """The name of a field, by any of its names; a name that is not in the table is that of a free field.

    >>> field_name("dc:title"), field_name("Speaker"), field_name("dcterms:isPartOf"), field_name("Tape number")
    ('title', 'speakers', 'collection', 'tape-number')
    """
    plain = unicodedata.normalize("NFC", _PREFIX.sub("", text.strip(), count=1)).casefold()
    name = re.sub(r"[\W_]+", "-", plain).strip("-")
    if not name or not name[0].isalpha() or len(name) > _LONGEST_NAME:
        raise InputError(f"expected the name of a field: a letter first, at most {_LONGEST_NAME}; got {shorten(text)}")
    return _ALIASES.get(name, name)


def field_of_cell(field: str, text: str) -> str:
    """Return the field that a cell belongs to: a licence that stands in the column of rights is not about access.

    >>> field_of_cell("rights", "CC-BY 4.0"), field_of_cell("rights", "closed")
    ('licence', 'rights')
    """
    return LICENCE if field == RIGHTS and is_licence(text) else field


def settable_name(text: str) -> str:
    """The name of a field that can be set; length and the like are measured."""
    name = field_name(text)
    if name in (*MEASURED, "recording"):
        raise InputError(f"{name!r} is no field that can be set; there are {', '.join(TABLE)}, and names of your own")
    return name


def read_value(field: str, text: str) -> str:
    """A cell of a field as it is kept; an InputError says what was expected.

    >>> read_value("speakers", " Ann Lee ;Bob;; "), read_value("place", "=cmd")
    ('Ann Lee; Bob', '=cmd')
    """
    if match := _CONTROL.search(text):
        raise InputError(f"the cell holds the control character U+{ord(match[0]):04X}", field)
    if len(text) > LONGEST_VALUE:
        raise InputError(f"a cell of {len(text):,} characters; at most {LONGEST_VALUE:,} are kept", field)
    plain = unicodedata.normalize("NFC", text)
    if not plain.strip():
        return ""
    try:
        return TABLE[field].read(plain) if field in TABLE else _line(plain)
    except InputError as error:
        raise InputError(error.message, field) from None


def values_of(cell: str) -> list[str]:
    """The values of a cell of a field that has several.

    >>> values_of("Ann Lee; Bob")
    ['Ann Lee', 'Bob']
    """
    return [value for part in cell.split(";") if (value := part.strip())]


def in_order(names: Iterable[str]) -> list[str]:
    """Names of fields: those of the table first, then free ones by the alphabet."""
    every = set(names)
    return [name for name in TABLE if name in every] + sorted(every - set(TABLE))
