"""Writes docs/_static/page/*.png: the page in chromium, over an archive made of the bundled sample.

``python -m experiments.making.page_pictures`` from the root of the repository.
"""

import io
import tempfile
from pathlib import Path

from PIL import Image

from rankine.system.files import write_file
from tests.web.browser import chromium, sample_archive, served

FOLDER = Path(__file__).parents[2] / "docs" / "_static" / "page"
COLOURS = 128
WIDE, PHONE = {"width": 1200, "height": 780}, {"width": 360, "height": 720}
# name, address, size of the window, colour scheme, what is clicked
PICTURES = [
    ("search", "/?q=railway", WIDE, "light", None),
    ("why", "/?q=railway+bridge", WIDE, "dark", "text=Why"),
    ("listen", "/recording/hospital?q=doctor&t=12.4", WIDE, "light", ".w.doubt >> nth=3"),
    ("recordings", "/recordings?sort=heard&order=desc", WIDE, "light", None),
    ("start", "/", WIDE, "dark", None),
    ("nothing", "/?q=hospitle&certainty=heard", WIDE, "light", None),
    ("phone-search", "/?q=railway", PHONE, "light", ".play-hit"),
    ("phone-listen", "/recording/railway?q=railway", PHONE, "dark", None),
]


def small(png: bytes) -> bytes:
    """The picture with few colours."""
    out = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


def picture(browser, address: str, path: str, size: dict, scheme: str, click: str | None) -> bytes:
    """A view as the browser paints it, after a click on the first element that is named, if any."""
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce", is_mobile=size is PHONE)
    page = context.new_page()
    page.goto(address)
    page.goto(address.split("/?")[0] + path)
    page.wait_for_selector("main[aria-busy=false]")
    if click:
        target = page.locator(click).first
        if click.startswith(".w"):
            target.hover()
        else:
            target.click()
    page.wait_for_timeout(900)
    png = page.screenshot()
    context.close()
    return png


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        served(sample_archive(Path(place))) as address,
        chromium() as browser,
    ):
        for name, *view in PICTURES:
            write_file(FOLDER / f"{name}.png", small(picture(browser, address, *view)))
