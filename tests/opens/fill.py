"""Write the files of this folder as commit c0e6474 of this repository wrote them, and what they gave.

Run with the code of that commit, never with the code that is to be tested:

    git worktree add --detach /tmp/then c0e6474
    PYTHONPATH=/tmp/then/src python tests/opens/fill.py

It empties this folder (but for itself) and fills it anew. ``tests/test_opens.py`` opens copies of all of it. All data
are the project's own: ``judged_set``, a few lattices and recordings of the bundled sample, and lines written here.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from importlib.resources import files
from pathlib import Path

HERE = Path(__file__).parent
SAMPLE = Path(str(files("rankine").joinpath("sample", "spoken")))
TAPES = (7, 26, 28, 50, 56, 60)
DELETED, CLOSED, ON_REQUEST = "tape-60", "tape-07", "tape-26"
QUERIES = ("railway", "bridge storm", '"railway station"', "Skerryvore", "school date:2024-03", "the winter")
JUDGED = {
    "station railway": {"tape-50": 1.0, "tape-28": 0.0}, "the school": {"tape-56": 1.0, "tape-28": 0.0},
    "the railway": {"tape-50": 1.0, "tape-56": 0.0}, "milk at school": {"tape-56": 2.0, "tape-50": 0.0},
}  # fmt: skip
SECONDS = (28, 56)  # recordings
MTIME = 1_700_000_000_000_000_000  # of a source: a batch that was stopped knows it by that
SAUSAGES = """\
u1 [ wreck 0.6 recognise 0.4 ] [ a 0.5 ] [ nice 1 ] [ beach 0.7 speech 0.3 ]
u2 [ recognise 1 ] [ speech 0.9 beach 0.1 ]
u3 [ speech 0.8 peach 0.2 ] [ is 0.9 ] [ nice 0.6 ice 0.4 ]
u4 LONG
u5 [ nice 1 ] [ peach 0.5 beach 0.5 ]
u6 [ ice 0.3 nice 0.2 ] [ speech 1 ]
""".replace("LONG", " ".join(f"[ nice 0.{i % 9 + 1} ]" for i in range(60)))
DICTIONARY = """\
wreck R EH K
recognise R EH K AH G N AY Z
a AH
nice N AY S
ice AY S
beach B IY CH
speech S P IY CH
peach P IY CH
is IH Z
"""
MANDARIN = """\
m1 [ 今天 0.8 金田 0.2 ] [ 天气 0.9 ] [ 很 1 ] [ 好 0.7 号 0.3 ]
m2 [ 明天 1 ] [ 天气 0.6 田七 0.4 ] [ 不 1 ] [ 好 1 ]
m3 [ 火车 0.5 货车 0.5 ] [ 今天 1 ] [ 不 0.8 ] [ 来 1 ]
"""
TUNING = {
    "linear": (
        ["--loss", "svm-map", "--loss", "ranksvm-l2", "-C", "0.1,0.01", "--normalise", "query-zscore"],
        {"loss": ["svm-map", "ranksvm-l2"], "C": [0.01, 0.1], "normalise": ["query-zscore"]},
        4,
    ),
    "weights": (
        ["--loss", "svm-ndcg@10", "--weights", "partial-order", "--weights", "linear", "-C", "0.1"],
        {"loss": ["svm-ndcg@10"], "loss_options": [{"A": "partial-order"}, {"A": "linear"}], "C": [0.1]},
        3,
    ),
    "adarank": (
        ["--ranker", "adarank", "--rounds", "2,5"],
        {"n_rounds": [2, 5], "update": ["original", "meng"]},
        5,
    ),
}


def write(path, content):
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def models():
    import rankine as rk

    linear, options = rk.LinearRanker, {"normalise": "query-zscore", "C": 0.1}
    return {
        "svm-map": linear("svm-map", **options),
        "svm-ndcg": linear("svm-ndcg@10", 0.1, {"A": "partial-order"}, normalise="query-minmax"),
        "svm-ndcg-given-weights": linear("svm-ndcg@3", 1.0, {"A": [3.0, 2.0, 1.0]}, normalise="zscore"),
        "svm-ndcg-learned-weights": linear("svm-ndcg@5", 1.0, {"A": "learn"}, normalise="query-zscore"),
        "svm-ndcg-tight": linear("svm-ndcg@10:tight", **options, n_starts=3, seed=1),
        "svm-map-slack": linear("svm-map:slack", **options),
        "svm-p-best": linear("svm-p@5", 0.1, {"target": "best"}, normalise="query-zscore"),
        "consistent-rank": linear("consistent-rank", **options),
        "consistent-wpd": linear("consistent-wpd", **options),
        "consistent-ndcg-norm": linear("consistent-ndcg@10:norm", **options, w0="regression"),
        "ranksvm": linear("ranksvm", **options, solver="cutting-plane", w0=[0.1] * 8),
        "ranksvm-l2": linear("ranksvm-l2", C=1e-8),
        "preorder": linear("preorder:norm+dcg", **options),
        "listnet": linear("listnet", **options, solver="sgd", max_iter=20, tol=0.1),
        "kernel-rbf": rk.KernelRanker("svm-map", C=1.0, normalise="zscore"),
        "kernel-poly": rk.KernelRanker("svm-ndcg@10", kernel="poly", degree=2, loss_options={"A": "discount"},
                                       normalise="query-minmax"),
        "lightgbm": rk.BoostedRanker("svm-ndcg@10:tight", n_trees=6, n_leaves=5, monotone={"bm25_body": 1, 6: -1},
                                     categorical=["url_depth"], threads=1),
        "xgboost": rk.BoostedRanker("listnet", library="xgboost", n_trees=6, n_leaves=5, normalise="query-zscore",
                                    params={"max_bin": 32}, threads=1),
        "neural": rk.NeuralRanker("listnet", hidden=(5, 3), epochs=5, threads=1),
        "neural-linear": rk.NeuralRanker("svm-map", hidden=(), epochs=3, optimiser="lbfgs", threads=1),
        "adarank": rk.AdaRank("nDCG@10", n_rounds=8, update="meng", both_signs=True, normalise="query-zscore"),
        "rankboost": rk.RankBoost(n_rounds=12, by_query=True),
        "regression": rk.RegressionRanker(on="gains", alpha=0.5, normalise="query-minmax"),
        "single": rk.SingleFeature("AP", both_signs=True),
        "uniform": rk.UniformFusion(),
    }  # fmt: skip


def training_data(name, plain, named):
    """Most models learn from grades of named features; some without names, from ranks, or from preferences."""
    import numpy as np

    import rankine as rk

    if name in ("ranksvm-l2", "neural-linear"):
        return plain
    if name.startswith("kernel"):
        return named.take(range(named.ptr[3]))  # so that few support vectors are kept
    if name == "consistent-rank":
        y = [r for a, b in zip(named.ptr[:-1], named.ptr[1:], strict=True) for r in
             np.argsort(np.argsort(-named.X[a:b, 1], kind="stable"), kind="stable") + 1]  # fmt: skip
        return rk.RankingData(named.X, y, named.qid, named.doc_ids, named.feature_names)
    if name == "consistent-wpd":
        edges = [(i, i + 1) if named.y[i] > named.y[i + 1] else (i + 1, i) for i in range(named.n_documents - 1)
                 if named.qid[i] == named.qid[i + 1] and named.y[i] != named.y[i + 1]]  # fmt: skip
        graph = rk.Preferences(*zip(*edges, strict=True))
        return rk.RankingData(named.X, graph, named.qid, named.doc_ids, named.feature_names)
    return named


def make_models(folder):
    """A model of every kind, and the scores and rankings that it gave."""
    import rankine as rk
    from rankine.sample import judged_set

    data = judged_set(n_queries=8)
    rk.save_table(data, folder / "search.arrow")
    named = rk.load_table(folder / "search.arrow")
    named = named.with_features(named.X.astype("float64"))
    plain = rk.RankingData(named.X, named.y, named.qid)
    few = plain.take(range(plain.ptr[4]))
    every = models() | {
        "auto": rk.AutoRanker("nDCG@10", candidates=["linear listnet", "RankBoost", "regression"], folds=2, workers=1),
        "auto-deployable": rk.AutoRanker(
            "AP", candidates=["linear listnet", "linear svm-map"], deployable=True, folds=2, workers=1
        ),
    }
    expected = {}
    for name, model in every.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(training_data(name, plain, named))
            model.save(folder / f"{name}.json")
            expected[name] = {
                "kind": type(model).__name__, "scores": model.predict(few).tolist(), "ranking": model.rank(few).tolist()
            }  # fmt: skip
    write(folder / "expected.json", expected)


def hits(archive, queries=QUERIES):
    """What search tells, but for what the next release may say in other words."""
    kept = ("document", "place", "start", "end", "score", "certainty", "snippet")
    return {q: [{key: hit.to_dict()[key] for key in kept} for hit in archive.search(q, 4)] for q in queries}


class Second:
    """A recogniser that always hears the same."""

    rate, ending, settings = 16000, ".nbest", "same"

    def __call__(self, samples):
        return b"-0.1 milk and railway\n-2.5 station\n"


class First(Second):
    """And one that hears something else."""

    def __call__(self, samples):
        return b"-0.1 milk at school\n-1.5 silk at school\n"


def make_archive(place):
    """Lattices in two parts, described, judged, taught; one is deleted, one closed, one on request."""
    from rankine.spoken.archive import create_or_open

    folder = place / "lattices"
    folder.mkdir()
    for n in TAPES:
        shutil.copyfile(SAMPLE / "lattices" / f"tape-{n:02d}.slf.gz", folder / f"tape-{n:02d}.slf.gz")
    archive = create_or_open(place / "archive", "en")
    archive.add(folder, batch=4)
    shutil.rmtree(folder)
    for n in TAPES:
        archive.about.set(
            f"tape-{n:02d}", {"title": f"Tape {n}", "date": f"2024-0{n % 6 + 1}-15", "speaker": "Ann Lee"}
        )
    archive.about.set(DELETED, {"title": "gone soon"})
    archive.about.set(CLOSED, {"rights": "closed"})
    archive.about.set(ON_REQUEST, {"rights": "on request"})
    for query, grades in JUDGED.items():
        for document, grade in grades.items():
            archive.judge(query, document, grade, "ann")
    archive.judge("the railway", "tape-28", None, "bob")
    archive.undo_judgment(archive.judge("the railway", "tape-56", 2.0, "bob").number, "bob")
    archive.refresh()
    archive.learn(ranker="svm-map", folds=2, keep=True)
    archive.delete([DELETED])
    archive.refresh()
    archive.pack(place / "whole.zip", closed=True)
    archive.pack(place / "open.zip", open_only=True)
    judged = archive.judgments.all()
    write(place / "archive.json", {
        "documents": sorted(archive.documents), "hits": hits(archive), "history": archive.weights_history,
        "weights": archive.weights.by_name, "queries": judged.queries, "qrels": judged.qrels,
        "judgments": [[row.judge, row.document, row.grade, row.undoes] for row in archive.judgment_history()],
        "about": {name: archive.about.get(name) for name in archive.documents},
        "deleted": [row.name for row in archive.deleted],
    })  # fmt: skip


def make_recorded(place):
    """Recordings that two recognisers have heard; the second one counts."""
    from rankine.spoken.archive import create_or_open

    (place / "recordings").mkdir()
    for n in SECONDS:
        shutil.copyfile(SAMPLE / "audio" / f"tape-{n:02d}.ogg", place / "recordings" / f"tape-{n:02d}.ogg")
    archive = create_or_open(place / "recorded", "en")
    added = archive.add_recordings(place / "recordings", [First(), Second()], workers=1)
    assert not added.errors
    archive.weigh_hearing("second", 0.5)
    asked = ("milk", "railway", "silk station")
    write(place / "recorded.json", {q: [[h.document, h.score] for h in archive.search(q, 9)] for q in asked})


def make_tuning(folder):
    """Interrupted in the middle: some of the jobs are done."""
    import rankine as rk

    expected = {}
    train = rk.load_table(folder.parent / "models" / "search.arrow")
    for name, (arguments, grid, done) in TUNING.items():
        own = rk.AdaRank("nDCG@10") if name == "adarank" else rk.LinearRanker()
        whole = rk.tune(own, train, grid, folds=3, workers=1)
        stopping(type(own), done, lambda ranker, n=name, g=grid: rk.tune(
            ranker, train, g, folds=3, workers=1, folder=folder / n), own.get_params())  # fmt: skip
        assert len(list((folder / name / "jobs").iterdir())) == done
        expected[name] = {
            "arguments": arguments, "grid": grid, "done": done,
            "trials": [{"params": t.params, "scores": t.scores} for t in whole.trials],
        }  # fmt: skip
    write(folder / "expected.json", expected)


def stopping(kind, after, run, params):
    """Call ``run`` with a ranker that is like any other, until it is interrupted at the next fit."""
    left = [after]

    def counted(name):
        def method(self, *args, **kwargs):
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return getattr(super(double, self), name)(*args, **kwargs)

        return method

    double = type(kind.__name__, (kind,), {n: counted(n) for n in ("path" if hasattr(kind, "path") else "fit",)})
    try:
        run(double(**params))
    except KeyboardInterrupt:
        return
    raise AssertionError("was not interrupted")


def command(folder, *arguments, code=0, bytes_at_most=None):
    """Run the command line in a folder; files that grow beyond ``bytes_at_most`` fail, as on a full disk."""

    def limit():
        if bytes_at_most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_at_most, bytes_at_most))

    call = [sys.executable, "-B", "-c", "from rankine.cli import main; main()", *map(str, arguments)]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert code is None or done.returncode == code, done.stderr


def make_small_archives(place):
    """One with a pronunciation dictionary and other settings, one in Mandarin."""
    from rankine.spoken import Archive

    for name, text in (("few.sausage", SAUSAGES), ("few.dict", DICTIONARY), ("mandarin.sausage", MANDARIN)):
        (place / name).write_text(text, encoding="utf-8")
    settings = ["--lexicon", "few.dict", "--prune", 0.01, "--skip", 0.05]
    command(place, "spoken", "index", "few", "few.sausage", *settings, "--workers", 1)
    command(place, "spoken", "index", "mandarin", "mandarin.sausage", "--language", "zh", "--workers", 1)
    asked = {"few": ("speech", '"nice beach"', "reckon"), "mandarin": ("天气", '"天气 很"', "货")}
    write(place / "small.json", {name: hits(Archive(place / name), mine) for name, mine in asked.items()})


def make_batches(place):
    """Batches that a full disk stopped: a journal beside the file, or in the folder, that they were to make."""
    batches = {
        "pspl.tsv": (["pspl", "few.sausage", "-o", "pspl.tsv", "--workers", "1"], 1_000),
        "slf": (["convert", "few.sausage", "slf", "--to", "slf", "--workers", "1"], 2_500),
    }
    expected = {}
    os.utime(place / "few.sausage", ns=(MTIME, MTIME))
    for name, (arguments, most) in batches.items():
        command(place, "spoken", *arguments)
        (place / "whole").mkdir(exist_ok=True)
        (place / name).rename(place / "whole" / name)
        command(place, "spoken", *arguments, code=None, bytes_at_most=most)
        journal = place / name / ".convert.part" if name == "slf" else place / f"{name}.part"
        marks = journal.read_bytes().count(b"\x1e") - 1  # the first names the batch
        assert 0 < marks < 6, (name, marks)
        expected[name] = {"arguments": arguments, "done": marks}
    write(place / "batches.json", {"mtime": MTIME, "batches": expected})


def main():
    for old in HERE.iterdir():
        if old.name != Path(__file__).name:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "models").mkdir()
        make_models(place / "models")
        (place / "tuning").mkdir()
        make_tuning(place / "tuning")
        make_archive(place)
        make_recorded(place)
        make_small_archives(place)
        make_batches(place)
        for path in place.rglob("*"):
            if path.suffix == ".json" and path.name == "settings.json":
                path.unlink()
        named = [str(p) for p in place.rglob("*") if p.is_file() and str(place).encode() in p.read_bytes()]
        assert not named, named
        shutil.copytree(place, HERE, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
