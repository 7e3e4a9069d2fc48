"""The page in chromium: its weight, its first paint, the first hit after Enter, and scrolling through two hours."""

import shutil
import statistics
import tempfile
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from rankine.cli.shared.demo import add_recordings
from rankine.sample import spoken_sample
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from tests.web.browser import chromium, served

from .timing import goal, heading

QUERIES = ["railway", "hospital", "bridge", "doctor", "strike", "choir", "engineer", "village", "winter", "station"]
HOURS, SECONDS = 2, 5.0  # of the long recording, and of each of its segments
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
# milliseconds from the key to the frame that shows a hit
ENTER = """(words) => new Promise((done) => {
  const field = document.getElementById("q"), view = document.getElementById("view");
  view.replaceChildren();
  field.value = words;
  const start = performance.now();
  const watch = new MutationObserver(() => {
    if (!view.querySelector(".hit")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
  });
  watch.observe(view, { childList: true, subtree: true });
  document.getElementById("search").requestSubmit();
})"""
# milliseconds of each frame while the whole transcript passes in 400 steps
FRAMES = """async () => {
  const times = [];
  let last = performance.now();
  for (let i = 0; i < 400; i += 1) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
    scrollTo(0, (document.documentElement.scrollHeight * i) / 400);
  }
  return times;
}"""


@contextmanager
def entered(browser, address: str):
    """A new page, with nothing in its cache, that has the cookie of the session."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    cookies = browser.new_context()
    page = cookies.new_page()
    page.goto(address)
    context.add_cookies(cookies.cookies())
    cookies.close()
    yield context.new_page(), address.split("/?")[0]
    context.close()


def weight(browser, address: str, path: str) -> float:
    """Kilobytes that a view loads, without audio."""
    sizes = []
    with entered(browser, address) as (page, base):
        page.on("requestfinished", lambda request: "/audio" in request.url or sizes.append(request.sizes()))
        page.goto(base + path)
        page.wait_for_load_state("networkidle")
    return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes) / 1000


def first_paint(browser, address: str) -> float:
    """Milliseconds from the request to the first paint of the page, in a browser that has never seen it."""
    with entered(browser, address) as (page, base):
        page.goto(base + "/")
        page.wait_for_selector(".teach")
        page.wait_for_timeout(200)
        return page.evaluate(PAINT)


def first_hits(browser, address: str) -> list[float]:
    """Milliseconds from Enter to the first hit, for each query; none was asked before."""
    with entered(browser, address) as (page, base):
        page.goto(base + "/")
        page.wait_for_selector(".teach")
        return [page.evaluate(ENTER, words) for words in QUERIES]


def long_recording(folder: Path) -> Path:
    """An archive with one recording of two hours: the lattices of the sample, again and again."""
    lattices, about = folder / "long-lattices", {}
    lattices.mkdir()
    with spoken_sample() as sample:
        files = sorted((sample / "lattices").iterdir())
        for i, file in enumerate(islice(cycle(files), round(HOURS * 3600 / SECONDS))):
            name = f"segment-{i:04d}"
            shutil.copy(file, lattices / f"{name}.slf.gz")
            about[name] = About("long", {"title": "Two hours"}, "", SECONDS * i)
    archive = Archive.create(folder / "long")
    archive.lattices.index(lattices, about)
    return folder / "long"


def frames(browser, address: str) -> list[float]:
    """Milliseconds of the frames of a pass through the long transcript."""
    with entered(browser, address) as (page, base):
        page.goto(f"{base}/recording/long")
        page.wait_for_selector(".transcript .w")
        times = page.evaluate(FRAMES)
        print(f"  words on the page after the pass: {page.locator('.transcript .w').count()}")
    return times


def main() -> None:
    heading("The page in the browser (kilobytes, milliseconds)")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        place = Path(folder)
        add_recordings(place)
        with served(place / "archive") as address:
            for name, path in (("a search", "/?q=railway"), ("a recording", "/recording/tape-50?q=railway")):
                goal(f"weight of {name}, kB", weight(browser, address, path), 300, at_most=True)
            paints = [first_paint(browser, address) for _ in range(5)]
            goal("first paint, median, ms", statistics.median(paints), 500, at_most=True)
            times = first_hits(browser, address)
            goal("first hit after Enter, median, ms", statistics.median(times), 300, at_most=True)
            goal("first hit after Enter, most, ms", max(times), 300, at_most=True)
        with served(long_recording(place)) as address:
            times = sorted(frames(browser, address))
            goal("frame of a two-hour transcript, median, ms", statistics.median(times), 20, at_most=True)
            goal("frame of a two-hour transcript, 95 of 100, ms", times[int(0.95 * len(times))], 50, at_most=True)


if __name__ == "__main__":
    main()
