"""Judgments that survive kills and several judges."""

import os
import signal
import sqlite3
import time

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.learn.judgments import Judged, JudgmentStore, read_qrels, read_queries


def test_judgments_count_as_said(tmp_path):
    book = JudgmentStore(tmp_path)
    assert book.all() == Judged({}, {})
    assert not book.store.path.exists()
    one, two = book.query("spoken words"), book.query("others")
    assert (one, two, book.query("spoken words")) == ("1", "2", "1")
    book.add(one, "a", 1, "ann")
    book.add(one, "b", 0, "ann")
    number = book.add(one, "a", 2, "bob")  # the last judge counts
    assert book.all().qrels == {"1": {"a": 2.0, "b": 0.0}, "2": {}}
    book.undo(number, "bob")  # taken back: ann's stands again
    assert book.all().qrels["1"]["a"] == 1.0
    with pytest.raises(rk.InputError, match="not known"):
        book.add_all([("1", "c", 1.0), ("9", "c", 1.0)])
    assert "c" not in book.all().qrels["1"]
    with pytest.raises(rk.InputError, match="here and"):
        book.add_judged(Judged({"1": "something else"}, {}))
    book.store.path.write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    with pytest.raises(rk.InputError, match="damaged"):
        book.all()


def test_a_text_has_one_name(tmp_path):
    book = JudgmentStore(tmp_path)
    book.add(book.query("spoken words"), "a", 1.0)
    new = {"x1": "others", "x2": "spoken words", "x3": "others"}
    book.add_judged(Judged(new, {"x1": {"a": 1.0}, "x2": {"b": 2.0}, "x3": {"c": 0.0}, "1": {"d": 3.0}}))
    after = book.all()
    assert after.queries == {"1": "spoken words", "x1": "others"}
    assert after.qrels == {"1": {"a": 1.0, "b": 2.0, "d": 3.0}, "x1": {"a": 1.0, "c": 0.0}}
    with pytest.raises(rk.InputError, match="the query '9', which is not known"):
        book.add_judged(Judged({"x4": "more"}, {"x4": {"a": 1.0}, "9": {"a": 1.0}}))
    assert book.all() == after


def test_judgments_survive_kills(tmp_path):
    book = JudgmentStore(tmp_path)
    key = book.query("q")
    rng = np.random.default_rng(0)
    for round_ in range(25):
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            for i in range(1000):
                JudgmentStore(tmp_path).add(key, f"{round_}-{i}", 1.0)
                os.write(tell, b".")
            os._exit(0)
        os.close(tell)
        time.sleep(float(rng.uniform(0.005, 0.03)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said = 0
        while data := os.read(told, 1 << 16):
            said += len(data)
        os.close(told)
        there = [d for d in book.all().qrels[key] if d.startswith(f"{round_}-")]
        assert said <= len(there) <= said + 1
    book.check()


def test_several_judges_at_once(tmp_path):
    children = []
    for j in range(3):
        child = os.fork()
        if child == 0:
            try:
                for i in range(15):
                    book = JudgmentStore(tmp_path)
                    book.add(book.query(f"q{i}"), f"d{j}", 1.0, str(j))
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    assert all(os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) == 0 for c in children)
    judged = JudgmentStore(tmp_path).all()
    assert sorted(judged.queries.values()) == sorted(f"q{i}" for i in range(15))
    assert judged.n_judgments == 45


def test_files_of_queries_and_judgments(tmp_path):
    (tmp_path / "q.tsv").write_bytes("\ufeff1\tspoken words\n\n2\t\u8bbe\u5b9a\n".encode())
    assert read_queries(tmp_path / "q.tsv") == {"1": "spoken words", "2": "设定"}
    (tmp_path / "q.qrels").write_text("1 0 a 2\n1 0 b -1\n2 0 a 0\n")
    assert read_qrels(tmp_path / "q.qrels") == {"1": {"a": 2.0}, "2": {"a": 0.0}}
    for text, message in (
        ("1 spoken", r"q\.tsv, line 1: expected a name, a tab and a query"),
        ("1\ta\n1\tb\n", r"line 2: the query 1 is there twice"),
        ("\n", "no queries"),
    ):
        (tmp_path / "q.tsv").write_text(text)
        with pytest.raises(rk.InputError, match=message):
            read_queries(tmp_path / "q.tsv")


def test_judgments_of_other_recordings():
    judged = Judged({"1": "words"}, {"1": {"monday": 1.0, "tuesday": 0.0}})
    assert judged.within({"monday"}).n_judgments == 1
    judged.check({"monday", "tuesday"})
    with pytest.raises(rk.InputError, match="query 1: a judgment of 'tuesday', which is not in the archive"):
        judged.check({"monday"})
    with pytest.raises(rk.InputError, match=r"q\.qrels: judgments of the query '2', which is not among the queries"):
        Judged({"1": "words"}, {"2": {}}).check({"monday"}, "q.qrels")


def test_a_hard_linked_copy_stays_as_it_was(tmp_path):
    """As of an archive that was copied by ``cp -al``."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    book = JudgmentStore(tmp_path / "a")
    book.add(book.query("words"), "monday", 1)
    os.link(book.store.path, tmp_path / "b" / book.store.path.name)
    book.add("1", "tuesday", 1)
    assert book.all().n_judgments == 2
    assert JudgmentStore(tmp_path / "b").all().n_judgments == 1


WRONG = (
    "UPDATE judgment SET grade = x'00ff'", "UPDATE judgment SET grade = 9e999",
    "UPDATE judgment SET query = 'x'", "DELETE FROM query", "UPDATE judgment SET place = x'ff'",
    "UPDATE query SET text = x'00' WHERE name = '1'", "UPDATE batch SET undoes = 'x'", "DROP TABLE query",
    "CREATE VIEW other AS SELECT 1", "ALTER TABLE judgment ADD COLUMN more",
    "CREATE TRIGGER t AFTER INSERT ON judgment BEGIN DELETE FROM query; END",
)  # fmt: skip


@pytest.mark.parametrize("statement", WRONG)
def test_judgments_that_someone_else_has_changed(tmp_path, statement):
    book = JudgmentStore(tmp_path)
    book.add(book.query("spoken words"), "a", 1, "ann")
    book.query("others")
    with sqlite3.connect(book.store.path) as db:
        db.execute(statement)
    db.close()
    for use in (book.all, book.check, lambda: book.add("1", "b", 1.0), lambda: book.query("new")):
        with pytest.raises(rk.InputError, match=r"store\.sqlite: not a store written by Rankine, or damaged"):
            use()


def test_a_journal_that_names_another_file_is_not_rolled_back(tmp_path, victims):
    """SQLite would delete the file that a journal of several databases names."""
    book = JudgmentStore(tmp_path)
    book.query("spoken words")
    victim = str(victims.folder / "victim.txt").encode()
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + b"".join(n.to_bytes(4, "big") for n in (0, 0, 4, 512, 4096))
    tail = len(victim).to_bytes(4, "big") + sum(victim).to_bytes(4, "big") + magic
    journal = tmp_path / "store.sqlite-journal"
    journal.write_bytes(header.ljust(512, b"\0") + (0x40000000 // 4096 + 1).to_bytes(4, "big") + victim + tail)
    for use in (book.all, book.check, lambda: book.query("new")):
        with pytest.raises(rk.InputError, match="this journal is not one of this file: remove it"):
            use()
    huge = magic + b"".join(n.to_bytes(4, "big") for n in (0, 0, 2**31, 512, 4096))
    journal.write_bytes(huge.ljust(512, b"\0"))  # SQLite would make the database so long
    with pytest.raises(rk.InputError, match="this journal is not one of this file: remove it"):
        book.all()
    journal.unlink()
    journal.symlink_to(victims.folder / "victim.txt")
    with pytest.raises(rk.InputError, match="a link"):
        book.all()


def test_damage_is_one_line(tmp_path):
    book = JudgmentStore(tmp_path)
    book.query("spoken words")
    data = book.store.path.read_bytes()
    free = data[:32] + (7).to_bytes(4, "big") + (3).to_bytes(4, "big") + data[40:]  # free pages that are not there
    for damaged in (free, data.replace(b"REFERENCES query(name)", b"REFERENCES query(na\xffe)")):
        book.store.path.write_bytes(damaged)
        with pytest.raises(rk.InputError, match=r"or damaged|cannot be used") as caught:
            book.all()
        assert "\n" not in str(caught.value)
