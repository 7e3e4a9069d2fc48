"""Slow, obvious versions of what queries use: folded words, edit distances, cuts of pinyin, places in networks."""

import unicodedata
from functools import cache
from itertools import pairwise


def same(words, word, fold):
    """The words of a list with the folded form of a word; without apostrophes where it has one or there is none."""
    exact = {w for w in words if fold(w) == fold(word) != "" or w in (word, word.lower())}
    bare = {w for w in words if fold(w).replace("'", "") == fold(word).replace("'", "") != ""}
    return exact | bare if "'" in fold(word) or not exact else exact


def beginning(words, prefix, fold):
    return {w for w in words if fold(w).startswith(fold(prefix))} if fold(prefix) else set()


def distance(a, b):
    """Optimal string alignment by its definition: the cheapest way to end in each of the four changes."""

    @cache
    def cost(i, j):
        if i == 0 or j == 0:
            return i + j
        ways = [cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + (a[i - 1] != b[j - 1])]
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            ways.append(cost(i - 2, j - 2) + 1)
        return min(ways)

    return cost(len(a), len(b))


def pinyin_cuts(letters, syllables):
    """All cuts of letters into the fewest syllables, from all cuts that there are."""
    n = len(letters)
    cuts = []
    for choice in range(1 << max(n - 1, 0)):
        borders = [0, *(i + 1 for i in range(n - 1) if choice >> i & 1), n]
        parts = tuple(letters[a:b] for a, b in pairwise(borders))
        if all(part in syllables for part in parts):
            cuts.append(parts)
    least = min(map(len, cuts), default=0)
    return {cut for cut in cuts if len(cut) == least}


def columns(text):
    """The columns that text takes on a terminal."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def places(segment, units):
    """(first slot, last slot, product of posteriors) of units one after the other; a segment is (slot, unit) → p."""
    out = []
    for slot in {s for s, _ in segment}:
        product = 1.0
        for i, unit in enumerate(units):
            product *= segment.get((slot + i, unit), 0.0)
        if product > 0:
            out.append((slot, slot + len(units) - 1, product))
    return out
