"""``rankine demo``: both halves on the bundled samples."""

import rankine as rk

from .running import rankine


def test_demo(folder):
    run = rankine(folder, "demo", "made")
    out, said = run.stdout, run.stdout + run.stderr
    advice = next(line.split()[1:] for line in said.splitlines() if "rankine spoken play" in line)
    rankine(folder, *advice)
    assert (folder / "hit.wav").stat().st_size > 1000
    assert "SVM-NDCG − bm25" in out
    assert (folder / "made" / "differences.png").stat().st_size > 10_000
    report = rk.evaluate_run("nDCG@10", folder / "made" / "qrels.txt", folder / "made" / "SVM-NDCG.run")
    assert f"{report.mean['nDCG@10']:.4f}" in out
    assert (folder / "made" / "report.html").read_text().count("<img") == 3
    assert "neighbours" in out
    assert out.rstrip().splitlines()[-1].split() == ["rankine", "spoken", "serve", "made/archive"]
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("precious")
    assert "name another" in rankine(folder, "demo", "mine", code=1).stderr
    assert (folder / "mine" / "notes.txt").exists()
