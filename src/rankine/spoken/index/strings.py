"""Columns of text in flat arrays: bytes of UTF-8, and where each one begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from .storage import Part


def pack(name: str, texts: Iterable[str]) -> Iterator[tuple[str, np.ndarray]]:
    """The two arrays of a column."""
    encoded = [text.encode() for text in texts]
    ptr = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(e) for e in encoded], out=ptr[1:])
    yield f"{name}.ptr", ptr
    yield f"{name}.text", np.frombuffer(b"".join(encoded), np.uint8)


class Strings(Sequence[str]):
    """A column of a part."""

    def __init__(self, part: Part, name: str) -> None:
        self.ptr, self.text = part.get(f"{name}.ptr"), part.get(f"{name}.text")

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def bytes_of(self, i: int) -> bytes:
        """One entry, as it is stored."""
        return self.text[self.ptr[i] : self.ptr[i + 1]].tobytes()

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        return self.bytes_of(i).decode()

    def all(self) -> list[str]:
        """All entries at once."""
        data, cuts = self.text.tobytes(), self.ptr.tolist()
        return [data[a:b].decode() for a, b in pairwise(cuts)]

    def find(self, text: str) -> int:
        """Where a text is in a column sorted by bytes, −1 where it is not."""
        wanted, low, high = text.encode(), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.bytes_of(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.bytes_of(low) == wanted else -1
