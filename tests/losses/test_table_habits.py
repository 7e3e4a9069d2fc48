"""Names of other packages lead to what there is here, and every name that they lead to exists."""

import re

import pytest

import rankine as rk
from rankine.losses.table import HABITS, TABLE, get, habit
from rankine.rankers.table import TABLE as RANKERS
from rankine.rankers.table import row_of


@pytest.mark.parametrize("name", HABITS)
def test_every_habit_is_an_error_that_names_ours(name):
    text = HABITS[name]
    with pytest.raises(rk.InputError, match=re.escape(f"unknown loss {name!r}: {text}")):
        get(name)
    if name not in RANKERS:
        with pytest.raises(rk.InputError, match=re.escape(f"unknown ranker {name!r}: {text}")):
            row_of(name)
    losses = re.findall(r"(?:nearest here is|--loss|the loss) ([a-z0-9-]+(?:@\d+)?(?::[a-z]+)?)", text)
    rankers = re.findall(r"--ranker ([a-z]+)", text)
    assert losses or rankers or "ranksvm" in text
    for loss in losses:
        assert get(loss).name == loss
    assert set(rankers) <= set(RANKERS)


def test_no_habit_hides_a_name_of_ours():
    assert not set(HABITS) & set(TABLE)
    assert habit("LambdaRank") == habit("lambdarank") == habit("lambdarank@10")
    assert habit("Random Forests") is not None
    assert habit("svm-map") is None
