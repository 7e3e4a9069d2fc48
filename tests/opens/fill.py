"""Write the files of this folder as commit c0e6474 of this repository wrote them, and what they gave.

Run with the code of that commit, never with the code that is to be tested:

    git worktree add --detach /tmp/then c0e6474
    PYTHONPATH=/tmp/then/src python tests/opens/fill.py

It empties this folder (but for itself) and fills it anew. ``tests/test_opens.py`` opens copies of all of it. All data
are the project's own: ``judged_set``, a few lattices and recordings of the bundled sample, and lines written here.
"""

import json
import shutil
import sys
import tempfile
import warnings
from importlib.resources import files
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "saved"))
SAMPLE = Path(str(files("rankine").joinpath("sample", "spoken")))
TAPES = (7, 26, 28, 50, 56, 60)
DELETED, CLOSED, ON_REQUEST = "tape-60", "tape-07", "tape-26"
QUERIES = ("railway", "bridge storm", '"railway station"', "Skerryvore", "school date:2024-03", "the winter")
JUDGED = {
    "station railway": {"tape-50": 1.0, "tape-28": 0.0}, "the school": {"tape-56": 1.0, "tape-28": 0.0},
    "the railway": {"tape-50": 1.0, "tape-56": 0.0}, "milk at school": {"tape-56": 2.0, "tape-50": 0.0},
}  # fmt: skip
SECONDS = (28, 56)  # recordings


def write(path, content):
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def make_models(folder):
    """A model of every kind, and the scores and rankings that it gave."""
    from make import models, training_data

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


def hits(archive):
    """What search tells, but for what the next release may say in other words."""
    kept = ("document", "place", "start", "end", "score", "certainty", "snippet")
    return {q: [{key: hit.to_dict()[key] for key in kept} for hit in archive.search(q, 4)] for q in QUERIES}


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


def main():
    for old in HERE.iterdir():
        if old.name != Path(__file__).name:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "models").mkdir()
        make_models(place / "models")
        make_archive(place)
        make_recorded(place)
        for path in place.rglob("*"):
            if path.suffix == ".json" and path.name == "settings.json":
                path.unlink()
        named = [str(p) for p in place.rglob("*") if p.is_file() and str(place).encode() in p.read_bytes()]
        assert not named, named
        shutil.copytree(place, HERE, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
