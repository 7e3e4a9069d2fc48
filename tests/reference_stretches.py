"""Stretches of small lattices by enumerating all paths: which nodes they pass, where pauses are, what is left of them.

Arcs are (from, to, word or None, log score, start, end) between nodes 0 and ``last``.
"""

import math
from itertools import pairwise


def weighted_paths(arcs, last):
    """[(arcs of a path, its probability)]."""
    out, stack = [], [(0, [])]
    while stack:
        node, path = stack.pop()
        if node == last:
            out.append((path, math.exp(sum(arcs[a][3] for a in path))))
        stack += [(arc[1], [*path, a]) for a, arc in enumerate(arcs) if arc[0] == node]
    total = sum(p for _, p in out)
    return [(path, p / total) for path, p in out]


def nodes_of(arcs, path):
    return [0, *(arcs[a][1] for a in path)]


def mass(arcs, paths, *nodes):
    """The probability of the paths that pass all these nodes."""
    return sum(p for path, p in paths if set(nodes) <= set(nodes_of(arcs, path)))


def words_between(arcs, paths, u, v):
    """Word arc → its posterior, of the words between two nodes on paths that pass both."""
    out = {}
    for path, p in paths:
        nodes = nodes_of(arcs, path)
        if u in nodes and v in nodes:
            for a in path[nodes.index(u) : nodes.index(v)]:
                if arcs[a][2] is not None:
                    out[a] = out.get(a, 0.0) + p
    return out


def given(arcs, paths, u, v):
    """(word, start, end) → its expected count between two nodes, given that both are passed."""
    out, total = {}, mass(arcs, paths, u, v)
    for a, p in words_between(arcs, paths, u, v).items():
        key = (arcs[a][2], round(arcs[a][4], 6), round(arcs[a][5], 6))
        out[key] = out.get(key, 0.0) + p / total
    return out


def cut_nodes(arcs, last, likeliest, *, pause, all_, enough, seconds, words):
    """The nodes at which a lattice is cut; ``likeliest`` are the nodes of its likeliest path."""
    paths = weighted_paths(arcs, last)
    share = {v: mass(arcs, paths, v) for v in likeliest}
    sure = [v for v in likeliest if share[v] >= all_]
    spoken, silent = [], []  # (where to cut before it, begin, end) of what is spoken between nodes that all pass
    for u, v in pairwise(sure):
        between = words_between(arcs, paths, u, v)
        silent.append(u)
        if sum(between.values()) > 1 - all_:
            matter = [a for a, p in between.items() if p > 1 - all_] or [max(between, key=between.get)]
            cut = max(silent, key=lambda v: (round(share[v], 9), v))
            silent = []
            spoken.append((cut, min(arcs[a][4] for a in matter), max(arcs[a][5] for a in matter)))
    if not spoken:
        return []

    def place(v, gap, time):
        return {"node": v, "pause": gap, "mass": share[v], "time": time, "words": before(v)}

    def before(v):
        return sum(p for path, p in paths for a in path if arcs[a][0] < v and arcs[a][2] is not None)

    places, latest = [], spoken[0][2]
    groups, ends = [[place(0, math.inf, spoken[0][1])]], []
    for v in likeliest[1:-1]:
        after = [s for s in spoken if s[0] == v and s is not spoken[0]]
        if after:
            gap = max(after[0][1] - latest, 0.0)
            if gap >= pause:
                ends.append({"time": latest, "words": before(v)})
                groups.append([])
            groups[-1].append(place(v, gap, after[0][1]))
            latest = max(latest, after[0][2])
        elif enough <= share[v] < all_:
            groups[-1].append(place(v, 0.0, min(arc[4] for arc in arcs if arc[0] == v)))
    ends.append({"time": latest, "words": before(last)})

    def length(a, b):
        return round(max((b["time"] - a["time"]) / seconds, (b["words"] - a["words"]) / words), 6)

    for (start, *inner), end in zip(groups, ends, strict=True):
        places.append(start)
        while length(start, end) > 1:
            whole = length(start, end)
            inner = [b for b in inner if b["node"] > start["node"]]
            late = [i for i, b in enumerate(inner) if length(start, b) > 1]
            near = inner[: late[0]] if late else inner
            window = [b for b in near if length(start, b) >= 0.5] or [inner[i] for i in late[:1]]
            if not window:
                break
            start = max(
                window,
                key=lambda b: (
                    round(b["pause"], 3), round(b["mass"], 6),
                    -round(abs(length(start, b) - whole / math.ceil(whole)), 6), b["node"],
                ),
            )  # fmt: skip
            places.append(start)
    return [p["node"] for p in places[1:]]
