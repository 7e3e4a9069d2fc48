"""Columns of text, as they are read from a part of the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import InputError


class Strings(Sequence[str]):
    """The entries of a text column: bytes of UTF-8, and where each entry begins."""

    def __init__(self, ptr: np.ndarray, text: np.ndarray, wrong: Callable[[], InputError]) -> None:
        self.ptr, self.text, self.wrong = ptr, text, wrong

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def bytes_of(self, i: int) -> bytes:
        """One entry, as it is stored."""
        return self.text[self.ptr[i] : self.ptr[i + 1]].tobytes()

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        try:
            return self.bytes_of(i).decode()
        except UnicodeDecodeError:
            raise self.wrong() from None

    def all(self) -> list[str]:
        """All entries at once."""
        return self.some(np.arange(len(self)))

    def some(self, numbers: np.ndarray) -> list[str]:
        """Entries by their numbers, at once."""
        data, first, last = self.text.tobytes(), self.ptr[numbers].tolist(), self.ptr[numbers + 1].tolist()
        try:
            return [data[a:b].decode() for a, b in zip(first, last, strict=True)]
        except UnicodeDecodeError:
            raise self.wrong() from None

    def find(self, text: str) -> int:
        """The number of an entry in a column sorted by bytes, −1 where there is none."""
        sought, low, high = text.encode("utf-8", "replace"), 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.bytes_of(middle) < sought:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.bytes_of(low) == sought else -1
