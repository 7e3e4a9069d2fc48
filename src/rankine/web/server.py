"""Serving: a free port, an address with a token, a browser, and an end within two seconds of Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import signal
import socket
import ssl
import threading
import webbrowser
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import quote

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import InputError
from ..spoken.store.store import login_name
from ..system.console import put, say
from ..system.signals import SIGNALS, keeping, partial_result, results_are_whole
from .answers import ApiError
from .app import WebOptions, create_app, new_rules
from .live import LiveArchive
from .pages import has_waveform
from .security import HostList, cookie_name
from .sessions import Sessions

HOST, PORT = "127.0.0.1", 8517
_PORTS = 50  # that are tried, one after the other
_PATIENCE = 1  # seconds that streams may go on after a signal
_CONNECTIONS = 500
STRANGERS = 100  # connections of one address that no session has used yet
HEAD_SECONDS = 20.0  # in which the head of a request must come
_ANYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True)
class ServeOptions:
    """How an archive is served; ``colleagues`` are those who get a token of their own."""

    host: str = HOST
    port: int = PORT
    browser: bool = True
    read_only: bool = False
    certificate: str | None = None
    key: str | None = None
    colleagues: Sequence[str] = field(default_factory=tuple)

    def check(self) -> None:
        """Raise InputError for options that cannot be used together."""
        if (self.certificate is None) != (self.key is None):
            raise InputError("--certificate and --key belong together: give both, or none")
        if self.certificate is not None:
            try:
                ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.certificate, self.key)
            except (OSError, ValueError) as error:
                raise InputError(
                    f"--certificate {self.certificate} and --key {self.key} cannot be used: {error}"
                ) from None
        if not 0 <= self.port < 65536:
            raise InputError(f"expected a port from 0 to 65535, got {self.port}")
        if self.colleagues and self.host == HOST:
            raise InputError(f"--token-for is for colleagues, who reach this machine only with --host, not {HOST}")
        if len(set(self.colleagues)) < len(self.colleagues) or not all(map(str.strip, self.colleagues)):
            raise InputError("--token-for: expected different names")


def free_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on a port, or on the next one that is free; port 0 is any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(port, min(port + _PORTS, 65536)) if port else [0]:
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY then only
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, number))
            listener.listen(256)
            return listener
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise InputError(f"cannot listen on {host}: {error.strerror or error}") from None
    raise InputError(f"no port from {port} to {port + _PORTS - 1} is free: give another with --port")


def hosts_of(host: str) -> HostList:
    """The names under which a server that listens on a host answers."""
    names = {"localhost", "127.0.0.1", "::1"}
    if host != HOST:
        names |= {host.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}
    return HostList(frozenset(names), addresses=host in _ANYWHERE)


def is_local(host: str) -> bool:
    """Whether only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address(scheme: str, host: str, port: int, token: str) -> str:
    """The first address, with a token."""
    shown = socket.gethostname() if host in _ANYWHERE else f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}:{port}/?token={quote(token)}"


def serve(folder: str, options: ServeOptions) -> None:
    """Serve an archive until a signal comes."""
    options.check()
    archive = LiveArchive(folder)
    sessions, secure = Sessions(), options.certificate is not None
    listener = free_socket(options.host, options.port)
    port = listener.getsockname()[1]
    rules = new_rules(sessions, hosts=hosts_of(options.host), cookie=cookie_name(port, secure), secure=secure)
    app = create_app(WebOptions(archive, rules, options.read_only))
    if options.port not in (0, port):
        say(f"port {options.port} is taken; this is port {port}")
    own = login_name() or "me"
    _announce(options, sessions, own, port)
    keeping("nothing was changed; the archive is as it was")
    server = make_server(app, options)
    threading.Thread(target=warm, args=(archive,), daemon=True).start()
    if options.browser:
        url = address("https" if secure else "http", options.host, port, sessions.token_for_once(own))
        threading.Thread(target=_open_browser, args=(url,), daemon=True).start()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:  # connections are closed; threads that still work end with the process
        with results_are_whole(False):
            partial_result(success=True)


def warm(archive: LiveArchive) -> None:
    """Search once, so that the first person who does need not wait for what is loaded at the first time."""
    with suppress(ApiError, InputError, OSError):
        state = archive.state()
        _ = state.descriptions.seconds
        for word in state.examples[:1]:
            results = state.archive.search(f"{word} {word[::-1]}", lazy=True)
            _ = results.suggestions, results.page()


class TimedProtocol(H11Protocol):
    """A connection that is closed when its client begins a request and does not send the rest of its head.

    An address that has many connections which no session has used yet gets no further one.
    """

    strangers: ClassVar[Counter[str]] = Counter()  # such connections, by address
    _late: asyncio.TimerHandle | None = None
    _stranger: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        self._stranger = self.client[0] if self.client else ""
        self.strangers[self._stranger] += 1
        if self.strangers[self._stranger] > STRANGERS:
            transport.abort()
        else:
            self._wait()

    def on_response_complete(self) -> None:
        """A request is answered: who had a session for it is no stranger any more."""
        if self.scope is not None and self.scope.get("user") is not None:
            self._is_known()
        super().on_response_complete()

    def _is_known(self) -> None:
        if self._stranger is not None:
            self.strangers[self._stranger] -= 1
            if not self.strangers[self._stranger]:
                del self.strangers[self._stranger]
            self._stranger = None

    def data_received(self, data: bytes) -> None:
        """A client has sent something."""
        super().data_received(data)
        if self._is_answering():
            self._forget()
        elif self._late is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """A client has gone."""
        self._forget()
        self._is_known()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _forget(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self._is_answering():
            self.transport.close()


class SignalledServer(uvicorn.Server):
    """A server that ends when a signal comes, and then passes it on once, to whoever had it before."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Treat signals while the server runs; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[int, Any] = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        for number in self.numbers[:1]:
            if callable(before[number]):
                before[number](number, None)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End soon; at the second signal, at once."""
        self.numbers.append(sig)
        self.force_exit = self.should_exit
        self.should_exit = True

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.numbers: list[int] = []


def make_server(app: Any, options: ServeOptions) -> SignalledServer:
    """What answers requests."""
    return SignalledServer(uvicorn.Config(
        app, log_config=None, log_level="critical", access_log=False, lifespan="off", http=TimedProtocol, ws="none",
        server_header=False, date_header=False, proxy_headers=False, timeout_keep_alive=30,
        timeout_graceful_shutdown=_PATIENCE, limit_concurrency=_CONNECTIONS, h11_max_incomplete_event_size=32_768,
        backlog=256, ssl_certfile=options.certificate, ssl_keyfile=options.key,
    ))  # fmt: skip


def _announce(options: ServeOptions, sessions: Sessions, own: str, port: int) -> None:
    """Print the addresses, and who can reach them."""
    scheme = "https" if options.certificate else "http"
    put(address(scheme, options.host, port, sessions.token_for(own)))
    for name in options.colleagues:
        put(f"{name}: {address(scheme, options.host, port, sessions.token_for(name))}")
    if not is_local(options.host):
        say(f"whoever reaches {options.host} over the network can open this page with a token, and nobody without")
        if not options.certificate:
            say("it is not encrypted: others on the way can read along, tokens too; give --certificate and --key")
    if not has_waveform():
        say("the page has no waveform: its drawing is not installed; in a clone of Rankine, `make waveform` fetches it")
    say("Ctrl-C ends")


def _open_browser(url: str) -> None:
    try:
        opened = webbrowser.open(url)
    except webbrowser.Error:
        opened = False
    if not opened:
        say("no browser was found here: open the address above in one")
