"""The keys."""

from ..browser import RECORDING, TIME, until


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
