"""n-best lists: layouts, weights, times, and what is written."""

import math

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.lattices.nbest import divisor, looks_like_nbest
from rankine.spoken.lattice.paths import best_hypotheses
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts
from rankine.spoken.lattice.scoring import Scoring

from ..... import reference_hypotheses as slow
from ...cases import cases

TIMED = (
    "NBestList2.0\n"
    "(-300) a ( st: 0.00 et: 0.09 g: -10 a: -100 ) x ( st: 0.00 et: 0.04 g: 0 a: -50 ) "
    "b ( st: 0.10 et: 0.29 g: -10 a: -100 )\n"
    "(-400) -pau- ( st: 0.00 et: 0.04 g: 0 a: -20 ) c ( st: 0.10 et: 0.29 g: -20 a: -250 )\n"
)


def read(tmp_path, text, **options):
    (tmp_path / "x.nbest").write_text(text)
    return rk.spoken.read_lattice(tmp_path / "x.nbest", **options)


def counts(lattice):
    return expected_counts(lattice, arc_posteriors(lattice))


def softmax(*scores):
    p = np.exp(np.array(scores) - max(scores))
    return (p / p.sum()).tolist()


def test_a_natural_log_score_and_words(tmp_path):
    lattice = read(tmp_path, f"{np.log(3.0)} a b\n0.0 a c d\n")
    assert lattice.is_network
    assert counts(lattice) == pytest.approx({"a": 1, "b": 0.75, "c": 0.25, "d": 0.25})
    assert [len(slot) for slot in slow.slots_of(lattice)] == [1, 2, 2]
    flat = read(tmp_path, f"{np.log(3.0)} a b\n0.0 a c d\n", posterior_scale=2.0)
    assert counts(flat)["b"] == pytest.approx(softmax(np.log(3.0) / 2, 0)[0])


def test_pauses_are_dropped_and_noises_stay_words(tmp_path):
    text = "-1.0 -pau- a [laugh] -pau- b\n-1.0 a [laugh] b -pau-\n"
    assert [list(slot) for slot in slow.slots_of(read(tmp_path, text))] == [["a"], ["[laugh]"], ["b"]]
    without = read(tmp_path, text, nothing=["-pau-", "[laugh]"])
    assert [list(slot) for slot in slow.slots_of(without)] == [["a"], ["b"]]
    assert "-pau-" in read(tmp_path, text, nothing=["[laugh]"]).units


def test_three_columns_of_scores(tmp_path):
    """(acoustic + 8 · language) / 8 to the base 10, as in SRILM; other weights are divided by themselves."""
    text = "-100.5 -20.1 3 the cat sat\n-110 -19.5 3 the cap sat\n"
    ratio = softmax((-100.5 / 8 - 20.1) * math.log(10), (-110 / 8 - 19.5) * math.log(10))
    assert counts(read(tmp_path, text)) == pytest.approx({"the": 1, "cat": ratio[0], "cap": ratio[1], "sat": 1})
    ratio = softmax((-100.5 / 12 - 20.1) * math.log(10), (-110 / 12 - 19.5) * math.log(10))
    assert counts(read(tmp_path, text, language_weight=12))["cat"] == pytest.approx(ratio[0])
    ratio = softmax((-100.5 - 12 * 20.1) / 30 * math.log(10), (-110 - 12 * 19.5) / 30 * math.log(10))
    weighed = read(tmp_path, text, language_weight=12, posterior_scale=30)
    assert counts(weighed)["cat"] == pytest.approx(ratio[0])
    ratio = softmax(-100.5 * math.log(10), -110 * math.log(10))
    assert counts(read(tmp_path, text, language_weight=0))["cat"] == pytest.approx(ratio[0])


def test_scales_and_penalty_weigh_hypotheses(tmp_path):
    (tmp_path / "x.nbest").write_text("-8 -2 1 a\n-16 -1 2 b c\n")
    (piece,) = f.pieces(f.files(tmp_path / "x.nbest")[0])
    lattice = Scoring(acoustic_scale=0.5, language_scale=2.0, penalty=-0.25, use="scores").open(piece)
    ratio = softmax((-0.5 - 4) * math.log(10) - 0.25, (-1 - 2) * math.log(10) - 0.5)
    assert counts(lattice) == pytest.approx({"a": ratio[0], "b": ratio[1], "c": ratio[1]})


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("-1 -2 2 a b\n-2 -2 0\n", 3),
        ("-1 -2 2 -pau- a b\n", 3),
        ("-1 -2 3 -pau- a b\n", 3),
        ("-1 5 1 a b\n-1 five a\n", 1),
        ("-1 5 1.5 a\n", 1),
        ("-1 5\n", 1),
    ],
)
def test_columns_are_told_by_the_lines(tmp_path, text, columns):
    told = read(tmp_path, text)
    assert counts(told) == pytest.approx(counts(read(tmp_path, text, score_columns=columns)))


def test_columns_that_cannot_be_told(tmp_path):
    text = "-1.5 5 1 a b\n-2.5 5 2 a b\n"
    with pytest.raises(
        rk.InputError, match=r"x.nbest, line 1: .*may be scores or words. Give score_columns 1 .* or 3 "
    ):
        read(tmp_path, text)
    assert "5" in read(tmp_path, text, score_columns=1).units
    assert read(tmp_path, text, score_columns=3).units == ("a", "b")
    with pytest.raises(rk.InputError, match="score_columns must be 1 or 3, got 2"):
        read(tmp_path, text, score_columns=2)


def test_decipher_lists_with_one_score(tmp_path):
    bytelog = 1024 / 10000.5
    ratio = softmax(-300 * bytelog / 8, -320 * bytelog / 8)
    for text in ("NBestList1.0\n(-300) a b\n(-320) a c\n", "(-300) a b\n(-320) a c\n"):
        assert counts(read(tmp_path, text)) == pytest.approx({"a": 1, "b": ratio[0], "c": ratio[1]})


def test_decipher_lists_with_times(tmp_path):
    """Words stay where they are in time; phones inside a word are no words; an end is that of the last frame."""
    lattice = read(tmp_path, TIMED)
    bytelog = 1024 / 10000.5
    ratio = softmax((-200 / 8 - 20) * bytelog, (-270 / 8 - 20) * bytelog)
    assert counts(lattice) == pytest.approx({"a": ratio[0], "b": ratio[0], "c": ratio[1]})
    network = rk.spoken.confusion_network(lattice)
    assert [(p, u) for p, u, _ in network.triples()] == [(0, "a"), (1, "b"), (1, "c")]
    assert network.start.tolist() == pytest.approx([0.0, 0.1, 0.1])
    assert network.end.tolist() == pytest.approx([0.1, 0.3, 0.3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score a\n", "line 1: expected a number, got 'score'"),
        ("", "no hypotheses"),
        ("NBestList1.0\n", "no hypotheses"),
        ("NBestList1.0\n-5 a\n", r"line 2: expected a score in brackets, got '-5'"),
        ("NBestList2.0\n(-5) a\n", "line 2: expected 11 columns for each word, got 1"),
        (TIMED.replace("st:", "et:", 1), r"line 2: expected word \( st: "),
        (TIMED.replace("st: 0.10", "st: 0.90", 1), "'b' begins at 0.9 and ends at 0.29"),
        ("1e999 a\n", "acoustic score inf"),
        ("-inf a\n", "probability 0"),
        ("-1 -2 2 a b\n-1 -2 2 a b c d\n", "may be scores or words"),
    ],
)
def test_bad_lists(tmp_path, text, message):
    with pytest.raises(rk.InputError, match=message) as error:
        read(tmp_path, text)
    assert "x.nbest" in str(error.value)


def test_too_few_columns_of_scores(tmp_path):
    with pytest.raises(rk.InputError, match="line 2: expected three columns of scores, got '-1 a'"):
        read(tmp_path, "-1 -2 1 a\n-1 a\n", score_columns=3)


def test_what_scores_are_divided_by(tmp_path):
    def of(text, **options):
        return divisor(f.Piece("u", "nbest", "memory", text.encode()), f.Reading(**options))

    assert [of(text) for text in ("-1 a\n", "-1 -2 1 a\n", "(-1) a\n", TIMED)] == [1, 8, 8, 8]
    assert of("-1 -2 1 a\n", language_weight=12) == 12
    assert of("-1 a\n", language_weight=12) == 1
    assert of("-1 a\n", posterior_scale=2) == 2


def test_lists_are_written_as_they_are_read(tmp_path):
    """The hypotheses of a lattice, best first; read again, their shares of the mass are the same."""
    n = 0
    for lattice in cases():
        transition = arc_posteriors(lattice).transition
        expected = slow.best_hypotheses(lattice, transition)
        (tmp_path / "x.nbest").write_bytes(f.write_nbest(lattice, paths=5))
        lines = [line.split() for line in (tmp_path / "x.nbest").read_text().splitlines()]
        assert len(lines) == min(5, len(expected))
        assert [float(line[1]) * math.log(10) for line in lines] == pytest.approx([p for p, _ in expected[:5]])
        p = softmax(*(p for p, _ in expected[:5]))
        if all(words for _, words in expected[:5]):
            want: dict[str, float] = {}
            for mass, (_, words) in zip(p, expected[:5], strict=True):
                for word in words:
                    want[word] = want.get(word, 0.0) + mass
            if len({x for x, _ in expected}) == len(expected):
                assert counts(rk.spoken.read_lattice(tmp_path / "x.nbest")) == pytest.approx(want)
                n += 1
    assert n > 20


def test_what_a_list_cannot_hold():
    lattice = rk.spoken.Lattice.from_arcs([(0, 1, "new york", 0.0)], 0, 1)
    with pytest.raises(rk.InputError, match="cannot hold the word 'new york'"):
        f.write_nbest(lattice)
    with pytest.raises(rk.InputError, match="at least 1, got 0"):
        best_hypotheses(lattice, 0)


@pytest.mark.parametrize(
    ("head", "is_list"),
    [
        (b"NBestList2.0\n(-5)", True),
        (b"-455.77 -pau- yeah\n-457.5 yeah\n-4", True),
        (b"(-300) a b\n", True),
        (b"-1.5 -2 1 a\n", True),
        (b"0.0 1.5 hello there\n", False),
        (b"-1 a\nb c\n", False),
        (b"0 1 a a 0.5\n1\n", False),
        (b"- a dialogue\n- no\n", False),
        (b"", False),
    ],
)
def test_lists_are_told_by_their_beginning(head, is_list):
    assert looks_like_nbest(head) is is_list


def test_of_equal_hypotheses_the_first_of_the_list_comes_first(tmp_path):
    """Whatever their lengths: the longer one comes first here and makes the slots."""
    lattice = read(tmp_path, "-1.0 b a\n-1.0 a\n-1.0 c\n")
    assert slow.slots_of(lattice) == [
        pytest.approx({"b": 1 / 3, None: 2 / 3}), pytest.approx({"a": 2 / 3, "c": 1 / 3}),
    ]  # fmt: skip
    assert [sorted(map(str, slot)) for slot in slow.slots_of(read(tmp_path, "-1.0 a\n-1.0 b a\n"))] == [
        ["None", "b"],
        ["a"],
    ]


def test_an_empty_hypothesis_does_not_take_the_times_from_others(tmp_path):
    lattice = read(tmp_path, TIMED + "(-200)\n")
    assert not np.isnan(lattice.start).any()


def test_lists_that_are_too_large(tmp_path):
    for text in ("-1.0 " + "a " * (1 << 20) + "\n", "-1.0 " + "a" * (17 << 20) + "\n"):
        with pytest.raises(
            rk.InputError, match="line 1: more than 1,048,576 columns or 16,777,216 characters: too large"
        ):
            read(tmp_path, text)
