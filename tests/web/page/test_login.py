"""Entering: with a token, and by a link from elsewhere."""

from .. import browser as browsers
from ..browser import RECORDING, until


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
