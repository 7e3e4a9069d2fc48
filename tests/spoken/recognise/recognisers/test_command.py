"""One's own command: what it reads and writes, and what it does wrong."""

import gzip
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.spoken import Archive, read_lattice
from rankine.spoken.recognise import Command, SegmentError, recognise
from rankine.spoken.recognise.recognisers.table import get
from rankine.spoken.recognise.run import settings_of

from ..cases import write

SOUND = (np.random.default_rng(0).normal(size=8000) * 1000).astype(np.int16)
VOSK = {"text": "hi you", "result": [{"word": "hi", "start": 0.1, "end": 0.2, "conf": 0.75},
                                     {"word": "you", "start": 0.2, "end": 0.4, "conf": 1.0}]}  # fmt: skip


@pytest.fixture
def script(tmp_path):
    """A function that makes a command of Python statements about ``audio`` and ``output``, two paths."""

    def make(body, ending=""):
        path = tmp_path / "program with blank.py"
        path.write_text(f"import sys, os, time, pathlib, wave\naudio, output = sys.argv[1:3]\n{body}\n")
        return f"'{sys.executable}' '{path}' {{audio}} {{output}}{ending}"

    return make


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, which must be empty in the end."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


def writes(content):
    return f"pathlib.Path(output).write_bytes({content!r})"


def arcs(content, tmp_path):
    (tmp_path / "x.slf.gz").write_bytes(content)
    lattice = read_lattice(tmp_path / "x.slf.gz")
    rows = zip(lattice.unit, lattice.start, lattice.end, strict=True)
    return [(lattice.units[u], float(s), float(e)) for u, s, e in rows if u >= 0]


@pytest.mark.parametrize("ending", ["", ".json"])
def test_what_it_writes_is_the_lattice(script, tmp_path, ending):
    content = Command(script(writes(json.dumps(VOSK).encode()), ending))(SOUND)
    assert arcs(content, tmp_path) == [("hi", 0.1, 0.2), ("you", 0.2, 0.4)]
    (tmp_path / "x.slf.gz").write_bytes(content)
    from rankine.spoken.lattice.posteriors import arc_posteriors

    lattice = read_lattice(tmp_path / "x.slf.gz")
    posterior = arc_posteriors(lattice).posterior
    assert posterior[lattice.unit >= 0] == pytest.approx([0.75, 1.0])


def test_programs_that_choose_the_ending(script, tmp_path):
    body = "output += '.srt'\n" + writes(b"1\n00:00:00,100 --> 00:00:00,400\nhello\n")
    assert arcs(Command(script(body))(SOUND), tmp_path) == [("hello", 0.1, 0.4)]


def test_scores_of_hypotheses_count(script, tmp_path):
    content = Command(script(writes(b"-1.0 hello world\n-1.0 hello word\n"), ".nbest"))(SOUND)
    assert {w for w, *_ in arcs(content, tmp_path)} == {"hello", "world", "word"}


def test_what_it_reads(script, tmp_path):
    note = tmp_path / "note"
    body = f"w = wave.open(audio)\nopen({str(note)!r}, 'w').write(f'{{w.getparams()[:4]}}')\n"
    Command(script(body + writes(json.dumps(VOSK).encode())))(SOUND)
    assert note.read_text() == "(1, 2, 16000, 8000)"


def test_nothing_was_understood(script):
    silence = {"text": "", "segments": [], "language": "en"}
    assert Command(script(writes(json.dumps(silence).encode())))(SOUND) is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sys.exit(3)", r"the command failed \(exit code 3\)$"),
        ("sys.exit('first\\nno \\x1b[2J model')", r"exit code 1\): 'no \\x1b\[2J model'"),
        ("os.kill(os.getpid(), 9)", r"the command failed \(signal 9\)"),
        ("pass", "the command wrote no {output}"),
        (writes(b""), "the command wrote an empty {output}"),
        (writes(b"\x00\xffnonsense"), "cannot be read: output: in none of the formats that `rankine spoken formats`"),
        (writes(b"VERSION=1.0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=7 W=x\n"), "what the command wrote cannot be read: output"),
        (f"{writes(b'x')}\noutput += '.b'\n{writes(b'x')}", "the command wrote several files: output, output.b"),
    ],
)
def test_what_goes_wrong(script, body, message):
    with pytest.raises(SegmentError, match=message):
        Command(script(body))(SOUND)


def test_a_command_that_hangs_is_ended_with_what_it_started(script, tmp_path):
    note = tmp_path / "note"
    body = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(note)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\ntime.sleep(600)"
    )
    with pytest.raises(SegmentError, match=r"did not end within 2\.5 seconds \(--timeout\)"):
        Command(script(body), timeout=2.5)(SOUND)
    assert all(is_gone(int(pid)) for pid in note.read_text().split())


def is_gone(pid):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
                return True  # of another parent, which does not look
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("program {audio}", r"expected a command such as 'program \{audio\} \{output\}', got 'program \{audio\}'"),
        ("'program {audio} {output}", "cannot be split into words"),
        ("no-such-program {audio} {output}", "there is no program 'no-such-program'"),
    ],
)
def test_bad_commands(command, message):
    with pytest.raises(InputError, match=message):
        get(command).start()


def test_a_bad_time_limit():
    with pytest.raises(InputError, match="above 0 seconds, got -1"):
        get("program {audio} {output}", timeout=-1.0)


def test_it_can_be_sent_to_other_processes():
    recogniser = get("program {audio} {output}", timeout=3.0)
    assert recogniser == Command("program {audio} {output}", 3.0)
    assert pickle.loads(pickle.dumps(recogniser)) == recogniser
    assert (
        settings_of(recogniser)
        == settings_of(Command("program {audio} {output}"))
        != settings_of(Command("other {audio} {output}"))
    )


def test_it_is_run_without_a_shell(script, tmp_path):
    command = script(f"open({str(tmp_path / 'note')!r}, 'w').write(sys.argv[3])\n{writes(json.dumps(VOSK).encode())}")
    Command(f"{command} '$(touch x); `touch y` > z'")(SOUND)
    assert (tmp_path / "note").read_text() == "$(touch x); `touch y` > z"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_recording_that_fails_is_named_and_the_rest_goes_on(script, audio, tmp_path, workers):
    write(audio / "long.wav", 16000 * 12, seed=9)  # enough for processes to be started
    body = "w = wave.open(audio)\nif w.getnframes() == 8002:\n    sys.exit('does not like it')\n" + writes(
        json.dumps(VOSK).encode()
    )
    result = recognise([audio], tmp_path / "out", Command(script(body)), workers=workers)
    assert result.done == 6
    (line,) = result.errors
    assert line == f"{audio / 'talk2.wav'}, 0.0 s: the command failed (exit code 1): 'does not like it'"


def test_a_recording_is_named_once(script, tmp_path):
    write(tmp_path / "long.wav", 16000 * 9, seed=7)
    result = recognise([tmp_path / "long.wav"], tmp_path / "out", Command(script("sys.exit(1)")), longest=2.0)
    assert len(result.errors) == 1


def test_an_archive_takes_a_command_and_never_holds_it(script, audio, tmp_path):
    archive = Archive.create(tmp_path / "archive")
    command = script(writes(json.dumps(VOSK).encode()))
    assert archive.recordings.add(audio, [command]).changes.added == 6
    assert archive.search("hi")[0].start == pytest.approx(0.1)
    stored = b"".join(p.read_bytes() for p in (tmp_path / "archive").rglob("*") if p.is_file())
    assert b"{audio}" not in stored
    assert b"{audio}" not in b"".join(gzip.decompress(p.read_bytes()) for p in (tmp_path / "archive").rglob("*.gz"))


def test_a_signal_while_the_command_is_being_started(script, tmp_path, monkeypatch):
    class Interrupted(subprocess.Popen):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    started = []
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        Command(script("time.sleep(600)"))(SOUND)
    assert started[0].returncode == -signal.SIGKILL


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_the_command(script, audio, tmp_path, workers):
    write(audio / "long.wav", 16000 * 12, seed=9)
    note = tmp_path / "note"
    command = script(f"open({str(note)!r}, 'a').write(f'{{os.getpid()}} ')\ntime.sleep(600)")
    program = "import sys; sys.argv[0] = 'rankine'; from rankine.cli import program; program()"
    arguments = ["spoken", "recognise", str(audio), "-o", str(tmp_path / "out"), "--recogniser", command]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments, "--workers", workers], stderr=subprocess.PIPE
    )
    until = time.monotonic() + 120
    while not (note.exists() and note.read_text().endswith(" ")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert all(is_gone(int(pid)) for pid in note.read_text().split())
