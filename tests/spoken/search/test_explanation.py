"""The parts of a score in words."""

import math
import re

import pytest

from rankine.spoken.index.evidence import TermPart
from rankine.spoken.search.explanation import explanation


@pytest.mark.parametrize(
    ("name", "feature", "value", "text"),
    [
        ("heard", "word", 1 - math.exp(-3 * 0.64), "heard here with 0.64"),
        ("heard", "word", 1.0, "heard here with 6.91"),
        ("heard", "word-pair", 1 - math.exp(-3 * 0.4), "one after the other with 0.40"),
        ("listed", "sound-all", 0.3, "sounds like it, all its sounds in order with 0.30; not heard in this archive"),
        ("unknown", "sound-share", 0.77, "sounds like it, 77% of its sounds; in no dictionary"),
        ("heard", "part-pair", 0.5, "their sounds one after the other with 0.50"),
        ("unknown", "sound-join", 0.25, "25% of the sounds between them"),
    ],
)
def test_evidence_in_words(name, feature, value, text):
    part = TermPart("press", name, 1.0, {feature: value}, {feature: 0.5 * value})
    assert explanation([part], {}) == (f"{0.5 * value:.2f} press: {text}",)


def test_the_most_comes_first_and_nothing_is_left_out_that_counts():
    parts = [TermPart(t, "heard", 1.0, {"word": x}, {"word": x}) for t, x in (("a", 0.2), ("b", 0.8), ("c", 0.001))]
    lines = explanation(parts, {"word-cn-1": -0.5})
    assert [line.split()[1] for line in lines] == ["b:", "word-cn-1", "a:"]


def test_parts_sum_to_the_score(several):
    for text in ("w0", "w0 w1", "w1 w23 w0"):
        for hit in several.search(text, explain=True):
            amounts = [float(re.match(r"-?\d+\.\d+", line)[0]) for line in hit.explanation]
            assert sum(amounts) == pytest.approx(hit.score, abs=0.01 * (len(amounts) + 1))
        assert all(not hit.explanation for hit in several.search(text))
