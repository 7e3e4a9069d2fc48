"""Slow, obvious versions of everything that is fast elsewhere (long: one file), not shared with the package."""

import math
from collections import Counter
from itertools import combinations, pairwise, permutations

from scipy import stats


def expected(measure, grades, scores, **params):
    """Mean of a measure over all orders that are consistent with the scores (all permutations are tried)."""
    m = len(grades)
    values = [
        measure([grades[i] for i in order], list(grades), **params)
        for order in permutations(range(m))
        if all(scores[order[r]] >= scores[order[r + 1]] for r in range(m - 1))
    ]
    return sum(values) / len(values)


def stable(measure, grades, scores, **params):
    """A measure with equal scores in input order."""
    order = sorted(range(len(grades)), key=lambda i: -scores[i])
    return measure([grades[i] for i in order], list(grades), **params)


def gain(g, kind):
    return 2**g - 1 if kind != "log2" else g


def discount(rank, kind):
    if kind == "letor":
        return 1.0 if rank <= 2 else 1 / math.log2(rank)
    return 1 / math.log2(1 + rank)


def dcg(ranked, pool, cutoff=None, dcg="exp-log2"):
    top = ranked[:cutoff]
    return sum(gain(g, dcg) * discount(r, dcg) for r, g in enumerate(top, 1))


def ndcg(ranked, pool, cutoff=None, dcg="exp-log2"):
    if dcg == "letor" and cutoff is not None and len(ranked) < cutoff:
        return 0.0
    best = sum(gain(g, dcg) * discount(r, dcg) for r, g in enumerate(sorted(pool, reverse=True)[:cutoff], 1))
    return globals()["dcg"](ranked, pool, cutoff, dcg) / best if best else 0.0


def mean_ndcg(ranked, pool, dcg="letor"):
    if not ranked:
        return 0.0
    return sum(ndcg(ranked, pool, k, dcg) for k in range(1, len(ranked) + 1)) / len(ranked)


def precision(ranked, pool, cutoff, rel=1):
    return sum(g >= rel for g in ranked[:cutoff]) / cutoff


def recall(ranked, pool, cutoff=None, rel=1):
    n = sum(g >= rel for g in pool)
    return sum(g >= rel for g in ranked[:cutoff]) / n if n else 0.0


def r_precision(ranked, pool, rel=1):
    n = sum(g >= rel for g in pool)
    return precision(ranked, pool, n, rel) if n else 0.0


def average_precision(ranked, pool, cutoff=None, rel=1):
    n = sum(g >= rel for g in pool)
    total = sum(sum(h >= rel for h in ranked[:r]) / r for r, g in enumerate(ranked[:cutoff], 1) if g >= rel)
    return total / n if n else 0.0


def reciprocal_rank(ranked, pool, cutoff=None, rel=1):
    return next((1 / r for r, g in enumerate(ranked[:cutoff], 1) if g >= rel), 0.0)


def success(ranked, pool, cutoff, rel=1):
    return float(any(g >= rel for g in ranked[:cutoff]))


def err(ranked, pool, gmax, cutoff=None):
    total, go_on = 0.0, 1.0
    for r, g in enumerate(ranked[:cutoff], 1):
        stop = (2**g - 1) / 2**gmax
        total += go_on * stop / r
        go_on *= 1 - stop
    return total


def rbp(ranked, pool, p=0.8, cutoff=None, rel=1):
    return (1 - p) * sum(p ** (r - 1) for r, g in enumerate(ranked[:cutoff], 1) if g >= rel)


def bpref(ranked, pool, rel=1):
    n_rel = sum(g >= rel for g in pool)
    n_non = len(pool) - n_rel
    total = 0.0
    for r, g in enumerate(ranked):
        if g >= rel:
            above = sum(h < rel for h in ranked[:r])
            total += 1 - min(above, n_rel) / min(n_non, n_rel) if above else 1.0
    return total / n_rel if n_rel else 0.0


def pairs(ranked):
    """(higher-ranked grade, lower-ranked grade) of all pairs."""
    return list(combinations(ranked, 2))


def auc(ranked, pool, rel=1):
    mixed = [(a >= rel) - (b >= rel) for a, b in pairs(ranked) if (a >= rel) != (b >= rel)]
    return sum(d > 0 for d in mixed) / len(mixed) if mixed else 0.0


def disagreement(ranked, pool):
    unequal = [(a, b) for a, b in pairs(ranked) if a != b]
    return sum(a < b for a, b in unequal) / len(unequal) if unequal else 0.0


def kendall_a(ranked, pool):
    every = pairs(ranked)
    if all(a == b for a, b in every):
        return 0.0
    return sum((a > b) - (a < b) for a, b in every) / len(every)


def letor_line(line):
    """(label, query id, {index: value}, document id) of one LETOR line, by string splitting."""
    body, _, comment = line.partition("#")
    words = body.split()
    words_in_comment = comment.replace("=", " = ").split()
    doc = ""
    if words_in_comment[:2] == ["docid", "="]:
        doc = words_in_comment[2]
    elif len(comment.split()) == 1:
        doc = comment.split()[0]
    cells = {int(w.split(":")[0]): float(w.split(":")[1]) for w in words[2:]}
    return float(words[0]), words[1].removeprefix("qid:"), cells, doc


def letor_table(text, first_index=None, unordered=False, sizes=None):
    """(X, y, query ids) of LETOR text as lists, features from ``first_index``; without ``qid:`` the sizes of queries.

    None if the text is not valid: an index below the first, twice, or (unless ``unordered``) below the one before.
    """
    lines = [line for line in text.splitlines() if line.split("#")[0].strip()]
    if sizes is not None:
        if sum(sizes) != len(lines):
            return None
        numbers = [q for q, size in enumerate(sizes, 1) for _ in range(size)]
        lines = [line.replace(" ", f" qid:{q} ", 1) for q, line in zip(numbers, lines, strict=True)]
    indices = [[int(word.split(":")[0]) for word in line.split("#")[0].split()[2:]] for line in lines]
    if first_index is None:
        first_index = 0 if any(0 in row for row in indices) else 1
    for row in indices:
        if len(set(row)) < len(row) or min(row, default=1) < first_index or (row != sorted(row) and not unordered):
            return None
    rows = [letor_line(line) for line in lines]
    width = max([max(row[2], default=first_index) for row in rows]) - first_index + 1
    X = [[row[2].get(j + first_index, 0.0) for j in range(max(width, 1))] for row in rows]
    return X, [row[0] for row in rows], [row[1] for row in rows]


def position_weights(A, k, m):
    """A(1..m) by name or table."""
    cut = m if k is None else k
    if not isinstance(A, str):
        return [A[r] if r < min(len(A), cut) else 0.0 for r in range(m)]
    formula = {
        "linear": lambda r: max(cut + 1 - r, 0),
        "inverse-sqrt": lambda r: r**-0.5 if r <= cut else 0.0,
        "discount": lambda r: discount(r, "exp-log2") if r <= cut else 0.0,
    }[A]
    return [formula(r) for r in range(1, m + 1)]


def prediction_loss(of, k, grades, order):
    """Δ of a ranking (document numbers, best first); None where no document is relevant."""
    ranked = [grades[i] for i in order]
    n_rel = sum(g >= 1 for g in grades)
    if of == "ndcg":
        return None if max(grades) == 0 else 1 - ndcg(ranked, grades, k)
    if n_rel == 0:
        return None
    if of == "p":
        return 1 - precision(ranked, grades, k) * k / min(k, n_rel)
    return 1 - (average_precision if of == "map" else reciprocal_rank)(ranked, grades)


def ranking_score(A, k, levels, scores, order):
    """F of a ranking: Σ A(r)·s, or Σ over pairs of different level of the signed score difference."""
    m = len(order)
    if A in ("partial-order", "yue"):
        top = sum(g == max(levels) for g in levels)
        norm = 2 / (m * (m - 1)) if A == "partial-order" else 1 / (top * (m - top))
        pairs_in_order = combinations(order, 2)
        return norm * sum((scores[i] - scores[j]) * (1 if levels[i] != levels[j] else 0) for i, j in pairs_in_order)
    return sum(a * scores[i] for a, i in zip(position_weights(A, k, m), order, strict=True))


def structural_hinge(of, k, A, target, grades, scores):
    """max_π [Δ(π) + F(π)] − F* over all permutations; 0 where Δ does not vary."""
    m = len(grades)
    levels = list(grades) if of == "ndcg" else [int(g >= 1) for g in grades]
    orders = list(permutations(range(m)))
    deltas = [prediction_loss(of, k, grades, order) for order in orders]
    if deltas[0] is None or max(deltas) - min(deltas) < 1e-12:
        return 0.0
    scored = [ranking_score(A, k, levels, scores, order) for order in orders]
    perfect = [
        f for f, order in zip(scored, orders, strict=True)
        if all(levels[order[r]] >= levels[order[r + 1]] for r in range(m - 1))
    ]  # fmt: skip
    star = {"best": max(perfect), "tight": max(scored)}.get(target, sum(perfect) / len(perfect))
    return max(d + f for d, f in zip(deltas, scored, strict=True)) - star


def output_terms(of, k, grades, scores):
    """Δ + F − F* of every sequence of grades, each with its best ranking; and the perfect one. None: nothing varies."""
    levels = list(grades) if of == "ndcg" else [int(g >= 1) for g in grades]
    A = "partial-order" if of == "ndcg" else "yue"
    orders = list(permutations(range(len(grades))))
    deltas = [prediction_loss(of, k, grades, order) for order in orders]
    if deltas[0] is None or max(deltas) - min(deltas) < 1e-12 or len(set(levels)) == 1:
        return None, None
    best = {}
    for order, delta in zip(orders, deltas, strict=True):
        key = tuple(levels[i] for i in order)
        f = ranking_score(A, k, levels, scores, order)
        best[key] = max(best.get(key, (-math.inf, 0))[0], f), delta
    perfect = tuple(sorted(levels, reverse=True))
    return {key: d + f - best[perfect][0] for key, (f, d) in best.items()}, perfect


def over_outputs(of, k, grades, scores, soft, kept=None):
    """The sum of hinges, or the soft maximum, over all outputs; or over π* and those that are ``kept``."""
    terms, perfect = output_terms(of, k, grades, scores)
    if terms is None:
        return 0.0
    counted = [x for key, x in terms.items() if key != perfect and (kept is None or key in kept)]
    return math.log(1 + sum(map(math.exp, counted))) if soft else sum(max(x, 0.0) for x in counted)


def smooth_hinge(t, h):
    """Chapelle's differentiable hinge, by its three branches."""
    if t > 1 + h:
        return 0.0
    return 1 - t if t < 1 - h else (1 + h - t) ** 2 / (4 * h)


def pair_loss(name, s, y, h=0.5, gains=None, phi="smooth-hinge"):
    """Pairwise losses of one query by a double loop. ``gains`` is the standard form of a consistent loss."""
    m = len(s)
    f = {
        "hinge": lambda t: max(1 - t, 0.0),
        "squared-hinge": lambda t: max(1 - t, 0.0) ** 2,
        "smooth-hinge": lambda t: smooth_hinge(t, h),
    }[{"ranksvm": "hinge", "ranksvm-l2": "squared-hinge"}.get(name.split(":")[0], phi)]
    pairs = [(i, j) for i in range(m) for j in range(m) if y is not None and y[i] > y[j]]
    norm = 1 / max(len(pairs), 1) if ":norm" in name else 1.0
    if name.startswith("consistent"):
        norm = 1 / max(m * (m - 1), 1) if ":norm" in name else 1.0
        return norm * sum(gains[i] * f(s[i] - s[j]) for i in range(m) for j in range(m) if i != j)
    if name.startswith("position-sensitive"):
        labels = sorted(set(y), reverse=True)
        rank = [labels.index(g) + 1 for g in y]
        r = len(labels)
        return norm * sum(max(abs(r / rank[i] - r / rank[j]) - (s[i] - s[j]), 0.0) for i, j in pairs)
    weigh = (lambda i, j: 2 ** y[i] - 2 ** y[j]) if name.endswith("+dcg") else (lambda i, j: 1.0)
    return norm * sum(weigh(i, j) * f(s[i] - s[j]) for i, j in pairs)


def pair_errors(s, y):
    """Misordered pairs, ties counted one half."""
    m = len(s)
    return sum(
        (s[i] < s[j]) + 0.5 * (s[i] == s[j]) for i in range(m) for j in range(m) if y[i] > y[j]
    )  # fmt: skip


def best_dcg(y, k=None):
    """The best DCG@k of a query."""
    gains = sorted((2**g - 1 for g in y), reverse=True)[:k]
    return sum(g / math.log2(2 + r) for r, g in enumerate(gains))


def list_mle(s, y):
    """Each document above the lowest grade, chosen from those of its grade or lower."""
    low = min(y)
    return sum(
        math.log(sum(math.exp(s[j]) for j in range(len(s)) if y[j] <= y[i])) - s[i]
        for i in range(len(s)) if y[i] > low
    )  # fmt: skip


def list_net(s, y):
    """Kullback–Leibler divergence of the two soft-maxes."""
    p = [math.exp(g) / sum(math.exp(x) for x in y) for g in y]
    q = [math.exp(g) / sum(math.exp(x) for x in s) for g in s]
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


def adarank(E_of, features, n_queries, rounds, update):
    """AdaRank by the book: ``E_of(scores)`` are performances per query of scores, ``features`` columns. No guard."""
    P = [1 / n_queries] * n_queries
    scores = [0.0] * len(features[0])
    out = []
    for _ in range(rounds):
        table = [E_of(f) for f in features]
        merits = [sum(p * e for p, e in zip(P, row, strict=True)) for row in table]
        k = max(range(len(features)), key=lambda f: (merits[f], -f))
        if merits[k] <= 0:
            break
        up = sum(p * (1 + e) for p, e in zip(P, table[k], strict=True))
        down = sum(p * (1 - e) for p, e in zip(P, table[k], strict=True))
        alpha = 0.5 * math.log(up / max(down, 1e-10))
        scores = [s + alpha * x for s, x in zip(scores, features[k], strict=True)]
        served = E_of(scores)
        P = [math.exp(-e) * (p if update == "meng" else 1.0) for e, p in zip(served, P, strict=True)]
        P = [p / sum(P) for p in P]
        out.append((k, alpha, served, merits[k]))
    return out


def rankboost(X, y, qid, rounds):
    """RankBoost with explicit pairs and all thresholds; the best r of each round and the scores at the end."""
    n = len(y)
    pairs = [(i, j) for i in range(n) for j in range(n) if qid[i] == qid[j] and y[i] > y[j]]
    D = [1 / len(pairs)] * len(pairs)
    H = [0.0] * n
    steps = []
    for _ in range(rounds):
        best = (0.0, None, None)
        for f in range(len(X[0])):
            values = sorted({row[f] for row in X})
            for a, b in pairwise(values):
                h = [1.0 if row[f] > (a + b) / 2 else 0.0 for row in X]
                r = sum(d * (h[i] - h[j]) for d, (i, j) in zip(D, pairs, strict=True))
                if abs(r) > abs(best[0]) + 1e-12:
                    best = (r, f, h)
        r, _, h = best
        if h is None:
            break
        alpha = 0.5 * math.log((1 + r + 1e-10) / (1 - r + 1e-10))
        H = [s + alpha * x for s, x in zip(H, h, strict=True)]
        D = [d * math.exp(alpha * (h[j] - h[i])) for d, (i, j) in zip(D, pairs, strict=True)]
        D = [d / sum(D) for d in D]
        steps.append((r, alpha))
    return steps, H


def path_probabilities(lattice, weight):
    """All paths with their probabilities: the soft-max of the sums of their arcs' weights."""
    paths = list(lattice.paths())
    sums = [sum(weight[a] for a in path) for path in paths]
    top = max(sums)
    total = sum(math.exp(s - top) for s in sums)
    return [(path, math.exp(s - top) / total) for path, s in zip(paths, sums, strict=True)]


def pspl(lattice, weight):
    """P(unit, position) by enumerating all paths."""
    out = {}
    for path, p in path_probabilities(lattice, weight):
        for position, word in enumerate(lattice.words(path)):
            out[position, word] = out.get((position, word), 0.0) + p
    return out


def corrected_sequences(arcs, last, start, end, words):
    """(word, start) sequences of a corrected lattice with their probabilities, by all paths of the one that was heard.

    ``arcs`` are (from, to, word or None, transition probability, start, end), nodes from 0 to ``last``. Prefixes and
    suffixes of paths are counted apart, and all of the one go together with all of the other.
    """
    prefixes, suffixes = Counter(), Counter()

    def said(path):
        return tuple((a[2], round(a[4], 9)) for a in path if a[2] is not None)

    def walk(node, path, p):
        if node == last:
            middles = [(a[4] + a[5]) / 2 for a in path]
            n = next((i for i, m in enumerate(middles) if not m < start), len(path))
            m = next((i for i, m in enumerate(middles) if m > end), len(path))
            prefixes[said(path[:n])] += p
            suffixes[said(path[m:])] += p
        for a in arcs:
            if a[0] == node:
                walk(a[1], [*path, a], p * a[3])

    walk(0, [], 1.0)
    letters, at, written = sum(map(len, words)), 0, []
    for word in words:
        written.append((word, round(start + (end - start) * at / letters, 9)))
        at += len(word)
    out = Counter()
    for prefix, p in prefixes.items():
        for suffix, q in suffixes.items():
            out[(*prefix, *written, *suffix)] += p * q
    return out


def gram_counts(lattice, weight, order):
    """The expected number of times that each sequence of ``order`` units is said, by enumerating all paths."""
    out = {}
    for path, p in path_probabilities(lattice, weight):
        words = lattice.words(path)
        for i in range(len(words) - order + 1):
            gram = tuple(words[i : i + order])
            out[gram] = out.get(gram, 0.0) + p
    return out


def weak_scores(segments, query, orders=3):
    """SPEC: S_n = Σ_i log(1 + Σ_segments Σ_k Π_{j<n} P(q_{i+j}, k+j)); segments are dicts (position, unit) → P."""
    out = []
    for n in range(1, orders + 1):
        total = 0.0
        for i in range(len(query) - n + 1):
            inside = 0.0
            for cells in segments:
                for k in range(1 + max((p for p, _ in cells), default=-1)):
                    product = 1.0
                    for j in range(n):
                        product *= cells.get((k + j, query[i + j]), 0.0)
                    inside += product
            total += math.log(1 + inside)
        out.append(total)
    return out


# Risk bounds, with whole numbers and plain floats ---------------------------------------------------------------------


def fused_ranking(own, further):
    """Names and scores s + Σ w s_h, the best first; ``own`` and those of ``further`` (weight, scores) are by name."""
    names = {*own, *(name for weight, scores in further if weight for name in scores)}
    total = {n: own.get(n, 0.0) + sum(weight * scores.get(n, 0.0) for weight, scores in further) for n in names}
    return sorted(total.items(), key=lambda pair: (-round(pair[1], 12), pair[0]))


def pairwise_bound(risk, n, sizes, B, M, delta):
    """Corollary 1 as printed; Theorem 3 with all sizes 1, Corollary 2 with two levels."""
    pairs = sum(a * b for i, a in enumerate(sizes) for b in sizes[i + 1 :])
    complexity = pairs * 4 * B * M / math.sqrt(n)
    confidence = pairs * (len(sizes) - 1 + 2 * B * M) * math.sqrt(8 * math.log(2 / delta) / n)
    return complexity, confidence, risk + complexity + confidence


def listwise_bound(risk, n, outputs, B, M, delta):
    """Theorem 4 and Corollary 3 as printed."""
    complexity = outputs * 4 * B * M / math.sqrt(n)
    confidence = outputs * (1 + 2 * B * M) * math.sqrt(8 * math.log(2 / delta) / n)
    return complexity, confidence, risk + complexity + confidence


def top_sequences(sizes, k):
    """The number of distinct sequences of levels at the first k ranks, one by one."""
    levels = [i for i, s in enumerate(sizes) for _ in range(s)]
    return len({order[:k] for order in permutations(levels)})


def rank_biased_overlap(a, b, p):
    """Depth by depth; both rankings hold the same documents."""
    total = 0.0
    for d in range(1, len(a) + 1):
        total += (1 - p) * p ** (d - 1) * len(set(a[:d]) & set(b[:d])) / d
    return total + p ** len(a)


# Choosing one of many configurations ----------------------------------------------------------------------------------


def choice(means, classes, gain, optimism=0.0, end=math.inf):
    """Classes 0 to 4 in turn: one of class 0 or 1 must be above what was chosen so far, others by ``gain``.

    Those of the classes 0 to 2 lose ``optimism`` before they are compared with one of the classes 3 and 4. If no
    value up to ``end`` is above the best of them by ``gain``, it is chosen.
    """
    best = None
    for level in range(5):
        for i, (mean, c) in enumerate(zip(means, classes, strict=True)):
            if c != level or mean < max(m for m, d in zip(means, classes, strict=True) if d == level):
                continue  # the largest of its class stands for it, the first of equal ones
            if best is not None and classes[best] < 3 <= level and means[best] + gain > end:
                return best
            height = None if best is None else means[best] - (optimism if classes[best] < 3 <= level else 0.0)
            if best is None or (mean > height if level < 2 else mean >= height + gain):
                best = i
            break
    return best


def weighted_mean(values, weights):
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def quantile(values, q):
    """Linear between the sorted values."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def bootstrap_correction(values, classes, weights, samples, gain, against=None, optimism=0.0):
    """The estimate and its 90 % interval: a row of values for each configuration, a list of queries for each sample.

    On each sample one is chosen and measured on the queries that are not in it. The mean over the samples is that of
    the difference to the one that is chosen on all queries.
    """
    means = [weighted_mean(row, weights) for row in values]
    top = choice(means, classes, gain, optimism)
    measured, differences = [], []
    for sample in samples:
        left = [q for q in range(len(weights)) if q not in sample]
        if not sum(weights[q] for q in left) or not sum(weights[q] for q in sample):
            continue
        inside = [weighted_mean([row[q] for q in sample], [weights[q] for q in sample]) for row in values]
        outside = [weighted_mean([row[q] for q in left], [weights[q] for q in left]) for row in values]
        best = choice(inside, classes, gain, optimism)
        measured.append(outside[best] - (0 if against is None else outside[against]))
        differences.append(outside[best] - outside[top])
    mean = means[top] - (0 if against is None else means[against]) + sum(differences) / len(differences)
    center, shrink = sum(measured) / len(measured), math.sqrt(0.368 / 0.632)
    low, high = (mean + shrink * (quantile(measured, q) - center) for q in (0.05, 0.95))
    return mean, low, high


# Fusion ---------------------------------------------------------------------------------------------------------------


def stepwise_fusion(columns, values, weights, members, steps, least):
    """Counts of the columns: the first ones once each, then one more or less while that is shown to gain.

    ``values(scores)`` gives the measure of each query. A step must gain ``least``, and the 95 % interval of the paired
    differences must be above 0.
    """
    counts = [1 if m < members else 0 for m in range(len(columns))]

    def reached(counts):
        rows = range(len(columns[0]))
        return values([sum(c * columns[m][i] for m, c in enumerate(counts)) for i in rows])

    def after(m, sign):
        return [c + sign * (j == m) for j, c in enumerate(counts)]

    best = reached(counts)
    for _ in range(steps):
        used = [m for m, c in enumerate(counts) if c]
        tried = [after(m, 1) for m in range(len(columns)) if m in used or len(used) < members]
        tried += [after(m, -1) for m in used if sum(counts) > 1 and (len(used) > 1 or counts[m] > 1)]
        top = max(tried, key=lambda c: weighted_mean(reached(c), weights))
        differences = [a - b for a, b in zip(reached(top), best, strict=True)]
        mean, size = weighted_mean(differences, weights), sum(weights) ** 2 / sum(w * w for w in weights)
        if mean < least or size < 1.5:
            break
        variance = weighted_mean([(d - mean) ** 2 for d in differences], weights) / (size - 1)
        if mean <= stats.t.ppf(0.975, size - 1) * math.sqrt(variance):
            break
        counts, best = top, reached(top)
    return counts


def cohen_kappa(a, b):
    """Kappa by chance agreement over all pairs of one grade of each judge; None where it is not defined."""
    n = len(a)
    if n == 0:
        return None
    chance = sum(x == y for x in a for y in b) / (n * n)
    return None if chance == 1 else (sum(x == y for x, y in zip(a, b, strict=True)) / n - chance) / (1 - chance)
