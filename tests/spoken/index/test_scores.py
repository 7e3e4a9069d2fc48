"""Weak rankers' scores are those of the definition."""

import numpy as np
import pytest

from rankine.spoken.index.schema import FORMS

from ... import reference as ref
from ..cases import cells


def test_scores_are_those_of_the_definition(several):
    for kind in several.kinds:
        for form in FORMS:
            documents = cells(several, kind, form)
            for text in ("w0", "w1 w2", "w0 w1 w2", "w3 w3 w9", "w5 w4 w3 w2 w1 w0"):
                query = several.parse(text)
                features = several.score(query, np.arange(len(several)))
                columns = [several.ranker_names.index(f"{kind}-{form}-{n}") for n in (1, 2, 3)]
                for row, document in enumerate(several.documents):
                    want = ref.weak_scores(documents[document], query.units(kind))
                    assert features[row, columns].tolist() == pytest.approx(want, abs=1e-12)
    some = np.array([1, 4, 5, 11, 19])
    np.testing.assert_array_equal(several.score(query, some), features[some])
