"""A browser and a server for all tests of the page; both end before tests of other folders begin."""

import shutil

import pytest

from .. import browser as browsers
from ..browser import Visit


@pytest.fixture(scope="package")
def browser():
    pytest.importorskip("playwright", reason="needs the package playwright")
    if shutil.which("chromium") is None:
        pytest.skip("needs chromium (apt-get install chromium)")
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def archive(tmp_path_factory):
    return browsers.sample_archive(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="package")
def address(browser, archive):
    with browsers.served(archive) as address:
        yield address


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
