"""``rankine compare``: tests, pictures, and details of the queries that differ most."""

import json

import rankine as rk
from rankine.sample import judged_set

from .running import rankine


def test_compare(folder):
    done = rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "-m", "AP", "--plot", "d.svg", "-o", "json")
    assert json.loads(done.stdout)["pairs"][0]["difference"] < 0
    assert (folder / "d.svg").read_text().startswith("<?xml")
    assert "two − one" in rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "--baseline", "one").stdout
    assert rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "-o", "csv").stdout.startswith("measure,a,b")
    assert "q1" in rankine(folder, "compare", "qrels.txt", "one.run", "two.run", "-q").stdout
    assert "given twice" in rankine(folder, "compare", "qrels.txt", "one.run", "one.run", code=1).stderr


def test_details_of_a_comparison(tmp_path):
    (tmp_path / "q.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq2 0 c 0\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 z 1 2 x\nq2 Q0 a 2 1 x\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\nq2 Q0 z 1 2 x\nq2 Q0 a 2 1 x\n")
    out = rankine(tmp_path, "compare", "q.txt", "one.run", "two.run", "-m", "RR", "--details", "3").stdout
    assert out.splitlines()[-1] == "q1\t1.0000\t0.5000\ta (2), b (0)\tb (0), a (2)"
    data = judged_set(n_queries=3)
    rk.save_letor(data, tmp_path / "d.txt")
    (tmp_path / "s.txt").write_text("\n".join(map(str, data.y)))
    (tmp_path / "t.txt").write_text("\n".join(map(str, -data.y)))
    out = rankine(tmp_path, "compare", "d.txt", "s.txt", "t.txt", "-m", "AP", "--details", "1").stdout
    assert "(0)" in out.splitlines()[-1]
    rk.LinearRanker(loss="ranksvm-l2", normalise="zscore").fit(data).save(tmp_path / "m.json")
    rk.SingleFeature().fit(data).save(tmp_path / "n.json")
    out = rankine(tmp_path, "compare", "d.txt", "m.json", "n.json", "-m", "AP", "--details", "1").stdout
    assert "bm25_body +" in out.splitlines()[-1]
    for bad, message in ((("--details", "-1"), "at least 0"), (("--details", "1", "-o", "json"), "leave out -o")):
        assert message in rankine(tmp_path, "compare", "d.txt", "s.txt", "t.txt", *bad, code=1).stderr
