"""Kernel of the network of an n-best list: hypotheses are aligned, one after the other, to the slots so far."""

# mypy: allow-untyped-defs

from ....kernel import kernel

_SUBSTITUTED, _DELETED, _INSERTED = 0, 1, 2
_EQUAL = 1e-9  # costs that differ by less are equal


@kernel
def align(words, first, posterior, h0, h1, P, deleted, order, n, total, row, choice):
    """Add the hypotheses h0 to h1 − 1 to a network; return the first that is not added, the slots and the mass.

    The words of hypothesis h are ``words[first[h]:first[h + 1]]``. Slot ``order[i]`` is the i-th; ``P`` holds the
    mass of its words and ``deleted`` the mass of the hypotheses that have no word in it. With the mass ``total`` of
    all hypotheses so far, a word w in slot s costs 1 − P[s, w] / total, a slot without a word 1 − deleted[s] / total,
    a word without a slot 1. Of equal costs a word in a slot is preferred to a slot without a word, and this to a new
    slot, as in SRILM's WordMesh. The work stops before a hypothesis for which there may be too little room in ``P``
    or in ``choice``. O(slots × words) for each hypothesis.
    """
    for h in range(h0, h1):
        begin, length = first[h], first[h + 1] - first[h]
        if n + length > len(P) or (n + 1) * (length + 1) > len(choice):
            return h, n, total
        width = length + 1
        for j in range(width):
            row[j] = j
            choice[j] = _INSERTED
        for i in range(1, n + 1):
            slot = order[i - 1]
            delete = 1.0 - deleted[slot] / total
            left_above = row[0]
            row[0] += delete
            choice[i * width] = _DELETED
            for j in range(1, width):
                cost, step = left_above + 1.0 - P[slot, words[begin + j - 1]] / total, _SUBSTITUTED
                if row[j] + delete < cost - _EQUAL:
                    cost, step = row[j] + delete, _DELETED
                if row[j - 1] + 1.0 < cost - _EQUAL:
                    cost, step = row[j - 1] + 1.0, _INSERTED
                left_above = row[j]
                row[j] = cost
                choice[i * width + j] = step
        n = _add(words[begin : begin + length], posterior[h], P, deleted, order, n, total, choice)
        total += posterior[h]
    return h1, n, total


@kernel
def _add(words, mass, P, deleted, order, n, total, choice):
    """Add a hypothesis along its cheapest alignment, from its end; return the number of slots."""
    i, j, width = n, len(words), len(words) + 1
    while i > 0 or j > 0:
        step = choice[i * width + j]
        if step == _SUBSTITUTED:
            i, j = i - 1, j - 1
            P[order[i], words[j]] += mass
        elif step == _DELETED:
            i -= 1
            deleted[order[i]] += mass
        else:
            j -= 1
            for k in range(n, i, -1):
                order[k] = order[k - 1]
            order[i] = n
            P[n, words[j]] = mass
            deleted[n] = total
            n += 1
    return n
