"""The bundled judged set, normalised."""

import pytest

from ...cases import normalised_sample


@pytest.fixture(scope="module")
def data():
    return normalised_sample(40)
