"""The LETOR text kernel: one pass over a block of whole lines, validation and exact conversion included.

A line reads ``label qid:ID index:value ... # comment``; files that have the sizes of queries beside them lack ``qid:``.
Values go to ``values[row * stride + index - first]`` where ``stride > 0`` (dense) and to ``values[n]``, ``columns[n]``
in file order, zeros left out, where it is 0 (sparse).
Query ids are recorded once per run of equal neighbours, document ids are copied out, each with a newline behind it.
"""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel
from ..number_kernels import (
    DECIMAL,
    NOT_A_NUMBER,
    NOT_FINITE,
    TOO_MANY_DIGITS,
    address_of,
    byte,
    load8,
    scan_alike,
    scan_decimal,
    scan_short,
    scan_unsigned,
    short_to_double,
    short_to_single,
    to_double,
    to_single,
)

OK, BAD_LABEL, LABEL_NOT_FINITE, NO_QID, EMPTY_QID, NO_COLON, ZERO_INDEX, BAD_ORDER = range(8)
INDEX_TOO_LARGE, BAD_VALUE, VALUE_NOT_FINITE, VALUE_OVERFLOW, NEEDS_COLUMNS, NEEDS_ROWS = range(8, 14)
LARGEST_INDEX = 2**31 - 1  # columns are numbered by 32 bits

# Counters that the kernel leaves in ``state``.
ROWS, LINES, ENTRIES, RUNS, ID_BYTES, IDS, HARD, WIDTH, POSITION, LAST, INDEX, MISSING = range(12)
N_STATE = 12

# In dense files feature i + 1 follows feature i: the expected " i+1:" is compared as one word, not parsed.
_EXPECTED = 1024
_TOKENS = np.array([int.from_bytes(f" {i}:".encode(), "little") for i in range(_EXPECTED + 1)], np.uint64)
_LENGTHS = np.array([len(f" {i}:") for i in range(_EXPECTED + 1)], np.int64)
_MASKS = np.array([256**n - 1 for n in _LENGTHS.tolist()], np.uint64)
_QID = np.uint64(int.from_bytes(b"qid:", "little"))
# 1.79769313486231E308 stands for "no value" in the Istella sets
_NO_VALUE, _NO_VALUE_POWER = np.uint64(179769313486231), 294


@kernel
def _blank(c):
    return c == 32 or c == 9 or c == 13


@kernel
def _ends_token(c):
    return c <= 32 or c == 35


@kernel
def _same(a, n, b, m):
    if n != m:
        return False
    for i in range(n):
        if byte(a + i) != byte(b + i):
            return False
    return True


@kernel
def _document_id(p):
    """The id in the comment whose text starts at ``p``: ``docid = ID ...`` or one bare token: (start, length)."""
    while _blank(byte(p)):
        p += 1
    start = p
    while byte(p) > 32 and byte(p) != 61:
        p += 1
    named = p - start == 5 and byte(start) == 100 and byte(start + 1) == 111 and byte(start + 2) == 99
    named = named and byte(start + 3) == 105 and byte(start + 4) == 100
    q = p
    while _blank(byte(q)):
        q += 1
    if named and byte(q) == 61:
        q += 1
        while _blank(byte(q)):
            q += 1
        start = q
        while byte(q) > 32:
            q += 1
        return start, q - start
    while byte(p) > 32:
        p += 1
    q = p
    while _blank(byte(q)):
        q += 1
    return (start, p - start) if byte(q) == 10 else (start, 0)


@kernel
def parse_lines(buf, end, stride, first, has_qid, largest, values, columns, row_end, labels, runs, ids, hard, state):
    """Parse ``buf[:end]``, at most ``largest`` features whose indices begin with ``first``.

    Returns a status, with the counters and the place of an error in ``state``.
    """
    base = address_of(buf)
    p, stop = base, base + end
    row = lines = entries = n_runs = n_ids = id_bytes = n_hard = width = 0
    run_start = run_length = 0
    status = OK
    single = values.itemsize == 4
    first = 1 if first > 0 else 0  # the compiler sees that no place is negative
    common = min(stride, _EXPECTED) + first
    digits = 6
    while p < stop:
        lines += 1
        while _blank(byte(p)):
            p += 1
        if byte(p) == 10 or byte(p) == 35:
            while byte(p) != 10:
                p += 1
            p += 1
            continue
        expected = first  # the number of the next feature in a dense file
        at = p
        if row == len(labels):
            status = NEEDS_ROWS
            break
        scanned, negative, w, q, p = scan_decimal(p)
        if scanned == NOT_A_NUMBER or scanned == NOT_FINITE or not _ends_token(byte(p)):
            status = LABEL_NOT_FINITE if scanned == NOT_FINITE else BAD_LABEL
            break
        labels[row] = to_double(negative, w, q)
        if scanned == TOO_MANY_DIGITS:
            hard[n_hard, 0], hard[n_hard, 1] = -1 - row, at - base
            n_hard += 1
        if np.isinf(labels[row]):
            status = LABEL_NOT_FINITE
            break
        if has_qid:
            while _blank(byte(p)):
                p += 1
            at = p
            if (load8(p) & np.uint64(0xFFFFFFFF)) != _QID:
                status = NO_QID
                break
            p += 4
            start = p
            while byte(p) > 32:
                p += 1
            if p == start:
                status = EMPTY_QID
                break
            if n_runs == 0 or not _same(run_start, run_length, start, p - start):
                run_start, run_length = start, p - start
                runs[n_runs, 0], runs[n_runs, 1], runs[n_runs, 2] = row, run_start - base, run_length
                n_runs += 1
        cell = row * stride - first
        while True:
            if expected < common and (load8(p) & _MASKS[expected]) == _TOKENS[expected]:
                start = p + _LENGTHS[expected]
                matches, w = scan_alike(start, digits)
                k, negative, after = digits, False, start + 2 + digits
                if not matches:
                    matches, negative, w, k, after = scan_short(start)
                    if matches and k > 0:
                        digits = k
                if matches:
                    value = short_to_single(negative, w, k) if single else short_to_double(negative, w, k)
                    values[cell + expected] = value
                    entries += w != 0
                    expected += 1
                    p = after
                    continue
            while _blank(byte(p)):
                p += 1
            at = p
            if byte(p) == 10 or byte(p) == 35:
                break
            index, p = scan_unsigned(p)
            if p == at or byte(p) != 58:
                status = NO_COLON
            elif index < first:
                status = ZERO_INDEX
            elif index < expected:
                status = BAD_ORDER
            elif index - first >= largest:
                status = INDEX_TOO_LARGE
            if status != OK:
                state[INDEX] = index
                break
            expected = index + 1
            p += 1
            scanned, negative, w, q, p = scan_decimal(p)
            if w == _NO_VALUE and q == _NO_VALUE_POWER and byte(p - 4) == 69 and scanned == DECIMAL and not negative:
                w = np.uint64(0)
                state[MISSING] += 1
            value = to_single(negative, w, q) if single else to_double(negative, w, q)
            if scanned == NOT_FINITE:
                status = VALUE_NOT_FINITE
            elif scanned == NOT_A_NUMBER or not _ends_token(byte(p)):
                status = BAD_VALUE
            elif np.isinf(value):
                status = VALUE_OVERFLOW
            elif 0 < stride < expected - first:
                status = NEEDS_COLUMNS
            if status != OK:
                state[INDEX] = index
                break
            if stride > 0:
                slot = cell + index
            elif value == 0.0 and not negative and scanned == DECIMAL:
                continue
            else:
                slot = entries
                columns[slot] = index - first
            values[slot] = value
            entries += value != 0.0 or stride == 0
            if scanned == TOO_MANY_DIGITS:
                hard[n_hard, 0], hard[n_hard, 1] = slot, at - base
                n_hard += 1
        if status != OK:
            break
        width = max(width, expected - first)
        row_end[row] = entries
        if byte(p) == 35:
            start, length = _document_id(p + 1)
            n_ids += length > 0
            for i in range(length):
                ids[id_bytes + i] = byte(start + i)
            id_bytes += length
            while byte(p) != 10:
                p += 1
        ids[id_bytes] = 10
        id_bytes += 1
        p += 1
        row += 1
    state[ROWS], state[LINES], state[ENTRIES], state[RUNS] = row, lines, entries, n_runs
    state[ID_BYTES], state[IDS], state[HARD], state[WIDTH] = id_bytes, n_ids, n_hard, width
    if status != OK:
        state[POSITION], state[LAST] = at - base, expected - 1
    return status


@kernel
def order_cells(buf, end, out):
    """Copy ``buf[:end]`` to ``out``, the cells of each line in the order of their indices; the length of the copy.

    A line whose indices increase, or that has something other than cells, is copied as it is.
    """
    base = address_of(buf)
    p, stop, used = base, base + end, 0
    cells = np.empty((end // 2 + 1, 3), np.int64)
    while p < stop:
        line = p
        while _blank(byte(p)):
            p += 1
        while not _ends_token(byte(p)):  # the label
            p += 1
        n, last, sorted_already, cells_only = 0, -1, True, True
        head = p
        while True:
            while _blank(byte(p)):
                p += 1
            if byte(p) == 10 or byte(p) == 35:
                break
            start = p
            if n == 0 and (load8(p) & np.uint64(0xFFFFFFFF)) == _QID:
                while byte(p) > 32:
                    p += 1
                head = p
                continue
            index, p = scan_unsigned(p)
            cells_only = cells_only and p > start and byte(p) == 58
            while not _ends_token(byte(p)):
                p += 1
            if p == start:  # a control character
                p += 1
                cells_only = False
            if cells_only:
                cells[n, 0], cells[n, 1], cells[n, 2] = index, start, p - start
                sorted_already = sorted_already and index > last
                last = index
                n += 1
        tail = p
        while byte(p) != 10:
            p += 1
        p += 1
        if sorted_already or not cells_only:
            for i in range(p - line):
                out[used + i] = byte(line + i)
            used += p - line
            continue
        for i in range(head - line):
            out[used + i] = byte(line + i)
        used += head - line
        for c in np.argsort(cells[:n, 0], kind="mergesort"):
            out[used] = 32
            for i in range(cells[c, 2]):
                out[used + 1 + i] = byte(cells[c, 1] + i)
            used += 1 + cells[c, 2]
        for i in range(p - tail):
            out[used + i] = byte(tail + i)
        used += p - tail
    return used


@kernel
def count_lines(buf, end):
    """How many lines ``buf[:end]`` holds."""
    n = 0
    for start in range(0, end, 128):
        few = np.uint8(0)
        for i in range(start, min(start + 128, end)):
            few += np.uint8(buf[i] == 10)
        n += few
    return n


@kernel
def widen(flat, rows, old, new):
    """Move ``rows`` rows of ``old`` columns to ``new`` columns in place, last row first; new cells are 0."""
    for i in range(rows - 1, -1, -1):
        for j in range(new - 1, old - 1, -1):
            flat[i * new + j] = 0
        for j in range(old - 1, -1, -1):
            flat[i * new + j] = flat[i * old + j]


@kernel
def narrow(flat, rows, old, new):
    """Move ``rows`` rows of ``old`` columns to their first ``new`` columns in place."""
    for i in range(1, rows):
        for j in range(new):
            flat[i * new + j] = flat[i * old + j]


@kernel
def permute_rows(X, order):
    """Put row ``order[i]`` at place ``i``, in place, following each cycle with one spare row."""
    done = np.zeros(len(order), np.bool_)
    spare = np.empty(X.shape[1], X.dtype)
    for first in range(len(order)):
        if done[first] or order[first] == first:
            continue
        spare[:] = X[first]
        to = first
        while order[to] != first:
            X[to] = X[order[to]]
            done[to] = True
            to = order[to]
        X[to] = spare
        done[to] = True


# -- The kernel that puts lines of LETOR text together


@kernel
def _copy(text, start, stop, out, at):
    for i in range(start, stop):
        out[at] = text[i]
        at += 1
    return at


@kernel
def assemble(head_at, heads, tail_at, tails, columns, ends, value_at, values, out):
    """Lines ``head index:value ... tail``; how many bytes they took."""
    at, cell = 0, 0
    digits = np.empty(20, np.uint8)
    for row in range(len(ends)):
        at = _copy(heads, head_at[row], head_at[row + 1], out, at)
        while cell < ends[row]:
            out[at] = 32
            at += 1
            n, index = 0, columns[cell]
            while index > 0 or n == 0:
                digits[n] = 48 + index % 10
                index //= 10
                n += 1
            for i in range(n - 1, -1, -1):
                out[at] = digits[i]
                at += 1
            out[at] = 58
            at = _copy(values, value_at[cell], value_at[cell + 1], out, at + 1)
            cell += 1
        at = _copy(tails, tail_at[row], tail_at[row + 1], out, at)
        out[at] = 10
        at += 1
    return at
