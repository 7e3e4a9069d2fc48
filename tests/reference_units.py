"""Slow, obvious versions of what makes units of words: a pronunciation dictionary is read whole, line by line."""

import re

BLANKS = " \t\r\f\v"


def lexicon(text, strip_stress=True):
    """Words and their pronunciations; a ValueError begins with the number of the line."""
    entries = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip(BLANKS)
        if not line or line.startswith((";;;", "#")):
            continue
        word, *units = [c for c in re.split(f"[{BLANKS}]", line.split(" #")[0]) if c]
        if not units:
            raise ValueError(f"line {number}: the word {word!r} has no units")
        if strip_stress:
            units = [unit.rstrip("012") for unit in units]
        ways = entries.setdefault(re.sub(r"(?<=.)\(\d+\)$", "", word).lower(), [])
        if units not in ways:
            ways.append(units)
    if not entries:
        raise ValueError("no words")
    return entries
