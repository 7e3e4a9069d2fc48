"""Recordings are known by their sound: whatever happens to their files, nothing is heard twice and nothing is lost."""

import random
import shutil
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest

from rankine.spoken import Archive
from rankine.spoken.archive import create_or_open
from rankine.spoken.recognise.audio.audio import sample_print
from rankine.spoken.recognise.journal import RecordingJournal

from .cases import tag

soundfile = pytest.importorskip("soundfile")
pytestmark = pytest.mark.usefixtures("resting")


class Ears:
    """A recogniser that hears which sound it is, and how often it was asked."""

    rate, ending = 16000, ".nbest"
    asked: ClassVar[Counter] = Counter()

    def __call__(self, samples):
        sound = int(abs(int(samples[100])) // 100)
        Ears.asked[sound] += 1
        return f"-1.0 sound{sound}\n".encode()


def record(path, sound):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.full(4000, 100 * sound + 50, np.int16), 16000)


@pytest.fixture
def place(tmp_path):
    Ears.asked.clear()
    for i, name in enumerate(("a", "b", "deep/c"), 1):
        record(tmp_path / "audio" / f"{name}.wav", i)
    archive = create_or_open(tmp_path / "archive", "en")
    add(archive, tmp_path)
    return archive, tmp_path / "audio"


def add(archive, folder, *more, **options):
    added = archive.recordings.add([folder / "audio", *more], [Ears()], **options)
    assert added.errors == []
    return added


def judge(archive, name):
    book = archive.judgments.store
    book.add(book.query(f"about {name}"), name, 1.0)


def heard(archive):
    """The recording of each sound."""
    return {sound: archive.search(f"sound{sound}")[0].recording for sound in range(1, 9) if has(archive, sound)}


def has(archive, sound):
    return any(part.has("word", f"sound{sound}") for part in archive.index.parts)


def test_a_tag_changes_the_file_and_not_the_sound(tmp_path):
    record(tmp_path / "a.wav", 1)
    before, data = sample_print(tmp_path / "a.wav"), (tmp_path / "a.wav").read_bytes()
    tag(tmp_path / "a.wav", "On printing")
    assert (tmp_path / "a.wav").read_bytes() != data
    assert sample_print(tmp_path / "a.wav") == before


def test_a_renamed_recording_keeps_everything(place, tmp_path):
    archive, audio = place
    judge(archive, "b")
    (audio / "b.wav").rename(audio / "interview.wav")
    added = add(archive, tmp_path)
    assert (added.recognised.done, added.changes[:2]) == (0, (0, 0))
    assert added.recognised.notes == ["called otherwise now, as their files: b is interview"]
    assert sorted(archive.recordings.names) == ["a", "deep/c", "interview"]
    assert heard(archive) == {1: "a", 2: "interview", 3: "deep/c"}
    assert archive.judgments.all().qrels == {"1": {"interview": 1.0}}
    assert archive.search("sound2")[0].audio == str((audio / "interview.wav").resolve())
    archive.check()


def test_two_recordings_that_swap_their_names(place, tmp_path):
    archive, audio = place
    judge(archive, "a")
    for old, new in (("a", "x"), ("b", "a"), ("x", "b")):
        (audio / f"{old}.wav").rename(audio / f"{new}.wav")
    assert add(archive, tmp_path).recognised.done == 0
    assert heard(archive) == {1: "b", 2: "a", 3: "deep/c"}
    assert archive.judgments.all().qrels == {"1": {"b": 1.0}}


def test_a_new_recording_under_the_old_name_of_another(place, tmp_path):
    archive, audio = place
    judge(archive, "a")
    (audio / "a.wav").rename(audio / "old.wav")
    record(audio / "a.wav", 7)
    assert add(archive, tmp_path).recognised.done == 1
    assert heard(archive) == {1: "old", 2: "b", 3: "deep/c", 7: "a"}
    assert archive.judgments.all().qrels == {"1": {"old": 1.0}}
    assert add(archive, tmp_path).recognised.before == 4


def test_moved_and_tagged_and_edited(place, tmp_path):
    archive, audio = place
    judge(archive, "a")
    tag(audio / "a.wav", "On printing")
    (audio / "more").mkdir()
    (audio / "b.wav").rename(audio / "more" / "b.wav")
    assert add(archive, tmp_path).recognised.done == 0
    assert heard(archive) == {1: "a", 2: "more/b", 3: "deep/c"}
    record(audio / "a.wav", 5)  # edited: the same recording, heard anew
    assert add(archive, tmp_path).recognised.done == 1
    assert heard(archive) == {2: "more/b", 3: "deep/c", 5: "a"}
    assert archive.judgments.all().qrels == {"1": {"a": 1.0}}


def test_copies_are_left_out_until_they_are_wanted(place, tmp_path):
    archive, audio = place
    shutil.copyfile(audio / "a.wav", audio / "copy.wav")
    for _ in range(2):
        added = add(archive, tmp_path)
        assert added.recognised.done == 0
        (note,) = [note for note in added.recognised.notes if "1 copy of a recording left out, such as " in note]
        assert " (a copy of " in note
        assert sorted(archive.recordings.names) == ["a", "b", "deep/c"]
    (audio / "a.wav").unlink()  # the copy is the recording now
    add(archive, tmp_path)
    assert heard(archive) == {1: "copy", 2: "b", 3: "deep/c"}
    shutil.copyfile(audio / "copy.wav", audio / "again.wav")
    assert add(archive, tmp_path, keep_duplicates=True).recognised.done == 1
    assert sorted(archive.recordings.names) == ["again", "b", "copy", "deep/c"]
    assert add(archive, tmp_path).recognised.before == 4


def test_a_copy_that_is_kept_takes_nothing_from_the_original(place, tmp_path):
    archive, audio = place
    archive.metadata.set("b", {"title": "Secret", "rights": "closed"})
    shutil.copyfile(audio / "b.wav", audio / "zz.wav")
    for _ in range(2):
        add(archive, tmp_path, keep_duplicates=True)
        assert archive.metadata.get("b") == {"title": "Secret", "rights": "closed"}
        assert archive.metadata.get("zz") == {"rights": "closed"}  # what is closed is closed in a copy too
        assert sorted(archive.recordings.names) == ["a", "b", "deep/c", "zz"]
    (audio / "b.wav").rename(audio / "new.wav")
    add(archive, tmp_path)
    assert archive.metadata.get("new")["title"] == "Secret"
    assert "title" not in archive.metadata.get("zz")


@pytest.mark.parametrize("keep", [False, True])
def test_a_folder_and_a_file_in_it(place, tmp_path, keep):
    archive, audio = place
    record(audio / "deep" / "new.wav", 4)
    archive.recordings.delete(["deep/c"])
    more = (audio / "deep" / "new.wav", audio / "deep" / "c.wav")  # the deleted one is given by itself
    for _ in range(2):
        add(archive, tmp_path, *more, keep_duplicates=keep)
        assert heard(archive) == {1: "a", 2: "b", 3: "deep/c", 4: "deep/new"}
        assert len(archive) == 4


def test_two_new_files_of_one_sound(tmp_path):
    record(tmp_path / "audio" / "a.wav", 1)
    record(tmp_path / "audio" / "b.wav", 1)
    archive = create_or_open(tmp_path / "archive", "en")
    assert add(archive, tmp_path).recognised.done == 1
    assert archive.recordings.names == ["a"]


def test_deleted_by_sound_and_back(place, tmp_path):
    archive, audio = place
    judge(archive, "b")
    archive.recordings.delete(["b"])
    assert archive.judgments.all().within(set(archive.recordings.names)).n_judgments == 0
    (audio / "b.wav").rename(audio / "later.wav")
    assert len(add(archive, tmp_path).recognised.deleted) == 1
    assert sorted(archive.recordings.names) == ["a", "deep/c"]
    add(archive, tmp_path, audio / "later.wav")  # given by itself: it returns
    assert heard(archive) == {1: "a", 2: "later", 3: "deep/c"}
    assert archive.judgments.all().qrels == {"1": {"later": 1.0}}
    assert Ears.asked == {1: 1, 2: 1, 3: 1}


def test_nothing_is_read_where_nothing_has_changed(place, tmp_path, monkeypatch):
    archive, _ = place

    def read(*anything):
        raise AssertionError("a file was read")

    monkeypatch.setattr("rankine.spoken.recognise.identity.sample_print", read)
    monkeypatch.setattr("rankine.spoken.recognise.identity.fingerprint_of_file", read)
    monkeypatch.setattr("rankine.spoken.index.changes.content_print", read)
    assert add(archive, tmp_path).recognised.before == 3


def test_finished_recordings_can_be_searched_while_others_are_heard(tmp_path):
    for i in range(1, 6):
        record(tmp_path / "audio" / f"r{i}.wav", i)
    archive = create_or_open(tmp_path / "archive", "en")
    seen = []
    added = add(
        archive, tmp_path, every=0.0, progress=lambda stage, done, total: seen.append(len(Archive(archive.folder)))
    )
    assert added.changes.added == 5
    assert {1, 2, 3} <= set(seen)


@pytest.mark.parametrize("seed", range(12))
def test_random_histories(tmp_path, seed):
    """Any order of what people do to files: recordings, judgments and hearings are those of the sounds."""
    rng = random.Random(seed)
    Ears.asked.clear()
    audio = tmp_path / "audio"
    record(audio / "r1.wav", 1)
    archive = create_or_open(tmp_path / "archive", "en")
    sounds, files, binned, judged = 1, {1: audio / "r1.wav"}, set(), set()
    add(archive, tmp_path)
    for step in range(25):
        there = sorted(set(files) - binned)
        sound = rng.choice(there) if there else None
        how = rng.choice(["new", "rename", "move", "tag", "delete", "undelete", "judge", "merge"])
        names = heard(archive)
        if how == "new":
            sounds += 1
            files[sounds] = audio / rng.choice(["", "deep/"]) / f"n{step}.wav"
            record(files[sounds], sounds)
        elif sound is None:
            continue
        elif how in ("rename", "move"):
            target = (files[sound].parent if how == "rename" else audio / f"f{step}") / f"n{step}.wav"
            target.parent.mkdir(exist_ok=True)
            files[sound] = files[sound].rename(target)
        elif how == "tag":
            tag(files[sound], f"title {step}")
        elif how == "delete" and len(there) > 1 and sound in names:
            archive.recordings.delete([names[sound]])
            binned.add(sound)
        elif how == "undelete" and binned:
            back = rng.choice(sorted(binned))
            archive.recordings.undelete(
                [d.name for d in archive.recordings.deleted if d.name == _last_name(archive, back)]
            )
            binned.discard(back)
        elif how == "judge" and sound in names:
            judge(archive, names[sound])
            judged.add(sound)
        elif how == "merge":
            archive.merge()
        if rng.random() < 0.7:
            add(archive, tmp_path)
    add(archive, tmp_path)
    archive.check()
    alive = {sound: files[sound].relative_to(audio).with_suffix("").as_posix() for sound in set(files) - binned}
    assert heard(archive) == alive
    assert sorted(archive.recordings.names) == sorted(alive.values())
    qrels = Counter(name for grades in archive.judgments.all().qrels.values() for name in grades)
    assert {s for s, name in alive.items() if qrels[name]} == judged & set(alive)
    assert all(n == 1 for n in Ears.asked.values()), Ears.asked


def _last_name(archive, sound):
    """The name that a deleted recording had."""
    journal = RecordingJournal(archive.folder / "recognised")
    return next(n for n, line in journal.lines.items() if "gone" in line and _is_of(archive, line, sound))


def _is_of(archive, line, sound):
    return any(
        f"sound{sound}\n".encode() in (archive.folder / "recognised" / s["file"]).read_bytes() for s in line["kept"]
    )


def test_names_that_move_on_by_one(place, tmp_path):
    """A recording gets the name of another, which gets a new one: no recording is left under an old name."""
    archive, audio = place
    judge(archive, "a")
    (audio / "b.wav").rename(audio / "d.wav")
    (audio / "a.wav").rename(audio / "b.wav")
    assert add(archive, tmp_path).changes[:2] == (0, 0)
    assert heard(archive) == {1: "b", 2: "d", 3: "deep/c"}
    assert sorted(archive.recordings.names) == ["b", "d", "deep/c"]
    assert archive.judgments.all().qrels == {"1": {"b": 1.0}}


def test_a_deleted_recording_stays_deleted_when_another_takes_its_name(place, tmp_path):
    archive, audio = place
    judge(archive, "b")
    archive.recordings.delete(["b"])
    (audio / "b.wav").rename(audio / "later.wav")
    record(audio / "b.wav", 7)
    for _ in range(2):
        add(archive, tmp_path)
        assert heard(archive) == {1: "a", 7: "b", 3: "deep/c"}
        assert archive.judgments.all().n_judgments == 0
    archive.recordings.delete(["b"])
    archive.recordings.undelete(["b"])  # the one that was deleted last
    assert heard(archive) == {1: "a", 7: "b", 3: "deep/c"}
    (audio / "b.wav").rename(audio / "e.wav")
    add(archive, tmp_path)
    assert [d.name for d in archive.recordings.deleted] == ["b"]
    archive.recordings.undelete(["b"])
    assert heard(archive) == {1: "a", 2: "b", 7: "e", 3: "deep/c"}
    add(archive, tmp_path)
    assert heard(archive) == {1: "a", 2: "later", 7: "e", 3: "deep/c"}
    assert archive.judgments.all().qrels == {"1": {"later": 1.0}}
    assert Ears.asked == {1: 1, 2: 1, 3: 1, 7: 1}


def test_what_is_added_again_under_another_name_is_not_in_the_bin(place, tmp_path):
    archive, audio = place
    archive.recordings.delete(["b"])
    (audio / "b.wav").rename(audio / "later.wav")
    add(archive, tmp_path, audio / "later.wav")
    assert archive.recordings.deleted == []
    assert heard(archive) == {1: "a", 2: "later", 3: "deep/c"}


def test_recordings_that_moved_while_one_was_deleted(place, tmp_path):
    archive, audio = place
    archive.recordings.delete(["b"])
    audio.rename(tmp_path / "elsewhere")
    archive.recordings.relocate(tmp_path / "elsewhere")
    archive.recordings.undelete(["b"])
    assert archive.search("sound2")[0].audio == str((tmp_path / "elsewhere" / "b.wav").resolve())


def test_another_sound_of_the_same_length_is_noticed_after_a_move(place, tmp_path):
    archive, audio = place
    record(audio / "b.wav", 6)
    audio.rename(tmp_path / "elsewhere")
    archive.recordings.relocate(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").rename(audio)
    archive.recordings.relocate(audio)
    assert add(archive, tmp_path).recognised.done == 1
    assert heard(archive) == {1: "a", 6: "b", 3: "deep/c"}


def test_a_purged_recording_returns_beside_the_one_that_has_its_name(place, tmp_path):
    archive, audio = place
    archive.recordings.delete(["b"])
    archive.recordings.purge(0)
    (audio / "b.wav").rename(audio / "later.wav")
    record(audio / "b.wav", 7)
    add(archive, tmp_path)
    (audio / "b.wav").rename(audio / "e.wav")
    add(archive, tmp_path)
    add(archive, tmp_path, audio / "later.wav")
    assert heard(archive) == {1: "a", 2: "later", 3: "deep/c", 7: "e"}
    assert add(archive, tmp_path).recognised.before == 4
    assert Ears.asked == {1: 1, 2: 2, 3: 1, 7: 1}


def test_an_edited_recording_at_the_place_of_a_deleted_one(place, tmp_path):
    archive, audio = place
    archive.recordings.delete(["b"])
    (audio / "b.wav").unlink()
    (audio / "a.wav").rename(audio / "b.wav")
    add(archive, tmp_path)
    record(audio / "b.wav", 6)
    add(archive, tmp_path)
    assert heard(archive) == {6: "b", 3: "deep/c"}
    assert sorted(archive.recordings.names) == ["b", "deep/c"]


def test_new_tags_fill_what_is_empty(place):
    archive, audio = place
    archive.metadata.set("b", {"title": "Mine"})
    archive.metadata.set("deep/c", {"title": "Wrong"})
    archive.metadata.clear("deep/c", ["title"])
    for name in ("a", "b", "deep/c"):
        tag(audio / f"{name}.wav", "Tag")
    add(archive, audio.parent)
    assert [archive.metadata.get(name).get("title") for name in ("a", "b", "deep/c")] == ["Tag", "Mine", None]
    assert sum(Ears.asked.values()) == 3
    tag(audio / "a.wav", "Another")
    add(archive, audio.parent)
    assert archive.metadata.get("a")["title"] == "Tag"


def test_a_deleted_recording_returns_while_another_has_its_name(place, tmp_path):
    """It does not get the name under which the archive keeps what is deleted."""
    archive, audio = place
    judge(archive, "b")
    archive.recordings.delete(["b"])
    record(tmp_path / "other" / "b.wav", 7)
    archive.recordings.add([tmp_path / "other"], [Ears()])
    assert heard(archive) == {1: "a", 7: "b", 3: "deep/c"}
    add(archive, tmp_path, audio / "b.wav")
    assert heard(archive) == {1: "a", 7: "b", 2: "b.wav", 3: "deep/c"}
    assert archive.judgments.all().qrels == {"1": {"b.wav": 1.0}}
