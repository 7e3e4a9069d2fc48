"""Write the files of this folder as the release before wrote them, and what they gave (long: one script, every file).

Run with the code of the release before, never with the code that is to be tested:

    PYTHONPATH=/path/to/the/release/before/src python tests/saved/make.py

It empties this folder (but for itself) and fills it anew. ``tests/test_saved.py`` opens copies of all of it. All data
are the project's own: ``judged_set``, a few recordings and lattices of the bundled sample, and lines written here.
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
MTIME = 1_700_000_000_000_000_000  # of sources: a half-done batch knows them by it

TAPES = (7, 8, 17, 26, 27, 28, 37, 50, 56, 60, 64, 72)
LATER = (56, 64, 72)  # indexed in a second run: another part
DELETED = "tape-60"
SEARCHES = {
    "word": {"text": "railway"},
    "words": {"text": "bridge storm"},
    "phrase": {"text": '"railway station"'},
    "phrase and word": {"text": '"the valley" railway', "k": 3},
    "unknown word": {"text": "Skerryvore", "k": 4},
    "common words": {"text": "the village in the winter", "k": 10},
    "speaker": {"text": "the station", "speaker": "bob"},
    "dates": {"text": "school", "since": "2024-02", "until": "2024-05"},
    "weights": {"text": "bridge", "weights": {"word-pspl-1": 1.0, "syllable-cn-2": 0.5}, "k": 2},
}
QUERIES = {
    "1": "railway", "2": "bridge", "3": "school", "4": "station", "5": "storm", "6": "lighthouse", "7": "engine",
    "8": "railway station",
}  # fmt: skip
RELEVANT = {
    "1": (17, 50), "2": (26, 27), "3": (56, 60, 64), "4": (28, 50, 72), "5": (8, 27), "6": (7,), "7": (28,), "8": (50,),
}  # fmt: skip

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


def command(folder, *arguments, stdin="", code=0, bytes_at_most=None):
    """Run the command line in a folder; files that grow beyond ``bytes_at_most`` fail, as on a full disk."""

    def limit():
        if bytes_at_most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_at_most, bytes_at_most))

    call = [sys.executable, "-B", "-c", "from rankine.cli import main; main()", *map(str, arguments)]
    done = subprocess.run(call, cwd=folder, input=stdin, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert code is None or done.returncode == code, done.stderr
    return done


def write(path, content):
    """JSON, an entry on a line."""
    entries = content.items() if isinstance(content, dict) else ((None, value) for value in content)
    lines = [f"{'' if key is None else json.dumps(key) + ': '}{as_json(value)}" for key, value in entries]
    first, last = "{}" if isinstance(content, dict) else "[]"
    path.write_text(f"{first}\n" + ",\n".join(lines) + f"\n{last}\n", encoding="utf-8")


def as_json(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def tape(number):
    return f"tape-{number:02d}"


# Data sets, runs, models, tuning ------------------------------------------------------------------------------------


def make_data(folder):
    from rankine.experiments.synthetic import judged_set

    import rankine as rk

    data = judged_set(n_queries=8)
    rk.save_letor(data, folder / "search.txt")
    rk.save_table(data, folder / "search.arrow")
    rk.save_table(data, folder / "search.parquet")
    rk.save_qrels(rk.TrecTable.from_columns(data.qid, data.doc_ids, data.y), folder / "search.qrels")
    rk.save_run(rk.TrecTable.from_columns(data.qid, data.doc_ids, data.X[:, 1], tag="bm25"), folder / "search.run")
    report = rk.evaluate_run(["nDCG@10", "AP", "RR"], folder / "search.qrels", folder / "search.run")
    kinds = ("query-minmax", "query-zscore", "zscore")
    kept = [rk.Normaliser(kind).fit(rk.load_letor(folder / "search.txt", dtype="float64")) for kind in kinds]
    write(folder / "normalisers.json", [n.to_dict() for n in kept])
    again = rk.load_letor(folder / "search.txt", dtype="float64").select(range(8))
    sums = [n.apply(again).X.sum(axis=1)[:40].tolist() for n in kept]
    write(folder / "expected.json", {"measures": dict(report.mean), "normalised": sums})


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


def make_models(folder, data):
    import rankine as rk

    named = rk.load_table(data / "search.arrow")
    named = named.with_features(named.X.astype("float64"))
    plain = rk.load_letor(data / "search.txt", dtype="float64")
    few = plain.take(range(plain.ptr[4]))
    expected = {}
    for name, model in models().items():
        early = {"valid": named} if name in ("lightgbm", "neural") else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(training_data(name, plain, named), **early)
        model.save(folder / f"{name}.json")
        expected[name] = {
            "kind": type(model).__name__, "scores": model.predict(few).tolist(),
            "ranking": model.rank(few).tolist(),
            "score": None if name == "consistent-rank" else model.score(plain),
        }  # fmt: skip
    write(folder / "expected.json", expected)


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


def make_tuning(folder, data):
    """Interrupted in the middle: some of the jobs are done."""
    import rankine as rk

    expected = {}
    train = rk.load_letor(data / "search.txt")
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


# The spoken side ----------------------------------------------------------------------------------------------------


def about_table():
    """Two utterances make one document; dates, speakers and titles are invented."""
    lines = ["utterance\tdocument\ttitle\tdate\tspeaker\taudio\toffset"]
    for i, n in enumerate(TAPES):
        document = "trains" if n in (27, 28) else tape(n)
        month, speaker = (3, "bob") if document == "trains" else (i % 6 + 1, ("ann", "bob")[i % 2])
        texts = f"about {document}\t2024-{month:02d}-15\t{speaker}"
        lines.append(f"{tape(n)}\t{document}\t{texts}\taudio/{document}.ogg\t{10.0 * (n == 28)}")
    return "\n".join(lines) + "\n"


def make_lattices(folder):
    folder.mkdir()
    for n in TAPES:
        shutil.copyfile(SAMPLE / "lattices" / f"{tape(n)}.slf.gz", folder / f"{tape(n)}.slf.gz")
        os.utime(folder / f"{tape(n)}.slf.gz", ns=(MTIME, MTIME))


def hits(archive):
    return {name: [h.to_dict() for h in archive.search(**how)] for name, how in SEARCHES.items()}


def make_archive(place):
    """Indexed in two runs, judged, taught twice, a document deleted, the first weights taken again."""
    from rankine.spoken import Archive

    (place / "about.tsv").write_text(about_table(), encoding="utf-8")
    (place / "queries.tsv").write_text("".join(f"{q}\t{t}\n" for q, t in QUERIES.items()), encoding="utf-8")
    document = {n: "trains" if n in (27, 28) else tape(n) for n in TAPES}
    lines = [f"{q} 0 {d} {int(d in [document[n] for n in good])}\n" for q, good in RELEVANT.items()
             for d in dict.fromkeys(document.values())]  # fmt: skip
    (place / "judged.qrels").write_text("".join(lines), encoding="utf-8")
    head, *rows = about_table().splitlines(keepends=True)
    first = place / "first"
    first.mkdir()
    for n in TAPES:
        if n not in LATER:
            shutil.copyfile(place / "lattices" / f"{tape(n)}.slf.gz", first / f"{tape(n)}.slf.gz")
    earlier = [r for r in rows if int(r[5:7]) not in LATER]
    (place / "first.tsv").write_text(head + "".join(earlier), encoding="utf-8")
    command(place, "spoken", "index", "archive", "first", "--about", "first.tsv", "--workers", 1)
    command(place, "spoken", "index", "archive", "lattices", "--about", "about.tsv", "--workers", 1)
    shutil.rmtree(first)
    (place / "first.tsv").unlink()
    command(
        place, "spoken", "judgments", "archive", "--queries", "queries.tsv", "--qrels", "judged.qrels", "--judge", "ann"
    )
    answers = "y\nn\nu\n2\n\n0\nq\n"  # the second answer is taken back
    command(place, "spoken", "judge", "archive", "valley", "-k", 4, "--judge", "bob", stdin=answers)
    command(place, "spoken", "learn", "archive", "--ranker", "svm-map")
    older = Archive(place / "archive").weights_history[0]
    command(place, "spoken", "delete", "archive", DELETED)
    command(place, "spoken", "learn", "archive", "--ranker", "adarank", "--normalise", "query-zscore")
    archive = Archive(place / "archive")
    history, expected = archive.weights_history, {}
    expected["adarank"] = hits(archive)
    command(place, "spoken", "weights", "archive", "--use", "uniform")
    expected["uniform"] = hits(Archive(place / "archive"))
    table = command(place, "spoken", "weights", "archive", "--use", older).stdout
    archive = Archive(place / "archive")
    expected["svm-map"] = hits(archive)
    learned = command(place, "spoken", "learn", "archive", "--dry-run").stdout
    command(place, "spoken", "judgments", "archive", "--export", "exported")
    write(place / "archive.json", {
        "documents": archive.documents, "history": history, "weights": dict(zip(archive.weights.names,
        archive.weights.values, strict=True)), "weights table": table, "judgments table":
        command(place, "spoken", "judgments", "archive").stdout, "learned": learned, "hits": expected,
        "searches": SEARCHES, "deleted": DELETED, "subtitles":
        command(place, "spoken", "subtitles", "archive", "trains", "--as", "srt").stdout,
        "parts": len(list((place / "archive").glob("*.part"))),
    })  # fmt: skip
    assert len(list((place / "archive").glob("*.part"))) == 2


def make_small_archives(place):
    """One with a pronunciation dictionary and other settings, one in Mandarin."""
    from rankine.spoken import Archive

    (place / "few.sausage").write_text(SAUSAGES, encoding="utf-8")
    (place / "few.dict").write_text(DICTIONARY, encoding="utf-8")
    (place / "mandarin.sausage").write_text(MANDARIN, encoding="utf-8")
    settings = ["--lexicon", "few.dict", "--prune", 0.01, "--skip", 0.05]
    command(place, "spoken", "index", "few", "few.sausage", *settings, "--workers", 1)
    command(place, "spoken", "index", "mandarin", "mandarin.sausage", "--language", "zh", "--workers", 1)
    asked = {"few": ["speech", '"nice beach"', "reckon"], "mandarin": ["天气", '"天气 很"', "货"]}
    expected = {}
    for name, mine in asked.items():
        archive = Archive(place / name)
        expected[name] = {q: [h.to_dict() for h in archive.search(q, 3)] for q in mine}
    write(place / "small.json", expected)


def make_recognised(place):
    """What ``add`` leaves: recordings cut into segments, a journal, a table, lattices; paths are made relative."""
    from rankine.spoken import Archive

    (place / "recordings").mkdir()
    for n in (28, 56):
        shutil.copyfile(SAMPLE / "audio" / f"{tape(n)}.ogg", place / "recordings" / f"{tape(n)}.ogg")
    command(place, "spoken", "add", "recognised", "recordings", "--longest", 3, "--workers", 1)
    made = place / "recognised" / "recognised"
    for name in ("recognised.jsonl", "recordings.tsv"):
        text = (made / name).read_text(encoding="utf-8")
        (made / name).write_text(text.replace(f"{place.resolve()}/", ""), encoding="utf-8")
    command(place, "spoken", "index", "recognised", made.relative_to(place), "--about", made.relative_to(place) /
            "recordings.tsv", "--workers", 1)  # fmt: skip
    archive = Archive(place / "recognised")
    asked = ("station", "milk at school", '"engine driver"')
    write(place / "recognised.json", {q: [h.to_dict() for h in archive.search(q, 2)] for q in asked})


def make_batches(place):
    """Batches that a full disk stopped: a journal beside the file, or in the folder, that they were to make."""
    batches = {
        "pspl.tsv": (["pspl", "lattices", "-o", "pspl.tsv", "--prune", "0.1", "--workers", "1"], 5_000),
        "cn.sausage": (
            ["cn", "lattices", "-o", "cn.sausage", "--prune", "0.2", "--units", "syllables", "--workers", "1"],
            6_000,
        ),
        "best.ctm": (["convert", "lattices", "best.ctm", "--workers", "1"], 1_500),
        "slf": (["convert", "few.sausage", "slf", "--to", "slf", "--workers", "1"], 2_500),
    }
    expected = {}
    os.utime(place / "few.sausage", ns=(MTIME, MTIME))
    for name, (arguments, most) in batches.items():
        command(place, "spoken", *arguments)
        whole = place / "whole" / name
        whole.parent.mkdir(exist_ok=True)
        (place / name).rename(whole)
        command(place, "spoken", *arguments, code=None, bytes_at_most=most)
        journal = place / name / ".convert.part" if name == "slf" else place / f"{name}.part"
        marks = journal.read_bytes().count(b"\x1e") - 1  # the first names the batch
        assert 0 < marks < (6 if name == "slf" else len(TAPES)), (name, marks)
        expected[name] = {"arguments": arguments, "done": marks}
    write(place / "batches.json", {"mtime": MTIME, "batches": expected})


def make_written(place):
    """An utterance in all formats that are written and read."""
    folder, expected = place / "written", {}
    folder.mkdir()
    targets = {"slf": "u.slf", "openfst": "u.fst", "kaldi": "u.ark", "kaldi-text": "t.ark", "mesh": "u.mesh",
               "sausage": "u.sausage", "ctm": "u.ctm"}  # fmt: skip
    for to, target in targets.items():
        command(folder, "spoken", "convert", f"../lattices/{tape(28)}.slf.gz", target, "--to", to, "--beam", 2)
        words = ["--words", f"{target}.words.txt"] if to == "kaldi" else []
        call = ["pspl", target, *words, "--prune", "0.01"]
        expected[to] = {"arguments": call, "output": command(folder, "spoken", *call).stdout}
    write(folder / "expected.json", expected)


def main():
    os.environ["RANKINE_THREADS"] = "1"
    for old in HERE.iterdir():
        if old.name != "make.py":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        data, spoken = place / "data", place / "spoken"
        for folder in (data, place / "models", place / "tuning", spoken):
            folder.mkdir()
        make_data(data)
        make_models(place / "models", data)
        make_tuning(place / "tuning", data)
        make_lattices(spoken / "lattices")
        make_archive(spoken)
        make_small_archives(spoken)
        make_recognised(spoken)
        make_batches(spoken)
        make_written(spoken)
        for path in place.rglob("*"):
            assert path.is_dir() or str(place).encode() not in path.read_bytes(), f"{path} names {place}"
        shutil.copytree(place, HERE, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
