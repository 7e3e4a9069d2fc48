"""The guard before all routes: only known hosts, only this site's own requests, only users with a session.

Every answer has a policy that lets a page load nothing from elsewhere and run no script without the answer's nonce.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable, Collection
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import ApiError, error_answer
from .parameters import Parameters
from .sessions import Sessions

LONGEST_ADDRESS = 16_384  # bytes of path and parameters
METHODS = ("GET", "HEAD", "POST")
ENTRY = "/session"
_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; "
    "media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class HostList(NamedTuple):
    """The names under which a server answers; with ``addresses`` also every address in digits.

    A foreign name that leads to this machine (DNS rebinding) is none of them. An address in digits cannot do that.
    """

    names: frozenset[str]
    addresses: bool = False

    def holds(self, host: str) -> bool:
        """Whether a Host header names this server; its port does not count: a tunnel may have another.

        >>> hosts = HostList(frozenset({"localhost", "127.0.0.1"}))
        >>> hosts.holds("localhost:8517"), hosts.holds("evil.example:8517"), hosts.holds("localhost:8517@evil.example")
        (True, False, False)
        """
        name = host_name(host)
        if name is None:
            return False
        if name in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.addresses


def host_name(host: str) -> str | None:
    """The name or address of a Host header, without brackets and port; None where it is none."""
    if host.startswith("["):
        name, bracket, rest = host[1:].partition("]")
        if not bracket:
            return None
    else:
        name, colon, port = host.partition(":")
        rest = colon + port
    if rest and not (rest[0] == ":" and rest[1:].isascii() and rest[1:].isdigit()):
        return None
    return name.lower().rstrip(".") or None


class EntryRules(NamedTuple):
    """What the guard knows: sessions, hosts, the name of the cookie, whether it is HTTPS, and what needs no session."""

    sessions: Sessions
    hosts: HostList
    cookie: str
    secure: bool
    free: Callable[[str], bool]  # whether a path needs no session: what the login page itself consists of
    is_page: Callable[[str], bool]  # whether a path is a page that people look at


class Guard:
    """An application that passes requests on to another only where they may come in."""

    def __init__(self, app: ASGIApp, rules: EntryRules, login: Callable[[Scope], Response]) -> None:
        self.app, self.rules, self.login = app, rules, login

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        scope["nonce"] = secrets.token_urlsafe(16)
        scope["path"] = scope["raw_path"].decode("latin-1")  # routes see names as they are encoded, with slashes
        guarded = _with_headers(send, scope["nonce"])
        try:
            answer = self._check(scope)
        except ApiError as error:
            answer = error_answer(error)
        await (self.app if answer is None else answer)(scope, receive, guarded)

    def _check(self, scope: Scope) -> Response | None:
        """An answer in place of the application's, or None where the request may come in."""
        headers, path = Headers(scope=scope), scope["path"]
        self._check_form(scope, headers)
        self._check_site(scope, headers)
        if scope["method"] == "GET" and self.rules.is_page(path) and b"token=" in scope["query_string"]:
            answer = self._enter(scope)
            if answer is not None:
                return answer
        scope["user"] = self.rules.sessions.user_of_any(_cookies(headers, self.rules.cookie))
        if scope["user"] is not None or self.rules.free(path) or (path == ENTRY and scope["method"] == "POST"):
            return None
        if self.rules.is_page(path) and scope["method"] != "POST":
            return self.login(scope)
        raise ApiError(401, "no-session", "open the address with the token that the server printed first")

    def _check_form(self, scope: Scope, headers: Headers) -> None:
        if scope["method"] not in METHODS:
            raise ApiError(405, "method", f"expected {', '.join(METHODS)}", {"Allow": ", ".join(METHODS)})
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
            raise ApiError(414, "too-long", f"the address has more than {LONGEST_ADDRESS:,} bytes")
        if not scope["path"].isascii():
            raise ApiError(400, "bad-address", "the address is not percent-encoded")
        if len(headers.getlist("host")) != 1 or not self.rules.hosts.holds(headers["host"]):
            raise ApiError(403, "foreign-host", "this server does not answer under that name")

    def _check_site(self, scope: Scope, headers: Headers) -> None:
        """Refuse what pages of other sites ask for; a browser tells which site a request comes from.

        People may follow a link from anywhere to a page. All else must come from the pages of this server itself.
        """
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        navigates = headers.get("sec-fetch-mode") == "navigate" and scope["method"] != "POST"
        own = f"{'https' if self.rules.secure else 'http'}://{headers['host']}"
        several = any(len(headers.getlist(name)) > 1 for name in ("origin", "sec-fetch-site", "sec-fetch-mode"))
        if several or (origin is not None and origin.lower() != own.lower()):
            raise ApiError(403, "foreign-origin", "a page of another site may not ask for this")
        if site not in (None, "same-origin", "none") and not (navigates and self.rules.is_page(scope["path"])):
            raise ApiError(403, "foreign-origin", "a page of another site may not ask for this")

    def _enter(self, scope: Scope) -> Response | None:
        """A new session and the same address without the token; None where the token is wrong."""
        parameters = Parameters(scope["query_string"]).values
        cookie = self.rules.sessions.enter(parameters.pop("token", ""))
        if cookie is None:
            return None
        query = urlencode(parameters)
        answer = Response(status_code=303, headers={"Location": scope["path"] + (f"?{query}" if query else "")})
        set_cookie(answer, self.rules, cookie)
        answer.headers["Cache-Control"] = "no-store"
        return answer


def set_cookie(answer: Response, rules: EntryRules, cookie: str) -> None:
    """Let the browser keep a session, for this site alone and out of reach of scripts."""
    answer.set_cookie(rules.cookie, cookie, path="/", httponly=True, samesite="strict", secure=rules.secure)


def cookie_name(port: int, secure: bool) -> str:
    """The name of the cookie: one for each port, since cookies of a host are shared by all its ports."""
    return f"{'__Host-' if secure else ''}rankine-{port}"


def _cookies(headers: Headers, name: str) -> Collection[str]:
    values = []
    for line in headers.getlist("cookie"):
        for pair in line.split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                values.append(value)
    return values[:5]


def _with_headers(send: Send, nonce: str) -> Send:
    """What sends an answer with the headers that every answer has."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers["Content-Security-Policy"] = _POLICY.format(nonce=nonce)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return guarded
