"""The commands correct and corrections."""

import json

import pytest

from ...spoken.corrections.cases import archive_of
from ..running import rankine

SAID = "we read mary wool stone craft today"


@pytest.fixture
def place(tmp_path):
    """A folder with an archive of two recordings."""
    archive_of(tmp_path / "arch", tape=SAID, other="so wool stone craft again", third="words")
    return tmp_path


def run(place, command, *arguments, **options):
    return rankine(place, "spoken", command, "arch", *arguments, **options)


def test_from_a_correction_to_its_undo(place):
    done = run(place, "correct", "tape@1.5-3", "Wollstonecraft", "--by", "ann")
    assert "tape@1.5-3: wool stone craft → Wollstonecraft" in done.stderr
    assert "the same was heard at 1 other place, such as other@0.500-2.000" in done.stderr
    printed = run(place, "search", "wollstonecraft", "-k", "1").stdout
    assert "wollstonecraft:1.00 (corrected by ann)" in printed
    (hit,) = json.loads(run(place, "search", "wollstonecraft", "-k", "1", "-o", "json").stdout)
    assert hit["corrections"][0]["heard"] == "wool stone craft"
    listed = run(place, "corrections").stdout.splitlines()
    assert listed[1].split("\t")[:6] == ["1", "tape", "1.50–3.00", "0:01.5", "wool stone craft", "Wollstonecraft"]
    assert run(place, "corrections", "tape", "--as-heard").stdout.strip() == SAID
    vtt = run(place, "subtitles", "tape").stdout
    assert "NOTE corrected at 00:00:01.500: wool stone craft → Wollstonecraft (ann, " in vtt
    assert "Wollstonecraft</c>" in vtt
    assert "Wollstonecraft" not in run(place, "subtitles", "tape", "--as-heard").stdout
    assert "wool" in run(place, "subtitles", "tape", "--as-heard", "--as", "srt").stdout
    assert "other@0.500-2.000" in run(place, "corrections", "--elsewhere", "1").stdout
    assert "corrected at 1 other place; --undo 2 takes it back" in run(place, "corrections", "--accept", "1").stderr
    assert len(run(place, "corrections").stdout.splitlines()) == 3
    assert "undone: 2, correction 1 elsewhere (1 row)" in run(place, "corrections", "--undo").stderr
    assert "undone: 1, correction (1 row)" in run(place, "corrections", "--undo", "1").stderr
    assert len(run(place, "corrections", "--history").stdout.splitlines()) == 5


def test_everywhere(place):
    done = run(place, "correct", "tape@1.5-3", "Wollstonecraft", "--everywhere")
    assert "the same at 1 other place; --undo 2 takes that back" in done.stderr
    assert len(run(place, "corrections").stdout.splitlines()) == 3


def test_files_and_orphans(place):
    run(place, "correct", "tape@1.5-3", "Wollstonecraft")
    run(place, "correct", "third@0-0.5", "")
    assert "x.csv: 2 corrections" in run(place, "corrections", "--export", "x.csv").stderr
    run(place, "corrections", "--undo", "2")
    assert "1 correction added, 1 there already" in run(place, "corrections", "--import", "x.csv").stderr
    run(place, "delete", "tape", "--yes")
    assert "tape (not in the archive)" in run(place, "corrections", "--orphans").stdout
    done = run(place, "corrections", "--adopt", "1", "other@0.5-2")
    assert "other@0.5-2: wool stone craft → Wollstonecraft" in done.stderr
    assert "tape" not in run(place, "corrections", "--orphans").stdout
    assert "correction 3 does not count any more" in run(place, "corrections", "--dismiss", "3").stderr
    (place / "bad.csv").write_text("recording,start,end,written\nnone,1,2,x\ntape,0,1\n")
    assert "no recording is called 'none'" in run(place, "corrections", "--import", "bad.csv", code=1).stderr


def test_errors(place):
    for arguments, said in (
        (("correct", "tape@1-2", "x" * 10_000), "at most 1,000"), (("correct", "tap@1-2", "x"), "Did you mean"),
        (("correct", "tape@80-90", "x"), "expected a span in the recording"),
        (("corrections", "--orphans", "--history"), "cannot be used together"),
        (("corrections", "tape", "--history"), "leave out 'tape'"), (("corrections", "--as-heard"), "got none"),
        (("corrections", "--elsewhere", "9"), "no correction that counts has the number 9"),
        (("corrections", "--undo"), "there is no change of corrections to undo"),
    ):  # fmt: skip
        done = run(place, *arguments, code=1)
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    run(place, "about", "tape", "--set", "rights=closed")
    assert "--closed opens it" in run(place, "correct", "tape@1-2", "x", code=1).stderr
    assert "--closed opens it" in run(place, "note", "tape@1-2", "x", code=1).stderr
    run(place, "correct", "tape@1-2", "x", "--closed")
    assert len(run(place, "corrections").stdout.splitlines()) == 1
    assert len(run(place, "corrections", "--closed").stdout.splitlines()) == 2
