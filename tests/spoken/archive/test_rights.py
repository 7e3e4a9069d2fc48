"""Rights: what they mean, and what search, subtitles and playing do about them."""

from datetime import date, timedelta

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import rights
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.filters import DocumentFilter
from rankine.spoken.archive.hits import locate
from rankine.spoken.archive.listing import list_recordings
from rankine.spoken.archive.rights import access, check_readable, read_rights, readable_documents
from rankine.spoken.archive.search import search_notes, why_no_hits
from rankine.spoken.archive.subtitles import subtitles
from rankine.spoken.archive.suggestions import suggest
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best

from ..cases import SMALL

TEXTS = {"a": "the press here", "b": "secret press there", "c": "press paper", "d": "press again"}


@pytest.fixture
def archive(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    for name, text in TEXTS.items():  # a part of the index each
        words = [(w, 0.5 * i, 0.5 * i + 0.5, 0.9) for i, w in enumerate(text.split())]
        archive.add_lattices([(name, one_best(words))])
    return archive


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("open", "open"), ("Public", "open"), ("on-request", "on request"), (" CLOSED ", "closed"),
        ("closed until 2030-01-01", "closed until 2030-01-01"), ("embargoed until May 2030", "closed until 2030-05-01"),
        ("closed until 2030", "closed until 2030-01-01"), ("Closed until 17.5.2030", "closed until 2030-05-17"),
    ],
)  # fmt: skip
def test_reading(text, want):
    assert read_rights(text) == want == read_rights(want)


@pytest.mark.parametrize("text", ["", "x", "closed until", "closed until 5/11/2030", "closed until soon", "openly"])
def test_what_are_no_rights(text):
    with pytest.raises(rk.InputError, match=r"expected|means"):
        read_rights(text)


def test_access():
    today = date(2029, 12, 31)
    assert [access(r, today) for r in ("", "open", "on request", "closed", "nonsense")] == [
        "open", "open", "on request", "closed", "closed",
    ]  # fmt: skip
    assert access("closed until 2030-01-01", today) == "closed"
    assert access("closed until 2030-01-01", today + timedelta(1)) == "open"
    assert access("closed until 9999-12-31") == "closed"


def test_search_leaves_closed_recordings_out(archive):
    every = {h.document: h for h in archive.search("press")}
    assert set(every) == set(TEXTS)
    assert readable_documents(archive.index) is None
    archive.about.merge(
        {"b": {"rights": "closed"}, "c": {"rights": "closed until 9999"}, "d": {"rights": "closed until 2000"}}
    )
    assert readable_documents(archive.index).tolist() == [True, False, False, True]
    hits = {h.document: h for h in archive.search("press")}
    assert set(hits) == {"a", "d"}
    assert all(hits[d].score == every[d].score and hits[d].snippet == every[d].snippet for d in hits)
    assert {h.document: h.score for h in archive.search("press", closed=True)} == {d: h.score for d, h in every.items()}
    note = "2 recordings are closed and left out"
    assert note in search_notes(archive.index, "press", DocumentFilter())
    assert note not in search_notes(archive.index, "press", DocumentFilter(closed=True))
    archive.about.undo()
    assert len(archive.search("press")) == 4


def test_nothing_tells_what_closed_recordings_hold(archive):
    assert [s.word for s in suggest(archive.index, "secrte")] == ["secret"]
    archive.about.merge(
        {"b": {"rights": "closed", "title": "Hidden tale", "speakers": "Mallory"}, "a": {"title": "Open"}}
    )
    readable = readable_documents(archive.index)
    assert suggest(archive.index, "secrte", documents=readable) == []
    (count,) = (s.count for s in suggest(archive.index, "prss", documents=readable))
    assert count == pytest.approx(suggest(archive.index, "prss")[0].count * 3 / 4, rel=1e-3)
    assert not any("secret" in note for note in search_notes(archive.index, "press secrte", DocumentFilter()))
    assert "b" not in {h.document for h in archive.search("secret")}
    for text, message in (
        ("press title:hiden", "no recording has 'hiden' in its title$"),
        ("press speaker:mallory", "no recording of this archive has a speaker"),
        ("press recording:b", "no recording is called 'b'$"),
        ("press rights:closed", "no recording has 'closed' in its rights"),
    ):  # fmt: skip
        with pytest.raises(rk.InputError, match=message):
            archive.search(text)
    assert {h.document for h in archive.search("press -title:open")} == {"c", "d"}
    assert [h.document for h in archive.search("press rights:closed", closed=True)] == ["b"]
    assert {h.document for h in archive.search("press rights:open")} == {"a", "c", "d"}
    for h in archive.search("press", explain=True):
        assert h.document != "b"
    archive.about.set(list("acd"), {"rights": "closed"})
    assert archive.search("press") == []
    assert why_no_hits(archive.index, "press", DocumentFilter()) == "no place holds a word of the query, or its sounds"


def test_on_request(archive):
    before = {h.document: h for h in archive.search("press", explain=True)}
    archive.about.set("b", {"rights": "on request"})
    hits = {h.document: h for h in archive.search("press", explain=True)}
    hit = hits.pop("b")
    assert hits == {d: h for d, h in before.items() if d != "b"}
    assert (hit.snippet, hit.matches, hit.explanation, hit.evidence) == ("", (), (), "given on request")
    same = ("document", "start", "end", "score", "certainty", "place", "segment")
    assert all(getattr(hit, name) == getattr(before["b"], name) for name in same)
    assert hit.rights == "on request"
    shown = {h.document: h for h in archive.search("press", closed=True)}
    assert shown["b"].snippet == before["b"].snippet


def test_playing_and_subtitles(archive):
    for value, state in (
        ("closed", "is closed"),
        ("closed until 9999", "is closed until 9999-01-01"),
        ("on request", "is only given on request"),
    ):
        archive.about.set("b", {"rights": value})
        for call in (
            lambda **o: subtitles(archive.index, "b", **o),
            lambda **o: check_readable(archive.index, "b", **o),
        ):
            with pytest.raises(rk.InputError, match=f"'b' {state}: closed=True"):
                call()
            call(closed=True)
        with pytest.raises(rk.InputError, match=state):
            locate(archive.index, "b@0-1")
        with pytest.raises(rk.InputError, match="does not know a recording"):
            locate(archive.index, "b@0-1", closed=True)
    check_readable(archive.index, "a")


def test_days_pass(archive, monkeypatch):
    archive.about.set("b", {"rights": "closed until 2030-01-01"})
    for day, n in ((date(2029, 12, 31), 3), (date(2030, 1, 1), 4)):
        monkeypatch.setattr(rights, "date", type("Day", (date,), {"today": lambda day=day: day}))
        assert len(archive.search("press")) == n


def test_masks_of_parts(archive):
    mask = np.array([True, False, True, True])
    assert [part.tolist() for part in archive.index.masks_of(mask)] == [[True], [False], [True], [True]]
    assert archive.index.masks_of(None) == []


def test_rights_that_have_ended_are_open_in_filters(archive):
    archive.about.merge(
        {"a": {"rights": "closed until 1999"}, "b": {"rights": "closed until 2999"}, "c": {"rights": "on request"}}
    )
    listed = {
        where: set(list_recordings(archive.index, where)["recording"])
        for where in ("rights:open", "rights:closed", "-rights:open")
    }
    assert "a" in listed["rights:open"]
    assert not {"b", "c"} & listed["rights:open"]
    assert listed["rights:closed"] == {"b"}
    assert listed["-rights:open"] == {"b", "c"}


def test_words_of_closed_recordings_do_not_occur(tmp_path):
    """What is closed is as if it were not there; words of what is on request are no suggestions."""
    archive = Archive.create(tmp_path / "a", Settings({"word": "words"}))
    texts = {"a": "plain press", "b": "quixotic press", "c": "laborious press"}
    archive.add_lattices(
        (name, one_best([(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())])) for name, text in texts.items()
    )
    archive.about.merge({"b": {"rights": "closed"}, "c": {"rights": "on request"}})
    index, everybody, keeper = archive.index, DocumentFilter(), DocumentFilter(closed=True)
    for text in ("quixotic", "nowhere"):
        with pytest.raises(rk.InputError, match=f"nothing in the query '{text}' occurs in this archive"):
            archive.search(text)
    assert [hit.document for hit in archive.search("quixotic", closed=True)] == ["b"]
    assert [hit.document for hit in archive.search("laborious")] == ["c"]
    assert "quixotic: no such word was heard" in search_notes(index, "quixotic", everybody)
    assert search_notes(index, "quixotic", keeper) == []
    for text, word in (("quixotik", "quixotic"), ("laboriuos", "laborious")):
        assert f"{text}: no such word was heard" in search_notes(index, text, everybody)
        assert search_notes(index, text, keeper) == [f"{text}: did you mean {word} (1)?"]
    assert "plian: did you mean plain (1)?" in search_notes(index, "plian", everybody)
