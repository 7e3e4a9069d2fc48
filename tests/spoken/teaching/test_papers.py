"""Candidates and features of whole recordings, as the papers have them."""

import numpy as np

from rankine.spoken.index.scores import ranker_names
from rankine.spoken.teaching.papers import recording_candidates, recording_features, recording_scores


def test_candidates_are_the_recordings_with_a_score(several):
    query = several.parse("w0 w7")
    features = recording_scores(several.index, query, np.arange(len(several)))
    names = ranker_names(several.kinds)
    unigrams = features[:, [i for i, n in enumerate(names) if n.endswith("-1")]].sum(axis=1)
    assert recording_candidates(several.index, query, 1000).tolist() == np.flatnonzero(unigrams > 0).tolist()
    few = recording_candidates(several.index, query, 5)
    assert len(few) == 5
    assert unigrams[few].min() >= np.sort(unigrams)[-5] - 1e-12
    data = recording_features(several.index, {"a": "w0", "b": "w1 w2"}, {"a": {"d03": 2.0}}, 1000)
    assert data.feature_names == tuple(names)
    assert data.y.sum() == 2
    assert set(data.doc_ids) <= set(several.recordings.names)
