"""Kernels for TREC text: cut lines into fields, and give equal byte strings equal numbers."""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel
from ..number_kernels import DECIMAL, TOO_MANY_DIGITS, address_of, byte, scan_decimal, to_double
from ..number_kernels import NOT_FINITE as INFINITE

OK, OTHER_FIELDS, BAD_NUMBER, NOT_FINITE = range(4)
ROWS, LINE, POSITION, FIELDS, HARD = range(5)


@kernel
def cut_lines(buf, end, fields, most, document, value, spans, values, lines, hard, state):
    """Cut ``buf[:end]`` into rows of ``fields`` to ``most`` fields; spans of query and document, and one number.

    ``spans[row]`` is (query start, length, document start, length); field 0 is the query, field ``document`` the
    document and field ``value`` the number. Numbers of more than 19 digits are left to the caller in ``hard``.
    """
    base = address_of(buf)
    p, stop = base, base + end
    row = line = n_hard = 0
    status = OK
    while p < stop and status == OK:
        line += 1
        field = 0
        while True:
            while byte(p) <= 32 and byte(p) != 10:
                p += 1
            if byte(p) == 10:
                break
            start = p
            while byte(p) > 32:
                p += 1
            if field == 0:
                spans[row, 0], spans[row, 1] = start - base, p - start
            elif field == document:
                spans[row, 2], spans[row, 3] = start - base, p - start
            elif field == value:
                scanned, negative, w, q, after = scan_decimal(start)
                values[row] = to_double(negative, w, q)
                if scanned == TOO_MANY_DIGITS and after == p:
                    hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = row, start - base, p - base
                    n_hard += 1
                elif scanned != DECIMAL or after != p or np.isinf(values[row]):
                    status = NOT_FINITE if scanned == INFINITE or after == p else BAD_NUMBER
                    state[POSITION] = start - base
            field += 1
        p += 1
        if field and (field < fields or field > most):
            status = OTHER_FIELDS
            state[FIELDS] = field
        if field and status == OK:
            lines[row] = line
            row += 1
    state[ROWS], state[LINE], state[HARD] = row, line, n_hard
    return status


@kernel
def gather(buf, spans, rows, start, out):
    """Copy the names of queries and documents together, from ``out[0]`` on; spans then count from ``start``.

    A query that is the same as in the row before is not copied again. Returns how many bytes were written.
    """
    n = 0
    for row in range(rows):
        at, length = spans[row, 0], spans[row, 1]
        same = row > 0 and spans[row - 1, 1] == length
        before = spans[row - 1, 0] - start if row > 0 else 0
        j = 0
        while same and j < length:
            same = out[before + j] == buf[at + j]
            j += 1
        if same:
            spans[row, 0] = before + start
        else:
            spans[row, 0] = n + start
            for j in range(length):
                out[n + j] = buf[at + j]
            n += length
        at, length = spans[row, 2], spans[row, 3]
        spans[row, 2] = n + start
        for j in range(length):
            out[n + j] = buf[at + j]
        n += length
    return n


@kernel
def encode(buf, starts, lengths, codes, firsts):
    """Number the byte strings ``buf[start : start + length]`` in order of first appearance (open addressing).

    ``firsts[code]`` is the row where it first appeared; returns how many there are.
    """
    size = 16
    while size < 2 * len(starts):
        size *= 2
    table = np.full(size, -1, np.int32)
    n = 0
    for i in range(len(starts)):
        start, length = starts[i], lengths[i]
        h = np.uint64(14695981039346656037)
        for j in range(length):
            h = (h ^ np.uint64(buf[start + j])) * np.uint64(1099511628211)
        slot = np.int64((h ^ (h >> np.uint64(32))) & np.uint64(size - 1))
        while True:
            code = table[slot]
            if code < 0:
                table[slot] = n
                codes[i] = n
                firsts[n] = i
                n += 1
                break
            other = starts[firsts[code]]
            same = lengths[firsts[code]] == length
            j = 0
            while same and j < length:
                same = buf[start + j] == buf[other + j]
                j += 1
            if same:
                codes[i] = code
                break
            slot = (slot + 1) & (size - 1)
    return n
