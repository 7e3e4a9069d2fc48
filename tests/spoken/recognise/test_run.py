"""From recordings to lattices: what is done is kept, what is wrong is said, times are right."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile

from rankine.errors import InputError
from rankine.spoken import Archive, read_lattice
from rankine.spoken.archive.hits import locate
from rankine.spoken.index.about import read_about
from rankine.spoken.recognise import run as r
from rankine.spoken.recognise.audio import blocks, seconds, segments, snippet
from rankine.spoken.recognise.recordings import JOURNAL, find
from tests.cli.test_cli import rankine

SAMPLE = Path(str(files("rankine").joinpath("sample", "spoken")))


@dataclass(frozen=True)
class Echo:
    """A recogniser that hears how many samples there are; slow, or broken, if asked to be."""

    rate: int = 16000
    ending: str = ".nbest"
    wait: float = 0.0
    fail: str = ""

    def __call__(self, samples):
        time.sleep(self.wait)
        if self.fail == "disk" and len(samples) % 2:
            raise OSError(28, "No space left on device", "lattice")
        if self.fail == "call":
            raise AssertionError("called again")
        if self.fail == "odd" and len(samples) % 2:
            raise RuntimeError("does not like it")
        return f"-1.0 heard {len(samples)} {int(np.abs(samples.astype(int)).sum())}\n".encode()


def write(path, length, rate=16000, channels=1, seed=0):
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, 0.1 * rng.normal(size=(length, channels)).clip(-3, 3), rate)


@pytest.fixture
def audio(tmp_path):
    for i in range(6):
        write(tmp_path / "audio" / ("deep" if i % 2 else ".") / f"talk{i}.wav", 8000 + i, seed=i)
    return tmp_path / "audio"


def content(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.nbest"))}


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


def test_done_once_is_done(audio, tmp_path):
    out = tmp_path / "lattices"
    first = r.recognise([audio], out, Echo())
    assert (first.done, first.before, first.errors, first.notes) == (6, 0, [], [])
    assert first.seconds == pytest.approx(6 * 8002.5 / 16000)
    again = r.recognise([audio], out, Echo())
    assert (again.done, again.before) == (0, 6)
    table = read_about(out / r.TABLE)
    assert table["deep/talk1"].document == "deep/talk1"
    assert table["deep/talk1"].audio == str((audio / "deep" / "talk1.wav").resolve())


def test_what_has_changed_is_done_again(audio, tmp_path):
    out = tmp_path / "lattices"
    r.recognise([audio], out, Echo())
    write(audio / "talk2.wav", 9000, seed=99)
    (out / "talk4.nbest").unlink()
    again = r.recognise([audio], out, Echo())
    assert again.done == 2
    assert b"heard 9000" in (out / "talk2.nbest").read_bytes()
    assert r.recognise([audio], out, Echo(wait=1e-9)).done == 6  # other settings


def test_a_moved_recording_is_known(audio, tmp_path):
    out = tmp_path / "lattices"
    r.recognise([audio], out, Echo())
    audio.rename(tmp_path / "moved")
    assert r.recognise([tmp_path / "moved"], out, Echo()).done == 0
    assert read_about(out / r.TABLE)["talk0"].audio == str(tmp_path / "moved" / "talk0.wav")


def test_processes_give_the_same(audio, tmp_path):
    r.recognise([audio], tmp_path / "one", Echo())
    r.recognise([audio], tmp_path / "two", Echo(), workers=2)
    assert content(tmp_path / "one") == content(tmp_path / "two") != {}


def test_killed_and_restarted_it_ends_with_the_same(audio, tmp_path):
    write(audio / "long.wav", 16000 * 9, seed=7)
    settings = "longest=2.0"
    r.recognise([audio], tmp_path / "whole", Echo(wait=0.05), longest=2.0)
    script = (
        "import sys; sys.path.insert(0, sys.argv[3])\n"
        "from tests.spoken.recognise.test_run import Echo\nfrom rankine.spoken.recognise.run import recognise\n"
        f"recognise([sys.argv[1]], sys.argv[2], Echo(wait=0.05), {settings})\n"
    )
    out, root = tmp_path / "stopped", str(Path(__file__).parents[3])
    for wanted in (1, 3, 6):
        process = subprocess.Popen([sys.executable, "-c", script, str(audio), str(out), root])
        until = time.monotonic() + 60
        while len(content(out)) < wanted and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(content(out)) > 0
    r.recognise([audio], out, Echo(wait=0.05), longest=2.0)
    assert content(out) == content(tmp_path / "whole")
    assert sorted((out / r.TABLE).read_text().splitlines()) == sorted(
        (tmp_path / "whole" / r.TABLE).read_text().splitlines()
    )
    assert r.recognise([audio], out, Echo(wait=0.05), longest=2.0).done == 0


def test_one_unreadable_file_is_reported_and_passed_over(audio, tmp_path):
    (audio / "bad.wav").write_bytes(b"RIFF but not really")
    (audio / "text.mp3").write_text("hello")
    found = r.recognise([audio], tmp_path / "out", Echo())
    assert found.done == 6
    assert len(found.errors) == 2
    assert "bad.wav: cannot be read as audio" in found.errors[0]
    flac = audio / "cut.flac"
    write(flac, 400_000)
    flac.write_bytes(flac.read_bytes()[:3000])
    found = r.recognise([audio], tmp_path / "out", Echo())
    assert any("cut.flac" in e for e in found.errors) or found.done == 1


def test_empty_and_silent_recordings_are_noted(tmp_path):
    soundfile.write(tmp_path / "silent.wav", np.zeros(16000), 16000)
    soundfile.write(tmp_path / "empty.wav", np.zeros(0), 16000)
    soundfile.write(tmp_path / "long-silence.wav", np.zeros(16000 * 40), 16000)
    found = r.recognise([tmp_path], tmp_path / "out", Echo())
    assert found.done == 3
    assert len(found.notes) == 3
    assert "no speech was recognised" in found.notes[0]
    assert r.recognise([tmp_path], tmp_path / "out", Echo(fail="")).done == 0


def test_a_full_disk_keeps_what_is_finished(audio, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(OSError, match="No space left"):
        r.recognise([audio / "talk0.wav", audio / "deep" / "talk1.wav"], out, Echo(fail="disk"))
    assert list(content(out)) == ["talk0.nbest"]
    assert "talk0\ttalk0\t" in (out / r.TABLE).read_text()


def test_a_segment_that_the_recogniser_cannot_bear(audio, tmp_path):
    found = r.recognise([audio], tmp_path / "out", Echo(fail="odd"))
    assert (found.done, len(found.errors), found.notes) == (3, 3, [])
    assert "RuntimeError: does not like it" in found.errors[0]
    again = r.recognise([audio], tmp_path / "out", Echo(fail="odd"))
    assert (again.done, again.before, len(again.errors)) == (0, 3, 3)  # it is tried again, and said again


def test_a_journal_that_was_cut_off(audio, tmp_path):
    out = tmp_path / "out"
    r.recognise([audio], out, Echo())
    text = (out / JOURNAL).read_text()
    (out / JOURNAL).write_text(text[: len(text) - 30])
    assert r.recognise([audio], out, Echo()).done == 1
    assert r.recognise([audio], out, Echo()).done == 0
    assert all(json.loads(x) for x in (out / JOURNAL).read_text().splitlines()[:3])


# Audio ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "mp3"])
@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (8000, 1), (44100, 2), (48000, 1)])
def test_any_rate_and_number_of_channels(tmp_path, ending, rate, channels):
    t = np.arange(2 * rate) / rate
    tone = 0.3 * np.sin(2 * np.pi * 440 * t)
    soundfile.write(tmp_path / f"x.{ending}", np.stack([tone] * channels, axis=1), rate)
    got = np.concatenate(list(blocks(tmp_path / f"x.{ending}", 16000))) / 32768
    assert len(got) == pytest.approx(32000, abs=2400 if ending == "mp3" else 3)
    middle = got[8000:24000]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    assert np.argmax(spectrum) == 440
    assert np.sqrt(np.mean(middle**2)) == pytest.approx(0.3 / np.sqrt(2), rel=0.05)


def test_channels_are_averaged(tmp_path):
    soundfile.write(tmp_path / "x.wav", np.stack([np.full(1600, 0.4), np.zeros(1600)], axis=1), 16000)
    assert np.concatenate(list(blocks(tmp_path / "x.wav", 16000)))[100] == pytest.approx(0.2 * 32768, abs=1)


def test_segments_are_short_enough_and_complete(tmp_path):
    rng = np.random.default_rng(0)
    loud = 0.3 * rng.normal(size=16000 * 50).clip(-3, 3)
    loud[16000 * 22 : 16000 * 22 + 1600] *= 0.01  # a short quiet moment
    soundfile.write(tmp_path / "x.wav", loud, 16000)
    found = list(segments(tmp_path / "x.wav", 16000, longest=30.0))
    assert all(len(s.samples) <= 30 * 16000 for s in found)
    assert sum(len(s.samples) for s in found) <= 50 * 16000
    if len(found) > 1 and found[0].start < 0.1:
        assert found[1].start == pytest.approx(22.05, abs=0.1)
    assert [len(s.samples) for s in segments(tmp_path / "x.wav", 16000, longest=60.0)] == [50 * 16000]


def test_snippets(tmp_path):
    ramp = np.arange(16000 * 4, dtype=np.int16) % 30000
    soundfile.write(tmp_path / "x.wav", ramp, 16000)
    assert snippet(tmp_path / "x.wav", 1.0, 2.0, 0.5, tmp_path / "s.wav") == 2.0
    got, rate = soundfile.read(tmp_path / "s.wav", dtype="int16")
    assert rate == 16000
    assert got.tolist() == ramp[8000:40000].tolist()
    assert snippet(tmp_path / "x.wav", 3.5, 3.9, 0.5, tmp_path / "s.wav") == pytest.approx(1.0)
    with pytest.raises(InputError, match=r"not within its 4\.0 s"):
        snippet(tmp_path / "x.wav", 9.0, 9.5, 0.5, tmp_path / "s.wav")
    assert seconds(tmp_path / "x.wav") == 4.0


# PocketSphinx itself --------------------------------------------------------------------------------------------------


def heard(name):
    return soundfile.read(SAMPLE / "audio" / f"{name}.ogg", dtype="int16")[0]


def test_lattices_do_not_depend_on_what_came_before():
    recogniser = r.PocketSphinx()
    first = recogniser(heard("tape-70"))
    recogniser(heard("tape-50"))
    assert recogniser(heard("tape-70")) == first
    text = gzip.decompress(first).decode()
    assert text.startswith("# best by language model: ")
    assert "railway" in text


def test_words_that_are_taken_out(tmp_path):
    (tmp_path / "words.txt").write_text("Railway\n")
    without = r.read_words(tmp_path / "words.txt")
    content = r.PocketSphinx(without=without)(heard("tape-70"))
    (tmp_path / "x.slf.gz").write_bytes(content)
    units = {u.split("(")[0] for u in read_lattice(tmp_path / "x.slf.gz").units}
    assert "railway" not in units
    assert "strike" in units
    (tmp_path / "none.txt").write_text("\n")
    with pytest.raises(InputError, match="expected words"):
        r.read_words(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"model": "/no/such/model"}, "no such model"), ({"dictionary": "/no/dict"}, "no such dictionary"),
     ({"beam": 2.0}, "ratio of probabilities")],
)  # fmt: skip
def test_bad_settings(options, message):
    with pytest.raises((InputError, FileNotFoundError), match=message):
        r.PocketSphinx(**options)


def test_a_folder_that_is_no_model(tmp_path):
    with pytest.raises(InputError, match="cannot be started with these settings"):
        r.PocketSphinx(model=str(tmp_path))(heard("tape-70"))


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
    single.add(SAMPLE / "lattices")
    archive = Archive(tmp_path / "archive")
    checked = 0
    for word in ("railway", "hospital", "village", "apple", "mine", "storm"):
        hit = archive.search(word, 1)[0]
        if hit.kind != "word" or hit.matches[0].posterior < 0.5:
            continue
        near = [
            starts[h.document] + h.start
            for h in single.search(word, 20)
            if h.document in starts and h.kind == "word" and h.matches[0].posterior > 0.5
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
    rankine(tmp_path, "spoken", "play", "archive", place, env=env)
    assert list(tmp_path.glob("tape-*.wav"))
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
    rankine(tmp_path, "spoken", "index", "archive", "lattices", "--about", "lattices/recordings.tsv")


def test_the_sample_is_what_it_says(tmp_path):
    """80 recordings; every relevant document says the query."""
    sentences = (SAMPLE / "sentences.txt").read_text().lower().splitlines()
    queries = dict(x.split("\t") for x in (SAMPLE / "queries.tsv").read_text().splitlines())
    for line in (SAMPLE / "qrels.txt").read_text().splitlines():
        q, _, document, grade = line.split()
        assert (grade == "0") or queries[q].lower() in sentences[int(document[-2:]) - 1]
    assert len(list((SAMPLE / "lattices").glob("*.slf.gz"))) == len(list((SAMPLE / "audio").glob("*.ogg"))) == 80


def indexed(tmp_path, *sources, **options):
    """What ``rankine spoken add`` does, with a recogniser that hears at once."""
    from rankine.spoken.archive.archive import create_or_open

    archive = create_or_open(tmp_path / "archive", "en", None, None, None)
    folder = tmp_path / "archive" / "recognised"
    found = r.recognise(sources, folder, Echo(**options), longest=2.0)
    gone = [n for n in found.silent if n in set(archive.documents)]
    if gone:
        archive.delete(gone)
    about = read_about(folder / r.TABLE)
    return archive, found, archive.add(folder, about, listed=True)


def test_an_edited_recording_is_updated_whatever_its_length(tmp_path):
    audio = tmp_path / "audio"
    for length in (16000 * 9, 16000 * 5, 16000, 16000 * 7):
        write(audio / "a.wav", length, seed=length)
        archive, found, changes = indexed(tmp_path, audio)
        assert found.errors == changes.errors == []
        assert archive.documents == ["a"]
    soundfile.write(audio / "b.wav", np.ones(16000), 16000)
    archive, *_ = indexed(tmp_path, audio)
    assert sorted(archive.documents) == ["a", "b"]
    soundfile.write(audio / "b.wav", np.zeros(16000), 16000)
    assert indexed(tmp_path, audio)[0].documents == ["a"]


def test_what_was_only_begun_is_not_indexed(tmp_path):
    """A run that was stopped leaves segments; another one must not take them for documents."""
    write(tmp_path / "one" / "long.wav", 16000 * 9)
    write(tmp_path / "two" / "b.wav", 8000)
    folder = tmp_path / "archive" / "recognised"
    from rankine.spoken.archive.archive import create_or_open

    create_or_open(tmp_path / "archive", "en", None, None, None)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        r.recognise([tmp_path / "one"], folder, Echo(), longest=2.0, report=stop)
    assert list(folder.glob("long@*"))
    archive, _, changes = indexed(tmp_path, tmp_path / "two")
    assert archive.documents == ["b"]
    assert changes.errors == []
    assert sorted(indexed(tmp_path, tmp_path / "one")[0].documents) == ["b", "long"]


def test_a_recording_that_breaks_off_leaves_nothing(tmp_path):
    write(tmp_path / "audio" / "cut.flac", 16000 * 20)
    whole = (tmp_path / "audio" / "cut.flac").read_bytes()
    (tmp_path / "audio" / "cut.flac").write_bytes(whole[: len(whole) * 2 // 3])
    write(tmp_path / "audio" / "good.wav", 8000)
    archive, found, _ = indexed(tmp_path, tmp_path / "audio")
    assert archive.documents == ["good"]
    assert len(found.errors) == 1
    assert not list((tmp_path / "archive" / "recognised").glob("cut*"))


def test_names(tmp_path):
    """Same names in other folders, later endings, paths given differently, names that no table can hold."""
    out = tmp_path / "out"
    write(tmp_path / "2023" / "talk.wav", 8000, seed=1)
    write(tmp_path / "2024" / "talk.wav", 8000, seed=2)
    r.recognise([tmp_path / "2023"], out, Echo())
    second = r.recognise([tmp_path / "2024"], out, Echo())
    assert second.done == 0
    assert "another recording" in second.errors[0]
    write(tmp_path / "2023" / "talk.flac", 8000, seed=3)
    third = r.recognise([tmp_path / "2023"], out, Echo())
    assert (third.done, third.before) == (1, 1)
    assert set(read_about(out / r.TABLE)) == {"talk", "talk.flac"}
    assert r.recognise([tmp_path / "2023" / "talk.wav"], out, Echo()).before == 1
    for name in ("a\tb.wav", " lead.wav", "x" * 230 + ".wav", "y@00001.wav", "é".encode("latin-1") + b".wav"):
        path = os.path.join(os.fsencode(tmp_path / "odd"), os.fsencode(name) if isinstance(name, str) else name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write((tmp_path / "2023" / "talk.wav").read_bytes())
    write(tmp_path / "odd" / "fine.wav", 8000)
    odd = r.recognise([tmp_path / "odd"], out, Echo())
    assert (odd.done, len(odd.errors)) == (1, 5)
    write(tmp_path / "deep" / "talks.wav", 16000 * 5)
    write(tmp_path / "deep" / "talks" / "00001.wav", 8000)
    assert r.recognise([tmp_path / "deep"], out, Echo(), longest=2.0).errors == []
    assert r.recognise([tmp_path / "deep"], out, Echo(), longest=2.0).done == 0
    (tmp_path / "deep" / "memo.m4a").write_text("x")
    (tmp_path / "deep" / ".hidden").mkdir()
    write(tmp_path / "deep" / ".hidden" / "c.wav", 8000)
    noted = r.recognise([tmp_path / "deep"], out, Echo(), longest=2.0)
    assert noted.done == 0
    assert "memo.m4a" in noted.notes[0]


def test_one_at_a_time_and_nothing_lost_by_a_wrong_model(audio, tmp_path):
    out = tmp_path / "out"
    r.recognise([audio], out, Echo())
    before = content(out)
    (tmp_path / "model").mkdir()
    with pytest.raises(InputError, match="cannot be started"):
        r.recognise([audio], out, r.PocketSphinx(model=str(tmp_path / "model")))
    assert content(out) == before
    (tmp_path / "bad.dict").write_text("word rubbish\n")
    with pytest.raises(InputError, match="no word of the dictionary"):
        r.recognise([audio], out, r.PocketSphinx(dictionary=str(tmp_path / "bad.dict")))
    from rankine.spoken.recognise.recordings import locked

    with locked(out), pytest.raises(InputError, match="another process is recognising"):
        r.recognise([audio], out, Echo())


def test_deleting_takes_the_lattices_along(tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    for name in ("tape-70", "tape-50"):
        soundfile.write(folder / f"{name}.flac", heard(name), 16000)
    rankine(tmp_path, "spoken", "add", "archive", "recordings", "--workers", "1")
    (folder / "tape-50.flac").unlink()
    rankine(tmp_path, "spoken", "delete", "archive", "tape-50")
    assert not (tmp_path / "archive" / "recognised" / "tape-50.slf.gz").exists()
    rankine(tmp_path, "spoken", "add", "archive", "recordings", "--workers", "1")
    assert Archive(tmp_path / "archive").documents == ["tape-70"]
    assert not (tmp_path / "new").exists()
    rankine(tmp_path, "spoken", "add", "new", "no-such-folder", code=1)
    assert not (tmp_path / "new").exists()


def test_the_end_of_a_recording_is_heard(tmp_path):
    """The last frame may be whole or not: speech goes on to the end either way."""
    names = ("tape-70", "tape-50", "tape-18", "tape-30", "tape-54", "tape-63", "tape-08", "tape-75", "tape-17")
    speech = np.concatenate([heard(n) for n in names])
    for length in (480 * 1067, 480 * 1067 + 77):
        soundfile.write(tmp_path / "x.wav", speech[:length], 16000)
        found = list(segments(tmp_path / "x.wav", 16000, 30.0))
        assert found[-1].start + len(found[-1].samples) / 16000 == pytest.approx(length / 16000, abs=0.05)


def test_snippets_of_loud_and_floating_recordings(tmp_path):
    t = np.arange(16000) / 16000
    soundfile.write(tmp_path / "f.wav", 0.5 * np.sin(440 * t), 16000, subtype="FLOAT")
    soundfile.write(tmp_path / "loud.wav", 3.0 * np.sin(440 * t), 16000, subtype="FLOAT")
    snippet(tmp_path / "f.wav", 0.2, 0.8, 0.0, tmp_path / "s.wav")
    assert np.abs(soundfile.read(tmp_path / "s.wav")[0]).max() == pytest.approx(0.5, abs=0.01)
    snippet(tmp_path / "loud.wav", 0.2, 0.8, 0.0, tmp_path / "s.wav")
    assert np.abs(np.diff(soundfile.read(tmp_path / "s.wav")[0])).max() < 0.3  # cut off, not wrapped
    for target, message in (("f.wav", "the recording itself"), ("x.mp3", "as a .wav file")):
        with pytest.raises(InputError, match=message):
            snippet(tmp_path / "f.wav", 0.2, 0.8, 0.0, tmp_path / target)
    with pytest.raises(InputError, match="pad of at least 0"):
        snippet(tmp_path / "f.wav", 0.2, 0.8, float("inf"), tmp_path / "s.wav")


def test_settings_are_attributes_not_addresses(audio, tmp_path):
    class Plain:
        rate, ending = 16000, ".nbest"

        def __call__(self, samples):
            return b"-1.0 word\n"

    assert r.recognise([audio], tmp_path / "out", Plain()).done == 6
    assert r.recognise([audio], tmp_path / "out", Plain(), longest=30).done == 0
    other = Plain()
    other.beam = 3
    assert r.recognise([audio], tmp_path / "out", other).done == 6
