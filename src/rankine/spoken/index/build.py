"""Parts: documents with their entries as flat arrays; made of utterances, or of other parts without some documents.

Utterances are numbered in a part so that those of a document stand together. Postings of a unit are sorted by utterance
and position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...kernel import kernel
from .analyse import FORMS, Entries, Settings, Utterance
from .storage import Part
from .strings import Strings, pack

TEXTS = ("title", "date", "speaker")  # what can be said of a document, beside its name
Arrays = Iterator[tuple[str, np.ndarray]]


@dataclass
class Document:
    """A document to be indexed: its utterances in order with audio files and offsets, and what is said about it."""

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    utterances: list[Utterance] = field(default_factory=list)
    audio: list[str] = field(default_factory=list)
    offsets: list[float] = field(default_factory=list)
    fingerprint: str = ""


def part_of_documents(documents: Sequence[Document], settings: Settings) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a part, and what its footer says."""
    spoken = [u for d in documents for u in d.utterances]
    sizes: dict[str, int] = {}

    def arrays() -> Arrays:
        yield from pack("doc.name", [d.name for d in documents])
        yield from pack("doc.fingerprint", [d.fingerprint for d in documents])
        for text in TEXTS:
            yield from pack(f"doc.{text}", [d.texts.get(text, "") for d in documents])
        yield "doc.first", np.cumsum([0, *(len(d.utterances) for d in documents)]).astype(np.int64)
        yield from pack("utt.name", [u.name for u in spoken])
        yield from pack("utt.audio", [a for d in documents for a in d.audio])
        yield "utt.offset", np.array([o for d in documents for o in d.offsets], np.float64)
        yield "utt.length", np.array([u.length for u in spoken], np.float32)
        yield "best.first", np.cumsum([0, *(len(u.best) for u in spoken)]).astype(np.int64)
        yield "best.time", np.array([w[1:4] for u in spoken for w in u.best], np.float32).reshape(-1, 3).ravel()
        yield from pack("best.word", [w[0] for u in spoken for w in u.best])
        for kind in settings.kinds:
            names, lookups = _dictionary([u.entries[kind, form] for u in spoken for form in FORMS])
            yield from pack(f"{kind}.unit", names)
            for f, form in enumerate(FORMS):
                found = [u.entries[kind, form] for u in spoken]
                unit = _joined([lookups[2 * i + f][e.unit] for i, e in enumerate(found)], np.int64)
                utt = np.repeat(np.arange(len(found)), [len(e.unit) for e in found]).astype(np.uint32)
                position = _joined([e.position for e in found], np.int64)
                coded = settings.coded(_joined([e.posterior for e in found], np.float64))
                sizes[f"{kind}.{form}.positions"] = int(position.max(initial=-1)) + 1
                yield from _postings(f"{kind}.{form}", len(names), unit, utt, position, coded)
                if form == "cn":
                    yield f"{kind}.slot.first", np.cumsum([0, *(len(e.slots) for e in found)]).astype(np.int64)
                    yield f"{kind}.slot.time", _joined([e.slots.ravel() for e in found], np.float32)

    return arrays(), _meta(len(documents), len(spoken), sizes)


def _meta(documents: int, utterances: int, sizes: dict[str, int]) -> dict[str, Any]:
    """What a footer says; ``sizes`` is filled while the arrays are written."""
    return {"documents": documents, "utterances": utterances, "positions": sizes}


def _joined(arrays: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype)


def _dictionary(entries: Sequence[Entries]) -> tuple[list[str], list[np.ndarray]]:
    """All units that have an entry, sorted by bytes, and for each utterance the numbers of its units (−1: no entry)."""
    names = sorted({e.names[u] for e in entries for u in np.unique(e.unit).tolist()}, key=str.encode)
    number = {u: i for i, u in enumerate(names)}
    return names, [np.array([number.get(u, -1) for u in e.names], np.int64) for e in entries]


def _postings(
    name: str, n_units: int, unit: np.ndarray, utt: np.ndarray, position: np.ndarray, coded: np.ndarray
) -> Arrays:  # fmt: skip
    """Sorted by unit; within one, the order in which they are given: rising utterances and positions."""
    ptr, order = np.zeros(n_units + 1, np.int64), np.empty(len(unit), np.int64)
    _by_unit(unit, ptr, order)
    yield f"{name}.ptr", ptr
    yield f"{name}.utt", utt[order]
    yield f"{name}.pos", position[order].astype(np.uint16 if position.max(initial=0) < 65536 else np.uint32)
    yield f"{name}.p", coded[order]


@kernel
def _by_unit(unit, ptr, order):  # type: ignore[no-untyped-def]
    """Stable counting sort; ``ptr`` becomes where each unit begins."""
    for u in unit:
        ptr[u + 1] += 1
    for u in range(len(ptr) - 1):
        ptr[u + 1] += ptr[u]
    at = ptr.copy()
    for i in range(len(unit)):
        order[at[unit[i]]] = i
        at[unit[i]] += 1


def part_of_parts(
    parts: Sequence[Part], keep: Sequence[np.ndarray], settings: Settings
) -> tuple[Arrays, dict[str, Any]]:
    """One part of the documents of several for which the masks are true, without decoding anything."""
    sizes: dict[str, int] = {}
    firsts = [p.get("doc.first") for p in parts]
    spoken = [np.repeat(k, np.diff(f)) for k, f in zip(keep, firsts, strict=True)]
    before = np.cumsum([0, *(int(s.sum()) for s in spoken)])

    def texts(name: str, masks: Sequence[np.ndarray]) -> Arrays:
        ptrs, data = [np.zeros(1, np.int64)], []
        for part, mask in zip(parts, masks, strict=True):
            ptr = part.get(f"{name}.ptr")
            chosen = np.repeat(mask, np.diff(ptr))
            data.append(part.get(f"{name}.text")[chosen])
            ptrs.append(np.diff(ptr)[mask])
        yield f"{name}.ptr", np.cumsum(np.concatenate(ptrs))
        yield f"{name}.text", _joined(data, np.uint8)

    def rows(name: str, masks: Sequence[np.ndarray], width: int = 1) -> Arrays:
        yield (
            name,
            np.concatenate([p.get(name).reshape(-1, width)[m].ravel() for p, m in zip(parts, masks, strict=True)]),
        )

    def counts(name: str, masks: Sequence[np.ndarray]) -> Arrays:
        lengths = [np.diff(p.get(name))[m] for p, m in zip(parts, masks, strict=True)]
        yield name, np.cumsum(np.concatenate([[0], *lengths])).astype(np.int64)

    def below(name: str, masks: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [np.repeat(m, np.diff(p.get(name))) for p, m in zip(parts, masks, strict=True)]

    def arrays() -> Arrays:
        for text in ("name", "fingerprint", *TEXTS):
            yield from texts(f"doc.{text}", keep)
        yield from counts("doc.first", keep)
        yield from texts("utt.name", spoken)
        yield from texts("utt.audio", spoken)
        yield from rows("utt.offset", spoken)
        yield from rows("utt.length", spoken)
        words = below("best.first", spoken)
        yield from counts("best.first", spoken)
        yield from rows("best.time", words, 3)
        yield from texts("best.word", words)
        for kind in settings.kinds:
            used = [_used(p, kind, s) for p, s in zip(parts, spoken, strict=True)]
            dictionaries = [Strings(p, f"{kind}.unit").all() for p in parts]
            names = sorted(
                {n for d, u in zip(dictionaries, used, strict=True) for n, m in zip(d, u.tolist(), strict=True) if m},
                key=str.encode,
            )
            number = {n: i for i, n in enumerate(names)}
            maps = [np.array([number.get(n, -1) for n in d], np.int64) for d in dictionaries]
            yield from pack(f"{kind}.unit", names)
            for form in FORMS:
                unit, utt, position, coded = [], [], [], []
                for i, part in enumerate(parts):
                    name = f"{kind}.{form}"
                    old = part.get(f"{name}.utt")
                    chosen = spoken[i][old]
                    new = np.cumsum(spoken[i]) - 1 + before[i]
                    unit.append(np.repeat(maps[i], np.diff(part.get(f"{name}.ptr")))[chosen])
                    utt.append(new[old[chosen]].astype(np.uint32))
                    position.append(part.get(f"{name}.pos")[chosen].astype(np.int64))
                    coded.append(part.get(f"{name}.p")[chosen])
                all_positions = np.concatenate(position)
                sizes[f"{kind}.{form}.positions"] = int(all_positions.max(initial=-1)) + 1
                yield from _postings(
                    f"{kind}.{form}", len(names), np.concatenate(unit), np.concatenate(utt), all_positions,
                    np.concatenate(coded),
                )  # fmt: skip
            yield from counts(f"{kind}.slot.first", spoken)
            yield from rows(f"{kind}.slot.time", below(f"{kind}.slot.first", spoken), 2)

    return arrays(), _meta(int(sum(k.sum() for k in keep)), int(before[-1]), sizes)


def _used(part: Part, kind: str, spoken: np.ndarray) -> np.ndarray:
    """Which units occur in the utterances that stay."""
    used = np.zeros(len(part.get(f"{kind}.unit.ptr")) - 1, np.bool_)
    for form in FORMS:
        unit = np.repeat(np.arange(len(used)), np.diff(part.get(f"{kind}.{form}.ptr")))
        used[unit[spoken[part.get(f"{kind}.{form}.utt")]]] = True
    return used
