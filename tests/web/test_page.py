"""The page in a real browser: search, listen, why, filters, addresses, keys, phone, dark; and what it never does."""

import re
import shutil
from urllib.parse import quote

import pytest

from rankine.spoken.archive.archive import Archive

from . import browser as browsers
from .browser import Visit, until

pytest.importorskip("playwright", reason="needs the package playwright")
pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium (apt-get install chromium)")

RECORDING = "/recording/railway"
TIME = "document.querySelector('audio').currentTime"
PAGES = [
    "/", "/?q=railway", "/?q=hospitle&certainty=heard", "/recordings", f"{RECORDING}?q=railway&t=5", "/recording/moved",
]  # fmt: skip


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return browsers.sample_archive(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def address(archive):
    with browsers.served(archive) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser, address):
    visits = []

    def begin(**options):
        visits.append(Visit(browser, address, **options))
        return visits[-1]

    yield begin
    for some in visits:
        some.close()


@pytest.fixture
def here(visit):
    return visit()


def search(page, words):
    page.fill("#q", words)
    page.press("#q", "Enter")
    page.wait_for_selector("main[aria-busy=false]")


def test_a_search_shows_places_by_recording(here):
    page = here.page
    assert "token" not in page.url
    search(page, "railway")
    assert page.url.endswith("/?q=railway")
    assert page.locator(".group").count() == 5
    hits = page.locator(".hit")
    assert hits.count() == 7
    first = hits.first
    assert first.locator("mark.heard").inner_text() == "railway"
    assert first.locator(".tag").inner_text() == "heard"
    assert "the choir practice to railway" in first.locator(".line").inner_text()
    assert page.locator(".hit .tag.perhaps").first.inner_text() == "perhaps"
    underlines = {
        kind: page.locator(f"mark.{kind}").first.evaluate("node => getComputedStyle(node).textDecorationStyle")
        for kind in ("heard", "perhaps", "sounds-like")
    }
    assert len(set(underlines.values())) == 3


def test_more_places_of_a_recording(here):
    page = here.open("/?q=xylophonist")
    group = page.locator(".group").first
    assert group.locator(".hit").count() == 3
    group.locator(".more").click()
    until(page, "document.querySelector('.group').querySelectorAll('.hit').length > 3")
    places = group.locator(".hit").evaluate_all("nodes => nodes.map((node) => node.dataset.place)")
    assert len(set(places)) == len(places)


def test_playing_from_one_second_before(here):
    page = here.open("/?q=workers")
    hit = page.locator(".hit").first
    begin = float(hit.locator(".at").get_attribute("href").split("t=")[1].split("&")[0])
    hit.locator(".play-hit").click()
    until(page, f"!document.querySelector('audio').paused && {TIME} > {begin} + 0.3")
    assert page.evaluate(TIME) < begin + 8
    until(page, f"{TIME} > {begin} + 0.8")
    statuses = [r.status for r in here.responses if r.url.endswith("/audio")]
    assert statuses
    assert set(statuses) == {206}
    assert page.locator("#dock .dock-title").inner_text() == "The choir and the strike"
    page.locator("#dock .dock-title").click()
    page.wait_for_selector(".transcript .now")
    assert not page.evaluate("document.querySelector('audio').paused")


def test_the_transcript_follows_and_its_words_play(here):
    page = here.open(RECORDING)
    word = page.locator(".w", has_text="professor")
    word.click()
    until(page, "!document.querySelector('audio').paused")
    first = page.locator(".w.now").inner_text()
    assert first == "professor"
    until(page, "document.querySelector('.w.now').textContent !== 'professor'")
    page.locator(".player .play").click()
    until(page, "/t=/.test(location.search)")


def test_alternatives_by_keyboard_and_pointer(here):
    page = here.open(RECORDING)
    page.locator(".w[tabindex='0']").focus()
    page.keyboard.press("Shift+ArrowRight")
    note = page.locator("#alternatives")
    assert note.is_visible()
    text = note.inner_text()
    assert re.search(r"\d\.\d\d", text)
    assert "perhaps: " in text
    node = page.locator(".w:focus")
    assert node.get_attribute("aria-describedby") == "alternatives"
    page.keyboard.press("Escape")
    assert not note.is_visible()
    before = node.get_attribute("data-i")
    page.keyboard.press("ArrowRight")
    assert int(page.locator(".w:focus").get_attribute("data-i")) == int(before) + 1
    page.locator(".w.doubt").nth(3).hover()
    assert "perhaps: " in note.inner_text()


def test_why_adds_up(here):
    page = here.open("/?q=railway+bridge")
    button = page.get_by_role("button", name="Why").first
    button.click()
    page.wait_for_selector(".why .bars li")
    assert button.get_attribute("aria-expanded") == "true"
    amounts = [float(t) for t in page.locator(".why-amount").all_inner_texts() if not t.startswith("<")]
    total = float(page.locator(".why-total b").inner_text())
    assert abs(sum(amounts) - total) < 0.005 * (page.locator(".why-amount").count() + 1)
    assert "heard here" in page.locator(".why").first.inner_text()


def test_filters_stand_in_the_address(here):
    page = here.open("/?q=railway")
    page.get_by_label("perhaps", exact=True).uncheck()
    page.wait_for_url("**certainty=**")
    until(page, "!document.querySelector('.hit .tag.perhaps')")
    assert page.evaluate("document.activeElement.id") == "certainty-perhaps"
    assert set(page.locator(".hit .tag").all_inner_texts()) == {"heard", "sounds like"}
    page.get_by_label("Speaker").select_option("Ann Reid")
    page.wait_for_url("**speaker=Ann+Reid**")
    until(page, "document.querySelectorAll('.group').length === 2")
    page.fill("#filter-since", "1970")
    page.press("#filter-since", "Enter")
    page.wait_for_url("**since=1970**")
    until(page, "document.querySelectorAll('.group').length === 1")
    page.get_by_label("Sort by").select_option("time")
    page.wait_for_url("**sort=time**")
    page.get_by_role("button", name="Clear the filters").click()
    until(page, "document.querySelectorAll('.group').length === 5")


def test_a_link_opens_a_second_of_a_recording(here):
    page = here.open(f"{RECORDING}?t=12.5&q=railway")
    until(page, f"Math.abs({TIME} - 12.5) < 0.01")
    assert page.locator(".wave-mark").count() == page.locator(".index-hit").count() == 2
    assert page.locator(".w.hit-word.heard").inner_text() == "railway"
    page.wait_for_selector(".w.now")
    assert page.locator(".wave-canvas canvas, .wave-canvas > div").count()


def test_back_and_forward(here):
    page = here.page
    search(page, "railway")
    search(page, "xylophonist")
    page.wait_for_url("**q=xylophonist")
    page.evaluate("scrollTo(0, 500)")
    until(page, "history.state?.scroll === 500")
    page.locator(".group h2 a").last.evaluate("node => node.click()")
    page.wait_for_selector(".transcript .w")
    page.go_back()
    page.wait_for_selector(".hit")
    until(page, "scrollY === 500")
    page.go_back()
    until(page, "document.querySelectorAll('.hit').length === 7")
    assert page.input_value("#q") == "railway"
    page.go_forward()
    until(page, "document.querySelector('#q').value === 'xylophonist'")


def test_keys(here):
    page = here.open(f"{RECORDING}?q=railway")
    page.keyboard.press("?")
    assert page.locator("dialog.sheet").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    until(page, "!document.querySelector('audio').paused")
    page.keyboard.press("n")
    assert page.locator(".hit-number").inner_text() == "hit 2 of 2"
    page.keyboard.press("p")
    assert page.locator(".hit-number").inner_text() == "hit 1 of 2"
    page.keyboard.press("Space")
    assert page.evaluate("document.querySelector('audio').paused")
    before = page.evaluate(TIME)
    page.keyboard.press("ArrowRight")
    until(page, f"Math.abs({TIME} - {before} - 5) < 0.01")
    page.keyboard.press("ArrowLeft")
    until(page, f"Math.abs({TIME} - {before}) < 0.01")
    page.keyboard.press(">")
    assert page.evaluate("document.querySelector('audio').playbackRate") == 1.25
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("n?")
    assert page.input_value("#q") == "n?"


def test_nothing_is_there_but_suggestions(here):
    page = here.open("/?q=hospitle&certainty=heard")
    page.locator(".suggestions a", has_text="hospital").click()
    page.wait_for_url("**q=hospital**")
    page.wait_for_selector(".hit mark.heard")


def test_recordings_are_sorted_and_filtered(here):
    page = here.open("/recordings")
    assert page.locator("tbody tr").count() == len(browsers.RECORDINGS)
    page.get_by_role("button", name="Length").click()
    page.wait_for_url("**sort=length&order=desc")
    until(page, "document.querySelector('tbody th').textContent === 'How the railway came'")
    page.fill("#filter", "munro")
    until(page, "document.querySelectorAll('tbody tr').length === 2")
    assert "filter=munro" in page.url
    assert re.search(r"(well|fairly|poorly) 0\.\d\d", page.locator("tbody td[data-label=Heard]").first.inner_text())


def test_a_moved_file_and_markup_are_sentences(here):
    page = here.open("/recording/moved")
    assert "recording-5.wav" in page.locator(".player .trouble").inner_text()
    page = here.open(f"/recording/{quote(browsers.NAME, safe='')}")
    assert page.locator("h1").inner_text() == browsers.MARKUP
    page = here.open("/recordings")
    assert page.locator("tbody img").count() == 0
    search(page, "<b>railway</b>")
    assert page.locator("main b:has-text('railway')").count() == 0
    page = here.open("/recording/none")
    assert page.locator(".empty h1").inner_text() == "This did not work"
    here.errors.clear()  # chromium logs the 404 of the recording that is not there


def test_without_the_waveform_the_browser_plays(here):
    def plain(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('data-waveform="yes"', 'data-waveform=""'))

    here.page.route("**/recording/**", plain)
    page = here.open(f"{RECORDING}?q=railway")
    assert page.locator(".player audio[controls]").is_visible()
    assert page.locator(".wave-mark").count() == 2
    page.locator(".player .play").click()
    until(page, f"{TIME} > 0.3")
    page.locator(".crumb a").click()
    page.wait_for_selector(".hit")
    assert not page.evaluate("document.querySelector('audio').paused")


def test_entering_with_a_token(browser, address):
    context = browser.new_context()
    page = context.new_page()
    base, token = address.split("/?token=")
    page.goto(f"{base}{RECORDING}?t=3")
    page.wait_for_selector("#token")
    if browsers.AXE.exists():
        page.evaluate(browsers.AXE.read_text(encoding="utf-8"))
        assert page.evaluate("axe.run()")["violations"] == []
    page.fill("#token", "wrong")
    page.press("#token", "Enter")
    until(page, "document.querySelector('#said').textContent")
    page.fill("#token", token)
    page.press("#token", "Enter")
    page.wait_for_selector(".transcript .w")
    assert page.url == f"{base}{RECORDING}?t=3"
    context.close()


def test_a_link_from_a_mail_needs_no_token(browser, address):
    """The cookie is Strict: the first request comes without it, and the page loads itself again from its own site."""
    context = browser.new_context()
    page, base = context.new_page(), address.split("/?")[0]
    page.goto(address)
    link = f'<a href="{base}{RECORDING}?t=3">listen</a>'
    page.route("http://mail.example/", lambda route: route.fulfill(body=link, content_type="text/html"))
    page.goto("http://mail.example/")
    statuses = []
    page.on("response", lambda response: RECORDING in response.url and statuses.append(response.status))
    page.click("a")
    page.wait_for_selector(".transcript .w")
    assert statuses[:2] == [401, 200]
    context.close()


def test_a_query_that_cannot_be_read(here):
    page = here.open("/?q=speaker:zed")
    assert page.locator("h1").inner_text() == "This query cannot be read"
    assert "speaker:zed" in page.locator(".query-error").inner_text()
    assert page.locator(".syntax dt").count() > 2
    here.errors.clear()  # chromium logs the refusal


def test_exports(visit):
    here = visit(permissions=["clipboard-read", "clipboard-write"])
    page = here.open("/?q=railway")
    page.get_by_role("button", name="Cite").first.click()
    until(page, "document.querySelector('#toast').classList.contains('shown')")
    assert "The choir and the strike" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Table").click()
    assert download.value.path().read_text(encoding="utf-8").count("\n") == 8
    with page.expect_download() as download:
        page.get_by_role("link", name="Clip").first.click()
    assert download.value.path().read_bytes()[:4] == b"RIFF"


def test_the_page_follows_the_archive(browser, archive, tmp_path):
    copy = shutil.copytree(archive, tmp_path / "copy")
    with browsers.served(copy) as address:
        here = Visit(browser, address)
        here.page.clock.install()
        page = here.open("/?q=railway")
        assert page.locator("#changed").is_hidden()
        Archive(copy).about.set("choir", {"title": "Another title", "rights": "on request"})
        page.clock.fast_forward(11_000)
        page.get_by_role("button", name="Show the new state").click()
        page.locator(".group h2", has_text="Another title").wait_for()
        assert page.locator("#changed").is_hidden()
        page.locator(".group h2 a", has_text="Another title").click()
        page.locator(".text .empty", has_text="given on request").wait_for()
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
