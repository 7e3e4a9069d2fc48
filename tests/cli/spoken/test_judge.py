"""``rankine spoken judge`` and ``judgments``."""

import io

from rankine.spoken.archive.archive import Archive
from rankine.spoken.lattice.formats import one_best

from ...spoken.cases import SMALL
from ..running import rankine


def test_judging_at_the_terminal(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add_lattices([(f"d{i}", one_best([("word", 0.0, 1.0, 0.9 - i / 10)])) for i in range(4)])
    answers = io.BytesIO(b"word\nu\ny\nn\nu\n3\nwhat\n\n\nzzz\n\n")
    done = rankine(tmp_path, "spoken", "judge", "a", "--judge", "ann", stdin=answers)
    assert archive.judgments.all().qrels == {"1": {"d0": 1.0, "d1": 3.0}}
    assert "nothing to undo" in done.stderr
    assert "undone: word: d1" in done.stderr
    assert "1 queries, 2 judgments" in done.stderr
    assert "occurs in this archive" in done.stderr
    # undo across queries, and of a grade that replaced another
    answers = io.BytesIO(b"word\n2\ns\nwords\nu\nq\n")
    done = rankine(tmp_path, "spoken", "judge", "a", stdin=answers)
    assert archive.judgments.all().qrels["1"] == {"d0": 1.0, "d1": 3.0}
    assert "undone: word: d0" in done.stderr
    assert "(now 3)" in rankine(tmp_path, "spoken", "judge", "a", "word", stdin=io.BytesIO(b"\n\nq\n")).stderr
