"""The names of recordings, and the journal of a folder of lattices."""

import json
import os

import pytest

from rankine.errors import InputError
from rankine.spoken.index.about import read_about
from rankine.spoken.recognise.recordings import JOURNAL, TABLE, find, locked, name_problem
from rankine.spoken.recognise.run import recognise

from .cases import Echo, write


def test_names_are_paths_below_the_folder(audio, tmp_path):
    names = [x.name for x in find([audio]).recordings]
    assert names == ["deep/talk1", "deep/talk3", "deep/talk5", "talk0", "talk2", "talk4"]
    write(audio / "talk0.flac", 100)
    assert {"talk0.wav", "talk0.flac"} <= {x.name for x in find([audio]).recordings}
    assert len(find([audio / "talk0.wav", audio / "talk0.wav"]).recordings) == 1
    write(tmp_path / "other" / "talk0.wav", 100)
    with pytest.raises(InputError, match="two recordings are called"):
        find([audio / "talk0.wav", tmp_path / "other" / "talk0.wav"])
    (tmp_path / "nothing").mkdir()
    with pytest.raises(InputError, match="no audio files"):
        find([tmp_path / "nothing"])
    with pytest.raises(FileNotFoundError):
        find([tmp_path / "missing"])


def test_a_journal_that_was_cut_off(audio, tmp_path):
    out = tmp_path / "out"
    recognise([audio], out, Echo())
    text = (out / JOURNAL).read_text()
    (out / JOURNAL).write_text(text[: len(text) - 30])
    assert recognise([audio], out, Echo()).done == 1
    assert recognise([audio], out, Echo()).done == 0
    assert all(json.loads(x) for x in (out / JOURNAL).read_text().splitlines()[:3])


def test_names(tmp_path):
    """Same names in other folders, later endings, paths given differently, names that no table can hold."""
    out = tmp_path / "out"
    write(tmp_path / "2023" / "talk.wav", 8000, seed=1)
    write(tmp_path / "2024" / "talk.wav", 8000, seed=2)
    recognise([tmp_path / "2023"], out, Echo())
    second = recognise([tmp_path / "2024"], out, Echo())
    assert second.done == 0
    assert "another recording" in second.errors[0]
    write(tmp_path / "2023" / "talk.flac", 8000, seed=3)
    third = recognise([tmp_path / "2023"], out, Echo())
    assert (third.done, third.before) == (1, 1)
    assert set(read_about(out / TABLE)) == {"talk", "talk.flac"}
    assert recognise([tmp_path / "2023" / "talk.wav"], out, Echo()).before == 1
    for name in ("a\tb.wav", " lead.wav", "x" * 230 + ".wav", "y@00001.wav", "é".encode("latin-1") + b".wav"):
        path = os.path.join(os.fsencode(tmp_path / "odd"), os.fsencode(name) if isinstance(name, str) else name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write((tmp_path / "2023" / "talk.wav").read_bytes())
    write(tmp_path / "odd" / "fine.wav", 8000)
    odd = recognise([tmp_path / "odd"], out, Echo())
    assert (odd.done, len(odd.errors)) == (1, 5)
    write(tmp_path / "deep" / "talks.wav", 16000 * 5)
    write(tmp_path / "deep" / "talks" / "00001.wav", 8000)
    assert recognise([tmp_path / "deep"], out, Echo(), longest=2.0).errors == []
    assert recognise([tmp_path / "deep"], out, Echo(), longest=2.0).done == 0
    (tmp_path / "deep" / "memo.m4a").write_text("x")
    (tmp_path / "deep" / ".hidden").mkdir()
    write(tmp_path / "deep" / ".hidden" / "c.wav", 8000)
    noted = recognise([tmp_path / "deep"], out, Echo(), longest=2.0)
    assert noted.done == 0
    assert "memo.m4a" in noted.notes[0]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a/talk", None),
        ("a\tb", "control character"),
        (" lead", "begins or ends with a blank"),
        ("x" * 230, "too long, 230 bytes"),
        ("y@00001", "for segments"),
        ("\udce9", "not UTF-8"),
    ],
)
def test_names_that_no_table_can_hold(name, problem):
    assert (problem is None) if name_problem(name) is None else problem in name_problem(name)


def test_one_process_at_a_time(audio, tmp_path):
    with locked(tmp_path / "out"), pytest.raises(InputError, match="another process is recognising"):
        recognise([audio], tmp_path / "out", Echo())
