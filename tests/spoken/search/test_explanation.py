"""The parts of a score in words."""

import math
import re

import pytest

from rankine.spoken.index.evidence import TermPart
from rankine.spoken.search.explanation import explanation, score_parts


@pytest.mark.parametrize(
    ("name", "feature", "value", "sentence"),
    [
        ("heard", "word", 1 - math.exp(-3 * 0.64), "“press” was heard here, expected 0.64 times"),
        ("heard", "word", 1.0, "“press” was heard here, expected 6.91 times"),
        ("heard", "word-pair", 1 - math.exp(-3 * 0.4), "“press” were said one after the other, expected 0.40 times"),
        ("listed", "sound-share", 0.3, "the sounds of “press” are here, up to 30% of them; "
         "the word itself is not heard in this archive"),
        ("unknown", "sound-share", 0.77, "the sounds of “press” are here, up to 77% of them; "
         "the word itself is in no dictionary"),
        ("heard", "part-pair", 0.5, "the sounds of “press” follow each other here"),
        ("unknown", "sound-join", 0.25, "the sounds of “press” follow each other here"),
    ],
)  # fmt: skip
def test_evidence_in_words(name, feature, value, sentence):
    part = TermPart("press", name, 1.0, {feature: value}, {feature: 0.5 * value})
    assert explanation(score_parts([part], {})) == (f"{0.5 * value:.2f} {sentence}",)


def test_the_most_comes_first_and_nothing_is_left_out_that_counts():
    parts = [TermPart(t, "heard", 1.0, {"word": x}, {"word": x}) for t, x in (("a", 0.2), ("b", 0.8), ("c", 0.001))]
    lines = explanation(score_parts(parts, {"word-cn-1": -0.5, "heard by vosk": 0.1}))
    assert [line.split(",")[0] for line in lines] == [
        "0.80 “b” was heard here",
        "-0.50 the ranker word-cn-1 speaks against this place",
        "0.20 “a” was heard here",
        "0.10 the recogniser vosk heard it",
    ]
    assert explanation(score_parts(parts[2:], {})) == ("<0.01 “c” was heard here, expected 0.00 times",)


def test_parts_sum_to_the_score(several):
    for text in ("w0", "w0 w1", "w1 w23 w0"):
        for hit in several.search(text, explain=True):
            amounts = [float(re.match(r"-?\d+\.\d+", line)[0]) for line in hit.explanation]
            assert sum(amounts) == pytest.approx(hit.score, abs=0.01 * (len(amounts) + 1))
        assert all(not hit.explanation for hit in several.search(text))
