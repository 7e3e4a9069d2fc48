"""``rankine evaluate``: runs against judgments, scores against a data set."""

import csv
import gzip
import io
import json
import lzma

import numpy as np
import pytest
from backports import zstd

import rankine as rk

from .running import rankine


def test_evaluate(folder):
    out = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "map", "-m", "P_1 RR").stdout
    assert out.splitlines() == ["system\tquery\tqueries\tmap\tP_1\tRR", "one\tall\t2\t0.5417\t0.0000\t0.5000"]
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "two.run", "-m", "nDCG@10", "-c", "-q", "-o", "json")
    reports = json.loads(done.stdout)
    assert reports["one"]["queries"] == 3
    assert reports["two"]["per_query"]["nDCG@10"][2] == 0
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "nDCG@10", "--gain", "linear", "-o", "csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    want = rk.evaluate_run("ndcg_cut_10", folder / "qrels.txt", folder / "one.run").mean["ndcg_cut_10"]
    assert float(row["nDCG(dcg='log2')@10"]) == want
    assert "gain 2^g" in rankine(folder, "evaluate", "qrels.txt", "one.run").stderr
    judged = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "RR", "-J").stdout
    assert judged.splitlines()[1].endswith("0.7500")


def test_evaluate_scores_of_a_data_set(folder):
    out = rankine(folder, "evaluate", "data.txt", "scores.txt", "-m", "AP").stdout
    data = rk.load_letor(folder / "data.txt")
    assert f"{rk.evaluate('AP', data.y, np.arange(data.n_documents), data.qid).mean['AP']:.4f}" in out
    with open(folder / "data.txt", "rb") as stdin:
        rk.save_table(data, folder / "data.arrow")
        assert rankine(folder, "evaluate", "data.arrow", "scores.txt", "-m", "AP", stdin=stdin).stdout == out


def test_judgments_from_standard_input(folder):
    want = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "map").stdout
    with open(folder / "qrels.txt", "rb") as stdin:
        assert rankine(folder, "evaluate", "-", "one.run", "-m", "map", stdin=stdin).stdout == want


def test_means_over_different_numbers_of_queries_are_marked(folder):
    (folder / "short.run").write_text("q1 Q0 a 1 0.9 y\n")
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "short.run", "-m", "AP")
    assert [line.split("\t")[2] for line in done.stdout.splitlines()] == ["queries", "2", "1*"]
    assert "over different numbers of queries (one 2, short 1); -c counts" in done.stderr
    for output in ("json", "csv"):
        done = rankine(folder, "evaluate", "qrels.txt", "one.run", "short.run", "-m", "AP", "-o", output)
        assert "over different numbers of queries" in done.stderr
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "short.run", "-m", "AP", "-c")
    assert "*" not in done.stdout + done.stderr


def test_the_column_queries_is_the_number_averaged(folder):
    (folder / "empty.txt").write_text("q1 0 a 1\nq2 0 a 0\nq2 0 z 0\n")
    done = rankine(folder, "evaluate", "empty.txt", "one.run", "-m", "AP NumRet", "--empty", "skip", "-q")
    lines = [line.split("\t")[1:] for line in done.stdout.splitlines()[1:]]
    assert lines == [["q1", "1", "0.5000", "3.0000"], ["q2", "1", "-", "2.0000"], ["all", "1–2", "0.5000", "5.0000"]]
    done = rankine(folder, "evaluate", "empty.txt", "one.run", "-m", "AP", "--empty", "skip", "-q")
    assert [line.split("\t")[2:] for line in done.stdout.splitlines()[2:]] == [["0", "-"], ["1", "0.5000"]]
    assert "left out: AP over 1" in done.stderr
    (folder / "none.txt").write_text("q1 0 a 0\nq2 0 a 0\n")
    for output in ("table", "json", "csv"):
        done = rankine(folder, "evaluate", "none.txt", "one.run", "-m", "AP", "--empty", "skip", "-o", output, code=1)
        assert done.stderr.startswith("rankine: one: none of the 2 queries has a relevant document")
        assert done.stdout == ""


def test_judgments_by_subtopic(folder):
    (folder / "subtopics.txt").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 c 1\n")
    done = rankine(folder, "evaluate", "subtopics.txt", "one.run", "-m", "alpha-nDCG@10 ERR-IA@10")
    want = rk.evaluate_run(["alpha_nDCG@10", "ERR_IA@10"], folder / "subtopics.txt", folder / "one.run").mean
    assert done.stdout.splitlines()[1].split("\t")[3:] == [f"{v:.4f}" for v in want.values()]
    done = rankine(folder, "evaluate", "subtopics.txt", "one.run", "-m", "alpha-nDCG@10 AP", code=1)
    assert "alpha-nDCG@10 needs subtopics, AP plain judgments: ask for them apart" in done.stderr


def test_names_as_people_write_them(folder):
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "ndcg@10,map@10 mrr", "-m", "P.1,2", "-m", "ndcg")
    assert done.stdout.splitlines()[0].split("\t")[3:] == ["ndcg@10", "map@10", "mrr", "P_1", "P_2", "ndcg"]
    assert "ndcg@10: gain 2^g − 1" in done.stderr
    assert "ndcg: gain g, as trec_eval" in done.stderr
    linear = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "ndcg@10", "--gain", "linear")
    assert linear.stdout.splitlines()[0].endswith("nDCG(dcg='log2')@10")


@pytest.mark.parametrize("suffix", ["gz", "xz", "zst"])
def test_damaged_compressed_judgments(folder, suffix):

    packed = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd.compress}[suffix](
        (folder / "qrels.txt").read_bytes() * 50
    )
    for name, content in (("cut", packed[: len(packed) // 2]), ("bad", packed[:12] + b"junk" + packed[16:])):
        (folder / f"{name}.{suffix}").write_bytes(content)
        done = rankine(folder, "evaluate", f"{name}.{suffix}", "one.run", code=1)
        assert f"{name}.{suffix}" in done.stderr
        assert done.stderr.count("\n") == 1


def test_runs_and_judgments_in_other_formats(folder):
    want = rankine(folder, "evaluate", "qrels.txt", "one.run", "two.run", "-m", "AP", "-m", "P@1").stdout
    qrels, one, two = rk.load_qrels(folder / "qrels.txt"), *(rk.load_run(folder / f"{n}.run") for n in ("one", "two"))
    for ending in ("csv", "tsv", "json", "jsonl", "parquet"):
        rk.save_qrels(qrels, folder / f"qrels.{ending}")
        rk.save_run(one, folder / f"one.{ending}")
        rk.save_run(two, folder / f"two.{ending}")
        files = (f"qrels.{ending}", f"one.{ending}", f"two.{ending}")
        done = rankine(folder, "evaluate", *files, "-m", "AP", "-m", "P@1")
        assert done.stdout == want
        assert done.stderr == ""


def test_what_was_guessed_is_one_plain_line(folder):
    (folder / "five.run").write_text("q1 Q0 a 1 0.5\nq1 Q0 b 2 0.9\n")
    done = rankine(folder, "evaluate", "qrels.txt", "five.run", "-m", "AP")
    assert done.stderr == "five.run: 5 fields, read as 'query Q0 document rank score'\n"


def test_a_run_with_other_names_is_refused(folder):
    (folder / "numbers.run").write_text("".join(f"q1 Q0 {i} {i} {-i} x\n" for i in range(1, 20)))
    error = rankine(folder, "evaluate", "qrels.txt", "numbers.run", code=1).stderr
    assert "no document of the run is judged: the run has '1', '2', '3', the judgments have 'a', 'b', 'c'" in error


def test_preferences_are_of_a_data_set_and_wpd_needs_them(folder):
    (folder / "prefs.csv").write_text("query,winner,loser\n1,a,b\n")
    for arguments, message in (
        (("qrels.txt", "one.run", "--preferences", "prefs.csv"), "judged data set, and these are TREC qrels"),
        (("data.txt", "scores.txt", "-m", "WPD"), "WPD needs a preference graph: pass --preferences FILE"),
        (("data.txt", "scores.txt", "-m", "AP", "--preferences", "prefs.csv"), "AP needs grades"),
        (("data.txt", "scores.txt", "--preferences", "absent.csv"), "absent.csv: No such file"),
    ):
        assert message in rankine(folder, "evaluate", *arguments, code=1).stderr


def test_columns_of_judgments_and_runs_are_named(folder):
    want = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "AP").stdout
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    (folder / "j.csv").write_text("T,U,G\n" + "".join(f"{q},{d},{g}\n" for q, _, d, g in lines))
    lines = [line.split() for line in (folder / "one.run").read_text().splitlines()]
    (folder / "one.csv").write_text("U,T,S\n" + "".join(f"{d},{q},{s}\n" for q, _, d, _, s, _ in lines))
    (folder / "two.csv").write_text("U,T,S\n" + "".join(f"{d},{q},{s}\n" for q, _, d, _, s, _ in lines[:3]))
    judgments, runs = ("--query", "T", "--document", "U", "--label", "G"), ("--run-columns", "T,U,S")
    assert rankine(folder, "evaluate", "qrels.txt", "one.csv", "-m", "AP", *runs).stdout == want
    assert rankine(folder, "evaluate", "j.csv", "one.run", "-m", "AP", *judgments).stdout == want
    assert rankine(folder, "evaluate", "j.csv", "one.csv", "-m", "AP", *judgments, *runs).stdout == want
    shown = rankine(folder, "compare", "j.csv", "one.csv", "two.csv", "--details", "1", "-c", *judgments, *runs).stdout
    assert "b (0), a (2), c (1)" in shown
    for arguments, message in (
        (("qrels.txt", "one.run", *runs), "one.run, line 1: there is no column 'T'"),
        (("qrels.txt", "one.csv"), "one.csv, line 1: there is no column for the query. There are: 'U', 'T', 'S'"),
        (("qrels.txt", "one.csv", "--run-columns", "T,U"), "three names with commas, query,document,score; got 'T,U'"),
        (("qrels.txt", "one.run", *judgments), "qrels.txt, line 1: there is no column 'T'"),
        (("qrels.txt", "one.run", "--features", "1-2"), "--features says how judged data is read, but qrels.txt holds"),
        (("data.txt", "scores.txt", *runs), "--run-columns is for TREC judgments"),
    ):
        assert message in rankine(folder, "evaluate", *arguments, code=1).stderr
