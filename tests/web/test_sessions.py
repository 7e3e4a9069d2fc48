"""Tokens and sessions."""

from rankine.web.sessions import Sessions


def test_tokens_are_long_and_of_one_user():
    sessions = Sessions()
    ann, bob = sessions.token_for("ann"), sessions.token_for("bob")
    assert min(len(ann), len(bob)) >= 43  # 256 bits in base 64
    assert sessions.user_of(sessions.enter(ann)) == "ann"
    assert sessions.user_of(sessions.enter(bob)) == "bob"
    assert sessions.user_of(sessions.enter(ann)) == "ann"  # again, from another browser
    for wrong in ("", ann[:-1], ann + "x", ann.swapcase(), "\ud800"):
        assert sessions.enter(wrong) is None
    assert sessions.user_of(ann) is None  # a token is no cookie


def test_a_token_for_one_use():
    now = 0.0
    sessions = Sessions(lambda: now)
    first, late, lasting = sessions.token_for_once("ann"), sessions.token_for_once("ann"), sessions.token_for("ann")
    assert sessions.enter(first) is not None
    assert sessions.enter(first) is None
    now = 1000.0
    assert sessions.enter(late) is None
    assert sessions.enter(lasting) is not None


def test_the_oldest_sessions_end_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr("rankine.web.sessions._MOST_SESSIONS", 3)
    sessions = Sessions()
    token = sessions.token_for("ann")
    cookies = [sessions.enter(token) for _ in range(3)]
    assert sessions.user_of(cookies[0]) == "ann"  # used last
    sessions.enter(token)
    assert [sessions.user_of(cookie) for cookie in cookies] == ["ann", None, "ann"]
    assert sessions.user_of_any(["x", cookies[1], cookies[2]]) == "ann"
    assert sessions.user_of_any([]) is None
