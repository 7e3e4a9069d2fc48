"""Measure names: ``Name(parameter=value, ...)@cutoff`` as in ir_measures, and trec_eval's names as aliases."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import InputError, nearest, shorten
from .table import ALIASES, TABLE
from .trec_eval.names import NICKNAMES, TREC_NAMES, split_trec, trec_members

_TREC_END = re.compile(r"\s*\w+[._][^@()]*[.\d]")  # a name that parameters of trec_eval may continue


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; ``str`` gives the name that :func:`parse` reads back.

    ``params`` holds every parameter of the measure, defaults included, sorted by name.

    >>> parse("P(rel=2)@10")
    Measure('P(rel=2)@10')
    >>> parse("P(rel=1)@10") == parse("P@10")
    True
    """

    name: str
    params: tuple[tuple[str, Any], ...]

    @property
    def cutoff(self) -> int | None:
        """The number after ``@``, or None."""
        return dict(self.params).get("cutoff")

    @property
    def is_error(self) -> bool:
        """Whether smaller is better."""
        return TABLE[self.name].is_error

    @property
    def is_exponential(self) -> bool:
        """Whether it has a gain and the gain is 2^g − 1."""
        row = TABLE[self.name]
        return row.graded and not row.is_linear and dict(self.params).get("dcg") != "log2"

    @property
    def supervision(self) -> str:
        """The judgments it needs: ``grades``, ``preferences``, or judgments in groups."""
        return TABLE[self.name].supervision

    def __str__(self) -> str:
        defaults = TABLE[self.name].parameters
        named = [f"{k}={_spelled(v)}" for k, v in self.params if k != "cutoff" and v != defaults[k].default]
        inside = f"({','.join(named)})" if named else ""
        return f"{self.name}{inside}{'' if self.cutoff is None else f'@{_spelled(self.cutoff)}'}"

    def __repr__(self) -> str:
        return f"Measure({str(self)!r})"


def _spelled(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({','.join(map(_spelled, value))},)"
    return repr(int(value) if isinstance(value, float) and value == int(value) else value)


def parse(text: str | Measure) -> Measure:
    """Read a measure name; trec_eval's spellings (``map``, ``P_10``, ``ndcg_cut.10``) are understood too.

    A name of trec_eval that stands for several measures is an error here; :func:`evaluate` takes it. Exact names go
    first. A name that differs only in case from one name is taken for it; with ``@`` it is a name of this table.

    >>> parse("ndcg_cut_10")
    Measure("nDCG(dcg='log2')@10")
    >>> parse("ndcg@10"), parse("map@10"), parse("mrr")
    (Measure('nDCG@10'), Measure('AP@10'), Measure('RR'))
    >>> parse("success")
    Traceback (most recent call last):
    rankine.errors.InputError: measure 'success' stands for 3: success_1, success_5, success_10. Choose one
    >>> parse("ndgc@10")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown measure 'ndgc@10'. Did you mean 'nDCG@10'? `rankine measures` lists them all
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise InputError(f"expected the name of a measure, got {text!r}")
    measures = expand(text)
    if len(measures) != 1:
        names = ", ".join(measures)
        raise InputError(f"measure {shorten(text)} stands for {len(measures)}: {names}. Choose one")
    return next(iter(measures.values()))


def expand(text: str, **presets: Any) -> dict[str, Measure]:
    """All measures that a name stands for, by their names: one, or the members of a family or nickname of trec_eval.

    ``presets`` holds parameters that every measure gets that has them, unless the name gives them.

    >>> list(expand("P.5,10")), list(expand("set"))[:3], list(expand("ndcg@3"))
    (['P_5', 'P_10'], ['num_q', 'num_ret', 'num_rel'], ['ndcg@3'])
    """
    return dict(_members(text, tuple(sorted(presets.items()))))


def as_asked(text: str) -> dict[str, Measure]:
    """The measures of a name, one by the spelling that it was asked in, several by the names of the members.

    >>> list(as_asked("P.5")), list(as_asked("P.5,10"))
    (['P.5'], ['P_5', 'P_10'])
    """
    measures = expand(text)
    return measures if len(measures) > 1 else dict.fromkeys([text], next(iter(measures.values())))


@lru_cache(maxsize=1024)
def _members(text: str, pairs: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Measure], ...]:
    """The items of :func:`expand`, which is asked again and again for the same names."""
    presets = dict(pairs)
    bare = text.strip()
    if bare in NICKNAMES:
        numbers = [name for name in NICKNAMES[bare] if not TREC_NAMES[name].is_text]
        return tuple(item for number in numbers for item in _members(number, pairs))
    trec = split_trec(bare) or (split_trec(_same_but_case(bare)) if "@" not in bare else None)
    if trec is None:
        return ((text, _own(text, presets)),)
    name, following = trec
    row = TREC_NAMES[name]
    if row.is_text:
        raise InputError(f"{name} is text, no number: `rankine trec_eval -m {name}` prints it")
    if name in TABLE and following is None and "cutoff" not in TABLE[name].parameters:
        return ((text, _own(name, presets)),)
    try:
        settings = trec_members(name, following)
    except InputError:
        if re.fullmatch(rf"(?i){name}_\d{{1,9}}", bare) and "cutoff" in TABLE[row.measure].parameters:
            raise InputError(f"unknown measure {text!r}. Did you mean '{row.measure}@{following}'?") from None
        raise
    if len(settings) == 1 and following is None:
        settings = {text: settings[name]}
    kinds = {spelled: row.gained if "gains" in params else row.measure for spelled, params in settings.items()}
    return tuple((spelled, _make(kinds[spelled], params, text, presets)) for spelled, params in settings.items())


def _same_but_case(text: str) -> str:
    """The name of trec_eval that differs from this one only in case, if it is the only one or means the same."""
    if text in TABLE or text in ALIASES:
        return text
    for name, row in TREC_NAMES.items():
        spelled = name + text[len(name) :]
        if text.lower() == spelled.lower() and split_trec(spelled) and split_trec(spelled)[0] == name:  # type: ignore[index]
            ours = {ALIASES.get(n, n) for n in (*TABLE, *ALIASES) if n.lower() == text.lower()}
            return spelled if not ours or (ours == {row.measure} and not row.params) else text
    return text


def _own(text: str, presets: dict[str, Any]) -> Measure:
    """A name of this table, with its parameters and cutoff."""
    form = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?\s*", text)
    name = _table_name(form[1].replace("-", "_"), text) if form else ""
    if form is None or name not in TABLE:
        raise _unknown(text)
    params = _arguments(form[2] or "", text)
    if form[3] is not None:
        whole = TABLE[name].parameters.get("cutoff") is None or TABLE[name].parameters["cutoff"].value_type is int
        if not re.fullmatch(r"[+-]?\d{1,400}" if whole else r"[+-]?(\d+\.?\d*|\.\d+)", form[3]):
            kind = "a whole number" if whole else "a number"
            raise InputError(f"measure {shorten(text)}: the cutoff after @ must be {kind}, got {shorten(form[3])}")
        if "cutoff" in params:
            raise InputError(f"measure {shorten(text)}: the cutoff is given twice")
        params["cutoff"] = int(form[3]) if whole else float(form[3])
    return _make(name, params, text, presets)


def _table_name(word: str, text: str) -> str:
    """The row of the table for a word: exact names first, then the one name that differs only in case."""
    if word in TABLE or word in ALIASES:
        return ALIASES.get(word, word)
    same = {ALIASES.get(n, n) for n in (*TABLE, *ALIASES) if n.lower() == word.lower()}
    if "@" not in text and word.lower() in {n.lower() for n in TREC_NAMES} and same:
        trec = next(n for n in TREC_NAMES if n.lower() == word.lower())
        raise InputError(f"unknown measure {shorten(text)}: {' or '.join([*sorted(same), trec])}? They differ")
    if not same and word in TREC_NAMES and not TREC_NAMES[word].params:
        same = {TREC_NAMES[word].measure}  # recip_rank@10
    return same.pop() if len(same) == 1 else ""


def _unknown(text: str) -> InputError:
    word, _, rest = text.partition("@")
    word = word.split("(")[0]
    hint = _with_cutoff(text) or nearest(word, [*TABLE, *ALIASES, *TREC_NAMES])
    if rest and hint:
        hint = hint.replace("'?", f"_{rest}'?" if "_" in hint else f"@{rest}'?")
    return InputError(f"unknown measure {shorten(text)}.{hint} `rankine measures` lists them all")


def _with_cutoff(text: str) -> str:
    """The hint for a cutoff without its mark, as in nDCG10 and mrr_10; empty if it is something else."""
    form = re.fullmatch(r"\s*([A-Za-z]+)_?(\d+)\s*", text)
    name = _table_name(form[1], f"{form[1]}@{form[2]}") if form else ""
    return f" Did you mean '{name}@{form[2]}'?" if form and name and "cutoff" in TABLE[name].parameters else ""


def split_names(text: str, blanks: bool = True) -> list[str]:
    """Names that commas or blanks separate; those inside parentheses and parameters of trec_eval belong to a name.

    A number after a comma is a further cutoff of the name before it.

    >>> split_names("nDCG@10,AP P(rel=2, cutoff=5) P.5,10,11pt_avg RR@5,10")
    ['nDCG@10', 'AP', 'P(rel=2, cutoff=5)', 'P.5,10', '11pt_avg', 'RR@5', 'RR@10']
    """
    names, level = [""], 0
    for character in text:
        level += (character == "(") - (character == ")")
        if level == 0 and (character == "," or (blanks and character.isspace())):
            names += [character, ""]
        else:
            names[-1] += character
    out: list[str] = []
    for separator, name in zip([" ", *names[1::2]], names[::2], strict=True):
        if separator == "," and out and _TREC_END.fullmatch(out[-1]) and re.fullmatch(r"(\w+=)?[-+.\d]+", name):
            out[-1] += f",{name}"
        elif separator == "," and out and re.fullmatch(r"[^@]+@\s*\d+\s*", out[-1]) and name.strip().isdecimal():
            out.append(f"{out[-1].partition('@')[0]}@{name.strip()}")
        elif name.strip():
            out.append(name)
    return out


def _arguments(text: str, whole: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError("one pair of parentheses")
        if call.args or any(k.arg is None for k in call.keywords):
            raise ValueError("arguments need names")
        names = [str(k.arg) for k in call.keywords]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"{twice} is given twice")
        return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        deep = isinstance(error, RecursionError | MemoryError)  # what Python's own parser raises
        reason = "too many parts" if deep else error.msg if isinstance(error, SyntaxError) else error
        raise InputError(
            f"measure {shorten(whole)}: expected Name(parameter=value,...)@cutoff ({reason!s:.100})"
        ) from None


def _make(name: str, arguments: dict[str, Any], text: str, presets: dict[str, Any]) -> Measure:
    parameters = TABLE[name].parameters
    for key, value in arguments.items():
        if key not in parameters:
            takes = ", ".join(parameters) or "none"
            raise InputError(f"measure {shorten(text)}: {name} has no parameter {shorten(key)} (it takes: {takes})")
        parameters[key].check(value, f"measure {shorten(text)}: {key}")
    for key, parameter in parameters.items():
        if parameter.required and key not in arguments:
            what, example = "a cutoff, " if key == "cutoff" else "", 0.5 if parameter.value_type is float else 10
            raise InputError(f"measure {shorten(text)}: {name} needs {what}{name}@{example}")
    arguments = {k: v for k, v in presets.items() if k in parameters} | arguments
    values = {key: arguments.get(key, parameter.default) for key, parameter in parameters.items()}
    return Measure(name, tuple(sorted((k, _typed(v, parameters[k].value_type)) for k, v in values.items())))


def _typed(value: Any, kind: type) -> Any:
    if value is None or kind not in (float, tuple):
        return value
    return float(value) if kind is float else tuple(map(float, value))
