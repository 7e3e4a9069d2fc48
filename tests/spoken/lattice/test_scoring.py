"""How arcs are weighed: scales by format, the beam."""

import numpy as np
import pytest

from rankine.spoken.lattice.formats import Piece, Reading
from rankine.spoken.lattice.posteriors import arc_posteriors
from rankine.spoken.lattice.scoring import Scoring

TEXT = b"N=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=-10 l=-1\nJ=1 S=0 E=1 W=b a=-20 l=-3\n"


@pytest.mark.parametrize(
    ("scoring", "format", "scale"),
    [
        (Scoring(), "slf", 1.0),
        (Scoring(), "kaldi", 0.1),
        (Scoring(Reading(frame=0.03)), "kaldi", 1.0),
        (Scoring(acoustic_scale=0.5), "kaldi", 0.5),
        (Scoring(), "", 1.0),
    ],
)
def test_scales(scoring, format, scale):
    assert scoring.scale(format) == scale


def test_scores_become_transition_probabilities():
    scoring = Scoring(acoustic_scale=0.1, language_scale=2.0, penalty=-7.0)
    lattice = scoring.open(Piece("u", "slf", "u.slf", TEXT))
    p = dict(zip(lattice.units, arc_posteriors(lattice).posterior[np.argsort(lattice.unit)], strict=True))
    assert p["b"] / p["a"] == pytest.approx(np.exp(-1 - 4))
    assert Scoring(acoustic_scale=0.1, beam=2.9).open(Piece("u", "slf", "u.slf", TEXT)).units == ("a",)
    assert len(Scoring(acoustic_scale=0.1, beam=3.1).open(Piece("u", "slf", "u.slf", TEXT))) == 2
