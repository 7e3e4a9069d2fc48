"""Lattices of hypotheses with times: weights, distrust, and that our reader reads them back."""

import gzip
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from rankine.spoken import confusion_network, pspl, read_lattice
from rankine.spoken.lattice.formats.transcripts.transcript import TranscriptWord
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts
from rankine.spoken.recognise.recognisers.hypotheses import (
    SHARPNESS,
    TextHypothesis,
    WindowHypotheses,
    as_slf,
    by_count,
    by_score,
    compression,
    trust,
    written_alike,
)


def words(text, start=0.0, length=0.5, confidence=1.0):
    return [
        TranscriptWord(w, start + i * length, start + (i + 1) * length, confidence) for i, w in enumerate(text.split())
    ]


def lattice(tmp_path, *windows):
    (tmp_path / "x.slf.gz").write_bytes(as_slf(windows))
    return read_lattice(tmp_path / "x.slf.gz")


def counts(lattice):
    return {w: round(c, 6) for w, c in expected_counts(lattice, arc_posteriors(lattice)).items()}


def test_expected_counts_are_mean_numbers_of_words_in_samples(tmp_path):
    texts = ["the cat sat", "The cat sat.", "the the hat", "a cat sat", "the cat, sat"]
    samples = [TextHypothesis((i,), text, -1.0) for i, text in enumerate(texts)]
    merged = by_count(samples)
    assert [(h.text, h.weight) for h in merged] == [
        ("the cat sat", pytest.approx(0.6)),
        ("the the hat", pytest.approx(0.2)),
        ("a cat sat", pytest.approx(0.2)),
    ]
    window = WindowHypotheses(0.0, 2.0, [(h.weight, words(h.text)) for h in merged])
    read = lattice(tmp_path, window)
    said = [[w.strip(".,") for w in text.lower().split()] for text in texts]
    expected = {w: sum(t.count(w) for t in said) / 5 for w in {w for t in said for w in t}}
    assert counts(read) == {w: pytest.approx(c) for w, c in expected.items()}
    assert read.n_paths == 3


def test_times_survive(tmp_path):
    read = lattice(
        tmp_path, WindowHypotheses(0.0, 5.0, [(0.75, words("one two", 1.0)), (0.25, words("won", 1.2, 2.0))])
    )
    times = {read.units[u]: (s, e) for u, s, e in zip(read.unit, read.start, read.end, strict=True) if u >= 0}
    assert times == {"one": (1.0, 1.5), "two": (1.5, 2.0), "won": (1.2, 3.2)}
    assert [t[1:] for t in pspl(read).triples()] == [("one", 0.75), ("won", 0.25), ("two", 0.75)]
    assert confusion_network(read).best() == ["one", "two"]


def test_words_are_as_the_readers_of_transcripts_make_them(tmp_path):
    text = 'Well,—yes! “U.S.” don’t 1,000 R&B he"llo'
    read = lattice(tmp_path, WindowHypotheses(0.0, 9.0, [(1.0, words(text))]))
    assert set(read.units) == {"well", "yes", "u.s", "don’t", "1,000", "r&b", "hello"}


def test_windows_stand_one_after_the_other(tmp_path):
    first = WindowHypotheses(0.0, 10.0, [(0.5, words("a b")), (0.5, words("c"))])
    second = WindowHypotheses(10.0, 20.0, [(0.5, words("d", 10.0)), (0.5, words("e", 10.0))])
    read = lattice(tmp_path, first, second)
    assert read.n_paths == 4
    assert counts(read) == dict.fromkeys("abcde", 0.5)


def test_what_weights_lack_is_an_empty_path(tmp_path):
    window = WindowHypotheses(0.0, 3.0, [(0.1, words("thank you"))], "no speech (1 of 1 texts)")
    content = as_slf([window])
    assert gzip.decompress(content).startswith(b"# 0.00-3.00: no speech (1 of 1 texts)\nVERSION=")
    assert counts(lattice(tmp_path, window)) == {"thank": 0.1, "you": 0.1}


def test_confidences_are_posteriors(tmp_path):
    window = WindowHypotheses(0.0, 3.0, [(1.0, words("maybe so", confidence=0.25))])
    assert counts(lattice(tmp_path, window)) == {"maybe": 0.25, "so": 0.25}


@pytest.mark.parametrize("hypotheses", [[], [(1.0, [])], [(1.0, words("… –"))]])
def test_nothing_was_said(hypotheses):
    assert as_slf([WindowHypotheses(0.0, 1.0, hypotheses)]) is None
    assert as_slf([]) is None


def test_times_out_of_order_are_put_into_it(tmp_path):
    said = [TranscriptWord("a", 2.0, 1.0), TranscriptWord("b", 0.5, 9.0), TranscriptWord("c", 9.0, 9.5)]
    read = lattice(tmp_path, WindowHypotheses(0.0, 5.0, [(1.0, said)]))
    order = np.argsort(read.source)
    assert (np.diff(read.start[order]) >= 0).all()
    assert (read.start <= read.end).all()
    assert read.end.max() <= 5.0


def test_softmax_of_scores():
    beam = [TextHypothesis((1,), "a", -2.0), TextHypothesis((2,), "b", -1.0), TextHypothesis((3,), " A.", -1000.0)]
    for sharpness in (0.1, 1.0, 3.0):
        merged = by_score(beam, sharpness=sharpness)
        assert [h.text for h in merged] == ["b", "a"]
        assert merged[0].weight == pytest.approx(1 / (1 + np.exp(-sharpness)))
        assert sum(h.weight for h in merged) == pytest.approx(1.0)
    assert by_score(beam) == by_score(beam, sharpness=SHARPNESS)


def test_distrust():
    plain = TextHypothesis(tuple(range(9)), "a text that is said once and not again", -2.0)
    assert trust(plain, 0.59) == (1.0, [])
    assert trust(plain, 0.9) == (pytest.approx(0.1), ["no speech"])
    unlikely = plain._replace(log_probability=-20.0)
    assert trust(unlikely, 0.0) == (pytest.approx(np.exp(-1.0)), ["unlikely"])
    loop = plain._replace(text="thank you " * 30)
    assert trust(loop, 0.0) == (pytest.approx(0.1), ["repeats"])
    share, reasons = trust(loop._replace(log_probability=-20.0), 0.9)
    assert share == pytest.approx(0.1 * 0.1 * np.exp(-1.0))
    assert reasons == ["no speech", "repeats", "unlikely"]


def test_short_texts_do_not_repeat_themselves():
    assert compression("no no no no no no") == 1.0
    assert compression("") == 1.0


def test_different_writings_of_the_same_words_share_their_mass(tmp_path):
    """Of five samples four say 1450, three of them in digits; each differs in another word too."""
    texts = ["in 1450 he sat.", "by 1450, he sat", "at fourteen fifty he sat", "on 1450 he sat", "in fourteen he sat"]
    rows = [(0.2, words(text)) for text in texts]
    read = lattice(tmp_path, WindowHypotheses(0.0, 5.0, written_alike(rows)))
    assert counts(read)["1450"] == 0.8
    assert "fifty" not in read.units
    best = confusion_network(read)
    assert {unit: round(p, 6) for _, unit, p in best.triples() if unit == "1450"} == {"1450": 0.8}


def test_texts_that_differ_in_writing_are_one_in_the_heavier_writing():
    texts = ["cost $5 in color", "cost five dollars in colour", "cost five dollars in colour!", "cost six dollars"]
    merged = by_count([TextHypothesis((i,), text, -1.0) for i, text in enumerate(texts)])
    assert [(h.tokens, h.weight) for h in merged] == [((1,), pytest.approx(0.75)), ((3,), pytest.approx(0.25))]
    german = by_count([TextHypothesis((i,), text, -1.0) for i, text in enumerate(("am 5.", "am five"))], "de")
    assert len(german) == 2


def test_words_in_another_writing_keep_the_time(tmp_path):
    rows = [(0.6, words("the 1450 press")), (0.4, words("a fourteen fifty press", 0.5))]
    (_, one), (_, other) = written_alike(rows)
    assert [w.text for w in other] == ["a", "1450", "press"]
    assert [(w.start, w.end) for w in other] == [(0.5, 1.0), (1.0, 2.0), (2.0, 2.5)]
    assert one == rows[0][1]
    swapped = written_alike([(0.4, rows[0][1]), (0.6, rows[1][1])])[0][1]
    assert [w.text for w in swapped] == ["the", "fourteen", "fifty", "press"]
    assert (swapped[1].start, swapped[2].end) == (0.5, 1.0)
    assert written_alike(rows[:1]) == rows[:1]


@pytest.mark.parametrize("seed", range(30))
def test_a_lattice_of_samples_equals_counting(tmp_path, seed):
    """Posteriors of links, expected counts of words and of pairs in a row, and words at positions are shares."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(list("abc"), rng.integers(1, 5))) for _ in range(20)]
    merged = by_count([TextHypothesis((i,), text, -1.0) for i, text in enumerate(texts)])
    read = lattice(tmp_path, WindowHypotheses(0.0, 3.0, [(h.weight, words(h.text)) for h in merged]))
    said = [text.split() for text in texts]
    expected = Counter(w for t in said for w in t)
    assert counts(read) == {w: pytest.approx(n / 20) for w, n in expected.items()}
    pairs = Counter(pair for t in said for pair in pairwise(t))
    assert ref_pairs(read) == {pair: pytest.approx(n / 20) for pair, n in pairs.items()}
    links = Counter()
    for u, s, e, p in zip(read.unit, read.start, read.end, arc_posteriors(read).posterior, strict=True):
        if u >= 0:
            links[read.units[u], s, e] += p
    timed = Counter((w.text, w.start, w.end) for text in texts for w in words(text))
    assert links == {link: pytest.approx(n / 20) for link, n in timed.items()}
    places = Counter((i, w) for t in said for i, w in enumerate(t))
    assert {(i, w): p for i, w, p in pspl(read).triples()} == {key: pytest.approx(n / 20) for key, n in places.items()}


def ref_pairs(read):
    """Pairs of words in a row, by walking all paths."""
    log = np.log(np.maximum(arc_posteriors(read).transition, 1e-300))
    out = Counter()
    for path in read.paths():
        for pair in pairwise(read.words(path)):
            out[pair] += np.exp(log[path].sum())
    return {pair: p for pair, p in out.items() if p > 1e-12}
