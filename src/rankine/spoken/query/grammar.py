"""The grammar of queries: what is a word, a phrase, an exclusion, an alternative, a field.

``EXAMPLES`` is the grammar as people learn it. All that is not in it is words. OR joins what stands directly before and
behind it and binds more tightly than ``near``, so there is nothing for brackets to do: they are passed over.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from typing import NamedTuple

from ...errors import InputError, nearest, shown
from ..dates import read_dates
from ..text import HAN

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("printing press", "these words, in any order; places with more of them come first; `AND` is not needed"),
    ('"printing press"', "a phrase: these words one after the other"),
    ("printing -press", 'not at places where *press* was heard; also `-"a phrase"`'),
    ("prin*", "words that begin so; at least two letters"),
    ("press near/5 paper", "at most 5 words between them, in either order; phrases too; `NEAR` alone is `near/10`"),
    ("press OR newspaper", "one of them; also `press | newspaper`; phrases too"),
    ('speaker:ann  speaker:"ann lee"', "only recordings of this speaker: the whole name or a part of it in words"),
    ("title:lecture", "only recordings whose title holds this text"),
    ("tag:history", "only recordings with this tag"),
    ("date:2021..2023  date:2021-05  date:..2022", "only recordings of these days: years, months or days"),
    ("recording:LJ001-0042", "only this recording"),
    (
        "collection:radio  language:en  rights:open  licence:cc0  notes:damaged",
        "only recordings of which this is said",
    ),
    ("place:york", "the same with a field of your own, by its name (`rankine spoken about` lists them)"),
    ("-speaker:ann", "all recordings but these"),
)
FIELDS = ("title", "speaker", "tag", "date", "recording", "collection", "language", "rights", "licence", "notes")
_ALIASES = {"speakers": "speaker", "tags": "tag"}
NEAR, FARTHEST = 10, 1000  # words apart, where nothing is said and at the most
LONGEST = 4000  # characters of a query
QUOTES = '"“”„‟«»＂'
_BRACKETS = "()[]{},;!?¿¡。，；！？（）"
_CHUNK = re.compile(rf"[^\s|{QUOTES}]+")
_FIELD = re.compile(rf"([^\W\d_{HAN}][\w-]*):(.*)", re.DOTALL)
_LETTERS = re.compile(rf"[^\W\d_{HAN}]+")
FreeFields = Callable[[], Collection[str]]  # names of an archive's own fields, asked for where others do not fit
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_COLUMNS = 64  # of the query above a caret


class Operand(NamedTuple):
    """A word, a phrase, a prefix or a field; ``at`` is its place in the query."""

    kind: str
    text: str
    at: int
    field: str = ""


class Item(NamedTuple):
    """An operand, or several with OR between them."""

    operands: tuple[Operand, ...]
    excluded: bool

    @property
    def field(self) -> str:
        """The name of the field, empty where the item is none."""
        return self.operands[0].field


class NearItems(NamedTuple):
    """Two items, by number, that stand close to each other."""

    left: int
    right: int
    distance: int


class Syntax(NamedTuple):
    """A query by the grammar; ``with_and`` where AND stands in it, which means nothing."""

    items: tuple[Item, ...]
    nears: tuple[NearItems, ...]
    with_and: bool = False


class _Mark(NamedTuple):
    """A part of the query: ``sort`` is operand, OR, AND or near."""

    sort: str
    at: int
    operand: Operand | None = None
    excluded: bool = False
    distance: int = 0


def mistake(message: str, text: str, at: int) -> InputError:
    """The error for a mistake in a query: the query on a line, and a caret under the place on the next.

    >>> print(mistake("nothing stands before OR", "OR press", 0))
    nothing stands before OR
      OR press
      ^
    """
    cells = [" " if c.isspace() else shown(c) for c in text]
    begin, end = _window([_columns(cell) for cell in cells], at)
    line = ("…" if begin else "") + "".join(cells[begin:end]) + ("…" if end < len(cells) else "")
    gap = (1 if begin else 0) + sum(_columns(cell) for cell in cells[begin:at])
    return InputError(message, below=f"  {line}\n  {' ' * gap}^")


def _columns(cell: str) -> int:
    """The columns of a terminal that a character takes."""
    if len(cell) > 1:  # an escape
        return len(cell)
    if unicodedata.category(cell) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(cell) in "WF" else 1


def _window(widths: list[int], at: int) -> tuple[int, int]:
    """The first and last character around a place that fit into a line."""
    begin, room = at, _COLUMNS // 2
    while begin > 0 and room >= widths[begin - 1]:
        begin -= 1
        room -= widths[begin]
    end, room = at, _COLUMNS - (_COLUMNS // 2 - room)
    while end < len(widths) and room >= widths[end]:
        room -= widths[end]
        end += 1
    return begin, end


def parse_syntax(text: str, free: FreeFields = tuple) -> Syntax:
    """Read a query by the grammar; a mistake is an InputError with a caret under its place.

    ``free`` gives the names of an archive's own fields.

    >>> [(item.operands[0].text, item.excluded) for item in parse_syntax('"a b" -c').items]
    [('a b', False), ('c', True)]
    """
    if len(text) > LONGEST:
        n = len(text.split())
        raise InputError(
            f"a query of {n:,} words and {len(text):,} characters; at most {LONGEST:,} characters are read"
        )
    if match := _CONTROL.search(text):
        raise mistake(f"the query holds the control character U+{ord(match[0]):04X}", text, match.start())
    if match := re.search("[\ud800-\udfff]", text):
        raise mistake("a character of the query is not valid text", text, match.start())
    return _combined(text, _marks(text, free))


def _marks(text: str, free: FreeFields) -> list[_Mark]:
    """The operands and operators of a query, in order."""
    marks, at = list[_Mark](), 0
    while at < len(text):
        if text[at] in QUOTES:
            operand, at = _phrase(text, at)
            marks.append(_Mark("operand", operand.at, operand))
        elif text[at] == "|":
            marks.append(_Mark("OR", at))
            at += 1
        elif match := _CHUNK.match(text, at):
            mark, at = _chunk(text, match, free)
            marks += [] if mark is None else [mark]
        else:
            at += 1
    return marks


def _phrase(text: str, at: int, kind: str = "phrase") -> tuple[Operand, int]:
    """The text in quotation marks that begins at a place, and where it ends."""
    end = next((i for i in range(at + 1, len(text)) if text[i] in QUOTES), -1)
    if end < 0:
        raise mistake("this quotation mark is not closed", text, at)
    inside = text[at + 1 : end]
    if not has_words(inside):
        raise mistake("no word stands between the quotation marks", text, at)
    return Operand(kind, inside, at), end + 1


def has_words(text: str) -> bool:
    """Whether text holds a letter or a digit."""
    return any(c.isalnum() for c in text)


def _chunk(text: str, match: re.Match[str], free: FreeFields) -> tuple[_Mark | None, int]:
    """What a text without blanks means, and where it ends; None: nothing."""
    chunk, at, end = match[0], match.start(), match.end()
    core = chunk.strip(_BRACKETS)
    at += chunk.find(core) if core else 0
    quoted = end < len(text) and text[end] in QUOTES and at + len(core) == end  # a quotation mark follows at once
    excluded = core.startswith("-") and (len(core) > 1 or quoted)
    if excluded:
        core, at = core[1:], at + 1
        if core.startswith("("):
            raise mistake("expected a word, a phrase or a field behind -, got a bracket", text, at)
        if not core:
            operand, end = _phrase(text, end)
            return _Mark("operand", operand.at, operand, True), end
    elif core in ("OR", "AND", "NEAR") or core.lower().startswith("near/"):
        return _operator(text, core, at), end
    if (field := _FIELD.fullmatch(core)) and (value := _field(text, field, at, end, quoted, free)):
        return _Mark("operand", at, value[0], excluded), value[1]
    if "*" in core:
        return _Mark("operand", at, _prefix(text, core, at), excluded), end
    return (_Mark("operand", at, Operand("word", core, at), excluded) if has_words(core) else None), end


def _operator(text: str, core: str, at: int) -> _Mark:
    if core in ("OR", "AND"):
        return _Mark(core, at)
    number = core[5:] if "/" in core else str(NEAR)
    if not (number.isascii() and number.isdigit() and len(number) <= 6 and 1 <= int(number) <= FARTHEST):
        raise mistake(f"expected near/ and a number of words from 1 to {FARTHEST}, got {core!r}", text, at)
    return _Mark("near", at, distance=int(number))


def _field(
    text: str, field: re.Match[str], at: int, end: int, quoted: bool, free: FreeFields
) -> tuple[Operand, int] | None:
    """A field and where it ends; None where what stands before the colon is a word."""
    typed, value = field[1].lower(), field[2]
    name = _ALIASES.get(typed, typed)
    if name not in FIELDS:
        has_value = has_words(value[:1]) or (quoted and not value)
        own = free() if has_value else ()
        if name not in own:
            if has_value and _LETTERS.fullmatch(name):
                every = [*FIELDS, *own]
                raise mistake(f"unknown field {name!r}.{nearest(name, every)} There are: {', '.join(every)}", text, at)
            return None
    place = at + len(typed) + 1
    if not value and quoted:
        operand, end = _phrase(text, end)
        value, place = operand.text, operand.at + 1
    if not has_words(value):
        raise mistake(f"expected a value directly behind {name}:, such as {_example(name)}", text, at + len(typed))
    if name == "date":
        try:
            read_dates(value)
        except InputError as error:
            raise mistake(str(error), text, place) from None
    return Operand("field", value, at, name), end


def _example(name: str) -> str:
    return next(e for example, _ in EXAMPLES for e in example.split() if e.startswith(f"{name}:"))


def _prefix(text: str, core: str, at: int) -> Operand:
    """A word with * at its end."""
    stem, star = core[:-1], at + core.index("*")
    if not core.endswith("*") or "*" in stem:
        raise mistake("* stands at the end of a word, such as prin*", text, star)
    letters = [c for c in stem if c.isalnum()]
    if not letters:
        raise mistake("expected a word before *, such as prin*", text, star)
    if len(letters) < 2 and not re.search(f"[{HAN}]", stem):
        raise mistake(f"expected at least two letters before *, got {stem!r}", text, star)
    return Operand("prefix", stem, at)


def _combined(text: str, marks: list[_Mark]) -> Syntax:
    """Items and their neighbours, from operands and operators."""
    items, nears = list[Item](), list[NearItems]()
    before: _Mark | None = None
    for mark in (some for some in marks if some.sort != "AND"):
        operator = before if before is not None and before.operand is None else None
        if mark.operand is None:
            if before is None or operator is not None:
                raise mistake(f"nothing stands before {_called(mark)}", text, mark.at)
        elif operator is None:
            items.append(Item((mark.operand,), mark.excluded))
        elif operator.sort == "OR":
            last = items[-1]
            if last.excluded or mark.excluded or last.field != mark.operand.field:
                raise mistake("OR stands between words and phrases, or between values of one field", text, operator.at)
            items[-1] = Item((*last.operands, mark.operand), False)
        else:
            last = items[-1]
            if last.excluded or mark.excluded or last.field or mark.operand.field:
                raise mistake("near stands between words or phrases", text, operator.at)
            items.append(Item((mark.operand,), False))
            nears.append(NearItems(len(items) - 2, len(items) - 1, operator.distance))
        before = mark
    if before is not None and before.operand is None:
        raise mistake(f"nothing stands behind {_called(before)}", text, before.at)
    return Syntax(tuple(items), tuple(nears), any(mark.sort == "AND" for mark in marks))


def _called(mark: _Mark) -> str:
    return "OR" if mark.sort == "OR" else f"near/{mark.distance}"
