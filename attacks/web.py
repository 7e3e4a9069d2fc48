"""The server of the page: mutated requests, and many clients while another process changes the archive.

    python -m attacks.web --count 2000 --rounds 20 --seed 0

A request is the bytes that a browser could send, with parts of it changed: paths, ranges, JSON, encodings, headers. It
is sent to a server on this machine that serves a small archive; files that nobody may read lie around it. A server may
answer or refuse. It is a failure if it answers with 500, if an answer holds a traceback, a path of the machine or the
content of a file outside, if such a file is opened, or if the server does not answer afterwards.

Then fifty clients search and listen, while another process adds two recordings at once, merges and deletes them. It is
a failure if a client gets an error, or an answer with only one of the two. At last searches come that do not end: each
must be answered in time, the threads that go on must stay few, and search must work again afterwards. All requests go
to 127.0.0.1. Prints counts and failures; the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from attacks.web_borders import borders
from rankine.spoken.archive import Archive
from rankine.web.limits import ABANDONED
from rankine.web.security import cookie_name
from tests.victims import SECRET, Victims
from tests.web.cases import Site, make_archive, served, spoken, usual

SECONDS = 20.0  # after which a request counts as not answered
CLIENTS = 50
SLOW = 40  # searches that do not end
_SILENCE = 3.0  # seconds after which a server waits for the rest of a request
PATHS = (
    "/", "/recordings", "/recording/harbour%2F1?t=3&q=storm", "/static/main.js?v=1", "/static/login.js", "/session",
    "/api/v1/archive", "/api/v1/search?q=lighthouse+keeper&k=5&certainty=heard,perhaps&sort=time",
    "/api/v1/search?q=%22winter+storm%22&speaker=Ann&since=1999&until=2001&collection=Coast&recording=harbour%2F1",
    "/api/v1/why?q=storm&place=harbour%2F1%400.00-1.50", "/api/v1/recordings?sort=date&order=desc&filter=har&limit=2",
    "/api/v1/recordings/harbour%2F1", "/api/v1/recordings/harbour%2F1/transcript?from=0&to=10",
    "/api/v1/recordings/harbour%2F1/peaks?points=50", "/api/v1/recordings/harbour%2F1/audio",
    "/api/v1/recordings/harbour%2F1/clip?start=0.5&end=1.5", "/api/v1/recordings/harbour%2F1/subtitles.vtt",
    "/api/v1/recordings/harbour%2F1/citation?t=1.5", "/api/v1/hits.csv?q=storm", "/api/v1/hits.xspf?q=storm&k=10",
    "/api/v1/recordings/shut/audio", "/api/v1/recordings/asked/transcript",
)  # fmt: skip
PIECES = (
    "..", "../", "%2e%2e%2f", "..%2F..%2F", "%00", "%", "%zz", "%ff", "%C3%28", "//", "/", "\\", "%5c", "%2F",
    "/etc/passwd", "file:///etc/passwd", "http://evil.example/", "\u202e", "é", "中", "\ud83d\ude00", "<script>",
    "'\"", "{{nonce}}", ";", "?", "#", "&", "=", "&q=", "&k=-1", "&k=99999999999999999999", "&offset=1e9",
    "&from=nan", "&to=-inf", "&sort=x", "&q=" + "a " * 300, "&q=" + "(" * 200, "&q=%22", "&q=-a", "&q=a*",
    "&q=speaker:", "&q=a+near/99999+b", "&q=" + "%F0%9F%98%80" * 50, "+", "*", "&place=harbour%2F1%40%231",
    "&place=@@@", "&token=x", "&points=0", "&start=5&end=1", "&end=1e308", " ", "\t", "A" * 5000, "recordings/",
    "api/v1/", "static/", "../page/page.html", "vendor/", "victims/secret.txt", ".wav", "audio", "/audio", "@1-2",
)  # fmt: skip
RANGES = (
    "bytes=0-", "bytes=-1", "bytes=5-2", "bytes=0-0,5-9", "bytes=99999999999999999999-",
    "bytes=-99999999999999999999", "bytes=a-b", "bytes=", "bytes=--", "items=0-5", "bytes=0-18446744073709551616",
    "bytes=0x0-0x5", "0-5", "bytes=1-2-3", "bytes=\u0663-", ",", "bytes=0-" + "9" * 1000,
)  # fmt: skip
BODIES = (
    b'{"token": "x"}', b'{"token": null}', b'{"token": {"a": 1}}', b"[" * 3000, b'{"token": "\\ud800"}', b"\xff\xfe",
    b"token=x", b"token=%ff", b"", b"null", b'{"token": 1e999}', b"x" * 5000, b'{"token"' + b": {" * 500,
    b"token=a&token=b",
)  # fmt: skip


HEADERS = ("Host", "Cookie", "Origin", "If-Range", "If-None-Match", "Sec-Fetch-Site", "Content-Type", "X" * 50)
TYPES = ("application/json", "application/x-www-form-urlencoded", "text/plain", "")


class Openings:
    """The files that this process opens while it is watched."""

    def __init__(self) -> None:
        self.watching, self.paths = False, list[str]()
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.watching and event == "open" and isinstance(arguments[0], str | bytes):
            self.paths.append(os.fsdecode(arguments[0]))


OPENINGS = Openings()


def mutated_text(rng: random.Random, text: str) -> str:
    """A text with some pieces put in, cut out, or repeated."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, stop = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + rng.choice(PIECES) + text[min(stop, at + 8) :]
        elif kind == 2:
            text = text[:at] + text[stop:]
        else:
            text = text[:stop] + text[at:stop] * rng.randrange(1, 4) + text[stop:]
    return text


def mutated_request(rng: random.Random, cookie: str) -> bytes:
    """The bytes of a request."""
    path = rng.choice(PATHS)
    path = mutated_text(rng, path) if rng.random() < 0.8 else path
    method = rng.choice(("GET",) * 10 + ("POST", "POST", "HEAD", "PUT", "", "G\0T"))
    headers = {"Host": "127.0.0.1", "Cookie": cookie, "Connection": "close"}
    if rng.random() < 0.3:
        headers["Range"] = rng.choice(RANGES)
    if rng.random() < 0.2:
        name = rng.choice(
            ("Host", "Cookie", "Origin", "If-Range", "If-None-Match", "Sec-Fetch-Site", "Content-Type", "X" * 50)
        )
        headers[name] = mutated_text(rng, headers.get(name, "http://127.0.0.1"))
    body = rng.choice(BODIES) if method == "POST" else b""
    if method == "POST":
        headers["Content-Type"] = rng.choice(
            ("application/json", "application/x-www-form-urlencoded", "text/plain", "")
        )
        headers["Content-Length"] = (
            str(len(body)) if rng.random() < 0.9 else rng.choice(("-1", "x", "99999999999", "0"))
        )
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    data = "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body
    if rng.random() < 0.1:
        at = rng.randrange(len(data))
        data = data[:at] + rng.randbytes(rng.randrange(1, 5)) + data[at + 1 :]
    return data


def answer_to(port: int, data: bytes) -> bytes:
    """All that the server answers to some bytes; where it waits for more of them, it is told that none will come."""
    with socket.create_connection(("127.0.0.1", port), timeout=_SILENCE) as connection:
        connection.sendall(data)
        answer = b""
        while True:
            try:
                piece = connection.recv(65536)
            except ConnectionResetError:
                return answer
            except TimeoutError:
                if connection.gettimeout() != _SILENCE:
                    raise
                connection.settimeout(SECONDS)
                connection.shutdown(socket.SHUT_WR)
                continue
            if not piece:
                return answer
            answer += piece


def problem(answer: bytes, place: Path) -> str:
    """What is wrong with an answer; empty: nothing."""
    status = answer.split(b" ", 2)[1:2]
    if answer and (not answer.startswith(b"HTTP/1.1 ") or status in ([b"500"], [b"502"], [b"504"])):
        return f"answers {answer[:60]!r}"
    if b"Traceback" in answer:
        return "shows a traceback"
    if str(place).encode() in answer or b"/site-packages/" in answer:
        return "shows a path of the machine"
    return "shows a file outside" if SECRET.encode() in answer else ""


@contextmanager
def attacked(place: Path) -> Iterator[tuple[int, str, Victims]]:
    """A server over a small archive with victims around it: its port, a cookie, and the victims."""
    os.environ["RANKINE_SETTINGS"] = str(place / "settings.json")
    victims = Victims(place / "victims")
    site = Site(usual(place / "place").folder)
    with served(site) as client:
        some = client()
        port, value = some.base_url.port, some.cookies[cookie_name(8517, False)]
        yield port, f"{cookie_name(8517, False)}={value}", victims


def run(count: int, seed: int, report: Callable[[str], object] = print) -> int:
    """Send mutated requests; the number of failures."""
    rng, failures, statuses = random.Random(seed), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder, attacked(Path(folder)) as (port, cookie, victims):
        OPENINGS.paths.clear()
        OPENINGS.watching = True
        for number in range(count):
            data = mutated_request(rng, cookie)
            try:
                answer = answer_to(port, data)
                wrong = problem(answer, Path(folder))
                statuses[answer[9:12].decode("latin-1") or "closed"] += 1
            except TimeoutError:
                wrong = f"does not answer within {SECONDS:g} seconds"
            if wrong:
                failures += 1
                report(f"request {number} (seed {seed}) {wrong}: {data[:300]!r}")
        OPENINGS.watching = False
        outside = {path for path in OPENINGS.paths if path.startswith((str(victims.folder), "/etc/passwd"))}
        if outside:
            failures += 1
            report(f"files outside were opened: {sorted(outside)[:5]}")
        victims.check()
        last = f"GET /api/v1/archive HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        alive = answer_to(port, last.encode())
        if not alive.startswith(b"HTTP/1.1 200"):
            failures += 1
            report(f"the server does not answer afterwards: {alive[:100]!r}")
    told = ", ".join(f"{status} {n}" for status, n in sorted(statuses.items()))
    report(f"{count} mutated requests (seed {seed}), {failures} failures; answers: {told}")
    return failures


# -- many clients and a writer

WRITER = """
import sys
from rankine.spoken.archive import Archive
from tests.web.cases import spoken
archive = Archive(sys.argv[1])
for i in range(int(sys.argv[2])):
    archive.lattices.add([("left", spoken(["storm", "winter"])), ("right", spoken(["storm", "harbour"]))])
    archive.metadata.set("left", {"title": f"Left {i}"})
    if i % 2:
        archive.merge()
    archive.recordings.delete(["left", "right"])
    archive.recordings.purge(0)
"""


async def _client(base: str, cookies: dict[str, str], seed: int, stop: asyncio.Event, wrong: list[str]) -> Counter[str]:
    """Search and listen in turn until told to stop; what was done."""
    rng, done = random.Random(seed), Counter[str]()
    async with httpx2.AsyncClient(base_url=base, cookies=cookies, timeout=SECONDS, trust_env=False) as client:
        while not stop.is_set():
            if rng.random() < 0.5:
                answer = await client.get(
                    "/api/v1/search", params={"q": rng.choice(("storm", "winter storm")), "k": 50}
                )
                names = {group["recording"]["id"] for group in answer.json().get("groups", ())}
                good = answer.status_code == 200 and ("left" in names) == ("right" in names) and "harbour/1" in names
                done["both" if "left" in names else "none"] += 1
            elif rng.random() < 0.5:
                begin = rng.randrange(40_000)
                answer = await client.get(
                    "/api/v1/recordings/harbour%2F1/audio", headers={"Range": f"bytes={begin}-{begin + 20_000}"}
                )
                good = answer.status_code == 206 and len(answer.content) == 20_001
                done["heard"] += 1
            else:
                answer = await client.get("/api/v1/recordings")
                names = {recording["id"] for recording in answer.json().get("recordings", ())}
                good = answer.status_code == 200 and ("left" in names) == ("right" in names)
                done["listed"] += 1
            if not good:
                wrong.append(f"{answer.status_code} {answer.content[:300]!r}")
    return done


async def _crowd(
    base: str, cookies: dict[str, str], writer: list[str], clients: int, seed: int
) -> tuple[list[str], Counter[str]]:
    stop, wrong = asyncio.Event(), list[str]()
    tasks = [asyncio.create_task(_client(base, cookies, seed + i, stop, wrong)) for i in range(clients)]
    process = await asyncio.create_subprocess_exec(*writer, stderr=subprocess.PIPE)
    _, said = await process.communicate()
    stop.set()
    done = Counter[str]()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, BaseException):
            wrong.append(f"{type(result).__name__}: {result}")
        else:
            done += result
    if process.returncode:
        wrong.append(f"the writer ended with {said[-300:]!r}")
    return wrong, done


def crowd(rounds: int, clients: int, seed: int, report: Callable[[str], object] = print) -> int:
    """Let clients search and listen while another process changes the archive; the number of failures."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RANKINE_SETTINGS"] = str(Path(folder) / "settings.json")
        said = ([spoken(["lighthouse", "storm"]), spoken(["winter", "storm"])], {"title": "The harbour"}, True)
        archive = make_archive(Path(folder, "place"), {"harbour/1": said})
        site = Site(archive.folder)
        with served(site) as client:
            some = client()
            writer = [sys.executable, "-c", WRITER, str(archive.folder), str(rounds)]
            wrong, done = asyncio.run(_crowd(str(some.base_url), dict(some.cookies), writer, clients, seed))
    for line in wrong[:10]:
        report(line)
    told = ", ".join(f"{name} {n}" for name, n in sorted(done.items()))
    report(f"{clients} clients during {rounds} rounds of changes, {len(wrong)} failures; {told}")
    return len(wrong)


# -- searches that do not end


def slow_searches(count: int, report: Callable[[str], object] = print) -> int:
    """Ask for searches that do not end by themselves; the number of failures."""
    release, wrong, statuses = threading.Event(), list[str](), Counter[int]()
    usual_search = Archive.search
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RANKINE_SETTINGS"] = str(Path(folder) / "settings.json")
        site = Site(usual(Path(folder, "place")).folder)
        gate = site.app.app.routes[-1].endpoint.__self__.searches
        gate.seconds, most = 0.05, (ABANDONED + 1) * gate.threads
        Archive.search = lambda *arguments, **options: release.wait(60) and usual_search(*arguments, **options)
        try:
            with served(site) as client:
                some = client()
                some.timeout = SECONDS
                for _ in range(count):
                    statuses[some.get("/api/v1/search", params={"q": "storm"}).status_code] += 1
                    if gate.abandoned > most:
                        wrong.append(f"{gate.abandoned} threads were given up and go on")
                if some.get("/api/v1/archive").status_code != 200:
                    wrong.append("other requests are not answered meanwhile")
                release.set()
                gate.seconds = SECONDS
                ends = time.monotonic() + SECONDS
                while gate.abandoned and time.monotonic() < ends:
                    time.sleep(0.01)
                if gate.abandoned or some.get("/api/v1/search", params={"q": "storm"}).status_code != 200:
                    wrong.append("it does not search when the slow searches have ended")
        finally:
            release.set()
            Archive.search = usual_search
    if set(statuses) != {503}:
        wrong.append(f"expected only 503, got {dict(statuses)}")
    for line in wrong[:10]:
        report(line)
    report(f"{count} searches that do not end, {len(wrong)} failures")
    return len(wrong)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m attacks.web", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000, help="mutated requests")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of changes while clients search")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = run(options.count, options.seed) + crowd(max(options.rounds, 1), CLIENTS, options.seed)
    failures += slow_searches(SLOW) + borders()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
