"""The page as a whole: it follows the archive, on a phone, in the dark, and for everybody."""

import re
import shutil

import pytest

from rankine.spoken.archive import Archive
from rankine.web.pages import FOLDER

from .. import browser as browsers
from ..browser import PAGES, Visit, search


def test_the_page_follows_the_archive(browser, archive, tmp_path):
    copy = shutil.copytree(archive, tmp_path / "copy")
    with browsers.served(copy) as address:
        here = Visit(browser, address)
        here.page.clock.install()
        page = here.open("/?q=railway")
        assert page.locator("#changed").is_hidden()
        Archive(copy).metadata.set("choir", {"title": "Another title"})
        page.clock.fast_forward(11_000)
        page.get_by_role("button", name="Show the new state").click()
        page.locator(".group h2", has_text="Another title").wait_for()
        assert page.locator("#changed").is_hidden()
        page.locator(".group h2 a", has_text="Another title").click()
        page.locator("h1", has_text="Another title").wait_for()
        here.close()


def test_phone_width(visit):
    here = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for path in PAGES:
        page = here.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    page = here.open("/?q=railway")
    assert not page.locator("#filters-body").is_visible()
    page.get_by_role("button", name="Filters").tap()
    assert page.locator("#filters-body").is_visible()


def test_light_and_dark(visit):
    paper = "getComputedStyle(document.body).backgroundColor"
    light, dark = visit(color_scheme="light").page, visit(color_scheme="dark").page
    assert light.evaluate(paper) != dark.evaluate(paper)
    light.get_by_role("button", name="Theme").click()
    light.get_by_role("button", name="Theme").click()
    assert light.evaluate(paper) == dark.evaluate(paper)
    light.reload()
    assert light.evaluate(paper) == dark.evaluate(paper)


@pytest.mark.skipif(not browsers.AXE.exists(), reason="needs axe-core (make test fetches it)")
def test_axe_finds_no_violation(here):
    axe, violations = browsers.AXE.read_text(encoding="utf-8"), {}

    def check(page, path):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            answer = page.evaluate("axe.run({ resultTypes: ['violations'] })")
            violations.update(
                {(path, scheme, v["id"]): [n["target"] for n in v["nodes"]] for v in answer["violations"]}
            )
        here.errors.clear()  # axe tries a style of its own, which the policy forbids

    for path in PAGES:
        page = here.open(path)
        for button in page.get_by_role("button", name="Why").all()[:1]:
            button.click()
            page.wait_for_selector(".why .bars")
        assert here.errors == []
        page.evaluate(axe)
        check(page, path)
    page.get_by_role("button", name="Keys and signs").click()
    check(page, "help")
    assert violations == {}


def test_nothing_moves_by_itself(here):
    """What chromium counts as layout shifts while a view is drawn, as shares of the window."""
    for path in PAGES:
        page = here.open(path)
        page.wait_for_timeout(300)
        shifts = page.evaluate("""() => new Promise((done) => new PerformanceObserver((list) => done(
            list.getEntries().map((entry) => entry.value))).observe({ type: "layout-shift", buffered: true })
            || setTimeout(() => done([]), 200))""")
        assert sum(shifts) < 0.01, path


def test_a_session_that_ended_says_so(here):
    page = here.open("/?q=railway")
    here.context.clear_cookies()
    search(page, "hospital")
    assert "The session has ended" in page.locator(".empty").inner_text()
    here.errors.clear()  # chromium logs the refusal


def test_text_is_never_markup():
    """No module of the page can write markup or run text."""
    forbidden = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|Function|setHTML\w*)\b")
    modules = sorted(FOLDER.glob("*.js"))
    assert len(modules) > 10
    assert [path.name for path in modules if forbidden.search(path.read_text(encoding="utf-8"))] == []
