"""Search: features, filters, weights, and what cannot be searched."""

from dataclasses import replace

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.search import place_names

from ..cases import SMALL, filled, sausages


def test_features_are_those_of_places(several):
    data = several.features({"a": "w0", "b": "w1 w2"}, {"a": {"d03": 2.0}})
    assert data.feature_names == tuple(several.ranker_names)
    assert data.y.sum() == 2
    query = several.parse("w0")
    places = several.candidates(query)
    np.testing.assert_array_equal(data.query(0).X, several.score(query, places))
    assert data.query(0).doc_ids.tolist() == place_names(several.index, places)
    (best,) = np.flatnonzero(data.y)
    assert data.doc_ids[best].startswith("d03@")
    hits = [h for h in several.search("w0", k=100) if h.document == "d03"]
    assert hits[0].segment == data.doc_ids[best]  # a judged document stands for its best place


def test_a_word_in_near_empty_slots_is_found(tmp_path):
    archive = Archive.create(tmp_path / "a", replace(SMALL, skip=0.2))
    archive.add(sausages(tmp_path / "s.sausage", "u [ rare 0.1 ] [ usual 1 ]"))
    assert archive.search("rare")


def test_filters(several):
    both = several.search("w0", k=50)
    ann = several.search("w0", k=50, speaker="ann")
    assert {h.document for h in ann} == {h.document for h in both if h.speaker == "ann"} != set()
    late = several.search("w0", k=50, since="2026-03", until="2026-04")
    assert {h.date[:7] for h in late} == {"2026-03", "2026-04"}
    with pytest.raises(rk.InputError, match=r"no recording is by the speaker 'anna'\. Did you mean 'ann'"):
        several.search("w0", speaker="anna")


def test_weights_of_the_caller(several):
    query = several.parse("w0")
    want = several.score(query, np.arange(several.index.places_before[-1]))[:, 0].max() * 2
    assert several.search("w0", k=1, weights={"word-pspl-1": 2.0})[0].score == pytest.approx(want)
    with pytest.raises(rk.InputError, match="no weak ranker is called 'word-cn-9'"):
        several.search("w0", weights={"word-cn-9": 1})


def test_what_cannot_be_searched(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    with pytest.raises(rk.InputError, match="nothing in the query 'zzz' occurs in this archive"):
        archive.search("zzz")
    with pytest.raises(rk.InputError, match="k must be at least 1, got 0"):
        archive.search("w0", k=0)
    with pytest.raises(rk.InputError, match="no query has a candidate"):
        archive.features({"1": "zzz"})
