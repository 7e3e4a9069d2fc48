"""Units that follow each other in slots or positions."""

# mypy: allow-untyped-defs

import numpy as np

from ....kernel import kernel
from .scores import seek


@kernel
def chains(first, last, rarest, utt, pos, coded, table, width, where, counts):
    """The utterances in which all units follow each other, and the expected numbers; how many utterances there are.

    ``first[i]`` and ``last[i]`` bound the postings of unit i. Cost: the postings of the rarest unit, and of the others
    in the utterances of that.
    """
    m, n = len(first), 0
    if m == 1:
        return _sums(utt[first[0] : last[0]], coded[first[0] : last[0]], table, where, counts)
    at = first.copy()
    dense = np.zeros((m, width + m))
    while at[rarest] < last[rarest]:
        now = utt[at[rarest]]
        there = True
        for i in range(m):
            at[i] = seek(utt, at[i], last[i], now)
            there = there and at[i] < last[i] and utt[at[i]] == now
        if there:
            for i in range(m):
                k = at[i]
                while k < last[i] and utt[k] == now:
                    dense[i, pos[k]] = table[coded[k]]
                    k += 1
            total, k = 0.0, at[0]
            while k < last[0] and utt[k] == now:
                x = 1.0
                for j in range(m):
                    x *= dense[j, pos[k] + j]
                total += x
                k += 1
            for i in range(m):
                k = at[i]
                while k < last[i] and utt[k] == now:
                    dense[i, pos[k]] = 0.0
                    k += 1
            if total > 0.0:
                where[n], counts[n] = now, total
                n += 1
        while at[rarest] < last[rarest] and utt[at[rarest]] == now:
            at[rarest] += 1
    return n


@kernel
def _sums(utt, coded, table, where, counts):
    """The utterances of one unit, and the sums of its posteriors."""
    n = 0
    for k in range(len(utt)):
        if n == 0 or where[n - 1] != utt[k]:
            where[n], counts[n] = utt[k], 0.0
            n += 1
        counts[n - 1] += table[coded[k]]
    return n


@kernel
def larger(where_a, a, where_b, b, where, out):
    """Both lists of utterances as one, with the larger number of those that are in both; how many there are."""
    i, j, n = 0, 0, 0
    while i < len(where_a) or j < len(where_b):
        if j == len(where_b) or (i < len(where_a) and where_a[i] < where_b[j]):
            where[n], out[n] = where_a[i], a[i]
            i += 1
        elif i == len(where_a) or where_b[j] < where_a[i]:
            where[n], out[n] = where_b[j], b[j]
            j += 1
        else:
            where[n], out[n] = where_a[i], max(a[i], b[j])
            i += 1
            j += 1
        n += 1
    return n


@kernel
def slot_grams(place, unit, p, base, order):
    """Codes, utterances and probabilities of all sequences of units in slots that follow each other.

    ``place`` is utterance · 2³² + slot, rising. Cost: the number of sequences.
    """
    n, size = len(place), 1024
    code, where, count, m = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size), 0
    at = np.zeros(order, np.int64)
    for i in range(n):
        at[0], depth = i, 1
        while depth > 0:
            if depth == order:
                if m == size:
                    code, where, count = _doubled(code), _doubled(where), _doubled(count)
                    size *= 2
                c, x = 0, 1.0
                for j in range(order):
                    c, x = c * base + unit[at[j]], x * p[at[j]]
                code[m], where[m], count[m] = c, place[i] >> 32, x
                m += 1
                depth = _next(place, at, depth)
            else:
                at[depth] = np.searchsorted(place, place[at[depth - 1]] + 1)
                if at[depth] < n and place[at[depth]] == place[at[depth - 1]] + 1:
                    depth += 1
                else:
                    depth = _next(place, at, depth)
    return code[:m], where[:m], count[:m]


@kernel
def dense_grams(place, unit, p, base, order, least, total):
    """Codes, utterances and summed probabilities, from ``least`` on, of all sequences as :func:`slot_grams` makes them.

    ``total`` has a zero for each code, base ** order, and is zero again at the end. Cost: the number of sequences,
    without sorting any.
    """
    n, size = len(place), 1024
    code, where, count, m = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size), 0
    behind, at = _behind(place), np.zeros(order, np.int64)
    touched, t = np.empty(1024, np.int64), 0
    for i in range(n):
        at[0], depth = i, 1
        while depth > 0:
            if depth == order:
                c, x = 0, 1.0
                for j in range(order):
                    c, x = c * base + unit[at[j]], x * p[at[j]]
                if total[c] == 0.0:
                    if t == len(touched):
                        touched = _doubled(touched)
                    touched[t] = c
                    t += 1
                total[c] += x
                depth = _next(place, at, depth)
            else:
                at[depth] = behind[at[depth - 1]]
                if at[depth] < n and place[at[depth]] == place[at[depth - 1]] + 1:
                    depth += 1
                else:
                    depth = _next(place, at, depth)
        if i == n - 1 or place[i + 1] >> 32 != place[i] >> 32:
            while m + t > size:
                code, where, count, size = _doubled(code), _doubled(where), _doubled(count), 2 * size
            for c in touched[:t]:
                if total[c] >= least:
                    code[m], where[m], count[m] = c, place[i] >> 32, total[c]
                    m += 1
                total[c] = 0.0
            t = 0
    return code[:m], where[:m], count[:m]


@kernel
def _behind(place):
    """For each unit, where the next slot begins."""
    n = len(place)
    out = np.empty(n, np.int64)
    for i in range(n - 1, -1, -1):
        out[i] = i + 1 if i == n - 1 or place[i + 1] != place[i] else out[i + 1]
    return out


@kernel
def _next(place, at, depth):
    """Step to the next unit of the last slot that has one; how many slots are chosen then, 0 behind the last."""
    while depth > 1:
        k = at[depth - 1] + 1
        if k < len(place) and place[k] == place[k - 1]:
            at[depth - 1] = k
            return depth
        depth -= 1
    return 0


@kernel
def _doubled(array):
    out = np.empty(2 * len(array), array.dtype)
    out[: len(array)] = array
    return out
