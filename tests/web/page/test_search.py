"""A search: places by recording, filters, what is said where nothing is found, exports."""

from ..browser import search, until


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


def test_nothing_is_there_but_suggestions(here):
    page = here.open("/?q=hospitle&certainty=heard")
    page.locator(".suggestions a", has_text="hospital").click()
    page.wait_for_url("**q=hospital**")
    page.wait_for_selector(".hit mark.heard")


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
