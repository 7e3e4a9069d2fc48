"""Pages of results against searches of the whole archive."""

import pytest

from rankine.errors import InputError
from rankine.spoken.search.filters import DocumentFilter
from rankine.spoken.search.hits import CERTAINTIES
from rankine.spoken.search.results import PageRequest

QUERIES = ("w0", "w1 w2", '"w3 w4"', "w4 w0 w5", "w2 -w1", "w3 near/3 w0")


def places(page):
    return [[(hit.document, hit.place, round(hit.score, 9)) for hit in group.hits] for group in page.groups]


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("per_recording", [1, 2, 10])
def test_the_same_as_grouped_search(several, text, per_recording):
    expected: dict = {}
    for hit in several.search(text, 8, per_recording=per_recording):
        expected.setdefault(hit.document, []).append((hit.document, hit.place, round(hit.score, 9)))
    page = several.result_page(text, DocumentFilter(), PageRequest(k=8, per_recording=per_recording))
    assert places(page) == list(expected.values())


@pytest.mark.parametrize("text", QUERIES)
def test_pages_follow_each_other(several, text):
    whole = several.result_page(text, DocumentFilter(), PageRequest(k=100))
    assert not whole.more
    assert whole.recordings == len(whole.groups)
    some, offset = [], 0
    while True:
        page = several.result_page(text, DocumentFilter(), PageRequest(k=3, offset=offset))
        some += places(page)
        offset += 3
        if not page.more:
            break
    assert some == places(whole)


@pytest.mark.parametrize("text", QUERIES)
def test_certainties(several, text):
    whole = several.result_page(text, DocumentFilter(), PageRequest(k=100, per_recording=100))
    for certainty in CERTAINTIES:
        page = several.result_page(
            text, DocumentFilter(), PageRequest(k=100, per_recording=100, certainties=(certainty,))
        )
        expected = [hit.place for group in whole.groups for hit in group.hits if hit.certainty == certainty]
        assert [hit.place for group in page.groups for hit in group.hits] == expected


def test_by_time(several):
    page = several.result_page("w0 w1", DocumentFilter(), PageRequest(k=100, per_recording=100, sort="time"))
    keys = [(hit.date, hit.document, hit.start) for group in page.groups for hit in group.hits]
    assert keys == sorted(keys)
    relevance = several.result_page("w0 w1", DocumentFilter(), PageRequest(k=100, per_recording=100))
    assert {h.place for g in page.groups for h in g.hits} == {h.place for g in relevance.groups for h in g.hits}


def test_one_recording_and_more(several):
    page = several.result_page("w0", DocumentFilter(), PageRequest(per_recording=1))
    group = next(group for group in page.groups if group.more)
    only = several.result_page("w0", DocumentFilter.of(recording=group.recording), PageRequest(per_recording=50))
    assert [some.recording for some in only.groups] == [group.recording]
    assert len(only.groups[0].hits) > 1
    assert only.groups[0].hits[0].place == group.hits[0].place


def test_filters_that_leave_none_are_a_note(several):
    for chosen_by in ({"speaker": "zoe"}, {"recording": "nobody"}, {"collection": "x"}):
        page = several.result_page("w0", DocumentFilter.of(**chosen_by))
        assert page.groups == []
        assert "no recording" in page.notes[-1]


def test_what_no_page_can_show(several):
    for page in (PageRequest(k=0), PageRequest(per_recording=0), PageRequest(offset=-1), PageRequest(sort="x"),
                 PageRequest(certainties=("sure",)), PageRequest(certainties=())):  # fmt: skip
        with pytest.raises(InputError):
            several.result_page("w0", DocumentFilter(), page)
    with pytest.raises(InputError, match="no words"):
        several.result_page("!", DocumentFilter())
