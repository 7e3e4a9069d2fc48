"""Tables of places as files."""

import pytest

import rankine as rk
from rankine.spoken.recordings.place_files import read_place_rows, seconds_of, write_place_rows

NAMES = {"tape": 0, "deep/tape": 1}


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl"])
def test_what_is_written_is_read(tmp_path, ending):
    rows = [("tape", 1.25, 2.5, 'two\nlines; "x"', "é"), ("deep/tape", None, None, "=1+1", "b")]
    write_place_rows(tmp_path / f"x.{ending}", ("recording", "start", "end", "text", "more"), rows)
    read = read_place_rows(tmp_path / f"x.{ending}", NAMES, ("text",))
    got = [(r.recording, r.start, r.end, r.cells["text"], r.cells["more"]) for r in read.rows]
    assert (got, read.errors, read.notes) == (rows, [], [])


def test_clocks_and_other_names_of_columns(tmp_path):
    (tmp_path / "x.csv").write_text("Identifier,START,Stop,Text\ntape.wav,1:02:03.5,1:02:04,a\ntape,0:59,1:00,b\n")
    read = read_place_rows(tmp_path / "x.csv", NAMES, ("text",))
    assert [(r.start, r.end) for r in read.rows] == [(3723.5, 3724.0), (59.0, 60.0)]


def test_rows_that_cannot_be_used(tmp_path):
    (tmp_path / "x.csv").write_text("recording,start,end\ntape,soon,2\nnobody,1,2\ntape,1,2\n")
    read = read_place_rows(tmp_path / "x.csv", NAMES, ())
    assert len(read.rows) == 1
    assert [e.split(": ", 1)[1][:40] for e in read.errors] == [
        "expected a time in seconds, or as in 1:0", "no recording is called 'nobody'.",
    ]  # fmt: skip
    for text in ("", "-1", "1e9999", "nan", "1:2:3:4"):
        with pytest.raises(rk.InputError, match="expected a time"):
            seconds_of(text)
    with pytest.raises(rk.InputError, match=r"ends in \.csv, \.tsv, \.json, \.jsonl; got 'x.xls'"):
        write_place_rows(tmp_path / "x.xls", ("recording",), [])
