"""Every row of the table of recognisers."""

import pytest

from rankine.spoken.recognise.table import TABLE


@pytest.mark.parametrize("name", TABLE)
def test_every_recogniser_has_what_a_run_needs(name):
    recogniser = TABLE[name].make()
    assert TABLE[name].explanation
    assert recogniser.rate > 0
    assert recogniser.ending.startswith(".")
    assert callable(recogniser)
