"""Tables of turns: read, refused row by row, and the same again when they were written."""

import pytest

import rankine as rk
from rankine.spoken.metadata.turns import SpeakerTurn, all_turns, read_turns, record_turns, write_turns

from ..cases import filled

NAMES = {"tape 1": 0, "tape2": 1}


def test_rows(tmp_path):
    (tmp_path / "t.csv").write_text(
        "file,Start,stop,Speaker\ntape2.wav,0,1:02:03.5,Ann Lee\ntape 1,1.25,2:00,Bob\ntape2,9,3,Ann\nx,1,2,Ann\n"
        "tape2,soon,3,Ann\ntape2,4,5,\n"
    )
    got = read_turns(tmp_path / "t.csv", NAMES)
    assert got.turns == {
        "tape2": [SpeakerTurn(0.0, 3723.5, "Ann Lee")],
        "tape 1": [SpeakerTurn(1.25, 120.0, "Bob")],
    }
    messages = ["a later one in seconds, got 9 to 3", "no recording is called", "got 'soon'", "the name of a speaker"]
    assert [message in error for message, error in zip(messages, got.errors, strict=True)] == [True] * 4
    assert [error.split(":")[0].endswith(f"line {n}") for n, error in enumerate(got.errors, 4)] == [True] * 4
    (tmp_path / "t.tsv").write_text("recording\tstart\tend\ntape2\t1\t2\n")
    assert "there is none called 'speaker'" in read_turns(tmp_path / "t.tsv", NAMES).errors[0]
    with pytest.raises(rk.InputError, match=r"ends in \.csv or \.tsv; got 't\.json'"):
        write_turns(tmp_path / "t.json", {})


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_there_and_back(tmp_path, ending):
    archive = filled(tmp_path / "a", ["d1", 'd "2", x'])
    turns = {
        "d1": [SpeakerTurn(0.0, 0.1 + 0.2, "Ann; Lee"), SpeakerTurn(1.5e-7, 4.0, 'Bob "B"')],
        'd "2", x': [SpeakerTurn(1.0, 2.5, "Änne")],
    }
    record_turns(archive.folder, turns)
    write_turns(tmp_path / f"t{ending}", all_turns(archive.index))
    got = read_turns(tmp_path / f"t{ending}", archive.index.numbers)
    assert (got.turns, got.errors) == (turns, [])
