"""The server of the page: searches of the demo archive and of 100,000 segments, and its memory over 10,000 requests."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from rankine.sample import spoken_sample
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import read_about
from rankine.spoken.learn.judgments import read_queries

from .archive import SEGMENTS, blown_up, lj_speech, two_word_queries
from .timing import goal, heading

CLIENTS, REQUESTS = 8, 10_000


@contextmanager
def serving(folder: Path):
    """``rankine spoken serve`` as a process; yields it, its port and the header with the cookie."""
    command = [sys.executable, "-m", "rankine", "spoken", "serve", str(folder), "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        port, token = re.search(r":(\d+)/\?token=(\S+)", process.stdout.readline()).groups()
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
        connection.request("GET", f"/?token={token}")
        cookie = connection.getresponse().getheader("set-cookie").partition(";")[0]
        connection.close()
        yield process, int(port), {"Cookie": cookie}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


class Client:
    """A client that keeps its connection, as a browser does."""

    def __init__(self, port, headers):
        self.connection, self.headers = http.client.HTTPConnection("127.0.0.1", port, timeout=60), headers

    def get(self, path, **headers):
        self.connection.request("GET", path, headers=self.headers | headers)
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status in (200, 206), (path, answer.status, body[:200])
        return body

    def search(self, query):
        """Milliseconds of the whole request, and those that the server needed."""
        began = time.perf_counter()
        body = self.get(f"/api/v1/search?q={quote(query)}")
        return 1e3 * (time.perf_counter() - began), json.loads(body)["milliseconds"]


def demo_archive(place: Path) -> tuple[Path, list[str]]:
    """The archive of the demo as PocketSphinx understood it, and the queries of the sample."""
    os.environ["RANKINE_SETTINGS"] = str(place / "settings.json")
    archive = Archive.create(place / "demo")
    with spoken_sample() as sample:
        about = {u: a._replace(audio=str(sample / a.audio)) for u, a in read_about(sample / "recordings.tsv").items()}
        archive.lattices.index(sample / "lattices", about)
        archive.recordings.add_roots([sample / "audio"])
        return archive.folder, list(read_queries(str(sample / "queries.tsv")).values())


def _load() -> str:
    """How busy the machine is: clients at once wait for each other's computing, and for that of others."""
    return f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"


def demo(folder: Path, queries: list[str]) -> None:
    with serving(folder) as (_, port, headers):
        client = Client(port, headers)
        for query in queries:
            client.search(query)
        times = np.array([client.search(query) for _ in range(5) for query in queries])
        print(f"  {len(times)} requests; whole request, median {np.median(times[:, 0]):.1f} ms; {_load()}", flush=True)
        goal("demo archive, one search on the server, median ms", np.median(times[:, 1]), 30, at_most=True)


def memory(folder: Path, queries: list[str], requests: int) -> None:
    """Megabytes of the server after a tenth of the requests, and after all: searches, transcripts, audio, peaks."""
    import psutil

    with serving(folder) as (process, port, headers):
        client, sizes = Client(port, headers), []
        own = psutil.Process(process.pid)
        for i in range(requests):
            tape = f"/api/v1/recordings/tape-{1 + i % 80:02d}"
            kind = i % 5
            if kind < 2:
                client.search(f"{queries[i % len(queries)]} x{i % 997}")
            elif kind == 2:
                client.get(f"{tape}/transcript")
            elif kind == 3:
                client.get(f"{tape}/audio", Range=f"bytes={i % 5000}-")
            else:
                client.get(f"{tape}/peaks?points={100 + i % 50}")
            if i in (requests // 10, requests // 2, requests - 1):
                sizes.append(own.memory_info().rss / 1e6)
        print(
            f"  {requests:,} requests: {', '.join(f'{size:.0f}' for size in sizes)} MB after 10, 50 and 100 %",
            flush=True,
        )
        goal("memory after all requests, over that after a tenth", sizes[-1] / sizes[0], 1.05, at_most=True)


def many_clients(folder: Path, queries: list[str]) -> None:
    """Eight clients at once, each with a query after the other."""
    with serving(folder) as (_, port, headers):
        clients = [Client(port, headers) for _ in range(CLIENTS)]
        for query in queries[:100]:  # what is read for the first time is checked, and compiled
            clients[0].search(query)
        times: list[float] = []

        def ask(client: Client, own: list[str]) -> None:
            times.extend(client.search(query)[0] for query in own)

        alone = [clients[0].search(query)[0] for query in queries[100:140]]
        threads = [
            threading.Thread(target=ask, args=(client, queries[100 + i :: CLIENTS])) for i, client in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"  {len(times)} requests; one client alone, median {np.median(alone):.1f} ms; {_load()}", flush=True)
        goal("100,000 segments, 8 clients at once, median ms", np.median(times), 150, at_most=True)
        goal("the slowest of them, ms", max(times), 1000, at_most=True)


def small(requests: int = REQUESTS // 10) -> None:
    """The demo archive alone, with fewer requests."""
    heading("The server of the page, demo archive")
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        folder, queries = demo_archive(Path(temporary))
        demo(folder, queries)
        memory(folder, queries, requests)


def main() -> None:
    small(REQUESTS)
    heading("The server of the page, 100,000 segments")
    if (speech := lj_speech()) is None:
        return
    folder, texts = speech
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        archive = Archive.create(Path(temporary, "small"))
        archive.lattices.index(folder / "lattices")
        big = blown_up(archive, Path(temporary, "big"), SEGMENTS)
        many_clients(big.folder, two_word_queries(texts, 500, np.random.default_rng(1)))
