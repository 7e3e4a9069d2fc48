"""nDCG@10, AP, RR, P@10 and ERR@20 of 10,000 queries: Rankine from arrays, ranx and pytrec_eval on ready objects.

Then all that trec_eval prints for a run of usual size, from files to lines.
"""

import os
import tempfile
from pathlib import Path

import numpy as np

import rankine as rk
from rankine.io import TrecTable, load_qrels, load_run, save_qrels, save_run
from rankine.measures.trec_print import TrecOptions, trec_lines

from .timing import best_times, goal, heading

QUERIES = 10_000
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "ERR@20"]
RANX = ["ndcg@10", "map", "mrr", "precision@10"]  # ranx has no ERR
TREC = {"ndcg_cut.10", "map", "recip_rank", "P.10"}  # nor has trec_eval


def lengths_of_mq2008(rng: np.random.Generator) -> np.ndarray | None:
    """Lengths drawn from MQ2008, where the real data is at hand."""
    place = os.environ.get("RANKINE_DATA")
    if not place:
        return None
    parts = [rk.load_letor(f"{place}/letor/mq2008/S{i}.txt.xz") for i in range(1, 6)]
    return rng.choice(np.concatenate([np.diff(p.ptr) for p in parts]), QUERIES)


def as_dicts(y: np.ndarray, scores: np.ndarray, qid: np.ndarray) -> tuple[dict, dict]:
    qrels: dict = {}
    run: dict = {}
    for i, (q, g, s) in enumerate(zip(qid.tolist(), y.tolist(), scores.tolist(), strict=True)):
        qrels.setdefault(str(q), {})[f"d{i}"] = int(g)
        run.setdefault(str(q), {})[f"d{i}"] = s
    return qrels, run


def compare(title: str, lengths: np.ndarray, rng: np.random.Generator) -> None:
    import pytrec_eval
    import ranx

    qid = np.repeat(np.arange(len(lengths)), lengths)
    y = rng.choice(5, len(qid), p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(float)
    scores = y + 2 * rng.standard_normal(len(qid))
    tied = np.round(scores, 1)
    heading(f"Evaluating {', '.join(MEASURES)}: {len(lengths):,} queries, {title}")
    qrels, run = as_dicts(y, scores, qid)
    ranx_qrels, ranx_run = ranx.Qrels(qrels), ranx.Run(run)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, TREC)

    def rankine(s: np.ndarray, ties: str, threads: int):
        return lambda: rk.evaluate(MEASURES, y, s, qid, ties=ties, threads=threads)

    ours = {
        "stable, 1 thread": rankine(scores, "stable", 1),
        "stable, 2 threads": rankine(scores, "stable", 2),
        "expected, 1 thread": rankine(scores, "expected", 1),
        "expected, 2 threads": rankine(scores, "expected", 2),
        "expected, many ties, 1 thread": rankine(tied, "expected", 1),
        "stable, many ties, 1 thread": rankine(tied, "stable", 1),
    }
    peers = {
        "ranx (4 of the 5)": lambda: ranx.evaluate(ranx_qrels, ranx_run, RANX, make_comparable=False),
        "pytrec_eval (4 of the 5)": lambda: evaluator.evaluate(run),
    }
    for call in (*ours.values(), peers["ranx (4 of the 5)"]):
        call()
    times = best_times(ours | peers, rounds=5, repeat=7)
    for name, seconds in times.items():
        print(f"  {name:<34} {1e3 * seconds:8.1f} ms   {len(lengths) / seconds:9,.0f} queries/s")
    one = times["stable, 1 thread"]
    goal("one thread against ranx", times["ranx (4 of the 5)"] / one, 15)
    goal("one thread against pytrec_eval", times["pytrec_eval (4 of the 5)"] / one, 10)
    goal("ties='expected' against 'stable', no ties", times["expected, 1 thread"] / one, 1.5, at_most=True)
    ratio = times["expected, many ties, 1 thread"] / times["stable, many ties, 1 thread"]
    goal("ties='expected' against 'stable', many ties", ratio, 1.5, at_most=True)
    goal("two threads against one", one / times["stable, 2 threads"], 1.7)


def from_files(rng: np.random.Generator, queries: int = 250, documents: int = 1000, systems: int = 4) -> None:
    """AP and nDCG as trec_eval computes them, of runs as text: most of the time is reading."""
    import pytrec_eval

    names = [f"q{i}" for i in range(queries) for _ in range(documents)]
    ids = [f"d{j}" for _ in range(queries) for j in range(documents)]
    grades = rng.choice(4, len(ids), p=[0.85, 0.1, 0.03, 0.02])
    heading(f"AP and ndcg_cut_10 from files: {systems} runs of {queries} queries with {documents:,} documents each")
    with tempfile.TemporaryDirectory() as folder:
        qrels, runs = Path(folder, "qrels.txt"), [Path(folder, f"{i}.run") for i in range(systems)]
        save_qrels(TrecTable.from_columns(names, ids, grades), qrels)
        for path in runs:
            scores = np.round(grades + 2 * rng.standard_normal(len(ids)), 3)
            save_run(TrecTable.from_columns(names, ids, scores), path, tag="a")

        def ours() -> list[object]:
            judged = load_qrels(qrels)
            return [rk.evaluate_run(["AP", "ndcg_cut_10"], judged, load_run(path)) for path in runs]

        def theirs() -> list[object]:
            with open(qrels) as file:
                evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg_cut.10"})
            out = []
            for path in runs:
                with open(path) as file:
                    out.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
            return out

        times = best_times({"Rankine": ours, "pytrec_eval": theirs}, rounds=3)
        judged, tables = load_qrels(qrels), [load_run(path) for path in runs]
        with open(qrels) as file:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg_cut.10"})
        dicts = []
        for path in runs:
            with open(path) as file:
                dicts.append(pytrec_eval.parse_run(file))
        loaded = best_times(
            {
                "Rankine": lambda: [rk.evaluate_run(["AP", "ndcg_cut_10"], judged, table) for table in tables],
                "pytrec_eval": lambda: [evaluator.evaluate(run) for run in dicts],
            },
            rounds=3,
        )
    for name in times:
        print(f"  {name:<12} from files {times[name]:6.2f} s, of loaded runs {loaded[name]:6.2f} s")
    print(f"  pytrec_eval / Rankine: from files {times['pytrec_eval'] / times['Rankine']:.2f} ×, "
          f"of loaded runs {loaded['pytrec_eval'] / loaded['Rankine']:.2f} ×")  # fmt: skip


def all_trec(rng: np.random.Generator, queries: int = 50, documents: int = 1000) -> None:
    names = [f"q{i}" for i in range(queries) for _ in range(documents)]
    ids = [f"d{j}" for _ in range(queries) for j in range(documents)]
    grades = rng.choice(4, len(ids), p=[0.85, 0.1, 0.03, 0.02])
    scores = np.round(grades + 2 * rng.standard_normal(len(ids)), 3)
    heading(f"all_trec: {queries} queries of {documents:,} documents, every query printed")
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder, "qrels.txt"), Path(folder, "a.run")
        save_qrels(TrecTable.from_columns(names, ids, grades), qrels)
        save_run(TrecTable.from_columns(names, ids, scores), run, tag="a")

        def lines() -> list[str]:
            return list(trec_lines(load_qrels(qrels), load_run(run), ["all_trec"], TrecOptions(per_query=True)))

        print(f"  {len(lines()):,} lines")
        seconds = best_times({"all_trec": lines}, rounds=5, repeat=3)["all_trec"]
    print(f"  files read, measured and printed {1e3 * seconds:8.1f} ms")
    goal("time against half a second", seconds / 0.5, 1, at_most=True)


def main() -> None:
    rng = np.random.default_rng(0)
    compare("100 documents each", np.full(QUERIES, 100), rng)
    lengths = lengths_of_mq2008(rng)
    if lengths is None:
        print("\nlengths of MQ2008: skipped, RANKINE_DATA is not set")
    else:
        compare(f"lengths of MQ2008 (mean {lengths.mean():.0f})", lengths, rng)
    from_files(rng)
    all_trec(rng)


if __name__ == "__main__":
    main()
