"""Which of several judgments counts, against a plain model; history and undo."""

import random

import pytest

import rankine as rk
from rankine.spoken.learn.judgment_rows import Judgment, deciding, standing, with_undos
from rankine.spoken.learn.judgments import JudgmentStore
from rankine.spoken.store.store import login_name


def row(number, query, place, judge, grade, **more):
    return Judgment(number, number, "t", judge, query, place, "", grade, **more)


def test_the_last_sure_judgment_of_any_judge_counts():
    rows = [row(1, "q", "a", "ann", 1.0), row(2, "q", "a", "bob", 0.0), row(3, "q", "a", "bob", None)]
    assert [r.grade for r in deciding(rows)] == [1.0]  # bob has become unsure: what ann said counts
    assert [r.grade for r in deciding(rows[:2])] == [0.0]
    assert deciding([*rows, row(4, "q", "a", "ann", None)]) == []
    assert [r.row for r in deciding([*rows, row(4, "r", "a", "ann", 2.0), row(5, "q", "b", "eve", 3.0)])] == [1, 4, 5]


def test_undone_and_adopted_ones_do_not_stand():
    rows = [row(1, "q", "a", "ann", 1.0), row(2, "q", "b", "ann", 1.0, adopts=1)]
    assert [r.row for r in standing(rows)] == [2]
    assert [r.row for r in standing([rows[0], rows[1]._replace(counts=False)])] == [1]


def test_what_counts_is_that_of_a_plain_model(tmp_path):
    for seed in range(25):
        rng = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        book = JudgmentStore(folder, {"d0", "d1"})
        said, undos = [], {}  # (number, query, recording, judge, grade); undo → number
        judge_of = {}  # who gave a judgment, or took one back
        for _ in range(25):
            if said and rng.random() < 0.25:
                number = rng.choice([s[0] for s in said] + list(undos))
                name = rng.choice(["ann", "bob"])
                if name != judge_of[number]:
                    with pytest.raises(rk.InputError, match=f"expected the judge who gave judgment {number}"):
                        book.undo(number, name)
                    continue
                try:
                    book.undo(number, name)
                except rk.InputError:
                    continue
                undos[book.store.batches()[-1].id] = number
                judge_of[book.store.batches()[-1].id] = name
            else:
                key = (rng.choice(["one", "two"]), rng.choice(["d0", "d1"]), rng.choice(["ann", "bob"]))
                grade = rng.choice([None, 0.0, 1.0, 3.0])
                stored = book.judge(key[0], key[1], grade, key[2])
                if not stored.repeated:
                    said.append((stored.number, *key, grade))
                    judge_of[stored.number] = key[2]
            gone = set()
            for number in sorted(undos, reverse=True):
                if number not in gone:
                    gone.add(undos[number])
            last, want = {}, {}
            for number, query, recording, judge, grade in said:
                if number not in gone:
                    last[query, recording, judge] = (number, grade)
            for (query, recording, _), (number, grade) in last.items():
                if grade is not None and number > want.get((query, recording), (0, 0))[0]:
                    want[query, recording] = (number, grade)
            judged = book.all()
            got = {(judged.queries[q], d): g for q, some in judged.qrels.items() for d, g in some.items()}
            assert got == {key: grade for key, (_, grade) in want.items()}
        history = book.history()
        assert len(history) >= len(said)
        assert [h.number for h in history] == sorted(h.number for h in history)
        assert {h.number for h in history if h.undoes is not None} <= set(undos)


def test_a_repeated_judgment_is_one_row(tmp_path):
    book = JudgmentStore(tmp_path, {"d"})
    first = book.judge("words", "d", 1.0, "ann", rank=3, weights="abcd", start=0.0, end=2.5)
    again = book.judge("words", "d", 1.0, "ann", rank=1)
    assert again == (first.number, True)
    assert not book.judge("words", "d", 1.0, "bob").repeated
    assert not book.judge("words", "d", 0.0, "ann").repeated
    assert not book.judge("words", "d", 1.0, "ann").repeated  # a change back is a change
    rows = book.rows()
    assert [(r.judge, r.grade) for r in rows] == [("ann", 1.0), ("bob", 1.0), ("ann", 0.0), ("ann", 1.0)]
    assert (rows[0].rank, rows[0].weights, rows[0].start, rows[0].end) == (3, "abcd", 0.0, 2.5)
    assert (rows[1].rank, rows[1].weights, rows[1].start) == (None, "", None)
    number = book.add_all([("1", "d", 2.0), ("1", "e", 2.0)], "ann")  # an import: not the same action
    later = book.judge("words", "d", 2.0, "ann")
    assert later.number > number


def test_what_was_imported_is_taken_back_by_its_judge_and_by_whoever_imported_it(tmp_path):
    book = JudgmentStore(tmp_path, {"d"})
    row = Judgment(0, 0, "2026-01-01T00:00:00+00:00", "bob", "w", "d", "", 1.0)
    for name, *refused in (("bob", "ann", ""), ("eve", "ann", "")):
        number = book.add_rows([row], {"w": "words"}, "import", "eve")
        for other in refused:
            with pytest.raises(rk.InputError, match=f"judgment {number}, bob or eve, to take it back"):
                book.undo(number, other)
        book.undo(number, name)
    nameless = book.add_rows([row, row._replace(judge="ann")], {"w": "words"}, "import")
    for other in ("", "bob", "ann"):
        with pytest.raises(rk.InputError, match=f"expected the judge who gave judgment {nameless}"):
            book.undo(nameless, other)
    book.undo(nameless, login_name())
    of_nobody = book.add_rows([row._replace(judge="")], {"w": "words"}, "import")
    book.undo(of_nobody)


def test_history_tells_undos_in_order(tmp_path):
    book = JudgmentStore(tmp_path, {"d"})
    one = book.judge("words", "d", 1.0, "ann").number
    book.judge("other", "d", 1.0, "ann")
    with pytest.raises(rk.InputError, match=r"the judge who gave judgment 1, ann, to take it back; got bob"):
        book.undo(one, "bob")
    with pytest.raises(rk.InputError, match=r"got \(no name\)"):
        book.undo(one)
    book.undo(one, "ann")
    undo = book.store.batches()[-1].id
    book.undo(undo, "ann")
    last = book.store.batches()[-1].id
    told = [(h.number, h.judge, h.undoes, h.counts) for h in book.history(" words ")]
    assert told == [(one, "ann", None, True), (undo, "ann", one, False), (last, "ann", undo, True)]
    with pytest.raises(rk.InputError, match="no query 'nonsense' was judged here"):
        book.history("nonsense")
    with book.store.reading() as db:
        assert with_undos(db, []) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b: b.judge("w", "d", -1.0), "expected a grade from 0"),
        (lambda b: b.judge("w", "d", float("nan")), "expected a grade from 0"),
        (lambda b: b.judge("w", "d", 10.0), "expected a grade from 0"),
        (lambda b: b.judge(" ", "d", 1.0), "expected a query of 1 to 10,000 characters"),
        (lambda b: b.judge("w" * 10_001, "d", 1.0), "expected a query of 1 to 10,000 characters"),
        (lambda b: b.judge("w", "d", 1.0, "x\ny"), "expected a name of at most 200 characters"),
        (lambda b: b.judge("w", "e", 1.0), "there is no recording 'e' in this archive, and there was none"),
    ],
)
def test_what_cannot_be_judged(tmp_path, call, message):
    book = JudgmentStore(tmp_path, {"d"})
    with pytest.raises(rk.InputError, match=message):
        call(book)
    assert book.store.batches() == [] if book.store.exists else True
