"""Judgments and runs on the command line: other formats, other names, and what is told of them."""

import rankine as rk

from ..running import rankine


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
    assert "z (–), a (1)" in shown
    for arguments, message in (
        (("qrels.txt", "one.run", *runs), "one.run, line 1: there is no column 'T'"),
        (("qrels.txt", "one.csv"), "one.csv, line 1: there is no column for the query. There are: 'U', 'T', 'S'"),
        (("qrels.txt", "one.csv", "--run-columns", "T,U"), "three names with commas, query,document,score; got 'T,U'"),
        (("qrels.txt", "one.run", *judgments), "qrels.txt, line 1: there is no column 'T'"),
        (("qrels.txt", "one.run", "--features", "1-2"), "--features says how judged data is read, but qrels.txt holds"),
        (("data.txt", "scores.txt", *runs), "--run-columns is for TREC judgments"),
    ):
        assert message in rankine(folder, "evaluate", *arguments, code=1).stderr


def test_the_third_column_is_said_to_be_the_rank_or_the_score(folder):
    lines = [line.split() for line in (folder / "one.run").read_text().splitlines()]
    (folder / "three.run").write_text("".join(f"{q} {d} {r}\n" for q, _, d, r, _, _ in lines))
    for third, value in (("rank=3", "0.6667"), ("3", "0.9167")):
        columns = ("--run-columns", f"1,2,{third}")
        assert value in rankine(folder, "evaluate", "qrels.txt", "three.run", "-m", "AP", *columns).stdout


def test_judgments_and_run_exchanged_are_noticed(folder):
    error = rankine(folder, "evaluate", "one.run", "qrels.txt", code=1).stderr
    assert "one.run, line 1: this is a run, 'query Q0 document rank score tag'; judgments come first" in error
    qrels = {q: {f"d{i}": int(i < 2) for i in range(6)} for q in ("q1", "q2")}
    run = {q: {f"d{i}": 3.7 - i / 9 for i in range(6)} for q in ("q1", "q2")}
    for ending in ("json", "jsonl", "tsv", "parquet"):
        rk.save_qrels(rk.io.TrecTable.from_dict(qrels), folder / f"q.{ending}")
        rk.save_run(rk.io.TrecTable.from_dict(run), folder / f"r.{ending}")
        assert rankine(folder, "evaluate", f"q.{ending}", f"r.{ending}").stderr.count("\n") == 1  # the gain
    error = rankine(folder, "evaluate", "r.json", "q.json", code=1).stderr
    assert "the judgments look like a run (most grades are fractions, and no two are alike in a query)" in error
    assert "judgments come first, then runs; the run holds whole numbers as judgments do" in error


def test_names_that_differ_in_case_say_their_gain(folder):
    for form in ("json", "csv"):
        arguments = ("evaluate", "qrels.txt", "one.run", "-o", form, "-m")
        assert rankine(folder, *arguments, "ndcg,NDCG").stderr == "NDCG: gain 2^g − 1. ndcg: gain g, as trec_eval.\n"
        assert rankine(folder, *arguments, "ndcg").stderr == ""
