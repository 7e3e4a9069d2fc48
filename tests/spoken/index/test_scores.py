"""Weak rankers' scores are those of the definition, of recordings and of places."""

import numpy as np
import pytest

from rankine.spoken.index.schema import FORMS
from rankine.spoken.index.scores import ORDERS, ranker_names, score_bounds
from rankine.spoken.teaching.papers import recording_scores

from ... import reference as ref
from ..cases import cells

TEXTS = ("w0", "w1 w2", "w0 w1 w2", "w3 w3 w9", "w5 w4 w3 w2 w1 w0")


def test_scores_are_those_of_the_definition(several):
    names = ranker_names(several.kinds)
    for kind in several.kinds:
        for form in FORMS:
            recordings = cells(several, kind, form)
            segments = [segment for recording in several.recordings.names for segment in recordings[recording]]
            for text in TEXTS:
                query = several.parse(text)
                features = recording_scores(several.index, query, np.arange(len(several)))
                columns = [names.index(f"{kind}-{form}-{n}") for n in range(1, ORDERS + 1)]
                for row, recording in enumerate(several.recordings.names):
                    want = ref.weak_scores(recordings[recording], query.units(kind))
                    assert features[row, columns].tolist() == pytest.approx(want, abs=1e-12)
                of_places = several.score(query, np.arange(len(segments)))
                for row, segment in enumerate(segments):
                    want = ref.weak_scores([segment], query.units(kind))
                    assert of_places[row, columns].tolist() == pytest.approx(want, abs=1e-12)
    some = np.array([1, 4, 5, 11, 19])
    np.testing.assert_array_equal(recording_scores(several.index, query, some), features[some])
    np.testing.assert_array_equal(several.score(query, some), of_places[some])


def test_bounds_are_unigram_scores_and_above_the_others(several):
    names, before = ranker_names(several.kinds), several.index.places_before
    for text in TEXTS:
        query = several.parse(text)
        scores = several.score(query, np.arange(before[-1]))
        for kind in several.kinds:
            for form in FORMS:
                columns = [names.index(f"{kind}-{form}-{n}") for n in range(1, ORDERS + 1)]
                parts = [score_bounds(part, kind, form, query.units(kind)) for part in several.index.parts]
                bounds, exact = np.vstack(parts), scores[:, columns]
                np.testing.assert_allclose(bounds[:, 0], exact[:, 0], atol=1e-12)
                assert (bounds >= exact - 1e-12).all()
                assert (bounds[:, 1] <= bounds[:, 0] + 1e-12).all()
