"""Why a place is a hit."""


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
