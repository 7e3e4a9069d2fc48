"""Limits: how much a file may ask for before it is refused. One place for all readers.

A file of a few bytes can unpack to many gigabytes, hold one line without end, or name a feature with a number of ten
digits. What a reader allocates is therefore bounded by these limits. Two of them can be set: ``RANKINE_MAX_SIZE`` and
``RANKINE_MAX_FEATURES`` (``--max-size`` and ``--max-features`` of the command line) hold in worker processes too.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from ..errors import InputError

SIZE, FEATURES = "RANKINE_MAX_SIZE", "RANKINE_MAX_FEATURES"  # environment variables
STREAM = 64 << 30  # unpacked bytes of a file that is read in blocks
WHOLE = 256 << 20  # unpacked bytes of a file that is read whole, such as a lattice or a model
RATIO, FREE = 200, 64 << 20  # unpacked bytes for each packed one, beyond the first FREE
LINE = 64 << 20  # bytes of a line
MOST_FEATURES = 1 << 20
LARGEST_EXPONENT = 100_000  # of a decimal number; beyond it every float is 0 or infinite
MOST_DIGITS = 10_000  # of a decimal number that is converted exactly

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,15})\s*([KMGT]?)B?", re.IGNORECASE | re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?", re.ASCII)


def size_of(text: str) -> int:
    """A number of bytes.

    >>> size_of("3 MB"), size_of("2G")
    (3145728, 2147483648)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None or not int(match[1]):
        raise InputError(f"expected a size such as 500MB or 64GB, got {text!r:.60}")
    return int(match[1]) * _UNITS[match[2].upper()]


def shown(size: int) -> str:
    """A number of bytes, for people.

    >>> shown(64 << 30), shown(256 << 20), shown(10)
    ('64 GB', '256 MB', '10 bytes')
    """
    for unit in "TGMK":
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:.4g} {unit}B"
    return f"{size} bytes"


def max_size(whole: bool = False) -> int:
    """How many bytes a file may hold when it is unpacked: one that is read whole, or one that is read in blocks."""
    setting = os.environ.get(SIZE)
    return size_of(setting) if setting else WHOLE if whole else STREAM


def max_features() -> int:
    """The largest number that a feature may have."""
    setting = os.environ.get(FEATURES)
    if not setting:
        return MOST_FEATURES
    if not re.fullmatch("[0-9]{1,10}", setting, re.ASCII) or not 0 < int(setting) < 1 << 31:
        raise InputError(f"the most features must be a whole number from 1 to 2147483647, got {setting!r:.60}")
    return int(setting)


class Meter:
    """Counts what is unpacked from a source, and refuses more than the limits allow."""

    def __init__(self, name: str, whole: bool = False) -> None:
        self.name, self.unpacked, self.most = name, 0, max_size(whole)
        self.ratio = None if os.environ.get(SIZE) else RATIO  # who sets a size expects so much

    def add(self, unpacked: int, packed: int | None) -> None:
        """Count bytes; ``packed`` is how many were read of a compressed source so far, None for a plain one."""
        self.unpacked += unpacked
        if self.unpacked > self.most:
            raise InputError(f"more than {shown(self.most)}, the most that is read (--max-size, {SIZE})", self.name)
        if packed is not None and self.ratio is not None and self.unpacked > FREE + self.ratio * packed:
            raise InputError(
                f"{shown(packed)} unpack to {shown(self.unpacked)} or more, over {self.ratio} times as much: "
                f"refused unless the size is allowed (--max-size, {SIZE})", self.name,
            )  # fmt: skip


def check_line(length: int, where: str) -> None:
    """Raise if a line is longer than a line may be."""
    if length > LINE:
        raise InputError(f"a line is longer than {shown(LINE)}, the most that is read", where)


def check_decimal(token: str, where: str | None = None) -> None:
    """Raise if a number has so many digits, or so large an exponent, that exact arithmetic with it takes long.

    >>> check_decimal("1e-9999999")
    Traceback (most recent call last):
    rankine.errors.InputError: the exponent of '1e-9999999' is out of range: at most 100000
    """
    match = _DECIMAL.fullmatch(token)
    if match is None:
        return  # whoever converts it says so
    if len(match[1]) + len(match[2]) > MOST_DIGITS:
        raise InputError(f"the number {token[:20]}… has more than {MOST_DIGITS} digits", where)
    if match[3] and (len(match[3]) > 20 or abs(int(match[3])) > LARGEST_EXPONENT):
        raise InputError(f"the exponent of {token!r:.60} is out of range: at most {LARGEST_EXPONENT}", where)


def memory() -> int:
    """How many bytes of memory this process may have: of the machine, of its group, of its own limits."""
    limits = [1 << 45]
    if hasattr(os, "sysconf"):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):  # "max" where there is no limit
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    with suppress(ImportError, OSError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits += [soft] if soft != resource.RLIM_INFINITY else []
    return min(limits)


def check_dense(rows: int, columns: int, itemsize: int, advice: str = "", where: str | None = None) -> None:
    """Raise if a dense matrix of this size does not fit into memory."""
    need = rows * columns * itemsize
    if need > memory():
        raise InputError(
            f"{rows:,} rows × {columns:,} features need {need / 2**30:,.0f} GiB as a dense matrix, more than this "
            f"machine has{advice}", where,
        )  # fmt: skip
