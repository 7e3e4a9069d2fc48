"""Where corrections belong in what was heard."""

import random

from rankine.spoken.corrections.placement import context, heard_words, placed, row_at, span_of
from rankine.spoken.corrections.rows import Correction, indexed_words
from rankine.spoken.index.build import Utterance, Word


def row(text, offset=0.0, name="u", step=0.5):
    words = [Word(w, step * i, step * (i + 1), 1.0) for i, w in enumerate(text.split())]
    return Utterance(name, step * len(words), {}, words, {}, offset=offset)


def correction(rows, start, end, written, number=1):
    words = heard_words(rows)
    span = span_of(words, rows, start, end)
    heard, before, after = context(words, *span[:2])
    return Correction(number, "t", start, end, heard, written, before, after, "ann", "", number)


def texts(result):
    return [word.text for word in result.words]


OLD = "we read mary wool stone craft today and she wrote a book on it"


def test_in_the_same_words_it_stays(tmp_path):
    rows = [row(OLD)]
    result = placed(rows, [correction(rows, 1.5, 3.0, "Wollstonecraft")])
    assert texts(result) == OLD.replace("wool stone craft", "wollstonecraft").split()
    assert [(p.start, p.end, p.rows, p.main) for p in result.placements] == [(1.5, 3.0, (0,), 0)]
    assert result.orphans == []


def test_in_other_words_it_is_found_by_those_around():
    old = correction([row(OLD)], 1.5, 3.0, "Wollstonecraft")
    for new, want in (
        ("so we read mary will stone kraft today and she wrote", "so we read mary wollstonecraft today and she wrote"),
        ("we red mary wollstonecraft today and she wrote", "we red mary wollstonecraft today and she wrote"),
        ("um um we read merry wool stones craft to day and", "um um we read merry wollstonecraft to day and"),
    ):
        assert texts(placed([row(new)], [old])) == want.split()
    for other in ("entirely different words were heard in this place now", "", "today and she wrote a book"):
        result = placed([row(other)], [old])
        assert (texts(result), result.orphans) == (other.split(), [old])


def test_too_far_away_it_does_not_fit():
    old = correction([row(OLD)], 1.5, 3.0, "Wollstonecraft")
    far = [row("hm", 0.0, "a"), row(OLD, 9.0, "b")]
    assert placed(far, [old]).orphans == [old]
    near = [row("hm", 0.0, "a"), row(OLD, 2.0, "b")]
    assert placed(near, [old]).orphans == []


def test_insertions_stand_between_their_neighbours():
    rows = [row("one two", 0.0, "a"), row("three four", 2.0, "b")]
    new = correction(rows, 1.1, 1.9, "in between")
    assert (new.heard, new.before, new.after) == ("", "one two", "three four")
    assert texts(placed(rows, [new])) == ["one", "two", "in", "between", "three", "four"]
    moved = [row("zero one two", 0.0, "a"), row("three four", 2.5, "b")]
    assert texts(placed(moved, [new])) == ["zero", "one", "two", "in", "between", "three", "four"]
    assert row_at(rows, 50.0, 51.0) is None


def test_none_depends_on_the_others():
    rng = random.Random(0)
    rows = [row(OLD)]
    for _ in range(200):
        some = []
        for number in range(1, rng.randint(2, 5)):
            first = rng.randrange(13)
            start, end = 0.5 * first, 0.5 * min(first + rng.randint(1, 3), 14)
            some.append(
                correction(rows, start, end, " ".join(f"n{number}{c}" for c in "ab"[: rng.randint(0, 2)]), number)
            )
        whole = placed(rows, some)
        assert [p.correction for p in whole.placements] == some
        left = [c for c in some if rng.random() < 0.6]
        assert [(p.start, p.end) for p in placed(rows, left).placements] == [(c.start, c.end) for c in left]
        last = some[-1]
        said = [w.text for w in whole.words if last.start <= w.middle <= last.end]
        assert said == list(indexed_words(last.written))
        starts = [w.start for w in whole.words]
        assert starts == sorted(starts)
