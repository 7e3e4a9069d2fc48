"""``rankine spoken recognise``, ``add`` and ``play``: from recordings to hits that can be played."""

import json
import os
import re
import sys
from inspect import signature
from typing import ClassVar

import numpy as np
import pytest
import soundfile

from rankine.cli.spoken.recordings import Recognition, _add, recognises
from rankine.errors import InputError
from rankine.spoken import Archive
from rankine.spoken.archive import Recordings
from rankine.spoken.index.changes import Changes
from rankine.spoken.recognise import PocketSphinx
from rankine.spoken.recognise.audio.audio import seconds
from rankine.spoken.recognise.recognisers.choice import Choice
from rankine.spoken.recognise.recognisers.table import TABLE, RecogniserOption, RecogniserRow
from rankine.spoken.recognise.run import Recognised
from rankine.spoken.recordings.recordings import AddedRecordings
from rankine.spoken.search.hits import locate

from ...spoken.recognise.cases import SAMPLE, Echo, heard, write
from ...spoken.recognise.clips import clip
from ...terminals import lines_on_terminal
from ..running import rankine

NOTHING = Recognised(0, 0, 0.0, [], [], [], [])


def test_times_in_a_long_recording_are_right(tmp_path):
    """Known utterances with pauses between them: words are found within 0.1 s of where they were put."""
    names = ["tape-70", "tape-54", "tape-75", "tape-08"]
    parts, starts, at = [], {}, 0.0
    noise = np.random.default_rng(0)
    for name in names:
        starts[name] = at
        pause = (20 * noise.normal(size=16000)).astype(np.int16)
        parts += [heard(name), pause]
        at += (len(parts[-2]) + len(pause)) / 16000
    long = np.concatenate(parts)
    soundfile.write(tmp_path / "long.wav", long, 16000)
    assert len(long) > 15 * 16000
    rankine(tmp_path, "spoken", "add", "archive", "long.wav", "--workers", "1", "--longest", "15")
    single = Archive.create(tmp_path / "single")
    single.lattices.index(SAMPLE / "lattices")
    archive = Archive(tmp_path / "archive")
    checked = 0
    for word in ("railway", "hospital", "village", "apple", "mine", "storm"):
        hit = archive.search(word, 1)[0]
        if hit.kind != "word" or hit.matches[0].posterior < 0.5:
            continue
        near = [
            starts[h.recording] + h.start
            for h in single.search(word, 20)
            if h.recording in starts and h.kind == "word" and h.matches[0].posterior > 0.5
        ]
        if near:
            checked += 1
            assert min(abs(t - hit.start) for t in near) <= 0.1
    assert checked >= 2


def test_from_recordings_to_a_hit_that_can_be_played(tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in ("tape-70", "tape-50"):
        soundfile.write(folder / f"{name}.flac", heard(name), 16000)
    out = rankine(tmp_path, "spoken", "add", "archive", "recordings", "--workers", "1")
    assert "2 recordings recognised" in out.stderr
    assert "× real time" in out.stderr
    again = rankine(tmp_path, "spoken", "add", "archive", "recordings")
    assert "0 recordings recognised" in again.stderr
    assert "2 were there already" in again.stderr
    hits = rankine(tmp_path, "spoken", "search", "archive", "railway").stdout
    place = hits.splitlines()[1].split("\t")[1]
    assert place.startswith("tape-")
    said = rankine(tmp_path, "spoken", "play", "archive", place, "-o", "hit.wav", "--pad", "0.25")
    assert "hit.wav" in said.stderr
    start, end = map(float, place.partition("@")[2].split("-"))
    assert seconds(tmp_path / "hit.wav") == pytest.approx(end - start + 0.5, abs=0.01)
    env = {"PATH": str(tmp_path)}
    for _ in range(2):
        rankine(tmp_path, "spoken", "play", "archive", place, env=env)
    assert len(list(tmp_path.glob("tape-*.wav"))) == 2  # nothing is overwritten
    player = tmp_path / "aplay"
    player.write_text(f'#!/bin/sh\ncp "$2" {tmp_path}/played.wav\n')
    player.chmod(0o755)
    rankine(tmp_path, "spoken", "play", "archive", place, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert seconds(tmp_path / "played.wav") > 0.5
    for text, message in (
        ("tape-70@1-inf", "begins at 0"),
        ("tape-70@x", "times in seconds"),
        ("tape-7@1-2", "tape-70"),
    ):
        assert message in rankine(tmp_path, "spoken", "play", "archive", text, code=1).stderr
    folder.rename(tmp_path / "elsewhere")
    assert "--recordings" in rankine(tmp_path, "spoken", "play", "archive", place, code=1).stderr
    rankine(tmp_path, "spoken", "play", "archive", place, "--recordings", "elsewhere", "-o", "hit.wav")
    rankine(tmp_path, "spoken", "play", "archive", place, "-o", "hit.wav")  # the folder is remembered
    (tmp_path / "archive").rename(tmp_path / "moved")
    assert "--recordings" in rankine(tmp_path, "spoken", "play", "moved", place, code=1).stderr
    (tmp_path / "moved").rename(tmp_path / "archive")
    assert locate(Archive(tmp_path / "archive").index, place, str(tmp_path / "elsewhere")).audio.exists()


def test_command_line_of_recognition(tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    soundfile.write(folder / "a.flac", heard("tape-70"), 16000)
    (folder / "bad.wav").write_text("x")
    (tmp_path / "words.txt").write_text("railway")
    out = rankine(
        tmp_path, "spoken", "recognise", "recordings", "-o", "lattices", "--without-words", "words.txt", "--beam",
        "1e-40", "--workers", "1", code=1,
    )  # fmt: skip
    assert "bad.wav: cannot be read as audio" in out.stderr
    assert "1 of 2 recordings could not be used" in out.stderr
    assert (tmp_path / "lattices" / "a.slf.gz").exists()
    index = ("spoken", "index", "archive", "lattices", "--about", "lattices/recordings.tsv")
    rankine(tmp_path, *index)
    play = ("spoken", "play", "archive", "a@0.5-1", "-o", "hit.wav")
    assert "--recordings" in rankine(tmp_path, *play, code=1).stderr
    rankine(tmp_path, *index, "--recordings", "recordings")
    rankine(tmp_path, *play)


def test_deleting_takes_the_lattices_along(tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in ("tape-70", "tape-50"):
        soundfile.write(folder / f"{name}.flac", heard(name), 16000)
    rankine(tmp_path, "spoken", "add", "archive", "recordings", "--workers", "1")
    (folder / "tape-50.flac").unlink()
    rankine(tmp_path, "spoken", "delete", "archive", "tape-50", "--yes")
    rankine(tmp_path, "spoken", "purge", "archive", "--days", "0", "--yes")
    assert not (tmp_path / "archive" / "recognised" / "tape-50.slf.gz").exists()
    rankine(tmp_path, "spoken", "add", "archive", "recordings", "--workers", "1")
    assert Archive(tmp_path / "archive").recordings.names == ["tape-70"]
    assert not (tmp_path / "new").exists()
    rankine(tmp_path, "spoken", "add", "new", "no-such-folder", code=1)
    assert not (tmp_path / "new").exists()


@pytest.fixture
def recordings(tmp_path):
    """A folder with two recordings."""
    (tmp_path / "recordings").mkdir()
    for name in ("tape-70", "tape-50"):
        samples, rate = soundfile.read(SAMPLE / "audio" / f"{name}.ogg")
        soundfile.write(tmp_path / "recordings" / f"{name}.wav", samples, rate)
    return tmp_path


@pytest.fixture
def recorded(recordings):
    """The recordings, and an archive of them."""
    said = rankine(recordings, "spoken", "add", "archive", "recordings", "--workers", "1").stderr
    assert "2 recordings recognised" in said
    assert "archive: 2 recordings added, 0 updated, 0 unchanged; 2 in all" in said
    return recordings


@pytest.mark.parametrize("how", ["python", "command line"])
def test_a_deleted_recording_stays_deleted(recorded, how):
    if how == "python":
        Archive(recorded / "archive").recordings.delete(["tape-50"])
    else:
        assert "1 left" in rankine(recorded, "spoken", "delete", "archive", "tape-50", "--yes").stderr
    said = rankine(recorded, "spoken", "add", "archive", "recordings", "--workers", "1").stderr
    assert Archive(recorded / "archive").recordings.names == ["tape-70"]
    assert "0 recordings recognised" in said
    assert "tape-50.wav; to add one again, give the file itself" in said
    rankine(recorded, "spoken", "add", "archive", "recordings/tape-50.wav", "--workers", "1")
    assert sorted(Archive(recorded / "archive").recordings.names) == ["tape-50", "tape-70"]


def test_recognising_alone(recordings):
    said = rankine(recordings, "spoken", "recognise", "recordings", "-o", "lattices", "--workers", "1").stderr
    assert "lattices: 2 recordings recognised" in said
    said = rankine(recordings, "spoken", "recognise", "recordings", "-o", "lattices", "--workers", "1").stderr
    assert "0 recordings recognised" in said
    assert "2 were there already" in said
    soundfile.write(recordings / "recordings" / "bad.wav", np.zeros(0), 16000)
    (recordings / "recordings" / "bad.wav").write_bytes(b"no audio")
    done = rankine(recordings, "spoken", "recognise", "recordings", "-o", "lattices", "--workers", "1", code=1)
    assert "1 of 3 recordings could not be used" in done.stderr


def test_both_commands_have_the_options_of_recognition(tmp_path):
    options = []
    for command in ("recognise", "add"):
        text = rankine(tmp_path, "spoken", command, "--help").stdout
        options.append(set(re.findall(r"--[a-z-]+", text)))
    own = {"--language", "--keep-duplicates", "--watch", "--hearing", "--recogniser"}
    assert options[0] - {"--output", "--about"} == options[1] - own | {"--recogniser"}
    assert {
        "--recogniser",
        "--without-words",
        "--model",
        "--lm",
        "--dict",
        "--beam",
        "--word-beam",
        "--longest",
        "--workers",
    } <= options[1]


def test_a_recogniser_brings_its_own_options(recordings, monkeypatch):
    option = RecogniserOption("beam", "--width", "How many words to keep.", float)
    monkeypatch.setitem(TABLE, "other", RecogniserRow("pocketsphinx", "PocketSphinx", "another", "spoken", (option,)))
    recognisers = []

    @recognises
    def command(recognition: Recognition):
        recognisers.append(recognition.recogniser)

    values = {name: None if p.default is p.empty else p.default for name, p in signature(command).parameters.items()}
    assert {"recogniser", "width", "lm", "beam"} <= set(values)
    command(**values | {"recogniser": ["other"], "width": 1e-30})
    command(**values | {"beam": 1e-20})
    assert recognisers == [PocketSphinx(beam=1e-30), PocketSphinx(beam=1e-20)]
    with pytest.raises(InputError, match=r"recogniser 'other' has no option --lm\. It has: --width"):
        command(**values | {"recogniser": ["other"], "lm": "x"})
    arguments = ("spoken", "recognise", "recordings", "-o", "new")
    message = rankine(recordings, *arguments, "--recogniser", "other", "--beam", "1e-9", code=1).stderr
    assert message == "rankine: the recogniser 'other' has no option --beam. It has: --width\n"
    message = rankine(recordings, *arguments, "--recogniser", "pocketsphins", code=1).stderr
    assert "Did you mean 'pocketsphinx'?" in message
    assert not (recordings / "new").exists()
    said = rankine(recordings, *arguments, "--recogniser", "other", "--workers", "1").stderr
    assert "new: 2 recordings recognised" in said


def test_a_folder_without_recordings_makes_no_archive(tmp_path):
    rankine(tmp_path, "spoken", "add", "new", "no-such-folder", code=1)
    assert not (tmp_path / "new").exists()


def test_playing_a_hit(recorded):
    hit = Archive(recorded / "archive").recordings.names[0] + "@0.5-1.0"
    said = rankine(recorded, "spoken", "play", "archive", hit, "-o", "hit.wav", "--pad", "0").stderr
    assert "hit.wav: 0.5 seconds of" in said
    assert soundfile.info(recorded / "hit.wav").duration == pytest.approx(0.5, abs=0.01)


def test_the_sound_of_a_video_is_added_and_played(tmp_path):
    pytest.importorskip("av")
    (tmp_path / "videos").mkdir()
    clip(tmp_path / "videos" / "tape.mp4", heard("tape-50") / 32768, 16000, "aac", picture=2.0)
    assert "1 recording recognised" in rankine(tmp_path, "spoken", "add", "archive", "videos", "--workers", "1").stderr
    place = rankine(tmp_path, "spoken", "search", "archive", "railway").stdout.splitlines()[1].split("\t")[1]
    rankine(tmp_path, "spoken", "play", "archive", place, "-o", "hit.wav")
    start, end = map(float, place.partition("@")[2].split("-"))
    assert seconds(tmp_path / "hit.wav") == pytest.approx(end - start + 1.0, abs=0.01)


def test_a_command_that_fails_is_told_and_counted(tmp_path):
    program = tmp_path / "program.py"
    said = {"text": "hello", "result": [{"word": "hello", "start": 0.0, "end": 0.1, "conf": 1.0}]}
    program.write_text(
        "import json, sys, wave\nif wave.open(sys.argv[1]).getnframes() == 4000:\n    sys.exit('too short')\n"
        f"json.dump({said!r}, open(sys.argv[2], 'w'))\n"
    )
    for name, length in (("short", 4000), ("long", 8000)):
        write(tmp_path / "audio" / f"{name}.wav", length)
    command = f"'{sys.executable}' program.py {{audio}} {{output}}"
    options = ["spoken", "add", "archive", "audio", "--recogniser", command, "--timeout", "100"]
    said = rankine(tmp_path, *options, code=1).stderr
    assert "short.wav, 0.0 s: the command failed (exit code 1): 'too short'" in said
    assert "1 of 2 recordings could not be used" in said
    assert "long@0.0-0.1" in rankine(tmp_path, "spoken", "search", "archive", "hello").stdout
    said = rankine(tmp_path, *options, "--beam", "1e-40", code=1).stderr
    assert "has no option --beam. It has: --timeout" in said


BATCHES = """
from rankine.spoken.recognise import run
commits = run._Commits
run._Commits = lambda journal, commit, every: commits(journal, commit, 0.0)
from rankine.cli import program
program()
"""


def test_one_bar_for_all_that_is_recognised_and_indexed(tmp_path):
    """Each recording is a batch: it is indexed before the next one is heard."""
    said = {"text": "hello", "result": [{"word": "hello", "start": 0.0, "end": 0.1, "conf": 1.0}]}
    (tmp_path / "said.json").write_text(json.dumps(said))
    (tmp_path / "program").write_text('#!/bin/sh\nsleep 0.2\ncp said.json "$2"\n')
    (tmp_path / "program").chmod(0o755)
    for seed in range(5):
        write(tmp_path / "audio" / f"{seed}.wav", 8000 * (seed + 1), rate=8000, seed=seed)
    add = ("spoken", "add", "archive", "audio", "--recogniser", f"{tmp_path}/program {{audio}} {{output}}")
    code, lines = lines_on_terminal("-c", BATCHES, *add, "--workers", "2", folder=tmp_path)
    assert code == 0
    assert any("archive: 5 recordings added" in line for line in lines)
    bars = [line for line in lines if "━" in line]
    assert {line.split()[0] for line in bars} == {"recognising"}
    amounts = [re.search(r"━ (\d+) of (\d+) s\b", line) for line in bars]
    assert {int(some[2]) for some in amounts} == {15}
    done = [int(some[1]) for some in amounts]
    assert done == sorted(done)
    assert done[-1] == 15
    assert len(set(done)) >= 3  # it goes on after the first batch
    assert any(line.endswith("indexing") for line in bars)


def test_notes_are_not_repeated_while_a_folder_is_watched(tmp_path, capsys):
    passes = [["1 copy"], ["1 copy"], ["2 copies", "1 other file"], ["1 other file", "2 copies"]]

    class Watched:
        folder = tmp_path

        recordings = property(lambda self: self)

        def add(self, *_, **__):
            return AddedRecordings(Recognised(0, 1, 0.0, [], passes.pop(0), [], []), 1.0, Changes(0, 0, 0, 0, []))

    notes, said = [], []
    while passes:
        _add(Watched(), ["recordings"], Recognition({}, 30.0, 1), {}, notes)
        said.append([line for line in capsys.readouterr().err.splitlines() if line.startswith("rankine: ")])
    assert said == [["rankine: 1 copy"], [], ["rankine: 2 copies", "rankine: 1 other file"], []]


def test_no_archive_is_made_for_a_model_that_cannot_be_used(tmp_path):
    write(tmp_path / "audio" / "talk.wav", 8000)
    (tmp_path / "model").mkdir()
    add = ("spoken", "add", "archive", "audio", "--recogniser", "pocketsphinx", "--model", "model")
    assert "model: expected a model of PocketSphinx" in rankine(tmp_path, *add, code=1).stderr
    assert not (tmp_path / "archive").exists()


def test_no_archive_is_made_for_a_language_that_nothing_here_understands(tmp_path):
    write(tmp_path / "audio" / "talk.wav", 8000)
    for options in ([], ["--recogniser", "pocketsphinx"]):
        run = rankine(tmp_path, "spoken", "add", "archive", "audio", "--language", "de", *options, code=1)
        assert "'de'" in run.stderr
        assert not (tmp_path / "archive").exists()


class Attentive(Echo):
    """A recogniser that keeps what was on standard error when it heard its first segment."""

    seen: ClassVar[list] = []

    def __call__(self, samples):
        self.seen.append(sys.stderr.buffer.getvalue().decode())
        return super().__call__(samples)


@pytest.mark.parametrize("command", [("add", "archive", "audio"), ("recognise", "audio", "-o", "lattices")])
def test_which_recogniser_hears_is_said_before_it_hears(tmp_path, monkeypatch, command):
    monkeypatch.setattr(Attentive, "seen", [])
    monkeypatch.setattr("rankine.spoken.recognise.run.choose", lambda language: Choice(Attentive(), "echo", "why"))
    write(tmp_path / "audio" / "talk.wav", 8000)
    said = rankine(tmp_path, "spoken", *command, "--workers", "1").stderr
    assert Attentive.seen[0].count("rankine: why\n") == 1
    assert said.count("why") == 1
    assert "why" not in rankine(tmp_path, "spoken", *command, "--workers", "1").stderr  # nothing is heard


def test_flags_without_a_recogniser_are_those_of_the_one_for_the_language(recordings, monkeypatch):
    """Mandarin is Vosk's; an archive of Mandarin says so itself."""
    asked = []

    def choose(language):
        asked.append(language)
        return Choice(PocketSphinx(), "pocketsphinx", "the best for it")

    monkeypatch.setattr("rankine.spoken.recognise.recognisers.choice.choose", choose)
    monkeypatch.setattr(Recordings, "add", lambda *_, **__: AddedRecordings(NOTHING, 1.0, Changes(0, 0, 0, 0, [])))
    monkeypatch.setattr("rankine.cli.spoken.recordings._check_recognisers", lambda *_: None)
    add = ("spoken", "add", "archive", "recordings", "--beam", "1e-40")
    assert "rankine: the best for it\n" in rankine(recordings, *add, "--language", "zh").stderr
    rankine(recordings, *add)
    rankine(recordings, "spoken", "add", "new", "recordings", "--beam", "1e-40")
    assert asked == ["zh", "zh", "en"]
    missing = rankine(recordings, "spoken", "add", "new", "recordings", "--model", "no-such", code=1).stderr
    assert "no-such: expected the name of a model" in missing
