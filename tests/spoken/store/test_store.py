"""The archive's store: batches and undo."""

import random
import sqlite3

import pytest

import rankine as rk
from rankine.spoken.store.recordings import attach_recordings, detach_recordings, identify_recordings
from rankine.spoken.store.store import Store, cells, refresh, split_place


def say(store, recording, field, value):
    """Say something about a recording; the number of the batch."""
    with store.writing("about", "ann") as batch:
        number = batch.recording(recording)
        batch.add("about", [{"recording": number, "field": field, "value": value}])
        refresh(batch.db, [number])
        return batch.id


def said(store):
    """What is said about every recording."""
    with store.reading() as db:
        rows = db.execute("SELECT coalesce(name, was), about FROM recording").fetchall()
    return {name: about for name, text in rows if (about := cells(text, store.damaged))}


def test_batches_and_undo_are_those_of_a_plain_model(tmp_path):
    for seed in range(60):
        rng, store = random.Random(seed), Store(tmp_path / str(seed))
        store.folder.mkdir()
        rows, undos = [], {}  # (batch, recording, field, value); undo batch → batch

        def count(rows=rows, undos=undos):
            gone = set()
            for number in sorted(undos, reverse=True):
                if number not in gone:
                    gone.add(undos[number])
            out = {}
            for batch, name, field, value in rows:
                if batch not in gone:
                    out.setdefault(name, {})[field] = value
            return out, gone

        for _ in range(20):
            batches = [r[0] for r in rows] + list(undos)
            if rng.random() < 0.35 and batches:
                number = rng.choice(batches)
                if number in count()[1]:
                    with pytest.raises(rk.InputError, match="undone already"):
                        store.undo(number)
                    continue
                store.undo(number)
                undos[store.batches()[-1].id] = number
            else:
                row = (rng.choice("abc"), rng.choice(["title", "date"]), str(rng.randrange(5)))
                rows.append((say(store, *row), *row))
            assert said(store) == count()[0]
        store.check()


def test_nothing_is_kept_of_a_batch_that_fails(tmp_path):
    store = Store(tmp_path)

    def fail():
        with store.writing("about") as batch:
            batch.recording("a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert said(store) == {}
    assert store.batches() == []
    with store.writing("nothing"):
        pass
    assert store.batches() == []
    with pytest.raises(rk.InputError, match="no change 7 to undo"):
        store.undo(7)


@pytest.mark.parametrize(
    ("name", "names", "want"),
    [
        ("tape", (), ("tape", "")),
        ("tape@1.5-2", (), ("tape", "1.5-2")),
        ("tape@b", (), ("tape@b", "")),
        ("tape@b@1-2", {"tape"}, ("tape", "b@1-2")),
        ("tape@b@1-2", {"tape", "tape@b"}, ("tape@b", "1-2")),
        ("tape@1-2", {"tape@1-2"}, ("tape@1-2", "")),
    ],
)
def test_where_a_recordings_name_ends(name, names, want):
    assert split_place(name, names) == want


def test_a_store_of_the_future(tmp_path):
    store = Store(tmp_path)
    say(store, "a", "title", "x")
    with sqlite3.connect(store.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(rk.InputError, match="of a newer release"):
        store.batches()


@pytest.mark.parametrize("use", [Store.batches, Store.check, lambda store: say(store, "a", "title", "y")])
def test_a_store_of_an_older_version(tmp_path, use):
    store = Store(tmp_path)
    say(store, "a", "title", "x")
    with sqlite3.connect(store.path) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()
    with pytest.raises(rk.InputError, match="the store has version 1; this version of Rankine reads 2 to 3"):
        use(store)


def test_check_compares_what_rows_come_to(tmp_path):
    store = Store(tmp_path)
    say(store, "a", "title", "x")
    with sqlite3.connect(store.path) as db:
        db.execute("""UPDATE recording SET about = '{"title":"y"}'""")
    db.close()
    with pytest.raises(rk.InputError, match="recording 1 is not what its rows come to"):
        store.check()


def test_names_follow_the_content(tmp_path):
    store = Store(tmp_path)
    identify_recordings(tmp_path, {"a": "A", "b": "B"})
    say(store, "a", "title", "first")
    say(store, "b", "title", "second")
    identify_recordings(tmp_path, {"b": "A", "a": "B"})  # they have swapped their names
    assert said(store) == {"b": {"title": "first"}, "a": {"title": "second"}}
    identify_recordings(tmp_path, {"b": "A2", "a": "B"})  # edited
    assert said(store) == {"b": {"title": "first"}, "a": {"title": "second"}}
    identify_recordings(tmp_path, {"c": "A2", "b": "C", "a": "B"})  # renamed, and another one under its old name
    say(store, "b", "title", "third")
    assert said(store) == {"c": {"title": "first"}, "a": {"title": "second"}, "b": {"title": "third"}}
    store.check()


def test_what_was_said_before_a_recording_came_is_its_own(tmp_path):
    store = Store(tmp_path)
    identify_recordings(tmp_path, {"a": "A"})
    say(store, "a", "title", "first")
    say(store, "z", "date", "1999")
    identify_recordings(tmp_path, {"z": "A"})
    assert said(store) == {"z": {"title": "first", "date": "1999"}}
    store.check()


def test_what_was_said_is_kept_apart_and_comes_back(tmp_path):
    store = Store(tmp_path)
    identify_recordings(tmp_path, {"a": "A"})
    say(store, "a", "title", "first")
    say(store, "text", "title", "without audio")
    detach_recordings(tmp_path, ["a", "text"])
    identify_recordings(tmp_path, {"a": "other"})  # another recording under the name
    with store.reading() as db:
        assert db.execute("SELECT about FROM recording WHERE name = 'a'").fetchall() == [("{}",)]
    identify_recordings(tmp_path, {"b": "A"})
    attach_recordings(tmp_path, ["text"])
    with store.reading() as db:
        rows = dict(db.execute("SELECT name, about FROM recording"))
    assert cells(rows["b"], store.damaged) == {"title": "first"}
    assert cells(rows["text"], store.damaged) == {"title": "without audio"}


def test_rows_are_checked_once_until_the_file_changes(tmp_path, monkeypatch):
    looked = []
    check = Store._check_rows
    monkeypatch.setattr(Store, "_check_rows", lambda self, db: (looked.append(self.folder), check(self, db)))
    for i in range(5):
        say(Store(tmp_path), "tape", "title", f"t{i}")
        Store(tmp_path).batches()
    assert len(looked) <= 1  # a new store, then only what this process wrote
    db = sqlite3.connect(tmp_path / "store.sqlite")
    with db:
        db.execute("UPDATE about SET value = x'00' WHERE id = 1")
    db.close()
    for _ in range(2):
        with pytest.raises(rk.InputError, match="about 1 is not as it was written"):
            Store(tmp_path).batches()
