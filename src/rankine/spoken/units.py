"""Units below the word: characters, syllables, phones, or what a user's own mapping says.

A word arc becomes a chain of arcs, one per unit, its time divided among them and its score on the first; several
pronunciations are several chains that share its probability.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .lattice import Lattice, numbered

Split = Callable[[str], Sequence[Sequence[str]]]
_VARIANT = re.compile(r"^(.+)\(\d+\)$")


def characters(word: str) -> list[list[str]]:
    """The characters of a word, as its one pronunciation.

    >>> characters("设定")
    [['设', '定']]
    """
    return [list(word)]


def pinyin(tones: bool = True) -> Split:
    """Mandarin syllables by pypinyin, with or without tone; characters it does not know stay as they are."""
    try:
        from pypinyin import Style, lazy_pinyin
    except ImportError:
        raise InputError("Mandarin syllables need pypinyin: pip install 'rankine[spoken]'") from None
    style = Style.TONE3 if tones else Style.NORMAL
    return lambda word: [lazy_pinyin(word, style=style, neutral_tone_with_five=tones)]


def lexicon(path: Any, strip_stress: bool = True) -> Split:
    """Phones from a pronunciation dictionary (``word PH PH …``, further ones as ``word(2)``), words in any case.

    A word it does not hold is an error that names it.
    """
    entries: dict[str, list[list[str]]] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith((";;;", "#")):
            continue
        word, *phones = line.split()
        if not phones:
            raise InputError(f"the word {word!r} has no phones", f"{path}, line {number}")
        if match := _VARIANT.match(word):
            word = match[1]
        phones = [p.rstrip("012") for p in phones] if strip_stress else phones
        entries.setdefault(word.lower(), []).append(phones)
    return from_mapping(entries, f"the dictionary {path}")


def from_mapping(entries: Mapping[str, Sequence[Sequence[str]]], called: str = "the mapping") -> Split:
    """Units from a mapping of words (in lower case) to their pronunciations."""

    def split(word: str) -> Sequence[Sequence[str]]:
        found = entries.get(word.lower())
        if not found:
            raise InputError(f"{word!r} is not in {called}")
        return found

    return split


def to_units(lattice: Lattice, split: Split) -> Lattice:
    """The same lattice over smaller units.

    >>> lattice = Lattice.from_arcs([(0, 1, "ab", 0.0, 0.0, 1.0), (0, 1, "c", 0.0, 0.0, 1.0)], start=0, end=1)
    >>> to_units(lattice, characters).units
    ('a', 'b', 'c')
    """
    chains = {w: [list(p) for p in split(w) if len(p)] for w in lattice.units}
    for word, found in chains.items():
        if not found:
            raise InputError(f"{word!r} has no units", lattice.name or None)
    source, target, words, acoustic, language, posterior, times = [], [], [], [], [], [], []
    next_node = lattice.n_nodes

    def add(u: int, v: int, w: str | None, a: float, lm: float, p: float, begin: float, end: float) -> None:
        source.append(u)
        target.append(v)
        words.append(w)
        acoustic.append(a)
        language.append(lm)
        posterior.append(p)
        times.append((begin, end))

    for i in range(len(lattice)):
        u, v, unit = int(lattice.source[i]), int(lattice.target[i]), int(lattice.unit[i])
        a, lm, p = float(lattice.acoustic[i]), float(lattice.language[i]), float(lattice.posterior[i])
        begin, end = float(lattice.start[i]), float(lattice.end[i])
        if unit < 0:
            add(u, v, None, a, lm, p, begin, end)
            continue
        ways = chains[lattice.units[unit]]
        for way in ways:
            cuts = np.linspace(begin, end, len(way) + 1)
            at = u
            for k, piece in enumerate(way):
                to = v if k == len(way) - 1 else next_node
                next_node += k < len(way) - 1
                share = -np.log(len(ways)) if k == 0 else 0.0
                score = (a, lm + share) if k == 0 else (0.0, 0.0)
                add(at, to, piece, *score, p / len(ways), float(cuts[k]), float(cuts[k + 1]))
                at = to
    unit_numbers, units = numbered(words)
    return Lattice.build(
        source=np.array(source),
        target=np.array(target),
        unit=unit_numbers,
        units=units,
        acoustic=np.array(acoustic),
        language=np.array(language),
        posterior=np.array(posterior),
        times=np.array(times),
        start=0,
        end=lattice.n_nodes - 1,
        name=lattice.name,
    )
