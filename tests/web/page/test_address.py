"""The address holds the state."""

from ..browser import search, until


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
