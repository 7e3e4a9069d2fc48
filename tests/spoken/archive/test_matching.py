"""Exclusions and near words: where they stand in the networks, against enumeration."""

from itertools import pairwise

import numpy as np
import pytest

from rankine.spoken.archive.matching import HEARD, all_places, close, heard
from rankine.spoken.archive.terms import Near, sequence

from ... import reference_queries as ref
from ..cases import cells


def random_sequences(rng):
    return [tuple(f"w{i}" for i in rng.integers(0, 7, rng.integers(1, 4))) for _ in range(rng.integers(1, 3))]


def made(sequences):
    return tuple(sequence(words, {"word": None}) for words in sequences)


def test_places_heard_and_close(several):
    rng = np.random.default_rng(0)
    index, documents = several.index, cells(several, "word", "cn")
    assert len(index.parts) > 1
    n_heard = n_close = 0
    for _ in range(1500):
        left, right = random_sequences(rng), random_sequences(rng)
        distance = int(rng.integers(1, 5))
        want = [ref.heard(documents[name], left, HEARD) for name in index.names]
        assert heard(index, made(left)).tolist() == want
        want_close = [ref.close(documents[name], left, right, distance) for name in index.names]
        assert close(index, Near(distance, made(left), made(right))).tolist() == want_close
        n_heard, n_close = n_heard + sum(want), n_close + sum(want_close)
    assert n_heard > 1000
    assert n_close > 1000


def test_posteriors_of_places(several):
    part, first = several.index.parts[0], several.index.parts[0].first_utterance
    documents = cells(several, "word", "cn")
    for units in (("w0",), ("w0", "w1"), ("w1", "w2", "w3"), ("w9",)):
        places = all_places(part, "word", made([units]))
        got = sorted(
            zip(places.utterance.tolist(), (places.first & 0xFFFFFFFF).tolist(), places.posterior, strict=True)
        )
        want = sorted(
            (u, begin, p)
            for document, (low, high) in zip(part.names, pairwise(first.tolist()), strict=True)
            for u, segment in zip(range(low, high), documents[document], strict=True)
            for begin, _, p in ref.places(segment, units)
        )
        assert [g[:2] for g in got] == [w[:2] for w in want]
        assert [g[2] for g in got] == pytest.approx([w[2] for w in want])
