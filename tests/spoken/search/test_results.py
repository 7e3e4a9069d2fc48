"""Results: a sequence of hits, what is told about them, and pages of them against searches of the whole archive."""

import pickle
from collections import Counter
from importlib import import_module

import pytest

from rankine.errors import InputError
from rankine.spoken.search.explanation import explanation
from rankine.spoken.search.hits import CERTAINTIES
from rankine.spoken.search.results import PageRequest, SearchResults

QUERIES = ("w0", "w1 w2", '"w3 w4"', "w4 w0 w5", "w2 -w1", "w3 near/3 w0")


def page_of(archive, text, **request):
    return archive.search(text, lazy=True).page(PageRequest(**request))


def places(page):
    return [[(hit.recording, hit.place, round(hit.score, 9)) for hit in group.hits] for group in page.groups]


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("per_recording", [1, 2, 10])
def test_the_same_as_grouped_search(several, text, per_recording):
    expected: dict = {}
    for hit in several.search(text, 8, per_recording=per_recording):
        expected.setdefault(hit.recording, []).append((hit.recording, hit.place, round(hit.score, 9)))
    page = page_of(several, text, k=8, per_recording=per_recording)
    assert places(page) == list(expected.values())


@pytest.mark.parametrize("text", QUERIES)
def test_pages_follow_each_other(several, text):
    whole = page_of(several, text, k=100)
    assert not whole.more
    assert whole.recordings == len(whole.groups)
    some, offset = [], 0
    while True:
        page = page_of(several, text, k=3, offset=offset)
        some += places(page)
        offset += 3
        if not page.more:
            break
    assert some == places(whole)


@pytest.mark.parametrize("text", QUERIES)
def test_certainties(several, text):
    whole = page_of(several, text, k=100, per_recording=100)
    for certainty in CERTAINTIES:
        page = page_of(several, text, k=100, per_recording=100, certainties=(certainty,))
        expected = [hit.place for group in whole.groups for hit in group.hits if hit.certainty == certainty]
        assert [hit.place for group in page.groups for hit in group.hits] == expected


def test_by_time(several):
    page = page_of(several, "w0 w1", k=100, per_recording=100, sort="time")
    keys = [(hit.date, hit.recording, hit.start) for group in page.groups for hit in group.hits]
    assert keys == sorted(keys)
    relevance = page_of(several, "w0 w1", k=100, per_recording=100)
    assert {h.place for g in page.groups for h in g.hits} == {h.place for g in relevance.groups for h in g.hits}


def test_one_recording_and_more(several):
    page = page_of(several, "w0", per_recording=1)
    group = next(group for group in page.groups if group.more)
    only = several.search("w0", recording=group.recording, lazy=True).page(PageRequest(per_recording=50))
    assert [some.recording for some in only.groups] == [group.recording]
    assert len(only.groups[0].hits) > 1
    assert only.groups[0].hits[0].place == group.hits[0].place


def test_filters_that_leave_none_are_a_note(several):
    for chosen_by in ({"speaker": "zoe"}, {"recording": "nobody"}, {"collection": "x"}):
        page = several.search("w0", lazy=True, **chosen_by).page()
        assert page.groups == []
        assert "no recording" in page.notes[-1]


def test_what_no_search_can_return(several):
    for options in ({"k": 0}, {"candidates": 0}, {"per_recording": 0}):
        with pytest.raises(InputError, match="must be at least 1, got 0"):
            several.search("w0", lazy=True, **options)
    with pytest.raises(InputError, match=r"combination must be one of .*, got 'bset'\. Did you mean 'best'"):
        several.search("w0", combination="bset")


def test_a_sequence_of_hits(several):
    results = several.search("w0 w1", 5)
    hits = list(results)
    assert results == hits
    assert hits == results == several.search("w0 w1", 5)
    assert results != hits[:4]
    assert (len(results), results[0], results[-1], results[1:3]) == (5, hits[0], hits[4], hits[1:3])
    assert hits[2] in results
    assert repr(results) == repr(hits)
    assert pickle.loads(pickle.dumps(results)) == hits
    assert [hit.rank for hit in results] == [1, 2, 3, 4, 5]


def test_what_nobody_asks_for_is_not_made(several, monkeypatch):
    made, usual = [], SearchResults.hits_at
    monkeypatch.setattr(SearchResults, "hits_at", lambda own, ranking: made.extend(ranking) or usual(own, ranking))
    monkeypatch.setattr("rankine.spoken.search.results.suggest", lambda *arguments: pytest.fail("nobody asked"))
    assert several.search("ww0 w1", lazy=True).query.text == "ww0 w1"
    assert made == []
    several.search("ww0 w1", 3)
    assert len(made) == 3


def test_a_query_is_parsed_once_and_rights_are_looked_up_once(several, monkeypatch):
    calls = Counter()
    for name in ("results.parse_query", "query_scores.parse_query", "filters.not_open"):
        module, _, function = f"rankine.spoken.search.{name}".rpartition(".")
        usual = getattr(import_module(module), function)
        monkeypatch.setattr(
            f"{module}.{function}", lambda *a, usual=usual, name=name: calls.update([name]) or usual(*a)
        )  # fmt: skip
    several.metadata.set("d03", {"rights": "closed"})
    for text, options in (("ww0 w1", {"explain": True}), ("w0 near/1 zzz", {}), ("w0", {"candidates": 3})):
        calls.clear()
        results = several.search(text, **options)
        _ = results.remarks, results.page(), results.why_empty
        if results:
            results.explain(results[0].segment)
        assert calls == {"results.parse_query": 1, "filters.not_open": 1}


def test_an_explanation_is_that_of_the_hit(several):
    for hit in several.search("w0 w1", 3, explain=True):
        score, parts = several.search("w0 w1", lazy=True).explain(hit.segment)
        assert score == hit.score
        assert explanation(parts) == hit.explanation


def test_remarks(several):
    assert several.search("w0 w1").remarks == []
    (suggestion,) = several.search("ww0 w1").remarks
    assert suggestion.startswith("ww0: did you mean w0 (")
    assert several.search("w0 near/5 zzz").remarks[-1].startswith("nothing found: no place has w0 and zzz")
    with pytest.raises(InputError, match="no recording is by the speaker 'zoe'"):
        several.search("w0 speaker:zoe")


def test_what_no_page_can_show(several):
    for page in (PageRequest(k=0), PageRequest(per_recording=0), PageRequest(offset=-1), PageRequest(sort="x"),
                 PageRequest(certainties=("sure",)), PageRequest(certainties=())):  # fmt: skip
        with pytest.raises(InputError):
            several.search("w0").page(page)
    with pytest.raises(InputError, match="no words"):
        several.search("!", lazy=True).page()
