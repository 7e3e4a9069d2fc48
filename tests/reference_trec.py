"""Slow, obvious versions of trec_eval's measures, written from its documentation; not shared with the package.

``ranked`` holds the grades of a list, best first: a number, UNPOOLED for a document that is not in the pool, UNJUDGED
for one that is in it without a judgment. ``pool`` holds the grades of all judged documents.
"""

import math

UNPOOLED, UNJUDGED = "-", "."


def is_grade(g):
    return g not in (UNPOOLED, UNJUDGED)


def gain_of(g):
    return max(g, 0) if is_grade(g) else 0


def relevant(grades, rel):
    return sum(is_grade(g) and g >= rel for g in grades)


def precision_at(ranked, k, rel):
    return relevant(ranked[:k], rel) / k


def iprec(ranked, pool, recall, rel=1, version=10):
    R = relevant(pool, rel)
    needed = math.floor(recall * R + 0.5) if version == 10 else math.floor(recall * R + 0.9)
    reached = [k for k in range(1, len(ranked) + 1) if relevant(ranked[:k], rel) >= needed]
    return max((precision_at(ranked, k, rel) for k in reached), default=0.0) if R else 0.0


def iprec_mean(ranked, pool, points=tuple(i / 10 for i in range(11)), rel=1, version=10):
    return sum(iprec(ranked, pool, x, rel, version) for x in points) / len(points)


def inferred_ap(ranked, pool, rel=1):
    R, total, small = relevant(pool, rel), 0.0, 0.00001
    for k, g in enumerate(ranked, 1):
        if is_grade(g) and g >= rel:
            above = ranked[: k - 1]
            judged = [h for h in above if is_grade(h)]
            pooled = [h for h in above if h != UNPOOLED]
            share = (relevant(judged, rel) + small) / (len(judged) + 2 * small)
            total += 1 / k + (k - 1) / k * (len(pooled) / (k - 1) * share if above else 0)
    return total / R if R else 0.0


def r_precision(ranked, pool, mult=1.0, rel=1):
    k = math.floor(mult * relevant(pool, rel) + 0.9)
    return precision_at(ranked, k, rel) if relevant(pool, rel) and k else 0.0


def utility(ranked, pool, weights=(1, -1, 0, 0), documents=0, rel=1):
    both, R, n = relevant(ranked, rel), relevant(pool, rel), len(ranked)
    return sum(w * c for w, c in zip(weights, (both, n - both, R - both, documents + both - n - R), strict=True))


def binary_g(ranked, pool, rel=1):
    R = relevant(pool, rel)
    places = [k for k, g in enumerate(ranked) if is_grade(g) and g >= rel]
    return sum(1 / math.log2(2 + k - relevant(ranked[:k], rel)) for k in places) / R if R else 0.0


def normalised_gain(ranked, pool):
    ideal = sorted(map(gain_of, pool), reverse=True)
    total = 0.0
    for k, g in enumerate(ranked, 1):
        cost = sum(max(ideal[i] if i < len(ideal) else 0, 1) for i in range(k))
        total += gain_of(g) / math.log2(2 + cost - sum(map(gain_of, ranked[:k])))
    return total / sum(ideal) if sum(ideal) else 0.0


def dcg_at(gains, k):
    return sum(g / math.log2(i + 2) for i, g in enumerate(gains[:k]))


def ndcg_rel(ranked, pool):
    ideal = sorted((g for g in map(gain_of, pool) if g), reverse=True)
    gains = [gain_of(g) for g in ranked]
    if not ideal:
        return 0.0
    values = [dcg_at(gains, k) / dcg_at(ideal, k) for k in range(1, len(gains) + 1) if gains[k - 1] > 0]
    missing = len(ideal) - len(values)
    return (sum(values) + missing * dcg_at(gains, len(gains)) / dcg_at(ideal, len(ideal))) / len(ideal)


def r_ndcg(ranked, pool, rel=1):
    ideal = sorted((g for g in map(gain_of, pool) if g), reverse=True)
    gains = [gain_of(g) for g in ranked]
    if not ideal or not relevant(pool, rel):
        return 0.0
    ranks = [k for k in range(1, len(ideal) + 1) if k == len(ideal) or ideal[k] != ideal[k - 1]]
    if len(gains) > len(ideal) + 1:
        ranks.append(len(gains))
    return sum(dcg_at(gains, k) / dcg_at(ideal, k) for k in ranks) / len(ranks)


def relative_precision(ranked, pool, cutoff, rel=1):
    R = relevant(pool, rel)
    return relevant(ranked[:cutoff], rel) / min(cutoff, R) if R else 0.0


def set_precision(ranked, pool, rel=1):
    return relevant(ranked, rel) / len(ranked) if ranked else 0.0


def set_recall(ranked, pool, rel=1):
    return relevant(ranked, rel) / relevant(pool, rel) if relevant(pool, rel) else 0.0


def set_ap(ranked, pool, rel=1):
    return set_precision(ranked, pool, rel) * set_recall(ranked, pool, rel)


def set_f(ranked, pool, x=1.0, rel=1):
    p, r = set_precision(ranked, pool, rel), set_recall(ranked, pool, rel)
    return (x + 1) * p * r / (r + x * p) if p else 0.0


def set_relative_precision(ranked, pool, rel=1):
    n = min(len(ranked), relevant(pool, rel))
    return relevant(ranked, rel) / n if n else 0.0


def graded_rbp(ranked, pool, p=0.9):
    top = max([1, *map(gain_of, pool)])
    return (1 - p) * sum(gain_of(g) / top * p**k for k, g in enumerate(ranked))


def rbp_residual(ranked, pool, p=0.9):
    unjudged = [k for k, g in enumerate(ranked) if not is_grade(g)]
    return p ** len(ranked) + (1 - p) * sum(p**k for k in unjudged) if unjudged else 0.0


def unjudged(ranked, pool, cutoff):
    return sum(not is_grade(g) for g in ranked[:cutoff]) / cutoff


def yaap(ranked, pool, rel=1):
    R = relevant(pool, rel)
    s = sum(precision_at(ranked, k, rel) for k, g in enumerate(ranked, 1) if is_grade(g) and g >= rel)
    return math.log((1 + s) / (1 + R - s))


def number(ranked, pool, of, rel=1):
    both = relevant(ranked, rel)
    judged = sum(map(is_grade, ranked))
    counts = {"retrieved": len(ranked), "relevant": relevant(pool, rel), "both": both, "others": judged - both}
    return counts.get(of, 1)


def preferences_of(group):
    """All pairs (better, worse) of a group, [(subgroup, document, level)]: stated in a subgroup, or following."""
    stated = {(a, b) for s, a, x in group for t, b, y in group if s == t and x > y}
    if len({s for s, _, _ in group}) == 1:
        return stated
    while True:
        more = {(a, d) for a, b in stated for c, d in stated if b == c} - stated
        if not more:
            return stated
        stated |= more


def preference_counts(pairs, ranked, over):
    """How many of the pairs are met and possible; a document that is not retrieved stands below all others."""
    place = {d: r for r, d in enumerate(ranked)}
    met = possible = 0
    for a, b in pairs:
        n = (a in place) + (b in place)
        if n < {"all": 0, "implied": 1, "retrieved": 2}[over]:
            continue
        possible += 1
        met += a in place and (b not in place or place[a] < place[b])
    return met, possible


def prefs(groups, ranked, average="preferences", over="all"):
    """Share of preferences met: of all, the mean over pairs of documents, the mean over groups."""
    if average == "groups":
        counts = [preference_counts(preferences_of(g), ranked, over) for g in groups]
        return sum(m / p for m, p in counts if p) / len(groups)
    pairs = [pair for g in groups for pair in preferences_of(g)]
    if average == "preferences":
        met, possible = preference_counts(pairs, ranked, over)
        return met / possible if possible else 0.0
    shares = []
    for documents in {frozenset(pair) for pair in pairs}:
        met, possible = preference_counts([p for p in pairs if frozenset(p) == documents], ranked, over)
        if possible:
            shares.append(met / possible)
    return sum(shares) / len(shares) if shares else 0.0


def alpha_gains(grades, ranked, alpha, rel=1):
    """The gain at each rank; ``grades`` is {subtopic: {document: grade}}."""
    return [
        sum(
            (1 - alpha) ** sum(of.get(above, -1) >= rel for above in ranked[:r])
            for of in grades.values()
            if of.get(d, -1) >= rel
        )
        for r, d in enumerate(ranked)
    ]


def alpha_ndcg(grades, ranked, cutoff, alpha=0.5, rel=1):
    left = sorted({d for of in grades.values() for d, g in of.items() if g >= rel}, reverse=True)
    best = []
    while left and len(best) < cutoff:
        best.append(max(left, key=lambda d: round(alpha_gains(grades, [*best, d], alpha, rel)[-1], 12)))
        left.remove(best[-1])
    ideal = dcg_at(alpha_gains(grades, best, alpha, rel), cutoff)
    return dcg_at(alpha_gains(grades, ranked, alpha, rel), cutoff) / ideal if ideal else 0.0


def err_ia(grades, ranked, cutoff, alpha=0.5, rel=1):
    n = sum(any(g >= rel for g in of.values()) for of in grades.values())
    best = sum(n * (1 - alpha) ** r / (r + 1) for r in range(cutoff))
    total = sum(g / (r + 1) for r, g in enumerate(alpha_gains(grades, ranked, alpha, rel)[:cutoff]))
    return total / best if best else 0.0
