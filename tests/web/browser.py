"""A real browser before a real server: the archive that the page's tests open, the server's process, and chromium."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import soundfile

from rankine.sample import spoken_sample
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About

# chromium asks nobody but the server
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
AXE = Path(sys.prefix) / "axe.min.js"
MARKUP = '<img src="/x" onerror="alert(1)"> & "quotes"'
NAME = 'tapes/6 <b>"%41"</b>'
# recording, title, speaker, date, collection, tapes of the sample that are said one after the other
RECORDINGS = [
    ("railway", "How the railway came", "Ann Reid", "1967-05-03", "Valley voices", range(17, 27)),
    ("hospital", "Twelve beds and one nurse", "Bea Munro", "1971-11-20", "Valley voices", range(54, 64)),
    ("choir", "The choir and the strike", "Ann Reid", "1974-02-11", "Valley voices", (50, 51, 52, 70, 71, 72)),
    ("light", "The light of Skerryvore", "Carl Oswin", "1959", "Harbour", range(1, 7)),
    (NAME, MARKUP, "Carl Oswin", "1962-08", "Harbour", (40, 41)),
    ("moved", "A tape that was moved away", "Bea Munro", "1980-01-01", "Harbour", (63,)),
]
RECORDING = "/recording/railway"
PAGES = [
    "/", "/?q=railway", "/?q=hospitle&certainty=heard", "/recordings", f"{RECORDING}?q=railway&t=5", "/recording/moved",
]  # fmt: skip
TIME = "document.querySelector('audio').currentTime"
PAUSE = 0.6  # seconds between two tapes


def _audio(sample: Path, tapes: list[str], path: Path) -> list[float]:
    """Writes the tapes one after the other; the second at which each begins."""
    pieces, begins, at = [], [], 0.0
    for tape in tapes:
        samples, rate = soundfile.read(sample / "audio" / f"{tape}.ogg", dtype="float32")
        begins.append(at)
        pieces += [samples, np.zeros(round(PAUSE * rate), np.float32)]
        at += len(samples) / rate + round(PAUSE * rate) / rate
    soundfile.write(path, np.concatenate(pieces), rate)
    return begins


def sample_archive(folder: Path) -> Path:
    """An archive of a few recordings with audio, made of the bundled sample; the audio of one is gone."""
    lattices, audio, about = folder / "lattices", folder / "audio", {}
    lattices.mkdir(parents=True)
    audio.mkdir()
    with spoken_sample() as sample:
        for i, (name, title, speaker, date, collection, numbers) in enumerate(RECORDINGS):
            tapes = [f"tape-{n:02d}" for n in numbers]
            texts = {"title": title, "speaker": speaker, "date": date, "collection": collection}
            file = audio / f"recording-{i}.wav"
            for tape, begin in zip(tapes, _audio(sample, tapes, file), strict=True):
                about[tape] = About(name, texts, str(file), begin)
                shutil.copy(sample / "lattices" / f"{tape}.slf.gz", lattices)
    archive = Archive.create(folder / "Valley voices")
    archive.lattices.index(lattices, about)
    archive.recordings.add_roots([audio])
    (audio / f"recording-{len(RECORDINGS) - 1}.wav").unlink()
    return folder / "Valley voices"


@contextmanager
def served(archive: Path) -> Iterator[str]:
    """The address, with its token, of a server that runs ``rankine spoken serve``."""
    command = [sys.executable, "-m", "rankine", "spoken", "serve", str(archive), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if match := re.search(r"http://\S+token=\S+", line):
                    break
            else:
                raise RuntimeError("the server printed no address: " + "".join(lines))
            yield match[0]
        finally:
            process.terminate()
            process.stdout.read()


@contextmanager
def chromium() -> Iterator:
    """Debian's chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page that has entered the archive, with all that it asked for and all that went wrong."""

    def __init__(self, browser, address, **options):
        self.base = address.split("/?")[0]
        self.context = browser.new_context(**({"viewport": {"width": 1200, "height": 800}} | options))
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.requests, self.responses, self.errors = [], [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("response", lambda response: self.responses.append(response))
        self.page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)

    def open(self, path):
        self.page.goto(self.base + path)
        self.page.wait_for_selector("main[aria-busy=false]")
        return self.page

    def close(self):
        self.context.close()
        hosts = {urlsplit(url).netloc for url in self.requests}
        assert hosts == {urlsplit(self.base).netloc}
        assert self.errors == []


def until(page, expression):
    """Waits until something holds. Playwright's own way needs eval, which the page's policy forbids."""
    for _ in range(1200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {expression}")


def slow(page, speed):
    """Plays so much slower that what is said can be looked at while it is said, also on a busy machine."""
    page.evaluate(f"document.querySelector('audio').playbackRate = {speed}")


def search(page, words):
    """Types words and waits for the answer."""
    page.fill("#q", words)
    page.press("#q", "Enter")
    page.wait_for_selector("main[aria-busy=false]")
