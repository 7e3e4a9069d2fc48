"""The measures that tests compare with their slow versions in tests/reference.py, and small random queries."""

import numpy as np

from .. import reference as ref

GMAX = 4.0
CASES = [
    ("nDCG", ref.ndcg, {}),
    ("nDCG@3", ref.ndcg, {"cutoff": 3}),
    ("nDCG(dcg='log2')@2", ref.ndcg, {"cutoff": 2, "dcg": "log2"}),
    ("nDCG(dcg='letor')@4", ref.ndcg, {"cutoff": 4, "dcg": "letor"}),
    ("DCG@3", ref.dcg, {"cutoff": 3}),
    ("MeanNDCG", ref.mean_ndcg, {}),
    ("AP", ref.average_precision, {}),
    ("AP(rel=2)@4", ref.average_precision, {"rel": 2, "cutoff": 4}),
    ("P@3", ref.precision, {"cutoff": 3}),
    ("P(rel=2)@10", ref.precision, {"cutoff": 10, "rel": 2}),
    ("R@2", ref.recall, {"cutoff": 2}),
    ("R", ref.recall, {}),
    ("RR", ref.reciprocal_rank, {}),
    ("RR@2", ref.reciprocal_rank, {"cutoff": 2}),
    ("Success@2", ref.success, {"cutoff": 2}),
    ("ERR(gmax=4)", ref.err, {"gmax": GMAX}),
    ("ERR(gmax=4)@2", ref.err, {"gmax": GMAX, "cutoff": 2}),
    ("RBP(p=0.8)", ref.rbp, {}),
    ("RBP(p=0.5,rel=2)@3", ref.rbp, {"p": 0.5, "rel": 2, "cutoff": 3}),
    ("Rprec", ref.r_precision, {}),
    ("Bpref", ref.bpref, {}),
    ("AUC", ref.auc, {}),
    ("Disagreement", ref.disagreement, {}),
    ("KendallTau", ref.kendall_a, {}),
]
NAMES = [name for name, _, _ in CASES]
TREC = [
    *("map", "ndcg", "recip_rank", "Rprec", "bpref"),
    *(f"{m}_{k}" for m in ("ndcg_cut", "map_cut", "P", "recall", "success") for k in (1, 5, 10, 100)),
]


def small_case(rng):
    """A query of up to six documents with many ties in grades and scores."""
    m = int(rng.integers(1, 7))
    grades = rng.integers(0, rng.integers(1, 5) + 1, m).tolist()
    scores = rng.integers(0, rng.integers(1, 7), m).astype(float).tolist()
    return grades, scores


def random_trec(rng):
    """Judgments and a run with many ties, missing queries and unjudged documents."""
    docs = [f"d{i}" for i in rng.permutation(1000)[: rng.integers(1, 40)]]
    kind = rng.integers(4)
    qrels, run = {}, {}

    def score():
        choices = (rng.integers(0, 4), rng.standard_normal(), 1 + rng.integers(0, 3) * 1e-9)
        return float(choices[kind] if kind < 3 else np.round(rng.random(), 2) * 10.0 ** rng.integers(-5, 30))

    for q in range(int(rng.integers(1, 6))):
        if rng.random() < 0.9:
            low = rng.choice([-1, 0, 0])
            qrels[f"q{q}"] = {d: int(rng.integers(low, 4)) for d in docs if rng.random() < 0.6}
            qrels[f"q{q}"][docs[0]] = int(rng.integers(0, 3))  # trec_eval hangs where all grades are negative
        if rng.random() < 0.9:
            run[f"q{q}"] = {d: score() for d in docs if rng.random() < 0.7} or {docs[-1]: 1.0}
    return qrels, run


def is_judged(qrels, run):
    """Whether a document of the run is judged; otherwise the run is refused."""
    return any(qrels.get(q, {}).get(d, -1) >= 0 for q, documents in run.items() for d in documents)
