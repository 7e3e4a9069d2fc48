"""Search: features, filters, weights, and what cannot be searched."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.learn.weights import Weights
from rankine.spoken.recordings.places import place_names, segment

from ... import reference_places as ref
from ..cases import SMALL, filled, sausages, spoken
from ..query.test_grammar import FRAGMENTS


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
    hits = [h for h in several.search("w0", k=100) if h.recording == "d03"]
    assert hits[0].segment == data.doc_ids[best]  # a judged recording stands for its best place


def test_a_word_in_near_empty_slots_is_found(tmp_path):
    archive = Archive.create(tmp_path / "a", replace(SMALL, skip=0.2))
    archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ rare 0.1 ] [ usual 1 ]"))
    assert archive.search("rare")


def test_filters(several):
    both = several.search("w0", k=50)
    ann = several.search("w0", k=50, speaker="ann")
    assert {h.recording for h in ann} == {h.recording for h in both if h.speaker == "ann"} != set()
    late = several.search("w0", k=50, since="2026-03", until="2026-04")
    assert {h.date[:7] for h in late} == {"2026-03", "2026-04"}
    with pytest.raises(rk.InputError, match=r"no recording is by the speaker 'anna'\. Did you mean 'ann'"):
        several.search("w0", speaker="anna")


@pytest.mark.parametrize("normalise", [None, "query-minmax", "query-zscore"])
def test_scores_are_the_same_with_every_filter(several, normalise):
    names = several.ranker_names
    several.weights.use(Weights(tuple(names), (1.0,) * len(names), normalise, "test", {"candidates": 50}))
    whole = {h.segment: h.score for h in several.search("w0 w1", k=50)}
    options = {"speaker": "ann"}, {"since": "2026-03"}, {"until": "2026-02"}, {"per_recording": 2}
    for some in (*(several.search("w0 w1", k=9, **o) for o in options), several.search("w0 w1 speaker:ann", k=9)):
        assert len(some) > 1
        assert all(h.score == whole[h.segment] for h in some)


def test_weights_of_the_caller(several):
    query = several.parse("w0")
    want = several.score(query, np.arange(several.index.places_before[-1]))[:, 0].max() * 2
    assert several.search("w0", k=1, weights={"word-pspl-1": 2.0})[0].score == pytest.approx(want)
    with pytest.raises(rk.InputError, match="no weak ranker is called 'word-cn-9'"):
        several.search("w0", weights={"word-cn-9": 1})


def test_what_is_required_is_required_of_every_hit(several):
    index = several.index
    every = np.arange(int(index.places_before[-1]))
    w0 = {h.segment for h in several.search("w0", k=1000)}
    for text in ("w0 -w1", "w0 near/1 w1", '"w0 w1"', 'w0 -"w1 w2"'):
        keep = ref.mask(index, several.parse(text))
        want = {segment(index, place).name for place in every[keep].tolist()}
        hits = {h.segment for h in several.search(text, k=1000)}
        assert hits == want & (w0 if "-" in text else {h.segment for h in several.search("w0 w1", k=1000)})
        assert hits
    assert several.search("w0 near/5 zzz") == []  # nobody heard one side, not even its sounds


def test_alternatives_are_found(several):
    every = {h.segment for text in ("w0", "w1") for h in several.search(text, k=1000)}
    assert {h.segment for h in several.search("w0 OR w1", k=1000)} == every
    either = {h.segment for h in several.search('"w0 w1" OR "w1 w0"', k=1000)}
    both = {h.segment for text in ('"w0 w1"', '"w1 w0"') for h in several.search(text, k=1000)}
    assert either
    assert either == both


@pytest.mark.parametrize("text", ["a railway station b", "a railway | station b", "a | railway | station | b"])
def test_a_phrase_in_or_is_found_across_a_cut(tmp_path, text):
    archive = spoken(tmp_path / "a", f"{text} | tram | station railway")
    phrase, either = archive.search('"railway station"'), archive.search('"railway station" OR tram')
    tram = archive.search("tram", k=1)
    assert {(hit.start, hit.end) for hit in either} == {(hit.start, hit.end) for hit in (*phrase, *tram)}
    assert len(phrase) == 1
    assert [match.unit for hit in either for match in hit.matches if hit.start == phrase[0].start] == [
        "railway", "station",
    ]  # fmt: skip


def test_notes(several):
    def notes(text, **options):
        results = several.search(text, lazy=True, **options)
        return [*results.notes, *results.suggestion_lines]

    assert notes("w0 w1") == []
    assert notes("ww0")[0].startswith("ww0: did you mean w0 (")
    assert notes("w0 OR zzz") == []
    assert notes("zzzzz zzzzz") == ["zzzzz: no such word was heard; its sound is searched for"]
    assert len(notes(" ".join(f"zzz{i}" for i in range(9)))) == 5
    assert notes("the") == [
        "all words of the query are stop words, which occur nearly everywhere",
        "the: no such word was heard; its sound is searched for",
    ]


def test_a_number_that_was_heard_in_part_counts_by_its_words(tmp_path):
    archive = Archive.create(tmp_path / "a", Settings(kinds={"word": "words"}))
    talks = {"most": "in fourteen fifty fire", "less": "fifty men", "digits": "of 1456", "none": "a cold year"}
    archive.lattices.add([
        (name, one_best([(word, float(i), i + 1.0, 0.9) for i, word in enumerate(text.split())]))
        for name, text in talks.items()
    ])  # fmt: skip
    hits = archive.search("1455")
    assert [hit.recording for hit in hits] == ["most", "less"]
    assert hits[0].evidence == "fourteen 0.90, fifty 0.90"
    assert [(hit.recording, hit.score) for hit in archive.search("fourteen fifty five")] == [
        (hit.recording, hit.score) for hit in hits
    ]
    assert archive.search('"1455"') == archive.search("in near/2 1455") == []

    def notes(text):
        results = archive.search(text, lazy=True)
        return [*results.notes, *results.suggestion_lines]

    assert notes("1455") == ["1455: read as fourteen fifty five; not heard: five"]
    assert notes("of 1777") == ["1777: no such number was heard"]  # 1456 is another number
    assert notes("of zzz") == ["zzz: no such word was heard"]  # there are no sounds
    with pytest.raises(rk.InputError, match="nothing in the query '1777' occurs in this archive"):
        archive.search("1777")


def test_any_text_is_searched_or_an_input_error(several):
    seen = {"hits": 0, "none": 0, "error": 0}

    @settings(max_examples=400)
    @given(st.lists(st.sampled_from([*FRAGMENTS, "w0", "w1", "w1*"]) | st.text(max_size=3), max_size=4).map(" ".join))
    def check(text):
        text = f"w0 {text}" if len(text) % 2 else text
        try:
            hits = several.search(text)
            assert all("\n" not in remark for remark in hits.remarks)
        except rk.InputError:
            seen["error"] += 1
            return
        seen["hits" if hits else "none"] += 1

    check()
    assert min(seen["hits"], seen["error"]) > 40


def test_a_script_that_the_archive_has_not(several):
    for text, script in (
        ("привет", "Cyrillic"),
        ("שלום", "Hebrew"),
        ("\u202bمرحبا\u202c", "Arabic"),
        ("设定", "Chinese"),
    ):
        with pytest.raises(
            rk.InputError, match=f"occurs in this archive.*written in {script} letters, the archive in Latin"
        ):
            several.search(text)


def test_what_cannot_be_searched(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    with pytest.raises(rk.InputError, match="nothing in the query 'zzz' occurs in this archive"):
        archive.search("zzz")
    with pytest.raises(rk.InputError, match="k must be at least 1, got 0"):
        archive.search("w0", k=0)
    with pytest.raises(rk.InputError, match="no query has a candidate"):
        archive.features({"1": "zzz"})
