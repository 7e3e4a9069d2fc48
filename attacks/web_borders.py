"""Borders of the page's server: memory of peaks, odd names, doubled headers, slow strangers, closed recordings.

Each is a way in that was open once. ``python -m attacks.web`` runs them after its mutated requests.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2

from rankine.web.security import cookie_name
from rankine.web.server import STRANGERS
from rankine.web.sound.peaks import PeakCache
from tests.web.cases import Site, make_archive, served, spoken, usual

SECONDS = 20.0  # after which a request counts as not answered
PEAKS = 250  # requests for peaks, each for another number of points
_CLOSED = ("secret", "hidden")  # words of recordings that are not open, in ``usual``


@contextmanager
def _place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RANKINE_SETTINGS"] = str(Path(folder) / "settings.json")
        yield Path(folder)


def peaks() -> list[str]:
    """Ask for peaks of many sizes: the server keeps no more bytes of them than it says."""
    caches: list[PeakCache] = []
    keep = PeakCache.get

    def watched(cache: PeakCache, *arguments):
        caches.append(cache)
        return keep(cache, *arguments)

    with _place() as place:
        site = Site(usual(place / "place").folder)
        PeakCache.get = watched
        try:
            with served(site) as client:
                some = client()
                path = "/api/v1/recordings/harbour%2F1/peaks"
                statuses = {some.get(path, params={"points": 10 + 79 * n}).status_code for n in range(PEAKS)}
        finally:
            PeakCache.get = keep
    sizes = {cache.size for cache in caches}
    wrong = [f"peaks are answered with {statuses}"] if statuses != {200} else []
    if not caches or max(sizes) > min(caches[0].most, 5 * 1_000_000):
        wrong.append(f"{PEAKS} requests for peaks of one recording keep {max(sizes, default=0):,} bytes")
    return wrong


def odd_names() -> list[str]:
    """Open recordings whose names a browser takes for steps between folders."""
    wrong = []
    names = (".", "..", "~..", "a/../b", "%2e%2e")
    with _place() as place:
        archive = make_archive(place / "place", {name: ([spoken(["storm"])], {}, True) for name in names})
        with served(Site(archive.folder)) as client:
            some = client()
            for name in names:
                part = f"~{name}" if name.lstrip("~") in (".", "..") else name.replace("%", "%25").replace("/", "%2F")
                answer = some.get(f"/api/v1/recordings/{part}")
                if answer.status_code != 200 or answer.json()["id"] != name:
                    wrong.append(f"the recording {name!r} is answered with {answer.status_code}")
    return wrong


def doubled_headers() -> list[str]:
    """Send headers that tell the site twice: the page's own first, then another."""
    with _place() as place, served(Site(usual(place / "place").folder)) as client:
        some = client()
        port, name = some.base_url.port, cookie_name(8517, False)
        cookie = f"{name}={some.cookies[name]}"
        own = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
        wrong = []
        for name, value in own.items():
            foreign = "http://evil.example" if name == "Origin" else "cross-site"
            head = ["GET /api/v1/archive HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Cookie: {cookie}", "Connection: close"]
            head += [f"{name}: {value}", f"{name}: {foreign}"]
            with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as connection:
                connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n")
                answer = connection.recv(20)
            if not answer.startswith(b"HTTP/1.1 403"):
                wrong.append(f"{name} twice is answered with {answer!r}")
    return wrong


def slow_strangers() -> list[str]:
    """Hold slow connections without a session: those who have one are served, and the held ones are let go."""
    with _place() as place, served(Site(usual(place / "place").folder)) as client, ExitStack() as stack:
        some = client()
        some.timeout = SECONDS
        some.get("/api/v1/archive")  # who comes after too many others from one address is refused
        address = ("127.0.0.1", some.base_url.port)
        for _ in range(STRANGERS + 20):
            connection = stack.enter_context(socket.create_connection(address, timeout=SECONDS))
            try:
                connection.sendall(b"GET / HT")
            except ConnectionError:
                continue  # one too many
        try:
            status = some.get("/api/v1/archive").status_code
        except httpx2.TransportError as error:
            return [f"who has a session is not served beside slow strangers: {error}"]
    return [] if status == 200 else [f"who has a session gets {status} beside slow strangers"]


def closed_words() -> list[str]:
    """Look for words that only recordings which are not open hold: nothing tells that they were said."""
    wrong = []
    with _place() as place, served(Site(usual(place / "place").folder)) as client:
        some = client()
        for word in _CLOSED:
            for query in (word, f"{word} storm", word[:-1], f"{word[:3]}*", f'"{word} storm"'):
                for path in ("search", "hits.csv", "hits.xspf"):
                    answer = some.get(f"/api/v1/{path}", params={"q": query, "certainty": "heard,perhaps,sounds like"})
                    text = answer.text.replace(query, "").replace(query.replace('"', '\\"'), "")
                    if word in text or "asked" in text.lower() or "shut" in text.lower():
                        wrong.append(f"{path} for {query!r} tells of a recording that is not open")
        for name in ("asked", "shut"):
            for part in ("transcript", "audio", "clip?start=0&end=1", "subtitles.vtt", "peaks?points=50"):
                status = some.get(f"/api/v1/recordings/{name}/{part}").status_code
                if status == 200 and not (name == "asked" and part == "transcript"):  # which says that it has no words
                    wrong.append(f"{part} of {name!r} is given")
    return wrong


BORDERS: tuple[Callable[[], list[str]], ...] = (peaks, odd_names, doubled_headers, slow_strangers, closed_words)


def borders(report: Callable[[str], object] = print) -> int:
    """Try all borders; the number of failures."""
    wrong = [f"{border.__name__}: {line}" for border in BORDERS for line in border()]
    for line in wrong[:20]:
        report(line)
    report(f"{len(BORDERS)} borders of the page's server, {len(wrong)} failures")
    return len(wrong)
