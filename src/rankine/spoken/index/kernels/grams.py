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
