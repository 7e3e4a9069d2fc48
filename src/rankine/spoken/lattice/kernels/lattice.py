"""Graph work on lattices: topological order, trimming, counts of paths."""

# mypy: allow-untyped-defs

import numpy as np

from ....kernel import kernel


@kernel
def _by_key(key, order, n_keys, out):
    """Sort the arcs in ``order`` by key, equal ones as they stand (counting sort)."""
    first = np.zeros(n_keys + 1, np.int64)
    for a in range(len(key)):
        first[key[a] + 1] += 1
    for v in range(n_keys):
        first[v + 1] += first[v]
    for i in range(len(order)):
        a = order[i]
        out[first[key[a]]] = a
        first[key[a]] += 1


@kernel
def topological(n_nodes, source, target, place):
    """Number the nodes so that every arc goes up (Kahn 1962); how many could be numbered: fewer with a cycle."""
    waiting = np.zeros(n_nodes, np.int64)
    first = np.zeros(n_nodes + 1, np.int64)
    for a in range(len(source)):
        waiting[target[a]] += 1
        first[source[a] + 1] += 1
    for v in range(n_nodes):
        first[v + 1] += first[v]
    by_source = np.empty(len(source), np.int64)
    _by_key(source, np.arange(len(source)), n_nodes, by_source)
    queue = np.empty(n_nodes, np.int64)
    head = tail = 0
    for v in range(n_nodes):
        if waiting[v] == 0:
            queue[tail] = v
            tail += 1
    while head < tail:
        v = queue[head]
        place[v] = head
        head += 1
        for i in range(first[v], first[v + 1]):
            w = target[by_source[i]]
            waiting[w] -= 1
            if waiting[w] == 0:
                queue[tail] = w
                tail += 1
    return head


@kernel
def arrange(n_nodes, source, target, start, end):
    """Number the nodes anew, sort the arcs by source and target, leave out what is on no path from start to end.

    (number of each old node or −1, the arcs that stay in order, how many nodes could be numbered: fewer with a cycle).
    """
    place = np.empty(n_nodes, np.int64)
    numbered = topological(n_nodes, source, target, place)
    if numbered < n_nodes:
        return place, np.empty(0, np.int64), numbered
    u, v = place[source], place[target]
    one, order = np.empty(len(u), np.int64), np.empty(len(u), np.int64)
    _by_key(v, np.arange(len(v)), n_nodes, one)
    _by_key(u, one, n_nodes, order)
    useful = np.empty(n_nodes, np.bool_)
    reachable(n_nodes, u[order], v[order], place[start], place[end], useful)
    number = np.cumsum(useful) - 1
    n = 0
    for i in range(len(order)):
        if useful[u[order[i]]] and useful[v[order[i]]]:
            order[n] = order[i]
            n += 1
    for old in range(n_nodes):
        place[old] = number[place[old]] if useful[place[old]] else -1
    return place, order[:n], numbered


@kernel
def reachable(n_nodes, source, target, start, end, useful):
    """Which nodes lie on a path from start to end; arcs must go up, sorted by source."""
    forward, backward = np.zeros(n_nodes, np.bool_), np.zeros(n_nodes, np.bool_)
    forward[start] = backward[end] = True
    for a in range(len(source)):
        if forward[source[a]]:
            forward[target[a]] = True
    for a in range(len(source) - 1, -1, -1):
        if backward[target[a]]:
            backward[source[a]] = True
    for v in range(n_nodes):
        useful[v] = forward[v] and backward[v]


@kernel
def count_paths(n_nodes, source, target):
    """How many paths there are, as a float: it may be huge."""
    paths = np.zeros(n_nodes)
    paths[0] = 1.0
    for a in range(len(source)):
        paths[target[a]] += paths[source[a]]
    return paths[n_nodes - 1]


@kernel
def forward_backward(n_nodes, source, target, weight, alpha, beta):
    """log sums over paths from the start (alpha) and to the end (beta); arcs sorted by source. The log of the total."""
    alpha[:] = -np.inf
    beta[:] = -np.inf
    alpha[0] = beta[n_nodes - 1] = 0.0
    for a in range(len(source)):
        x = alpha[source[a]] + weight[a]
        y = alpha[target[a]]
        if x > y:
            x, y = y, x
        alpha[target[a]] = y if x == -np.inf else y + np.log1p(np.exp(x - y))
    for a in range(len(source) - 1, -1, -1):
        x = beta[target[a]] + weight[a]
        y = beta[source[a]]
        if x > y:
            x, y = y, x
        beta[source[a]] = y if x == -np.inf else y + np.log1p(np.exp(x - y))
    return beta[0]


@kernel
def shares(n_nodes, source, target, weight, beta, transition, posterior):
    """Transition probabilities and posteriors of arcs, each node's compared with its likeliest arc only.

    Where scores are so large that the sums over paths carry rounding errors above 1, probabilities made from them would
    be anything; these add up to 1. Arcs sorted by source.
    """
    best, total = np.full(n_nodes, -np.inf), np.zeros(n_nodes)
    for a in range(len(source)):
        best[source[a]] = max(best[source[a]], weight[a] + beta[target[a]])
    for a in range(len(source)):
        x = weight[a] + beta[target[a]]
        transition[a] = np.exp(x - best[source[a]]) if x > -np.inf else 0.0
        total[source[a]] += transition[a]
    mass = np.zeros(n_nodes)
    mass[0] = 1.0
    for a in range(len(source)):
        transition[a] = transition[a] / total[source[a]] if transition[a] > 0.0 else 0.0
        posterior[a] = mass[source[a]] * transition[a]
        mass[target[a]] += posterior[a]


@kernel
def best_path(n_nodes, source, target, weight, came_by):
    """The arc by which the best path enters each node; the best sum."""
    best = np.full(n_nodes, -np.inf)
    best[0] = 0.0
    for a in range(len(source)):
        x = best[source[a]] + weight[a]
        if x > best[target[a]] or (came_by[target[a]] < 0 and x > -np.inf):
            best[target[a]] = x
            came_by[target[a]] = a
    return best[n_nodes - 1]


@kernel
def best_through(n_nodes, source, target, weight, out):
    """The largest sum of a path through each arc."""
    ahead, behind = np.full(n_nodes, -np.inf), np.full(n_nodes, -np.inf)
    ahead[n_nodes - 1] = behind[0] = 0.0
    for a in range(len(source)):
        behind[target[a]] = max(behind[target[a]], behind[source[a]] + weight[a])
    for a in range(len(source) - 1, -1, -1):
        ahead[source[a]] = max(ahead[source[a]], ahead[target[a]] + weight[a])
    for a in range(len(source)):
        out[a] = behind[source[a]] + weight[a] + ahead[target[a]]


@kernel
def best_ahead(n_nodes, source, target, weight, ahead):
    """The largest sum of a path from each node to the end."""
    ahead[:] = -np.inf
    ahead[n_nodes - 1] = 0.0
    for a in range(len(source) - 1, -1, -1):
        ahead[source[a]] = max(ahead[source[a]], ahead[target[a]] + weight[a])


@kernel
def position_ranges(n_nodes, source, target, unit, low, high):
    """The fewest and the most units on a path to each node."""
    low[:] = 1 << 30
    high[:] = -1
    low[0] = high[0] = 0
    for a in range(len(source)):
        if high[source[a]] < 0:
            continue
        step = 1 if unit[a] >= 0 else 0
        low[target[a]] = min(low[target[a]], low[source[a]] + step)
        high[target[a]] = max(high[target[a]], high[source[a]] + step)


@kernel
def by_unit(unit, order, ptr):
    """Sort arcs by unit, those without first; ``ptr[u + 1]`` becomes where those of unit u begin."""
    counts = np.zeros(len(ptr) + 1, np.int64)
    for a in range(len(unit)):
        counts[unit[a] + 2] += 1
    for u in range(len(counts) - 1):
        counts[u + 1] += counts[u]
    for u in range(len(ptr)):
        ptr[u] = counts[u]
    for a in range(len(unit)):
        order[counts[unit[a] + 1]] = a
        counts[unit[a] + 1] += 1


@kernel
def count_cells(source, order, ptr, low, high, w0, w1):
    """How many (position, unit) there can be at the most, of the units ``w0`` to ``w1`` − 1."""
    n = 0
    for u in range(w0 + 1, w1 + 1):
        first, last, total = 1 << 30, -1, 0
        for i in range(ptr[u], ptr[u + 1]):
            v = source[order[i]]
            first, last, total = min(first, low[v]), max(last, high[v]), total + high[v] - low[v] + 1
        n += min(max(last - first + 1, 0), total)
    return n


@kernel
def move_mass(source, target, unit, p, low, high, offset, mass, a0, a1):
    """PSPL (Chelba & Acero 2005): probability mass split by the number of units so far, along arcs a0 to a1 − 1.

    ``mass[offset[v] + l − low[v]]`` is the probability of reaching node v after l units. An arc with a unit moves mass
    from l to l + 1, one without only moves it; ``p`` are transition probabilities.
    """
    for a in range(a0, a1):
        u, v = source[a], target[a]
        shift = offset[v] - low[v] + (1 if unit[a] >= 0 else 0)
        base = offset[u] - low[u]
        if p[a] > 0.0:
            for at in range(low[u], high[u] + 1):
                mass[shift + at] += mass[base + at] * p[a]


@kernel
def by_position(
    source, p, start, end, low, high, offset, mass, order, ptr, w0, w1, sums, prune, position, units, cells
):
    """What the arcs of the units ``w0`` to ``w1`` − 1 moved, summed by position. How many cells there are.

    ``sums`` is room for three sums at each position, all 0, and is left so. Positions of a unit are gone through from
    the first to the last, or arc by arc where they lie far apart.
    """
    n = 0
    for w in range(w0 + 1, w1 + 1):
        first, last, total = sums.shape[1], -1, 0
        for i in range(ptr[w], ptr[w + 1]):
            a = order[i]
            u = source[a]
            base = offset[u] - low[u]
            first, last, total = min(first, low[u]), max(last, high[u]), total + high[u] - low[u] + 1
            for at in range(low[u], high[u] + 1):
                x = mass[base + at] * p[a]
                sums[0, at] += x
                sums[1, at] += x * start[a]
                sums[2, at] += x * end[a]
        if last - first + 1 <= total:
            n = _take_cells(first, last, w - 1, sums, prune, position, units, cells, n)
        else:
            for i in range(ptr[w], ptr[w + 1]):
                u = source[order[i]]
                n = _take_cells(low[u], high[u], w - 1, sums, prune, position, units, cells, n)
    return n


@kernel
def _take_cells(first, last, unit, sums, prune, position, units, cells, n):
    for at in range(first, last + 1):
        if sums[0, at] > prune:
            position[n], units[n] = at, unit
            for k in range(3):
                cells[k, n] = sums[k, at]
            n += 1
        for k in range(3):
            sums[k, at] = 0.0
    return n
