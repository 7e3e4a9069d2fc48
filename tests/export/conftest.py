"""A part of the bundled judged set."""

import pytest

from rankine.sample import judged_set


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=20)
