"""Weak rankers over postings: SPEC's n-gram score S_n(D, Q) = Σ_i log(1 + Σ_k Π_{j<n} P(q_{i+j}, k+j | D))."""

# mypy: allow-untyped-defs

import numpy as np

from ....kernel import kernel


@kernel
def unigrams(utt, coded, table, doc_of, out):
    """Add log(1 + expected count) of one unit to the score of every recording that has it; its postings are given."""
    i, n = 0, len(utt)
    while i < n:
        doc, total = doc_of[utt[i]], 0.0
        while i < n and doc_of[utt[i]] == doc:
            total += table[coded[i]]
            i += 1
        out[doc] += np.log1p(total)


@kernel
def seek(utt, at, stop, least):
    """The first posting from ``at`` whose utterance is at least ``least``: by steps that double, then by halves."""
    step = 1
    while at + step < stop and utt[at + step] < least:
        step *= 2
    low, high = at + step // 2, min(at + step, stop)
    if low < stop and utt[low] >= least:
        low, high = at, low
    while low < high:
        middle = (low + high) // 2
        if utt[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def ngrams(first, last, utt, pos, coded, table, doc_first, docs, width, out):
    """The scores of order 1 to ``out.shape[1]`` of some recordings (rising numbers).

    ``first[i]`` and ``last[i]`` bound the postings of the query's unit i. For every utterance of a recording in which a
    unit occurs, its posteriors are laid out by position; then the products along the diagonals are summed. Units that
    are absent have no postings. Cost: the postings of the query's units in these recordings, and a search for each.
    """
    m, orders = len(first), out.shape[1]
    at = first.copy()
    dense = np.zeros((m, width + orders))
    sums = np.zeros((orders, m))
    for d in range(len(docs)):
        begin, end = doc_first[docs[d]], doc_first[docs[d] + 1]
        sums[:] = 0.0
        for i in range(m):
            at[i] = seek(utt, at[i], last[i], begin)
        while True:
            now = end
            for i in range(m):
                if at[i] < last[i] and utt[at[i]] < now:
                    now = utt[at[i]]
            if now >= end:
                break
            for i in range(m):
                k = at[i]
                while k < last[i] and utt[k] == now:
                    dense[i, pos[k]] = table[coded[k]]
                    k += 1
            for i in range(m):
                k = at[i]
                while k < last[i] and utt[k] == now:
                    x = 1.0
                    for n in range(min(orders, m - i)):
                        x *= dense[i + n, pos[k] + n]
                        if x == 0.0:
                            break
                        sums[n, i] += x
                    k += 1
            for i in range(m):
                while at[i] < last[i] and utt[at[i]] == now:
                    dense[i, pos[at[i]]] = 0.0
                    at[i] += 1
        for n in range(orders):
            out[d, n] = 0.0
            for i in range(m - n):
                out[d, n] += np.log1p(sums[n, i])


@kernel
def bounds(first, last, utt, coded, table, out):
    """The unigram score of every utterance, and upper bounds of the scores of higher order.

    Cost: the postings of the query's units, and for each utterance that has one the number of these units.
    """
    m, orders = len(first), out.shape[1]
    at = first.copy()
    sums = np.zeros(m)
    while True:
        now = np.int64(1) << 40
        for i in range(m):
            if at[i] < last[i] and utt[at[i]] < now:
                now = np.int64(utt[at[i]])
        if now == np.int64(1) << 40:
            break
        for i in range(m):
            sums[i] = 0.0
            while at[i] < last[i] and utt[at[i]] == now:
                sums[i] += table[coded[at[i]]]
                at[i] += 1
        for n in range(orders):
            for i in range(m - n):
                least = sums[i]
                for j in range(1, n + 1):
                    least = min(least, sums[i + j])
                out[now, n] += np.log1p(least)


@kernel
def chain(first, last, utt, pos, coded, table, doc_first, docs, width, out):
    """The expected number of times that all units follow each other in some recordings: Σ_k Π_j P(q_j, k+j)."""
    m = len(first)
    at = first.copy()
    dense = np.zeros((m, width + m))
    for d in range(len(docs)):
        begin, end = doc_first[docs[d]], doc_first[docs[d] + 1]
        out[d] = 0.0
        for i in range(m):
            at[i] = seek(utt, at[i], last[i], begin)
        while at[0] < last[0] and utt[at[0]] < end:
            now = utt[at[0]]
            for i in range(m):
                k = at[i] = seek(utt, at[i], last[i], now)
                while k < last[i] and utt[k] == now:
                    dense[i, pos[k]] = table[coded[k]]
                    k += 1
            k = at[0]
            while k < last[0] and utt[k] == now:
                x = 1.0
                for n in range(m):
                    x *= dense[n, pos[k] + n]
                out[d] += x
                k += 1
            for i in range(m):
                while at[i] < last[i] and utt[at[i]] == now:
                    dense[i, pos[at[i]]] = 0.0
                    at[i] += 1
