"""A small archive with real audio, and clients of a server over it."""

import json
import os
import threading
import time
import wave
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import numpy as np
from starlette.testclient import TestClient

from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.lattice import Lattice
from rankine.web.app import WebOptions, create_app, new_rules
from rankine.web.live import LiveArchive
from rankine.web.security import HostList, cookie_name
from rankine.web.server import ServeOptions, free_socket, make_server
from rankine.web.sessions import Sessions

from ..spoken.cases import SMALL

RATE, SITE = 8000, "http://127.0.0.1:8517"
WORDS = ("harbour", "lighthouse", "storm", "railway", "keeper", "winter")


def spoken(words, others=(), likely=0.7):
    """A lattice of words of half a second each; ``others`` are heard in place of the first with what is left."""
    arcs = [
        (i, i + 1, word, float(np.log(likely if i == 0 and others else 1.0)), i / 2, i / 2 + 0.5)
        for i, word in enumerate(words)
    ]
    arcs += [(0, 1, word, float(np.log((1 - likely) / len(others))), 0.0, 0.5) for word in others]
    return Lattice.from_arcs(arcs, 0, len(words))


def write_tone(path, seconds, channels=1):
    """A wav file in which every sample tells its place."""
    samples = (np.arange(int(seconds * RATE) * channels) * 37 % 20011 - 10000).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return samples.reshape(-1, channels)


def make_archive(place, recordings, roots=True):
    """An archive of recordings: name → (utterances, texts, whether there is audio); each utterance is a lattice."""
    place = Path(place)
    lattices, audio = place / "lattices", place / "audio"
    lattices.mkdir(parents=True)
    audio.mkdir()
    about = {}
    for number, (name, (utterances, texts, heard)) in enumerate(recordings.items()):
        path = audio / f"r{number}.wav"
        if heard:
            write_tone(path, 3.0 * len(utterances))
        for i, lattice in enumerate(utterances):
            own = f"u{number}-{i}"
            (lattices / f"{own}.slf").write_bytes(write_slf(lattice))
            about[own] = About(name, texts, str(path) if heard else "", 3.0 * i)
    archive = Archive.create(place / "archive", SMALL)
    changes = archive.lattices.index(lattices, about)
    assert not changes.errors
    if roots:
        archive.recordings.add_roots([audio])
    return Archive(place / "archive")


def long_archive(place):
    """One recording of 64 MB: more than the buffers of a connection hold."""
    archive = make_archive(place, {"long": ([spoken(["storm"])], {}, True)})
    os.truncate(Path(place) / "audio" / "r0.wav", 64 << 20)
    return archive


def two_sides(place):
    """A recording "tape" of two audio files, sides of 4 and 3 seconds; times count from the beginning of each."""
    place = Path(place)
    lattices, audio, about = place / "lattices", place / "audio", {}
    lattices.mkdir(parents=True)
    audio.mkdir()
    said = {"a-0": ["lighthouse", "keeper"], "a-1": ["winter", "storm"], "b-0": ["railway", "storm"]}
    for name, words in said.items():
        (lattices / f"{name}.slf").write_bytes(write_slf(spoken(words)))
        about[name] = About("tape", {"title": "Two sides"}, str(audio / f"side-{name[0]}.wav"), 2.0 * int(name[-1]))
    write_tone(audio / "side-a.wav", 4.0)
    write_tone(audio / "side-b.wav", 3.0)
    archive = Archive.create(place / "archive", SMALL)
    assert not archive.lattices.index(lattices, about).errors
    archive.recordings.add_roots([audio])
    return Archive(place / "archive")


def usual(place):
    """Four recordings: one of two utterances, one without audio, one on request, one closed."""
    archive = make_archive(
        place,
        {
            "harbour/1": (
                [spoken(["lighthouse", "keeper", "storm"], ["light"]), spoken(["winter", "storm"])],
                {"title": "The harbour", "date": "1999-05-17", "speaker": "Ann Lee"},
                True,
            ),
            "railway": (
                [spoken(["railway", "winter"])],
                {"title": "Railways", "date": "2001"},
                False,
            ),
            "asked": ([spoken(["secret", "storm"])], {"title": "Asked for"}, True),
            "shut": ([spoken(["hidden", "storm"])], {"title": "Shut away", "speaker": "Eve"}, True),
        },
    )
    archive.metadata.set("harbour/1", {"collection": "Coast"})
    archive.metadata.set("asked", {"rights": "on request"})
    archive.metadata.set("shut", {"rights": "closed"})
    return Archive(archive.folder)


class Site:
    """An application over an archive, its sessions, and clients with and without one."""

    def __init__(self, folder, read_only=False):
        self.sessions = Sessions()
        self.token = self.sessions.token_for("ann")
        hosts = HostList(frozenset({"127.0.0.1", "localhost"}))
        rules = new_rules(self.sessions, hosts=hosts, cookie=cookie_name(8517, False), secure=False)
        self.archive = LiveArchive(folder)
        self.app = create_app(WebOptions(self.archive, rules, read_only))

    def stranger(self):
        return TestClient(self.app, SITE, raise_server_exceptions=False, follow_redirects=False)

    def client(self):
        client = self.stranger()
        client.cookies.set(cookie_name(8517, False), self.sessions.enter(self.token))
        return client


@contextmanager
def served(site):
    """The application on a real port; yields a function that makes clients with a session."""
    listener = free_socket("127.0.0.1", 0)
    server = make_server(site.app, ServeOptions())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    base, clients = f"http://127.0.0.1:{listener.getsockname()[1]}", []

    def client():
        cookies = {cookie_name(8517, False): site.sessions.enter(site.token)}
        clients.append(httpx2.Client(base_url=base, cookies=cookies, timeout=60, trust_env=False))
        return clients[-1]

    try:
        yield client
    finally:
        for some in clients:
            some.close()
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


def comes_true(holds, seconds=60.0):
    """Whether something holds that another thread brings about in its own time."""
    ends = time.monotonic() + seconds
    while not holds() and time.monotonic() < ends:
        threading.Event().wait(0.01)
    return holds()


@contextmanager
def held_streams(client, path, n):
    """Answers of which a little is read, and then nothing."""
    with ExitStack() as stack:
        answers = [stack.enter_context(client.stream("GET", path)) for _ in range(n)]
        reading = [answer.iter_raw(1000) for answer in answers]  # one that is let go is closed
        assert all(len(next(some)) == 1000 for some in reading)
        yield answers


def strings_in(value):
    """All texts in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, some in value.items():
            yield key
            yield from strings_in(some)
    elif isinstance(value, list):
        for some in value:
            yield from strings_in(some)


def error_of(answer):
    return json.loads(answer.content)["error"]
