"""Evidence of a query at places by its definitions, and rankings by scoring every place: slow and obvious."""

import math
from collections import defaultdict

from .reference_places import all_runs, read_places

CLASSES = ("heard", "listed", "unknown")


class Counts:
    """The expected counts of an archive's places, read one by one from the decoded arrays."""

    def __init__(self, archive):
        from rankine.spoken.index import schema
        from rankine.spoken.index.grams import decoded
        from rankine.spoken.index.schema import FORMS, GramPostings, Postings

        self.settings, self.listed = archive.settings, archive.index.listed
        self.kinds = list(self.settings.kinds)
        self.parts = read_places(archive.index)
        self.stored, self.cells, self.places = [], {f: defaultdict(list) for f in FORMS}, []
        counts = decoded()
        for reader in archive.index.parts:
            part, n = reader.part, len(reader.recording_of)
            self.places += [(reader.names[d], u) for u, d in enumerate(reader.recording_of.tolist())]
            for form in FORMS:
                for kind in self.kinds:
                    cells, postings = [{} for _ in range(n)], Postings(kind, form)
                    units, ptr = schema.units(kind).read(part).all(), postings.bounds(part).tolist()
                    utterance, position, p = (array.tolist() for array in postings.read(part))
                    for u, unit in enumerate(units):
                        for i in range(ptr[u], ptr[u + 1]):
                            cells[utterance[i]][position[i], unit] = float(reader.posteriors[p[i]])
                    self.cells[form][kind] += cells
            stored = [{} for _ in range(n)]
            for kind, orders in self.settings.grams.items():
                for order in orders:
                    grams = GramPostings(kind, order)
                    names = schema.gram_units(kind).read(part).all()
                    ptr = grams.bounds(part).tolist()
                    utterance, n_times = (array.tolist() for array in grams.read(part))
                    for g, code in enumerate(grams.codes(part).tolist()):
                        gram = []
                        for _ in range(order):
                            code, digit = divmod(code, len(names))
                            gram.insert(0, names[digit])
                        for i in range(ptr[g], ptr[g + 1]):
                            stored[utterance[i]][kind, tuple(gram)] = float(counts[n_times[i]])
            self.stored += stored

    def __len__(self):
        return len(self.stored)

    def count(self, kind, gram, x):
        """How often a gram is said at a place."""
        if len(gram) in self.settings.grams.get(kind, ()):
            return self.stored[x].get((kind, tuple(gram)), 0.0)
        return max(self.chain(kind, form, gram, x) for form in self.cells)

    def chain(self, kind, form, gram, x):
        cells = self.cells[form][kind][x]
        return sum(
            math.prod(cells.get((k + j, unit), 0.0) for j, unit in enumerate(gram))
            for k in range(1 + max((p for p, _ in cells), default=-1))
        )

    def p(self, kind, gram, x):
        return 1 - math.exp(-3 * self.count(kind, gram, x))

    def p_across(self, kind, words, x):
        """The same of words that may begin at a place and end in a later segment."""
        if len(words) == 1:
            return self.p(kind, words, x)
        part = next(i for i, places in enumerate(self.parts) if x < sum(map(len, self.parts[: i + 1])))
        row, best = x - sum(map(len, self.parts[:part])), {}
        for path, p in all_runs(self.parts[part], kind, words):
            if path[0][0] == row != path[-1][0]:
                best[path[0], path[-1]] = max(p, best.get((path[0], path[-1]), 0.0))
        return 1 - math.exp(-3 * (self.count(kind, words, x) + sum(best.values())))

    def df(self, kind, gram):
        return sum(self.p(kind, gram, x) for x in range(len(self)))

    def idf(self, df):
        return max(math.log((len(self) + 0.5) / (df + 0.5)), 0.05)


def slot_grams(cells, order):
    """The expected count of each sequence of units in neighbouring slots."""
    out = {(): dict.fromkeys(range(1 + max((p for p, _ in cells), default=-1)), 1.0)}
    for _ in range(order):
        longer = {}
        for gram, ends in out.items():
            for k, x in ends.items():
                for (position, unit), p in cells.items():
                    if position == k:
                        longer.setdefault((*gram, unit), {})[k + 1] = x * p
        out = longer
    return {gram: sum(ends.values()) for gram, ends in out.items()}


def roles(kinds):
    smaller = kinds[1:]
    if not smaller:
        return {}
    return {"sound": smaller[-1]} if len(smaller) == 1 else {"part": smaller[0], "sound": smaller[-1]}


def grams(units, order):
    n = min(order, len(units))
    if not units or (order == 3 and n == 1):
        return []
    return [tuple(units[i : i + n]) for i in range(len(units) - n + 1)]


def order_of(counts, kind):
    return 3 if counts.settings.kinds[kind] == "phones" else 2


def share_of(counts, kind, some, x):
    weights = [counts.idf(counts.df(kind, g)) for g in some]
    return sum(w * counts.p(kind, g, x) for w, g in zip(weights, some, strict=True)) / sum(weights) if some else 0.0


def least_of(counts, kind, some, x):
    return min((counts.p(kind, g, x) for g in some), default=0.0)


def term_features(counts, term):
    """Class, df and a dict of features for every place."""
    word, N = counts.kinds[0], range(len(counts))
    p = [[counts.p_across(word, a.words, x) for a in term.alternatives] for x in N]
    said = [1 - math.prod(1 - q for q in row) for row in p]
    df = sum(said)
    listed = any(all(counts.listed(w) for w in a.words) for a in term.alternatives)
    name = "heard" if df >= 0.1 else "listed" if listed else "unknown"
    out = [{"word": q} for q in said]
    for role, kind in roles(counts.kinds).items():
        some = [grams(a.units(kind), order_of(counts, kind)) for a in term.alternatives]
        single = role == "sound" and order_of(counts, kind) == 2
        shared = [[(u,) for u in a.units(kind)] for a in term.alternatives] if single else some
        whole = [max(least_of(counts, kind, g, x) for g in some) for x in N]
        rho = min(1.0, df / sum(whole)) ** 2 if name == "heard" and sum(whole) > 0 else 1.0
        for x in N:
            out[x][f"{role}-all"] = rho * max(max(p[x]), whole[x])
            out[x][f"{role}-share"] = rho * max(max(p[x]), *(share_of(counts, kind, g, x) for g in shared))
    return name, df, out


def pair_features(counts, left, right):
    out = [{"word-pair": counts.p(counts.kinds[0], left.words + right.words, x)} for x in range(len(counts))]
    for role, kind in roles(counts.kinds).items():
        n, a, b = order_of(counts, kind), left.units(kind), right.units(kind)
        whole = grams(a + b, n) if a and b else []
        crossing = grams(a[-(n - 1) :] + b[: n - 1], n) if a and b else []
        for x in range(len(counts)):
            out[x][f"{role}-pair"] = least_of(counts, kind, whole, x)
            out[x][f"{role}-join"] = share_of(counts, kind, crossing, x)
    return out


def evidence(counts, query):
    """A dict column → value for every place; places without evidence have empty ones."""
    size = "one" if len(query.terms) == 1 and not query.neighbours else "several"
    out = [defaultdict(float) for _ in range(len(counts))]
    terms = [term_features(counts, term) for term in query.terms]
    rarity = [counts.idf(df) * (0.1 if t.stop else 1) for t, (_, df, _) in zip(query.terms, terms, strict=True)]
    for (name, _, features), idf in zip(terms, rarity, strict=True):
        for x, row in enumerate(features):
            for feature, value in row.items():
                out[x][f"{name}-{size}-{feature}"] += idf / sum(rarity) * value
    for i, j in query.neighbours:
        name = max(terms[i][0], terms[j][0], key=CLASSES.index)
        features = pair_features(counts, query.terms[i].alternatives[0], query.terms[j].alternatives[0])
        for x, row in enumerate(features):
            for feature, value in row.items():
                share = min(rarity[i], rarity[j]) / sum(rarity) * len(rarity) / len(query.neighbours)
                out[x][f"{name}-{size}-{feature}"] += share * value
    return [{column: value for column, value in row.items() if value > 0} for row in out]
