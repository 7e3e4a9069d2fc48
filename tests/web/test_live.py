"""Following an archive: every answer from one state, whatever writers do."""

import threading
from secrets import token_hex

import pytest

from rankine.errors import InputError
from rankine.spoken.archive import Archive
from rankine.web.answers import ApiError
from rankine.web.live import LiveArchive

from .cases import Site, make_archive, served, spoken

API = "/api/v1"


def test_the_page_follows_the_archive(site, client):
    def names():
        answer = client.get(f"{API}/recordings").json()
        return answer["state"], [recording["id"] for recording in answer["recordings"]]

    first, there = names()
    assert set(there) == {"harbour/1", "railway", "asked"}
    other = Archive(site.archive.folder)
    other.lattices.add([("new", spoken(["storm", "harbour"]))])
    second, there = names()
    assert (second != first, "new" in there) == (True, True)
    assert client.get(f"{API}/search", params={"q": "harbour"}).json()["groups"][0]["recording"]["id"] == "new"
    other.recordings.delete(["new"])
    third, there = names()
    assert (third != second, "new" in there) == (True, False)
    other.lattices.add([("newer", spoken(["storm", "railway"]))])
    other.merge()
    fourth, there = names()
    assert (fourth != third, "newer" in there) == (True, True)
    other.recordings.delete(["newer"])
    other.metadata.set("railway", {"title": "Trains"})
    fifth, _ = names()
    assert fifth != fourth
    assert client.get(f"{API}/recordings/railway").json()["title"] == "Trains"
    other.metadata.set("railway", {"rights": "closed"})
    assert names()[1] == ["asked", "harbour/1"]
    assert names() == names()


def test_a_state_stays_while_it_is_held(site):
    state = site.archive.state()
    before = [hit.recording for hit in state.archive.search("storm")]
    other = Archive(site.archive.folder)
    other.lattices.add([("new", spoken(["storm"]))])
    other.merge()
    other.recordings.delete(["railway"])
    assert [hit.recording for hit in state.archive.search("storm")] == before
    assert "railway" in state.archive.recordings.names
    assert "railway" not in site.archive.state().archive.recordings.names


def test_only_the_store_has_changed(site):
    """The index stays open then: what was loaded for search is not loaded again."""
    state = site.archive.state()
    Archive(site.archive.folder).metadata.set("railway", {"title": "Trains"})
    later = site.archive.state()
    assert later is not state
    assert later.archive is state.archive
    assert later.descriptions.get("railway").title == "Trains"


def test_an_answer_between_two_states_is_computed_again(site):
    """A recording that is closed and deleted while an answer is computed is not told as if it were open."""
    other = Archive(site.archive.folder)
    calls = []

    def compute(state):
        if not calls:
            calls.append(state.id)
            other.recordings.delete(["shut"])  # the store says nothing about it any more, and the state's index has it
        return [hit.recording for hit in state.archive.search("storm")], state.id

    (recordings, used), state = site.archive.answer(compute)
    assert "shut" not in recordings
    assert used == state.id != calls[0]


def test_errors_between_two_states_do_not_count(site):
    other = Archive(site.archive.folder)
    tries = []

    def compute(state):
        tries.append(state.id)
        if len(tries) == 1:
            other.metadata.set("railway", {"title": "Trains"})
            raise InputError("what is only so between two states")
        return "well"

    assert site.archive.answer(compute)[0] == "well"
    with pytest.raises(ApiError, match="being changed"):
        site.archive.answer(lambda state: other.metadata.set("railway", {"title": token_hex(4)}))


def test_an_archive_that_goes_away_is_said(site, client, tmp_path):
    site.archive.folder.rename(tmp_path / "elsewhere")
    answer = client.get(f"{API}/archive")
    assert answer.status_code == 503
    assert "cannot be read now" in answer.json()["error"]["message"]
    assert str(tmp_path) not in answer.text
    (tmp_path / "elsewhere").rename(site.archive.folder)
    assert client.get(f"{API}/archive").status_code == 200


def test_many_clients_and_a_writer(tmp_path):
    """Recordings come and go in pairs: every answer has both of a pair, or none."""
    folder = make_archive(tmp_path / "p", {"base": ([spoken(["storm"])], {}, False)}).folder
    site, stop, wrong, answers = Site(folder), threading.Event(), [], []

    def look(client):
        while not stop.is_set():
            answer = client.get(f"{API}/search", params={"q": "storm", "k": 100})
            names = {group["recording"]["id"] for group in answer.json().get("groups", [])}
            answers.append(frozenset(names))
            if answer.status_code != 200 or ("left" in names) != ("right" in names) or "base" not in names:
                wrong.append((answer.status_code, names, answer.json().get("error")))

    with served(site) as client:
        threads = [threading.Thread(target=look, args=(client(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            writer = Archive(folder)
            for _ in range(6):
                writer.lattices.add([("left", spoken(["storm"])), ("right", spoken(["storm", "harbour"]))])
                writer.merge()
                writer.recordings.delete(["left", "right"])
        finally:
            stop.set()
            for thread in threads:
                thread.join(60)
    assert wrong == []
    assert len(set(answers)) == 2


def test_no_archive(tmp_path):
    with pytest.raises(InputError, match="not a spoken archive"):
        LiveArchive(tmp_path)
