"""Streams: of slow clients, of many, and of those that go away."""

import pytest

from rankine.web.api.listening import attachment

from ..cases import Site, comes_true, held_streams, long_archive, served

API = "/api/v1"


@pytest.fixture
def long_site(tmp_path):
    return Site(long_archive(tmp_path / "p").folder)


def test_slow_clients_do_not_block_others(long_site):
    with served(long_site) as client:
        slow, other = client(), client()
        with held_streams(slow, f"{API}/recordings/long/audio", 10):
            for _ in range(5):
                assert other.get(f"{API}/search", params={"q": "storm"}).status_code == 200
            whole = other.get(f"{API}/recordings/long/audio")
            assert len(whole.content) == int(whole.headers["content-length"])


def test_streams_that_are_left_are_not_counted_any_more(long_site):
    counts = long_site.app.app.routes[-1].endpoint.__self__.listening.streams
    with served(long_site) as client:
        one = client()
        for _ in range(30):  # more than one session may have at once
            with one.stream("GET", f"{API}/recordings/long/audio") as answer:
                assert answer.status_code == 200
                next(answer.iter_raw(1000))
        assert comes_true(lambda: counts.open == {})


def test_too_many_streams_are_refused(long_site):
    counts = long_site.app.app.routes[-1].endpoint.__self__.listening.streams
    counts.most_of_one = 2
    with served(long_site) as client:
        with held_streams(client(), f"{API}/recordings/long/audio", 2):
            answer = client().get(f"{API}/recordings/long/audio")
            assert answer.status_code == 503
            assert answer.json()["error"]["code"] == "too-many"
        assert client().get(f"{API}/search", params={"q": "storm"}).status_code == 200


def test_a_client_that_takes_nothing_is_given_up(long_site, monkeypatch):
    monkeypatch.setattr("rankine.web.api.listening._STALLED", 0.2)
    counts = long_site.app.app.routes[-1].endpoint.__self__.listening.streams
    with served(long_site) as client, held_streams(client(), f"{API}/recordings/long/audio", 1):
        assert comes_true(lambda: counts.open == {})


def test_names_of_files():
    assert attachment('a/b"c\n.wav').startswith('attachment; filename="a_b_c_.wav"')
    assert attachment("中文.wav") == "attachment; filename=\"__.wav\"; filename*=UTF-8''%E4%B8%AD%E6%96%87.wav"
    assert attachment("../..").startswith('attachment; filename="_"')
