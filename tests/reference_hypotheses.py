"""Slow, obvious versions of what is made of n-best lists: readers, the network of hypotheses, the best paths."""

import math
import re
from itertools import pairwise

NAN = math.nan
EQUAL = 1e-9


def network(hypotheses):
    """The slots of (posterior, words), each a dict word → posterior with None for no word, as SRILM makes them."""
    logs = [round(math.log(p), 9) if p > 0 else -math.inf for p, _ in hypotheses]
    ranked = sorted((h for h in range(len(hypotheses)) if logs[h] > -math.inf), key=lambda h: -logs[h])
    slots, total = [], 0.0
    for h in ranked:
        posterior, words = hypotheses[h]
        new = []
        for i, word in alignment(slots, words, total):
            slot = dict(slots[i]) if i is not None else ({None: total} if total else {})
            slot[word] = slot.get(word, 0.0) + posterior
            new.append(slot)
        slots, total = new, total + posterior
    return [{word: p / total for word, p in slot.items()} for slot in slots]


def alignment(slots, words, total):
    """The cheapest pairs (slot or None, word or None): of equal costs a word in a slot first, then no word."""
    best = {(0, 0): (0.0, None)}
    for i in range(len(slots) + 1):
        for j in range(len(words) + 1):
            ways = []
            if i and j:
                ways.append((best[i - 1, j - 1][0] + 1 - slots[i - 1].get(words[j - 1], 0.0) / total, (1, 1)))
            if i:
                ways.append((best[i - 1, j][0] + 1 - slots[i - 1].get(None, 0.0) / total, (1, 0)))
            if j:
                ways.append((best[i, j - 1][0] + 1, (0, 1)))
            for cost, step in ways:
                if (i, j) not in best or cost < best[i, j][0] - EQUAL:
                    best[i, j] = cost, step
    i, j, pairs = len(slots), len(words), []
    while i or j:
        _, (di, dj) = best[i, j]
        i, j = i - di, j - dj
        pairs.append((i if di else None, words[j] if dj else None))
    return pairs[::-1]


def list_network(arcs, start, end):
    """The network of paths beside each other, with the softmax of their scores; None where words have times."""
    if any(a[6] == a[6] for a in arcs):
        return None
    after = {}
    for arc in arcs:
        after.setdefault(arc[0], []).append(arc)
    hypotheses = []
    for first in after[start]:
        path = [first]
        while path[-1][1] != end:
            path += after[path[-1][1]]
        hypotheses.append((sum(a[3] + a[4] for a in path), [a[2] for a in path if a[2] is not None]))
    largest = max(score for score, _ in hypotheses)
    weights = [math.exp(score - largest) if score > -math.inf else 0.0 for score, _ in hypotheses]
    return network([(w / sum(weights), words) for w, (_, words) in zip(weights, hypotheses, strict=True)])


def slots_of(lattice):
    """The slots of a network of the package."""
    slots = [{} for _ in range(lattice.n_nodes - 1)]
    rows = zip(lattice.source, lattice.target, lattice.unit, lattice.posterior, strict=True)
    for u, v, w, p in rows:
        assert v == u + 1
        slots[u][None if w < 0 else lattice.units[w]] = float(p)
    return slots


def same_slots(one, other):
    """Whether two networks have the same posteriors; one without words may be empty."""
    one, other = ([slot for slot in slots if any(w is not None for w in slot)] for slots in (one, other))
    return len(one) == len(other) and all(
        abs(a.get(w, 0.0) - b.get(w, 0.0)) < 1e-6 for a, b in zip(one, other, strict=True) for w in {*a, *b}
    )


def nbest(data, word_of):
    """The paths of an n-best list of any layout, with scores as they are weighed by default."""
    lines = [re.split("[ \t\r\f\v]+", line.strip(" \t\r\f\v")) for line in data.decode().split("\n")]
    lines = [line for line in lines if line != [""]]
    mark = lines[0][0] if len(lines[0]) == 1 else ""
    if mark in ("NBestList1.0", "NBestList2.0"):
        lines = lines[1:]
    if mark == "NBestList2.0":
        rows = [timed(line) for line in lines]
    elif mark == "NBestList1.0" or lines[0][0].startswith("("):
        rows = [[(w, 0.0, 0.0, NAN, NAN) for w in line[1:]] for line in lines]
        rows = [
            plus(row, float(line[0][1:-1]) * (1024 / 10000.5) / 8, 0.0) for row, line in zip(rows, lines, strict=True)
        ]
    elif all(has_three_scores(line) for line in lines):
        rows = [[(w, 0.0, 0.0, NAN, NAN) for w in line[3:]] for line in lines]
        rows = [
            plus(row, float(line[0]) * math.log(10) / 8, float(line[1]) * math.log(10))
            for row, line in zip(rows, lines, strict=True)
        ]
    else:
        rows = [plus([(w, 0.0, 0.0, NAN, NAN) for w in line[1:]], float(line[0]), 0.0) for line in lines]
    arcs = []
    for h, row in enumerate(rows):
        while len(row) < 2:  # so that each hypothesis has a node of its own
            end = (row[-1][4] if row else 0.0) if mark == "NBestList2.0" else NAN
            row = [*row, ("", 0.0, 0.0, end, end)]
        nodes = ["start", *((h, i) for i in range(1, len(row))), "end"]
        for (u, v), (word, acoustic, language, begin, end) in zip(pairwise(nodes), row, strict=True):
            arcs.append((u, v, None if word == "-pau-" else word_of(word), acoustic, language, NAN, begin, end))
    return arcs, "start", "end"


def tra(line, slots_as_arcs):
    """Numbers of words, 0 for none."""
    _, *numbers = re.split("[ \t\r\f\v]+", line.decode().strip(" \t\r\f\v\n"))
    return slots_as_arcs([[(str(int(n)) if int(n) else None, 1.0, NAN, NAN)] for n in numbers] or [[]])


def plus(row, acoustic, language):
    """Words with the scores of a hypothesis on the first of them, or on an empty one."""
    word, a, lm, *times = row[0] if row else ("", 0.0, 0.0, NAN, NAN)
    return [(word, a + acoustic, lm + language, *times), *row[1:]]


def has_three_scores(line):
    if len(line) < 3 or not re.fullmatch("[0-9]+", line[2]) or "_" in line[1] or not line[1].isascii():
        return False
    try:
        float(line[1])
    except ValueError:
        return False
    return int(line[2]) in (len(line[3:]), len([w for w in line[3:] if w != "-pau-"]))


def timed(line):
    words, reach = [], (NAN, NAN)
    for at in range(1, len(line), 11):
        word, *rest = line[at : at + 11]
        begin, end, language, acoustic = float(rest[2]), float(rest[4]) + 0.01, float(rest[6]), float(rest[8])
        if reach[0] <= begin and end <= reach[1]:
            continue
        reach = begin, end
        words.append((word, acoustic * (1024 / 10000.5) / 8, language * (1024 / 10000.5), begin, end))
    return words


def best_hypotheses(lattice, transition):
    """(log posterior of the best path, words) of all different sequences of words, best first."""
    best = {}
    for path in lattice.paths():
        if all(transition[a] > 0 for a in path):
            words, score = tuple(lattice.words(path)), sum(math.log(transition[a]) for a in path)
            best[words] = max(score, best.get(words, -math.inf))
    return sorted(((score, list(words)) for words, score in best.items()), key=lambda pair: -pair[0])
