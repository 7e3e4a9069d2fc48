"""The names of recordings, and the journal of a folder of lattices."""

import json
import os

import pytest

from rankine.errors import InputError
from rankine.spoken.index.about import read_about
from rankine.spoken.recognise.journal import JOURNAL, TABLE, RecordingJournal, locked
from rankine.spoken.recognise.recordings import find, name_problem, path_problem
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


def test_a_file_that_is_listed_twice_is_one_recording(audio):
    (audio / "link.wav").symlink_to(audio / "talk0.wav")
    names = [x.name for x in find([audio]).recordings]
    assert names == ["deep/talk1", "deep/talk3", "deep/talk5", "talk0", "talk2", "talk4"]
    for sources in ([audio, audio / "deep" / "talk1.wav"], [audio / "deep", audio], [audio / "link.wav", audio]):
        assert sorted(x.name for x in find(sources).recordings) == names
    assert [x.name for x in find([audio / "link.wav"]).recordings] == ["link"]


def test_files_that_are_no_audio_are_noted(audio):
    for name in ("notes.txt", "deep/scan.pdf", ".hidden"):
        (audio / name).touch()
    assert find([audio]).notes == [
        f"{audio}: left out, because no audio ends so: 2 files, e.g. {audio / 'deep' / 'scan.pdf'}"
    ]


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
    assert (second.done, second.errors) == (1, [])
    assert {a.recording for a in read_about(out / TABLE).values()} == {"talk", "talk.wav"}  # no two have one name
    write(tmp_path / "2023" / "talk.flac", 8000, seed=3)
    third = recognise([tmp_path / "2023"], out, Echo())
    assert (third.done, third.before) == (1, 1)
    assert {a.recording for a in read_about(out / TABLE).values()} == {"talk", "talk.wav", "talk.flac"}
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
    assert any("memo.m4a" in line for line in [*noted.notes, *noted.errors])  # whatever is installed


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


GOOD = {"recording": "talk", "print": "x", "audio": "/a/talk.wav", "ending": ".slf", "segments": []}
GOOD |= {"size": 1, "time": 1, "file": "f", "samples": "s"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"recording": "../talk"}, "stay in its folder"),
        ({"recording": "/etc/passwd"}, "stay in its folder"),
        ({"recording": 1}, "recording"),
        ({"print": None}, "print"),
        ({"samples": None}, "samples"),
        ({"size": -1}, "size"),
        ({"segments": [{"start": 0.0}]}, "file"),
        ({"segments": [{"file": "talk.slf"}]}, "start"),
        ({"segments": [{"file": "talk.slf", "start": "x"}]}, "start"),
        ({"segments": 3}, "segments"),
        ({"segments": [{"file": "../../victim.txt", "start": 0.0}]}, "stay in its folder"),
        ({"segments": [{"file": "/any/path", "start": 0.0}]}, "stay in its folder"),
        ({"segments": [{"file": "other.slf", "start": 0.0}]}, "expected the lattice of 'talk', got 'other.slf'"),
        ({"segments": [{"file": "talk-2.slf", "start": 0.0}]}, "expected the lattice of 'talk'"),
        ({"segments": [{"file": "talk@1.slf", "start": 0.0}]}, "expected the lattice of 'talk'"),
        ({"segments": [{"file": "talk.txt", "start": 0.0}]}, "expected the lattice of 'talk'"),
        ({"ending": "/../../x"}, "expected an ending"),
        ({"ending": "*"}, "expected an ending"),
        ({"audio": "a\tb"}, "expected the path of a recording"),
    ],
)
def test_a_journal_of_another_form(tmp_path, change, says):
    path = tmp_path / JOURNAL
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps({**GOOD, **change}) + "\n")
    with pytest.raises(InputError, match=says) as caught:
        RecordingJournal(tmp_path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lines_of_a_journal_that_are_none(tmp_path):
    path = tmp_path / JOURNAL
    for line in (b"xx\x7f\xff", b"[1, 2]", b'"x"', b'{"recording": "talk"}', b"[" * 100_000):
        path.write_bytes(json.dumps(GOOD).encode() + b"\n" + line + b"\n")
        with pytest.raises(InputError, match=rf"{JOURNAL}, line 2: "):
            RecordingJournal(tmp_path)
    path.write_bytes(b'{"recording": "ta\n' + json.dumps(GOOD).encode() + b"\n")  # a process was killed
    assert list(RecordingJournal(tmp_path).lines) == ["talk"]


def test_removing_lattices_follows_no_links(tmp_path, victims):
    """Folders below that have become links, and lattices that have."""
    (tmp_path / "out" / "deep").mkdir(parents=True)
    line = {**GOOD, "recording": "deep/inner", "ending": ".slf", "segments": [{"file": "deep/inner.slf", "start": 0.0}]}
    (tmp_path / "out" / JOURNAL).write_text(json.dumps(line) + "\n")
    (tmp_path / "out" / "deep").rmdir()
    (tmp_path / "out" / "deep").symlink_to(victims.folder / "deep")
    with pytest.raises(InputError, match="a link"):
        RecordingJournal(tmp_path / "out").forget(["deep/inner"])
    assert (victims.folder / "deep" / "inner.slf").exists()


def test_paths_that_no_table_can_hold(tmp_path):
    for folder in ("a\tb", "\udce9"):
        path = tmp_path / folder / "x.wav"
        assert "the name of a folder above it" in path_problem(str(path.resolve()))
    assert path_problem(str(tmp_path / "x.wav")) is None
