"""Mutated requests and many clients: a few of the attacks, and that an attack that succeeds is noticed."""

import pytest

from attacks import web, web_borders

pytest.importorskip("starlette")


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "settings.json"))


def test_mutated_requests_are_answered_or_refused():
    lines = []
    assert web.run(150, seed=3, report=lines.append) == 0, lines
    assert lines[-1].startswith("150 mutated requests (seed 3), 0 failures")


def test_clients_get_whole_answers_while_the_archive_changes():
    lines = []
    assert web.crowd(2, clients=8, seed=3, report=lines.append) == 0, lines
    assert "heard" in lines[-1]


def test_searches_that_do_not_end_are_given_up(monkeypatch):
    lines = []
    assert web.slow_searches(30, report=lines.append) == 0, lines
    monkeypatch.setattr("rankine.web.limits.ABANDONED", 100)
    assert web.slow_searches(30, report=lines.append) > 0


def test_borders_hold():
    lines = []
    assert web_borders.borders(report=lines.append) == 0, lines


def test_borders_that_are_open_are_noticed(monkeypatch):
    monkeypatch.setattr("rankine.web.sound.peaks.SIZES", tuple(range(1, 20_001)))
    monkeypatch.setattr("rankine.web.api.listening.PeakCache.__init__.__defaults__", (1 << 40,))
    monkeypatch.setattr("rankine.spoken.metadata.rights.access", lambda rights, today=None: "open")
    assert web_borders.peaks()
    assert web_borders.closed_words()


def test_an_attack_that_succeeds_is_noticed(monkeypatch, tmp_path):
    assert web.problem(b"HTTP/1.1 500 Internal Server Error\r\n\r\n", tmp_path)
    assert web.problem(b"HTTP/1.1 200 OK\r\n\r\nTraceback (most recent call last)", tmp_path)
    assert web.problem(f"HTTP/1.1 200 OK\r\n\r\n{tmp_path}/x".encode(), tmp_path)
    assert web.problem(f"HTTP/1.1 200 OK\r\n\r\n{web.SECRET}".encode(), tmp_path)
    assert web.problem(b"HTTP/1.1 404 Not Found\r\n\r\n{}", tmp_path) == ""
    monkeypatch.setattr("rankine.web.api.recordings.archive_content", lambda state: 1 / 0)
    lines = []
    assert web.run(60, seed=5, report=lines.append) > 0
