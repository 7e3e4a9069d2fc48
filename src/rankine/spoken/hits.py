"""From a document that was found to a hit: where in it, what matched, and what was said around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .archive import Hit, Match

if TYPE_CHECKING:
    from .archive import Archive
    from .query import Query
    from .weak_rankers import View

_AROUND = 6  # words of the snippet on either side
_SURE = 0.1  # evidence that suffices to point by words instead of smaller units


def make_hit(
    archive: Archive, query: Query, number: int, rank: int, score: float, contributions: dict[str, float]
) -> Hit:
    """The hit for a document."""
    v = int(np.searchsorted(archive.offsets, number, side="right")) - 1
    view, doc = archive.views[v], number - int(archive.offsets[v])
    kind, utt, first, last, matches = _best_place(archive, view, query, doc)
    times = [view.part.get(f"{kind}.slot.time")[2 * s : 2 * s + 2] for s in (first, last)]
    offset = float(view.part.get("utt.offset")[utt])
    begin, end = float(times[0][0]), float(times[1][1])
    return Hit(
        rank, view.texts("doc.name")[doc], score, view.texts("utt.name")[utt], begin + offset, end + offset, kind,
        tuple(Match(m.unit, m.posterior, m.start + offset, m.end + offset) for m in matches),
        _snippet(view, utt, begin, end), contributions, view.texts("doc.title")[doc], view.texts("doc.date")[doc],
        view.texts("doc.speaker")[doc], view.texts("utt.audio")[utt],
    )  # fmt: skip


def _best_place(
    archive: Archive, view: View, query: Query, doc: int
) -> tuple[str, int, int, int, list[Match]]:  # fmt: skip
    """(kind, utterance, first and last slot, matches): the longest and likeliest run of query units in a network.

    Words come first; smaller units only where words are too unlikely.
    """
    found = []
    for kind in archive.kinds:
        runs = list(_runs(view, kind, query.units(kind), doc))
        if runs:
            best = max(runs, key=lambda r: (round(r[0] * r[1] ** (1 / r[0]), 9), -r[2], -r[3]))
            found.append((kind, best))
            if best[1] ** (1 / best[0]) >= _SURE:
                break
    kind, (length, _, utt, slot, matches) = max(found, key=lambda f: f[1][1] ** (1 / f[1][0]))
    base = int(view.part.get(f"{kind}.slot.first")[utt])
    return kind, utt, base + slot, base + slot + length - 1, matches


def _runs(view: View, kind: str, units: list[str], doc: int):  # type: ignore[no-untyped-def]
    """(length, product of posteriors, utterance, slot, matches) of every run of query units in a document."""
    first, last = view.bounds(kind, "cn", units)
    begin, end = view.doc_first[doc], view.doc_first[doc + 1]
    utt, pos, coded = (view.part.raw(f"{kind}.cn.{a}") for a in ("utt", "pos", "p"))
    table, at = view.table, []
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        low, high = a + np.searchsorted(utt[a:b], [begin, end])
        at.append({(int(utt[k]), int(pos[k])): float(table[coded[k]]) for k in range(low, high)})
    times, slots = view.part.get(f"{kind}.slot.time"), view.part.get(f"{kind}.slot.first")
    for i, mine in enumerate(at):
        for (u, slot), p in mine.items():
            matches, product, n = [], 1.0, 0
            while i + n < len(at) and (u, slot + n) in at[i + n]:
                p = at[i + n][u, slot + n]
                product *= p
                s = int(slots[u]) + slot + n
                matches.append(Match(units[i + n], p, float(times[2 * s]), float(times[2 * s + 1])))
                n += 1
                yield n, product, u, slot, list(matches)


def _snippet(view: View, utt: int, begin: float, end: float) -> str:
    """Words of the likeliest reading around a place; those in it in brackets."""
    first, last = (int(x) for x in view.part.get("best.first")[utt : utt + 2])
    words = [view.texts("best.word")[i] for i in range(first, last)]
    if not words:
        return ""
    times = view.part.get("best.time", 3 * first, 3 * last).reshape(-1, 3)
    middle = (times[:, 0] + times[:, 1]) / 2
    inside = np.flatnonzero((middle >= begin - 1e-6) & (middle <= end + 1e-6))
    if len(inside) == 0:
        after = int(np.sum(np.nan_to_num(middle) < (begin + end) / 2)) if np.isfinite(begin) else 0
        return _cut([*words[:after], "[…]", *words[after:]], after, after)
    low, high = int(inside[0]), int(inside[-1])
    words[low] = f"[{words[low]}"
    words[high] += "]"
    return _cut(words, low, high)


def _cut(words: list[str], low: int, high: int) -> str:
    begin, end = max(low - _AROUND, 0), min(high + _AROUND + 1, len(words))
    return ("… " if begin else "") + " ".join(words[begin:end]) + (" …" if end < len(words) else "")
