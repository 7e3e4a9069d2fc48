"""What a hit points at, against trying every run."""

import math

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.query.vocabulary import words_of
from rankine.spoken.search.best_run import Window, _goes_round, _Search, best_run

from ... import reference_places as ref
from ..cases import SMALL, recordings, spoken

QUERIES = ("w0", "w0 w1", "w1 w2 w1", "w0 w1 w2 w3", "w0 OR w1 w2", "w01 w2", "w3 the w1", "the", "w1 OR w2 OR w3 w0")


def other_place(index, part, query, row, stop):
    """Whether the characters' run is elsewhere in time and has all of a term or some of an unknown one."""
    windows = {kind: Window(part, kind, row, stop) for kind in index.kinds}
    runs = {kind: _Search(window, query, words=kind == "word").run() for kind, window in windows.items()}
    (a, b), (c, d) = (
        (min(times)[0], max(times)[1])
        for times in ([windows[kind].span(unit.slot) for unit in runs[kind].units] for kind in index.kinds)
    )
    terms = [
        (term.alternatives, [u for u in runs["character"].units if u.term == n]) for n, term in enumerate(query.terms)
    ]
    whole = any(own and own[0].share and len(own) >= round(1 / own[0].share) for _, own in terms)
    words = set(words_of(index).all())
    unknown = any(own and own[0].share and not any(set(some.words) <= words for some in ways) for ways, own in terms)
    return (b <= c or d <= a) and (whole or unknown)


@pytest.mark.parametrize("seed", range(40, 60))
def test_the_best_run_of_all(tmp_path, seed):
    archive = recordings(tmp_path, seed)
    kinds, index = archive.kinds, archive.index
    for text in QUERIES:
        query = archive.parse(text)
        for part, places in zip(index.parts, ref.read_places(index), strict=True):
            for row in range(len(places)):
                best = {kind: ref.best_worth(index, places, row, query, kind) for kind in kinds}
                answer = best_run(index, part, query, row)
                if max(best.values()) == 0:
                    assert answer is None
                    continue
                run, window = answer
                want = "word" if best["word"] >= 0.1 else max(kinds, key=lambda kind: round(best[kind], 9))
                if want != "word" and best["word"] > 0 and not other_place(index, part, query, row, window.stop):
                    want = "word"
                assert (run.kind, run.worth) == (want, pytest.approx(best[want], abs=1e-6)), text
                assert run.worth == pytest.approx(sum(u.share * u.posterior for u in run.units), abs=1e-6)
                assert run.units[0].row == row
                assert all(window.slots(u.unit)[u.slot] == u.posterior for u in run.units)


def test_a_required_phrase_is_pointed_at_also_where_another_word_is_likelier(tmp_path):
    archive = spoken(tmp_path / "a", "type a roman | type")
    part = archive.index.parts[0]
    run, _ = best_run(archive.index, part, archive.parse('"roman type"'), 0)
    assert [u.unit for u in run.units] == ["roman", "type"]
    assert [u.row for u in run.units] == [0, 1]


def test_repeated_speech_is_no_long_run(tmp_path):
    archive = spoken(tmp_path / "a", " ".join(["ping", "pong"] * 90))
    run, _ = best_run(archive.index, archive.index.parts[0], archive.parse("ping pong ping"), 0)
    assert [u.unit for u in run.units] == ["ping", "pong", "ping"]
    assert [u.slot for u in run.units] == [0, 1, 2]


@pytest.mark.parametrize(
    ("heard", "query", "kind", "later"),
    [
        ("roman 0.01 x 1.0 / romeo 1.0", "roman", "word", False),  # only some of its characters, elsewhere
        ("roman 0.01 x 1.0 / romans 1.0", "roman", "character", True),  # all of them, elsewhere
        ("roman 0.01 romans 1.0 / x 1.0", "roman", "word", False),  # all of them, at the same place
        ("roman 0.2 x 1.0 / romans 1.0", "roman", "word", False),  # likely enough
        ("roman 0.01 x 1.0 / z 1.0 / typo 1.0", "roman type", "character", True),  # type is no word of the archive
        ("roman 0.01 x 1.0 / z 1.0 / typo 1.0 / | type 1.0", "roman type", "word", False),
        ("the 0.01 x 1.0 / z 1.0 / romeo 1.0", "the roman", "character", True),  # stop words are no place
    ],
)
def test_unlikely_words_are_the_place_unless_smaller_units_say_clearly_more(tmp_path, heard, query, kind, later):
    archive = Archive.create(tmp_path / "a", SMALL)
    lattices = []
    for number, text in enumerate(heard.split("|")):
        slots = [part.split() for part in text.split("/") if part.strip()]
        arcs = [
            (at, at + 1, word, math.log(float(p)), float(at), at + 1.0)
            for at, slot in enumerate(slots)
            for word, p in zip(slot[::2], slot[1::2], strict=True)
        ]
        lattices.append((f"d{number}", Lattice.from_arcs(arcs, 0, len(slots))))
    archive.lattices.add(lattices, scoring=Scoring())
    run, window = best_run(archive.index, archive.index.parts[0], archive.parse(query), 0)
    assert (run.kind, window.span(run.units[0].slot)[0] > 0.99) == (kind, later)


def test_terms_that_lead_back():
    assert not _goes_round({0: [1], 1: [2], 2: []})
    assert _goes_round({0: [1], 1: [2], 2: [1]})
    assert _goes_round({0: [0]})
    assert not _goes_round({})
