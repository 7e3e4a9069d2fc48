"""All recordings."""

import re

from .. import browser as browsers
from ..browser import until


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
