"""Slow, obvious versions of what a query requires of a place: every way through the slots of a recording is tried."""

import math
from itertools import pairwise, product

from rankine.spoken.index import schema


class Place:
    """A segment read value by value from the arrays of a part."""

    def __init__(self, part, row):
        self.recording, self.row = int(part.recording_of[row]), row
        self.name, self.audio = part.texts(schema.UTTERANCE_NAME)[row], part.texts(schema.AUDIO)[row]
        self.offset = float(part.numbers(schema.OFFSET)[row])
        self.cells = {}  # (kind, form) → position → unit → posterior
        self.spans = {}  # kind → (start, end) of each slot
        self.words = [
            (part.texts(schema.WORD_TEXT)[i], *(float(x) for x in part.numbers(schema.WORD_TIMES, i, i + 1)[0]))
            for i in part.words(row)
        ]


def read_places(index):
    """The places of each part of an index."""
    parts = []
    for part in index.parts:
        places = [Place(part, row) for row in range(len(part.recording_of))]
        for kind in index.kinds:
            first, times = schema.slots(kind).read(part.part), part.numbers(schema.slot_times(kind))
            for place in places:
                slots = range(int(first[place.row]), int(first[place.row + 1]))
                place.spans[kind] = [tuple(float(t) + place.offset for t in times[s]) for s in slots]
                place.cells[kind, "cn"] = {i: {} for i in range(len(slots))}
                place.cells[kind, "pspl"] = {}
            units = schema.units(kind).read(part.part).all()
            for form in schema.FORMS:
                postings = schema.Postings(kind, form)
                ptr, (row, position, coded) = postings.bounds(part.part), postings.read(part.part)
                for u, (a, b) in enumerate(pairwise(ptr.tolist())):
                    for i in range(a, b):
                        cell = places[row[i]].cells[kind, form].setdefault(int(position[i]), {})
                        cell[units[u]] = float(part.posteriors[coded[i]])
        parts.append(places)
    return parts


def goes_on(places, a, b):
    """Whether a recording goes on from segment a to segment b."""
    return all(
        one.recording == other.recording
        and one.audio == other.audio
        and (one.offset < other.offset or one.name == other.name)
        for one, other in pairwise(places[a : b + 1])
    )


def all_runs(places, kind, units):
    """All ways to go through a sequence of units: ((segment, slot), …) and the product of the posteriors."""
    flat = [(i, s) for i, place in enumerate(places) for s in range(len(place.spans[kind]))]

    def posterior(at, unit):
        i, s = flat[at]
        return places[i].cells[kind, "cn"][s].get(unit, 0.0)

    def following(at):
        i, s = flat[at]
        for later in range(at + 1, min(at + 8, len(flat))):
            j, t = flat[later]
            close = later == at + 1 or abs(places[j].spans[kind][t][0] - places[i].spans[kind][s][1]) < 0.1
            if close and goes_on(places, i, j):
                yield later

    paths = [((at,), posterior(at, units[0])) for at in range(len(flat)) if posterior(at, units[0])]
    for unit in units[1:]:
        paths = [
            ((*path, later), p * posterior(later, unit))
            for path, p in paths
            for later in following(path[-1])
            if posterior(later, unit)
        ]
    return [(tuple(flat[at] for at in path), p) for path, p in paths]


def kind_of(index, words, kinds=None):
    """The first kind in which a sequence of words occurs in the archive."""
    for kind in kinds or index.kinds:
        if all(words.by_word[kind]) and all(
            any(u in part.texts(schema.units(kind)).all() for part in index.parts) for u in words.units(kind)
        ):
            return kind
    return None


def in_positions(place, kind, units):
    """How often units are expected in positions one after the other."""
    cells = place.cells[kind, "pspl"]
    return sum(math.prod(cells.get(k + j, {}).get(u, 0.0) for j, u in enumerate(units)) for k in cells)


def holds_phrase(index, places, i, alternatives):
    for words in alternatives:
        kind = kind_of(index, words)
        if kind is None:
            continue
        units = words.units(kind)
        begins = any(path[0][0] == i for path, _ in all_runs(places, kind, units))
        repeats = len(set(units)) < len(units)
        if begins or (not repeats and in_positions(places[i], kind, units) >= 0.01):
            return True
    return False


def holds_excluded(index, places, i, words):
    kind = kind_of(index, words, ["word"])
    return kind is not None and any(
        path[0][0] == i and p >= 0.5 for path, p in all_runs(places, kind, words.units(kind))
    )


def holds_near(index, places, i, near):
    for kind in index.kinds:
        sides = [[w.units(kind) for w in side if kind_of(index, w, [kind])] for side in (near.left, near.right)]
        if all(sides):
            break
    else:
        return False
    runs = [[path for units in side for path, _ in all_runs(places, kind, units)] for side in sides]
    recording = places[i].recording
    flat = {at: n for n, at in enumerate((j, s) for j, p in enumerate(places) for s in range(len(p.spans[kind])))}
    mine = [path for side in runs for path in side if places[path[0][0]].recording == recording]

    def number(at, edge):
        """Words of the recording before the beginning (0) or end (1) of a slot."""
        j, s = at
        if any(math.isnan(t) for p in places if p.recording == recording for w in p.words for t in w[1:3]):
            return math.nan
        time = places[j].spans[kind][s][edge]
        before = sum(len(p.words) for p in places[:j])
        return before + sum((a + b) / 2 + places[j].offset < time for _, a, b, _ in places[j].words)

    timed = not any(math.isnan(number(path[0], 0)) or math.isnan(number(path[-1], 1)) for path in mine)

    def apart(one, other):
        if flat[other[0]] <= flat[one[-1]]:
            return math.inf
        if timed:
            return number(other[0], 0) - number(one[-1], 1)
        return flat[other[0]] - flat[one[-1]] - 1

    pairs = [(a, b) for a, b in product(*runs)] + [(b, a) for a, b in product(*runs)]
    return any(
        a[0][0] == i and places[b[0][0]].recording == recording and apart(a, b) <= near.distance for a, b in pairs
    )


def mask(index, query):
    """For each place of an archive, whether it has all that a query requires."""
    out = []
    beside = [words for near in query.nears for words in (near.left, near.right)]
    phrases = [phrase for phrase in query.phrases if not any(phrase.alternatives is side for side in beside)]
    for places in read_places(index):
        for i in range(len(places)):
            out.append(
                all(holds_phrase(index, places, i, phrase.alternatives) for phrase in phrases)
                and all(holds_near(index, places, i, near) for near in query.nears)
                and not any(holds_excluded(index, places, i, words) for words in query.excluded)
            )
    return out


def best_worth(index, places, i, query, kind):
    """The largest worth of a run of a query's units that begins in a segment: all runs are tried."""
    only_stops = all(term.stop for term in query.terms)
    pieces = [
        (number, words.units(kind), 1 / len(words.units(kind)) if only_stops or not term.stop else 0.0)
        for number, term in enumerate(query.terms)
        for words in term.alternatives
        if words.units(kind)
    ]
    flat = [(j, s) for j, place in enumerate(places) for s in range(len(place.spans[kind]))]

    def posterior(at, unit):
        j, s = flat[at]
        return places[j].cells[kind, "cn"][s].get(unit, 0.0)

    def following(at):
        (j, s) = flat[at]
        for later in range(at + 1, min(at + 8, len(flat))):
            k, t = flat[later]
            close = later == at + 1 or abs(places[k].spans[kind][t][0] - places[j].spans[kind][s][1]) < 0.1
            if close and goes_on(places, j, k):
                yield later

    def worth(number, unit, at, left):
        term, units, share = pieces[number]
        ways = [(number, unit + 1, left)] if unit + 1 < len(units) else []
        if not ways and left > 0:
            ways = [(n, 0, left - 1) for n, piece in enumerate(pieces) if (term, piece[0]) in query.neighbours]
        more = [
            worth(n, u, later, rest)
            for n, u, rest in ways
            for later in following(at)
            if posterior(later, pieces[n][1][u]) >= 0.1
        ]
        best, length = max(more, default=(0.0, 0))
        return round(share * posterior(at, units[unit]) + best, 9), length + 1

    runs = [
        (worth(number, unit, at, len(query.neighbours)), len(units))
        for number, (_, units, _) in enumerate(pieces)
        for unit in range(len(units))
        for at in range(len(flat))
        if flat[at][0] == i and posterior(at, units[unit])
    ]
    return max((w for (w, length), n in runs if kind == index.kinds[0] or length > 1 or n == 1), default=0.0)
