"""Node and link lines of SLF straight from bytes."""

# mypy: allow-untyped-defs

import numpy as np

from .....io.number_kernels import (
    DECIMAL,
    address_of,
    byte,
    scan_decimal,
    scan_few,
    scan_unsigned,
    short_to_double,
    to_double,
)
from .....kernel import kernel

MOST = 10**8  # ids are below
_LONG = (b"time", b"WORD", b"START", b"END", b"acoustic", b"language")  # full names of keys
_LENGTHS = np.array([len(name) for name in _LONG], np.int64)
_NAMES = np.array([list(name.ljust(8)) for name in _LONG], np.uint8)


@kernel
def _blank(c):
    return c == 32 or c == 9 or c == 13


@kernel
def _letter(c):
    return c == 95 or (c >= 48 and c <= 57) or (c >= 65 and c <= 90) or (c >= 97 and c <= 122)


@kernel
def _key(p):
    """The first letter of the key at p, 0 where there is none, and the position of its value.

    HTK allows a key's first letter or its full name; other long keys get the letter 1, and their values are not used.
    """
    first, n = byte(p), 0
    while _letter(byte(p + n)):
        n += 1
    if n == 0 or byte(p + n) != 61:
        return np.int64(0), p
    if n == 1:
        return np.int64(first), p + 2
    for i in range(len(_NAMES)):
        if n == _LENGTHS[i]:
            k = 0
            while k < n and byte(p + k) == _NAMES[i, k]:
                k += 1
            if k == n:
                return np.int64(first), p + n + 1
    return np.int64(1), p + n + 1


@kernel
def _value_end(p, stop):
    """(where the value at p begins, where it ends, where to go on); quotes may hold blanks."""
    if byte(p) == 34:
        q = p + 1
        while q < stop and byte(q) != 34 and byte(q) != 10:
            q += 1
        return p + 1, q, q + 1
    q = p
    while q < stop and byte(q) != 10 and not _blank(byte(q)):
        q += 1
    return p, q, q


@kernel
def _word_number(begin, end, base, table, slices, n_words):
    """The number of the word in these bytes, from a hash table with open addressing (FNV-1a).

    A line adds one word at the most, so there are no more words than rows, and the table, which is larger than that,
    always has an empty place.
    """
    h = np.uint64(14695981039346656037)
    for p in range(begin, end):
        h = (h ^ np.uint64(byte(p))) * np.uint64(1099511628211)
    mask = len(table) - 1
    at = np.int64((h ^ (h >> np.uint64(29))) & np.uint64(mask))
    while table[at] >= 0:
        first, last = base + slices[table[at], 0], base + slices[table[at], 1]
        if last - first == end - begin:
            i = 0
            while i < end - begin and byte(first + i) == byte(begin + i):
                i += 1
            if i == end - begin:
                return table[at], n_words
        at = (at + 1) & mask
    table[at] = n_words
    slices[n_words, 0], slices[n_words, 1] = begin - base, end - base
    return n_words, n_words + 1


@kernel
def read_fields(text, begin, end, keys, ids, out, words, starts, row, table, slices, n_words):
    """Fill columns of whole numbers (the first keys) and numbers (the others), and words, from lines ``key=value …``.

    ``text`` must go on for a few bytes behind ``end``. Returned are the numbers of rows and of different words, and
    where it stopped: ``end``, or the beginning of a line that it cannot read or has no row for. Empty lines and lines
    that begin with # are skipped. Of a field that a line repeats the last one counts, as in HTK. Each of ``words``,
    ``starts``, ``slices`` and the columns must have as many rows, and ``table`` more places.
    """
    base = address_of(text)
    p, stop = base + begin, base + end
    usual = np.full(16, len(keys), np.int64)  # lines are mostly alike: the key that the last one had in this place
    while p < stop:
        line = p
        while p < stop and _blank(byte(p)):
            p += 1
        if p < stop and byte(p) == 35:
            while p < stop and byte(p) != 10:
                p += 1
        if p >= stop or byte(p) == 10:
            p += 1
            continue
        if row >= len(words):
            return row, n_words, line - base
        starts[row] = line - base
        for k in range(len(ids)):
            ids[k, row] = -1
        for k in range(len(out)):
            out[k, row] = np.nan
        words[row] = -1
        field = 0
        first = last = np.int64(-1)  # the word
        while p < stop and byte(p) != 10:
            k = usual[min(field, 15)]
            letter = np.int64(1)
            if k < len(keys) and byte(p) == keys[k] and byte(p + 1) == 61:
                p += 2
            else:
                letter, p = _key(p)
                if letter == 0:
                    return row, n_words, line - base
                k = 0
                while k < len(keys) and keys[k] != letter:
                    k += 1
                usual[min(field, 15)] = k
            field += 1
            if k < len(ids):
                ids[k, row], q = scan_unsigned(p)
                if q == p or ids[k, row] > MOST:
                    return row, n_words, line - base
                p = q
            elif k < len(keys):
                is_short, negative, w, digits, q = scan_few(p)
                if is_short and (_blank(byte(q)) or byte(q) == 10):
                    out[k - len(ids), row] = short_to_double(negative, w, digits)
                    p = q
                else:
                    status, negative, w, q, p = scan_decimal(p)
                    if status != DECIMAL:
                        return row, n_words, line - base
                    out[k - len(ids), row] = to_double(negative, w, q)
            else:
                value, value_end, p = _value_end(p, stop)
                if letter == 87:
                    first, last = value, value_end
            if p < stop and byte(p) != 10 and not _blank(byte(p)):
                return row, n_words, line - base
            while p < stop and _blank(byte(p)):
                p += 1
        if first >= 0:
            words[row], n_words = _word_number(first, last, base, table, slices, n_words)
        p += 1
        row += 1
    return row, n_words, end
