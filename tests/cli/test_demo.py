"""``rankine demo``: both halves on the bundled samples."""

import rankine as rk

from ..folders import ROOT
from .running import rankine

PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/index.md")]


def test_the_first_pages_show_the_same():
    blocks = [[part for part in page.split("```")[1::2] if "rankine compare" in part or "spoken search" in part]
              for page in PAGES]  # fmt: skip
    assert len(blocks[0]) == 2
    assert blocks[0] == blocks[1]


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
    made = ("made/qrels.txt", "made/bm25.run", "made/SVM-NDCG.run")
    compared = rankine(folder, "compare", *made, "-m", "nDCG@10", "--baseline", "bm25").stdout
    cells = [cell for line in compared.splitlines() for cell in line.split("\t")]
    assert "SVM-NDCG − bm25" in cells
    for page in PAGES:  # what they show is what the commands print
        assert [cell for cell in cells if cell not in page] == []
    assert (folder / "made" / "report.html").read_text().count("<img") == 3
    assert "neighbours" in out
    assert out.rstrip().splitlines()[-1].split() == ["rankine", "spoken", "serve", "made/archive"]
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("precious")
    assert "name another" in rankine(folder, "demo", "mine", code=1).stderr
    assert (folder / "mine" / "notes.txt").exists()
