"""A recording: playing, the transcript that follows, alternatives, the waveform and what stands in for it."""

import re
from urllib.parse import quote

from .. import browser as browsers
from ..browser import RECORDING, TIME, search, slow, until
from ..cases import make_archive, spoken, two_sides


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
    slow(page, 0.1)
    word.click()
    until(page, "!document.querySelector('audio').paused")
    first = page.locator(".w.now").inner_text()
    assert first == "professor"
    slow(page, 1)
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


def test_a_link_opens_a_second_of_a_recording(here):
    page = here.open(f"{RECORDING}?t=12.5&q=railway")
    until(page, f"Math.abs({TIME} - 12.5) < 0.01")
    assert page.locator(".wave-mark").count() == page.locator(".index-hit").count() == 2
    assert page.locator(".w.hit-word.heard").inner_text() == "railway"
    page.wait_for_selector(".w.now")
    assert page.locator(".wave-canvas canvas, .wave-canvas > div").count()


def test_without_the_waveform_there_is_one_player(here):
    def plain(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('data-waveform="yes"', 'data-waveform=""'))

    here.page.route("**/recording/**", plain)
    page = here.open(f"{RECORDING}?q=railway")
    assert page.locator("audio[controls]").count() == 0
    assert page.get_by_role("button", name="Play", exact=True).locator("visible=true").count() == 1
    assert page.locator(".wave-mark").count() == 2
    page.locator(".player .play").click()
    until(page, f"{TIME} > 0.3")
    page.locator(".player .play").click()  # what plays could end by itself meanwhile
    until(page, "document.querySelector('audio').paused")
    page.get_by_role("slider").press("End")
    until(page, f"document.querySelector('audio').paused && {TIME} > document.querySelector('audio').duration - 1")
    page.get_by_role("slider").press("Home")
    page.locator(".player .play").click()
    until(page, "!document.querySelector('audio').paused")
    page.locator(".crumb a").click()
    page.wait_for_selector(".hit")
    assert not page.evaluate("document.querySelector('audio').paused")


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


def test_a_recording_of_two_files_plays_both(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "settings.json"))
    with browsers.served(two_sides(tmp_path / "p").folder) as address:
        here = browsers.Visit(browser, address)
        page = here.open("/recording/tape?q=railway")
        until(page, "document.querySelector('audio').duration === 7")
        assert [word.inner_text() for word in page.locator(".w").all()][3:] == ["storm", "railway", "storm"]
        slow(page, 0.3)
        page.locator(".index-hit .at").last.click()  # begins in the first file, goes on in the second
        until(page, f"!document.querySelector('audio').paused && {TIME} > 3")
        until(page, f"{TIME} > 4.1")
        assert page.locator(".w.now").inner_text() == "railway"
        page.locator(".w", has_text="lighthouse").click()
        until(page, f"{TIME} < 2")
        assert {r.status for r in here.responses if r.url.endswith("/audio")} == {206}
        here.close()


def test_times_that_are_none_and_recordings_that_are_left_at_once(here):
    """Visit.close finds errors of scripts."""
    for t in ("x", "NaN", "1e999", "-5"):
        page = here.open(f"{RECORDING}?t={t}")
        page.wait_for_selector(".transcript .w")
    leave = """async () => {
        const views = ["/recording/railway?t=x", "/recording/hospital?q=doctor&t=9", "/recordings"];
        for (let i = 0; i < 60; i += 1) {
            history.pushState({}, "", views[i % 3]);
            dispatchEvent(new PopStateEvent("popstate"));
            await new Promise((done) => setTimeout(done, (i * 7) % 40));
        }
    }"""
    page.evaluate(leave)
    page.wait_for_selector("main[aria-busy=false]")


def test_a_recording_that_is_called_dots(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("RANKINE_SETTINGS", str(tmp_path / "settings.json"))
    names = {name: ([spoken(["storm", "winter"])], {}, True) for name in ("..", ".", "~..")}
    with browsers.served(make_archive(tmp_path / "p", names).folder) as address:
        here = browsers.Visit(browser, address)
        for name in names:
            page = here.open("/recordings")
            page.get_by_role("link", name=name, exact=True).click()
            page.wait_for_selector(".transcript .w")
            assert page.locator("h1").inner_text() == name
            page.reload()
            page.wait_for_selector(".transcript .w")
            page.locator(".w", has_text="winter").click()
            until(page, f"{TIME} > 0.6")
        here.close()
