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
    assert lines == [["q1", "1", "0.5000", "3"], ["q2", "1", "-", "2"], ["all", "1–2", "0.5000", "5"]]
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
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "AP", "--gain", "linear", code=1)
    assert "--gain linear is for nDCG and DCG that do not name a gain, got AP" in done.stderr


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
