"""Searching over the API, against the archive itself."""

import threading

import pytest

from rankine.spoken.archive import Archive

from ..cases import comes_true, error_of, served

API = "/api/v1"


def search(client, q, **parameters):
    answer = client.get(f"{API}/search", params={"q": q, **parameters})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_hits_are_those_of_the_archive(client, site):
    answer = search(client, "storm winter")
    expected = Archive(site.archive.folder).search("storm winter", per_recording=3)
    told = [hit for group in answer["groups"] for hit in group["hits"]]
    assert [(hit["recording"], hit["place"], hit["certainty"]) for hit in told] == [
        (hit.recording, hit.place, hit.certainty) for hit in expected
    ]
    assert [hit["score"] for hit in told] == pytest.approx([hit.score for hit in expected])
    assert [hit["rank"] for hit in told] == list(range(1, len(told) + 1))
    for hit in told:
        assert hit["play_from"] == pytest.approx(max(hit["start"] - 1, 0))
    assert answer["total_hint"]["recordings"] == len(answer["groups"]) == 2


def test_words_are_marked_by_certainty(client):
    hit = search(client, "lighthouse")["groups"][0]["hits"][0]
    assert (hit["recording"], hit["certainty"]) == ("harbour/1", "heard")
    marked = [(word["text"], word["mark"]) for word in hit["line"] if word["mark"]]
    assert marked == [("lighthouse", "heard")]
    word = hit["line"][0]
    assert (word["start"], word["end"], word["posterior"]) == (0.0, 0.5, pytest.approx(0.7, abs=1e-3))
    perhaps = search(client, "light", certainty="perhaps")["groups"][0]["hits"][0]
    assert perhaps["certainty"] == "perhaps"
    assert [(w["text"], w["mark"]) for w in perhaps["line"] if w["mark"]] == [("lighthouse", "perhaps")]
    sounds = search(client, "lighthouze", certainty="sounds like")["groups"][0]["hits"][0]
    assert {w["mark"] for w in sounds["line"]} == {"sounds like", None}


def test_what_is_given_on_request_or_closed(client):
    answer = search(client, "storm", k=100, certainty="heard")
    by_name = {group["recording"]["id"]: group for group in answer["groups"]}
    assert set(by_name) == {"harbour/1"}
    assert any("2 recordings are not open" in note for note in answer["notes"])
    assert search(client, "hidden", certainty="heard,perhaps")["groups"] == []
    for name in ("shut", "asked"):
        answer = client.get(f"{API}/why", params={"q": "storm", "place": name})
        assert answer.status_code == (404 if name == "shut" else 403)
        assert "secret" not in answer.text
    near = client.get(f"{API}/why", params={"q": "storm", "place": "shutt@0-1"})  # names of closed ones are not told
    assert (near.status_code, near.json()["error"]["code"]) == (404, "not-found")


def test_groups_and_pages(client):
    first = search(client, "storm", per_recording=1, certainty="heard")
    group = next(group for group in first["groups"] if group["recording"]["id"] == "harbour/1")
    assert (len(group["hits"]), group["more"]) == (1, True)
    more = search(client, "storm", recording="harbour/1", per_recording=50, certainty="heard")
    assert [len(group["hits"]) for group in more["groups"]] == [2]
    both = search(client, "winter", per_recording=1, certainty="heard")
    assert len(both["groups"]) == 2
    pages = [search(client, "winter", k=1, offset=i, certainty="heard") for i in range(3)]
    assert [page["more"] for page in pages] == [True, False, False]
    names = [group["recording"]["id"] for page in pages for group in page["groups"]]
    assert names == [group["recording"]["id"] for group in both["groups"]]


def test_filters_and_order(client):
    def names(**parameters):
        answer = search(client, "winter storm", certainty="heard", **parameters)
        return [group["recording"]["id"] for group in answer["groups"]], answer["notes"]

    assert names(speaker="lee")[0] == ["harbour/1"]
    assert names(collection="coast")[0] == ["harbour/1"]
    assert names(since="2000")[0] == ["railway"]
    assert names(until="2000")[0] == ["harbour/1"]
    assert names(sort="time")[0] == ["harbour/1", "railway"]
    nobody, notes = names(speaker="Zoe")
    assert nobody == []
    assert any("no recording is by the speaker 'Zoe'" in note for note in notes)
    assert "Eve" not in str(notes)  # the speaker of a closed recording
    assert client.get(f"{API}/search", params={"q": "storm", "since": "5.11"}).status_code == 400


def test_nothing_heard_is_no_error(client):
    answer = search(client, "lighthose", certainty="heard")
    assert {"word": "lighthouse", "instead": "lighthose", "why": "is written nearly like lighthose"} in answer[
        "suggestions"
    ]
    nothing = search(client, "zzzz qqqq")
    assert nothing["groups"] == []
    assert any("nothing" in note for note in nothing["notes"])


def test_why_sums_to_the_score(client):
    for text in ("storm", "lighthouse keeper", "winter storm"):
        for group in search(client, text)["groups"]:
            for hit in group["hits"] if group["recording"]["rights"] == "open" else []:
                answer = client.get(f"{API}/why", params={"q": text, "place": hit["segment"]}).json()
                assert answer["score"] == pytest.approx(hit["score"])
                assert sum(part["amount"] for part in answer["parts"]) == pytest.approx(answer["score"], abs=1e-9)
                assert all(part["sentence"] for part in answer["parts"])
                assert set(answer["kinds"]) <= {"words", "sounds", "exact order", "sounds in order"}
    assert client.get(f"{API}/why", params={"q": "zzzz", "place": "railway"}).status_code == 400
    assert client.get(f"{API}/why", params={"q": "storm"}).status_code == 400


def test_a_search_that_takes_too_long_is_given_up(site, monkeypatch):
    """It is answered with a sentence, other requests go on, and search works again when its thread has ended."""
    release = threading.Event()
    gate = site.app.app.routes[-1].endpoint.__self__.searches
    gate.seconds = 0.2

    def slow(*arguments, **options):
        assert release.wait(60)
        return quick(*arguments, **options)

    quick = Archive.search
    monkeypatch.setattr(Archive, "search", slow)
    with served(site) as client:
        one = client()
        for _ in range(3):
            answer = one.get(f"{API}/search", params={"q": "storm"})
            assert (answer.status_code, error_of(answer)["code"]) == (503, "too-slow")
            assert error_of(answer)["message"] == "not done after 0.2 seconds"
            assert one.get(f"{API}/recordings").status_code == 200
        assert comes_true(lambda: gate.abandoned == 3)
        release.set()
        gate.seconds = 30.0
        assert one.get(f"{API}/search", params={"q": "storm"}).json()["groups"]
        assert comes_true(lambda: gate.abandoned == 0)
