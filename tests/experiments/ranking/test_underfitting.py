"""The example of Figure 1: the convex bound is least at w = 0, the tight one is not."""

import numpy as np
import pytest

from experiments.ranking import underfitting as e

from ... import reference as ref


def test_no_direction_lowers_the_convex_bound_and_one_lowers_the_tight_one():
    at = e.losses_at(np.array([-0.01, 0.0, 0.01, 0.1]))
    convex, tight, lost = at["convex bound"], at["tight bound"], at["1 − nDCG@3"]
    assert convex.argmin() == 1
    assert (convex[[0, 2, 3]] > convex[1]).all()
    assert (np.diff(tight[1:]) < 0).all()
    assert (lost <= tight + 1e-12).all()
    assert (tight <= convex + 1e-12).all()
    for row in e.rows():
        assert row[1] == "0"
        assert float(row[2]) <= 1e-3  # that w = 0 is best is proved
        assert float(row[4]) > 0
        assert float(row[5]) < float(row[3])


def test_the_rankings_that_the_figure_names():
    named = e.named_tops()
    assert named["perfect"].loss == pytest.approx(0)
    assert named["good"].order == (0, 1, 2)
    assert 0 < named["good"].loss < named["bad"].loss == pytest.approx(1)
    assert named["perfect"].score < named["bad"].score < named["good"].score
    losses = [ref.prediction_loss("ndcg", 3, e.GRADES, [*t.order, *({*range(8)} - {*t.order})]) for t in e.tops()]
    assert [t.loss for t in e.tops()] == pytest.approx(losses)


def test_the_report_has_its_picture(tmp_path):
    table, picture = e.sections(tmp_path)
    assert len(table.rows) == len(e.C_GRID)
    assert (tmp_path / picture.picture).stat().st_size > 10_000
