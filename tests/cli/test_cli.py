"""The command line as a user meets it: output, exit codes, one-line errors, files whole or absent."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import rankine as rk
from rankine.sample import bundled_sample, judged_set

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 0.5 x\nq1 Q0 b 2 0.9 x\nq1 Q0 c 3 0.1 x\nq2 Q0 z 1 1 x\nq2 Q0 a 2 0.5 x\n"
OTHER = "q1 Q0 a 1 0.9 y\nq2 Q0 a 1 1 y\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "one.run").write_text(RUN)
    (tmp_path / "two.run").write_text(OTHER)
    rk.save_letor(judged_set(n_queries=4), tmp_path / "data.txt")
    n = judged_set(n_queries=4).n_documents
    (tmp_path / "scores.txt").write_text("\n".join(map(str, range(n))))
    return tmp_path


class Done(NamedTuple):
    """What a command printed, as of :func:`subprocess.run`."""

    stdout: str
    stderr: str


def rankine(folder, *arguments, code=0, stdin=None, env=None):
    """Run the command line in this process: a process per call would be most of the time of these tests."""
    from rankine.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(stdin if stdin is not None else io.BytesIO(), encoding="utf-8")
    terminated = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")
        patch.chdir(folder)
        for key, value in (env or {}).items():
            patch.setenv(key, value)
        for name, value in (("stdout", out), ("stderr", err), ("stdin", given), ("argv", ["rankine", *arguments])):
            patch.setattr(sys, name, value)
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code or 0
        finally:
            signal.signal(signal.SIGTERM, terminated)
    given.detach()
    done = Done(out.buffer.getvalue().decode("utf-8"), err.buffer.getvalue().decode("utf-8"))
    assert status == code, done.stderr
    return done


def test_evaluate(folder):
    out = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "map", "-m", "P_1 RR").stdout
    assert out.splitlines() == ["system\tquery\tqueries\tmap\tP_1\tRR", "one\tall\t2\t0.5417\t0.0000\t0.5000"]
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "two.run", "-m", "nDCG@10", "-c", "-q", "-o", "json")
    found = json.loads(done.stdout)
    assert found["one"]["queries"] == 3
    assert found["two"]["per_query"]["nDCG@10"][2] == 0
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


def test_compare(folder):
    done = rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "-m", "AP", "--plot", "d.svg", "-o", "json")
    assert json.loads(done.stdout)["pairs"][0]["difference"] < 0
    assert (folder / "d.svg").read_text().startswith("<?xml")
    assert "two − one" in rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "--baseline", "one").stdout
    assert rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "-o", "csv").stdout.startswith("measure,a,b")


def test_convert_and_describe(folder):
    rankine(folder, "convert", "data.txt", "data.parquet")
    rankine(folder, "convert", "data.parquet", "again.txt.xz")
    assert rk.load_letor(folder / "again.txt.xz").X.tobytes() == rk.load_letor(folder / "data.txt").X.tobytes()
    with open(folder / "data.txt", "rb") as stdin:
        assert rankine(folder, "convert", "-", "-", stdin=stdin).stdout == (folder / "data.txt").read_text()
    found = json.loads(rankine(folder, "describe", "data.txt", "-o", "json").stdout)
    assert found["queries"] == 4
    assert len(found["features"]) == 8
    assert "constant" not in json.dumps(found)
    rk.save_letor(rk.RankingData([[0.0, 5.0], [0.0, 5.0]], [0, 1], [1, 1]), folder / "flat.txt")
    flat = rankine(folder, "describe", "flat.txt").stdout
    assert "all zero (missing?)" in flat
    assert "constant" in flat


def test_measures_lists_every_measure():
    from rankine.measures.table import TABLE

    out = rankine(".", "measures").stdout
    assert all(name in out for name in TABLE)
    assert "ndcg_cut" in out


def test_help_teaches(folder):
    assert "rankine demo" in rankine(folder, "--help").stdout
    for command in ("evaluate", "compare", "convert", "describe", "measures", "demo"):
        assert "Usage" in rankine(folder, command, "--help").stdout
    assert rk.__version__ in rankine(folder, "--version").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "absent.txt", "one.run"], "absent.txt: No such file"),
        (["evaluate", "qrels.txt", "qrels.txt"], "qrels.txt, line 1: expected 6 fields"),
        (["evaluate", "qrels.txt", "one.run", "-m", "nDGC"], "Did you mean 'nDCG'"),
        (["evaluate", "qrels.txt", "one.run", "-m", "P@0"], "cutoff must be at least 1"),
        (["evaluate", "data.txt", "one.run"], "one.run, line 1: expected one score per line"),
        (["evaluate", "data.txt", "short.txt"], "short.txt: 1 scores, but the data set has"),
        (["evaluate", "data.txt", "nan.txt"], "nan.txt, line 1: expected a finite score"),
        (["evaluate", "data.txt", "scores.txt", "-c"], "-c and -J are for TREC judgments"),
        (["compare", "qrels.txt", "one.run"], "at least two systems"),
        (["compare", "qrels.txt", "one.run", "two.run", "--plot", "x.doc"], "picture ending in"),
        (["compare", "qrels.txt", "one.run", "two.run", "--empty", "skip"], "different queries"),
        (["convert", "qrels.txt", "out.arrow"], "qrels.txt, line 1: expected a label"),
        (["convert", "data.txt", "nowhere/out.arrow"], "there is no folder"),
        (["convert", "data.txt", "out.arrow", "--dtype", "int8"], "float32 or float64"),
        (["describe", "garbage.parquet"], "not a readable parquet file"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(folder, arguments, message):
    (folder / "short.txt").write_text("1\n")
    (folder / "nan.txt").write_text("nan\n")
    (folder / "garbage.parquet").write_bytes(b"\0garbage")
    before = sorted(os.listdir(folder))
    done = rankine(folder, *arguments, code=1)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert sorted(os.listdir(folder)) == before


def test_a_closed_pipe_is_not_an_error(folder):
    done = subprocess.run(
        f"{sys.executable} -c 'from rankine.cli import main; main()' measures | head -1",
        shell=True, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr


def test_demo(folder):
    out = rankine(folder, "demo", "made").stdout
    assert "SVM-NDCG − bm25" in out
    assert (folder / "made" / "differences.png").stat().st_size > 10_000
    report = rk.evaluate_run("nDCG@10", folder / "made" / "qrels.txt", folder / "made" / "SVM-NDCG.run")
    assert f"{report.mean['nDCG@10']:.4f}" in out
    assert (folder / "made" / "report.html").read_text().count("<img") == 3
    assert "svm-map" in out
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("precious")
    assert "name another" in rankine(folder, "demo", "mine", code=1).stderr
    assert (folder / "mine" / "notes.txt").exists()


def test_the_bundled_sample_is_what_the_generator_makes():
    made, bundled = judged_set(), bundled_sample()
    assert np.array_equal(made.X, bundled.X)
    assert np.array_equal(made.y, bundled.y)
    assert made.doc_ids.tolist() == bundled.doc_ids.tolist()


def test_importing_is_light():
    heavy = ("numba", "scipy", "pyarrow", "matplotlib", "pandas")
    code = f"import rankine, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert set(rk.__all__) <= set(dir(rk))
    assert all(hasattr(rk, name) for name in rk.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rk.nothing


def test_judgments_from_standard_input(folder):
    want = rankine(folder, "evaluate", "qrels.txt", "one.run", "-m", "map").stdout
    with open(folder / "qrels.txt", "rb") as stdin:
        assert rankine(folder, "evaluate", "-", "one.run", "-m", "map", stdin=stdin).stdout == want


@pytest.mark.parametrize("suffix", ["gz", "xz", "zst"])
def test_damaged_compressed_judgments(folder, suffix):
    import gzip
    import lzma

    from backports import zstd

    packed = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd.compress}[suffix](QRELS.encode() * 50)
    for name, content in (("cut", packed[: len(packed) // 2]), ("bad", packed[:12] + b"junk" + packed[16:])):
        (folder / f"{name}.{suffix}").write_bytes(content)
        done = rankine(folder, "evaluate", f"{name}.{suffix}", "one.run", code=1)
        assert f"{name}.{suffix}" in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_terminal_shows_brackets_as_they_are(folder):
    (folder / "odd.txt").write_text("[/b] 0 a 1\n")
    (folder / "odd.run").write_text("[/b] Q0 a 1 1 x\n")
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": "150"}
    assert "[/b]" in rankine(folder, "evaluate", "odd.txt", "odd.run", "-q", env=environment).stdout
    assert "[@k]" in rankine(folder, "measures", env=environment).stdout


def test_describe_odd_columns(folder):
    (folder / "near.txt").write_text("1 qid:1 1:1 2:1e38\n0 qid:1 1:1.0000001 2:-1e38\n")
    assert json.loads(rankine(folder, "describe", "near.txt", "-o", "json").stdout)["features"][0]["remark"] == ""
    (folder / "wide.txt").write_text("1 qid:1 2147483647:1\n")
    assert json.loads(rankine(folder, "describe", "wide.txt", "-o", "json").stdout)["n_features"] == 2147483647
    assert rankine(folder, "describe", "near.txt", "-o", "csv").stdout.startswith("feature,")


def test_more_output_forms(folder):
    assert json.loads(rankine(folder, "measures", "-o", "json").stdout)[0]["name"].startswith("nDCG")
    assert rankine(folder, "measures", "-o", "csv").stdout.startswith("name,")
    assert "q1" in rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "-q").stdout
    assert "given twice" in rankine(folder, "compare", "qrels.txt", "one.run", "one.run", code=1).stderr
    assert "ending in one of" in rankine(folder, "convert", "data.txt", "x.json", code=1).stderr


def test_the_first_compilation_is_announced_on_a_terminal(monkeypatch, capsys):
    from rankine import kernel

    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    compiled = kernel.kernel(lambda x: x + 1, cache=False)
    listener = kernel._Announce()
    with kernel.event.install_listener("numba:compile", listener):
        assert compiled(1) == 2
    assert listener.said
    assert "compiling for this machine" in capsys.readouterr().err


def test_experiment_on_a_set_of_its_own(folder):
    place = folder / "letor" / "mq2008"
    place.mkdir(parents=True)
    for i in range(1, 6):
        made = judged_set(n_queries=5, seed=i)
        qid = made.qid + 10 * i
        rk.save_letor(rk.RankingData(made.X, np.minimum(made.y, 2), qid), place / f"S{i}.txt.xz")
    environment = os.environ | {"RANKINE_DATA": str(folder)}
    done = rankine(folder, "experiment", "consistent", "-d", "mq2008", env=environment)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [line[1] for line in lines] == ["loss", "preorder", "consistent-dcg", "consistent-ndcg", "loss",
        "preorder:norm", "preorder:norm+dcg", "consistent-dcg:norm"]  # fmt: skip
    assert all(0 < float(line[4].rstrip("↓")) < 1 for line in lines if line[1] != "loss")
    assert "MQ2007 and YLTRC, which are not at hand" in done.stderr
    done = rankine(folder, "experiment", "consistent", "-d", "mq2007", env=environment, code=1)
    assert "unknown set 'mq2007'. Did you mean 'mq2008'?" in done.stderr
    done = rankine(folder, "experiment", "consistent", code=1, env={**environment, "RANKINE_DATA": ""})
    assert "set RANKINE_DATA" in done.stderr
