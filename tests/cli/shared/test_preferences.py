"""``--preferences``: training and measuring from preference graphs, used or refused."""

import re

import numpy as np
import pytest

import rankine as rk

from ..running import rankine


def graph_of(data, folder, name="prefs.csv", wrong=()):
    """A file with a preference for each pair of documents of different grade, and these lines too."""
    lines = ["query,winner,loser,weight"]
    for q in data:
        pairs = [(i, j) for i in range(len(q.y)) for j in range(len(q.y)) if q.y[i] > q.y[j]]
        lines += [f"{q.id},{q.doc_ids[i]},{q.doc_ids[j]},{q.y[i] - q.y[j]}" for i, j in pairs]
    (folder / name).write_text("\n".join([*lines, *wrong]) + "\n")


def test_training_from_preferences(folder):
    data = rk.load_letor(folder / "data.txt")
    graph_of(data, folder)
    graph = rk.load_preferences(folder / "prefs.csv", data)
    arguments = ("train", "data.txt", "--preferences", "prefs.csv", "-o", "m.json")
    for loss in ("consistent-wpd", "duchi"):
        done = rankine(folder, *arguments, "--loss", loss, "-C", "0.1", "--normalise", "query-zscore")
        model = rk.LinearRanker(loss, C=0.1, normalise="query-zscore").fit(data.X, graph, qid=data.qid)
        np.testing.assert_allclose(rk.load(folder / "m.json").coef_, model.coef_, rtol=1e-6, atol=1e-9)
        wpd = rk.evaluate("WPD", graph, model.predict(data), data.qid).mean["WPD"]
        assert done.stdout == f"data\tqueries\tWPD\ntrain\t4\t{wpd:.4f}\n"
        assert "evaluate test.txt m.json --preferences test.csv -m WPD" in done.stderr
        shown = rankine(folder, "evaluate", "data.txt", "m.json", "--preferences", "prefs.csv").stdout
        assert shown == f"system\tquery\tqueries\tWPD\nm\tall\t4\t{wpd:.4f}\n"
        rk.save_letor(rk.RankingData(data.X**2, data.y, data.qid, data.doc_ids), folder / "valid.txt")
        path = rankine(folder, *arguments, "--loss", loss, "--valid", "valid.txt", "--path", "0.1,1").stdout
        assert path.startswith("C\tobjective\tgap\titerations\tWPD\n0.1\t")
        rk.save_letor(data, folder / "valid.txt")
        error = rankine(folder, *arguments, "--loss", loss, "--valid", "valid.txt", code=1).stderr
        assert "every query of --valid is one of the training data" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--loss", "ranksvm"], "ranksvm learns from grades, not from --preferences: use consistent-wpd or duchi"),
        ([], "AutoRanker learns from grades, not from --preferences"),
        (["--ranker", "rankboost"], "RankBoost learns from grades, not from --preferences"),
        (
            ["--loss", "duchi", "-m", "nDCG@10"],
            "nDCG@10 needs grades, and --preferences takes their place: measure WPD",
        ),
        (["--loss", "duchi", "--ranker", "boosted"], "boosting needs grades, the data has a preference graph"),
    ],
)
def test_preferences_are_used_or_refused(folder, arguments, message):
    graph_of(rk.load_letor(folder / "data.txt"), folder)
    options = ("train", "data.txt", "--preferences", "prefs.csv", "-o", "m.json")
    assert message in rankine(folder, *options, *arguments, code=1).stderr
    assert not (folder / "m.json").exists()


def test_a_wrong_preference_names_its_line(folder):
    data = rk.load_letor(folder / "data.txt")
    first = next(iter(data))
    graph_of(data, folder, wrong=[f"{first.id},{first.doc_ids[0]},nobody,1"])
    options = ("train", "data.txt", "--preferences", "prefs.csv", "--loss", "duchi", "-o", "m.json")
    error = rankine(folder, *options, code=1).stderr
    assert re.fullmatch(r"rankine: prefs.csv, line \d+: query \w+ has no document 'nobody'; it has .*\n", error)
    error = rankine(folder, *options[:-1], "prefs.csv", code=1).stderr
    assert "would replace prefs.csv, which is read" in error


def test_preferences_in_a_circle_name_the_documents(folder):
    data = rk.load_letor(folder / "data.txt")
    first = next(iter(data))
    a, b = first.doc_ids[:2]
    (folder / "prefs.csv").write_text(f"{first.id},{a},{b}\n{first.id},{b},{a}\n")
    options = ("train", "data.txt", "--preferences", "prefs.csv", "--loss", "duchi", "-o", "m.json")
    error = rankine(folder, *options, code=1).stderr
    circle = f"through {a} (query {first.id}) and {b} (query {first.id})"
    assert f"rankine: prefs.csv: the preferences run in a circle, for example {circle}\n" in error


def test_preferences_are_of_a_data_set_and_wpd_needs_them(folder):
    (folder / "prefs.csv").write_text("query,winner,loser\n1,a,b\n")
    for arguments, message in (
        (("qrels.txt", "one.run", "--preferences", "prefs.csv"), "judged data set, and these are TREC qrels"),
        (("data.txt", "scores.txt", "-m", "WPD"), "WPD needs a preference graph: pass --preferences FILE"),
        (("data.txt", "scores.txt", "-m", "AP", "--preferences", "prefs.csv"), "AP needs grades"),
        (("data.txt", "scores.txt", "--preferences", "absent.csv"), "absent.csv: No such file"),
    ):
        assert message in rankine(folder, "evaluate", *arguments, code=1).stderr


def test_models_are_compared_by_preferences(folder):
    graph_of(rk.load_letor(folder / "data.txt"), folder)
    for name, C in (("a", "0.01"), ("b", "1")):
        rankine(
            folder, "train", "data.txt", "--preferences", "prefs.csv", "--loss", "duchi", "-C", C, "-o", f"{name}.json"
        )
    options = ("compare", "data.txt", "a.json", "b.json", "--preferences", "prefs.csv")
    assert "WPD" in rankine(folder, *options).stdout
    assert "--details show grades" in rankine(folder, *options, "--details", "2", code=1).stderr
    assert "nDCG@10 needs grades" in rankine(folder, *options, "-m", "nDCG@10", code=1).stderr
