"""Who may come in: tokens, which open a session, and sessions, which a cookie names.

A token has 256 bits. It stands in the first address or is typed in, and is exchanged for a session at once. Sessions
are kept in memory and end with the server. Only digests of tokens and sessions are kept and compared.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

_MOST_SESSIONS = 10_000
_ONCE = 120.0  # seconds that a token for one use is good


class _Token(NamedTuple):
    digest: bytes
    user: str
    until: float  # of the clock; infinite unless it is for one use


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


class Sessions:
    """The tokens and sessions of a server.

    >>> sessions = Sessions()
    >>> token = sessions.token_for("ann")
    >>> cookie = sessions.enter(token)
    >>> sessions.user_of(cookie), sessions.user_of("x"), sessions.enter("x")
    ('ann', None, None)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens: list[_Token] = []
        self._users: OrderedDict[bytes, str] = OrderedDict()
        self._lock = threading.Lock()

    def token_for(self, user: str) -> str:
        """A new token of a user, good as long as the server runs."""
        return self._add(user, float("inf"))

    def token_for_once(self, user: str) -> str:
        """A new token of a user that opens one session, soon: others see the command that opens a browser."""
        return self._add(user, self._clock() + _ONCE)

    def _add(self, user: str, until: float) -> str:
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._tokens.append(_Token(_digest(token), user, until))
        return token

    def enter(self, token: str) -> str | None:
        """The cookie of a new session, or None for a wrong token; all tokens are compared, in constant time."""
        digest = _digest(token)
        with self._lock:
            equal = [some for some in self._tokens if hmac.compare_digest(some.digest, digest)]
            right = [some for some in equal if self._clock() <= some.until]
            self._tokens = [some for some in self._tokens if some not in equal or some.until == float("inf")]
            if not right:
                return None
            cookie = secrets.token_urlsafe(32)
            self._users[_digest(cookie)] = right[0].user
            while len(self._users) > _MOST_SESSIONS:
                self._users.popitem(last=False)
        return cookie

    def user_of(self, cookie: str) -> str | None:
        """The user of a session; None where there is no such session."""
        digest = _digest(cookie)
        with self._lock:
            user = self._users.get(digest)
            if user is not None:
                self._users.move_to_end(digest)
        return user

    def user_of_any(self, cookies: Iterable[str]) -> str | None:
        """The user of the first of some cookies that names a session."""
        return next((user for cookie in cookies if (user := self.user_of(cookie)) is not None), None)
