"""Hits: the place in the recording, what matched, what was said around it, and where its recording is."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.recordings.places import segment
from rankine.spoken.search.hits import locate, make_hit

from ..cases import SMALL, sausages, spoken, talk


def test_a_hit_points_at_the_phrase(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "x.ctm").write_text(
        "u 1 0 1 roman 1\nu 1 1 1 x 1\nu 1 2 1 roman 0.6\nu 1 3 0.01 uh 0.01\nu 1 3.01 1 type 0.6\nu 1 4.1 1 y 1\n"
    )
    archive.lattices.index(tmp_path / "x.ctm")
    hit = archive.search("roman type")[0]
    assert (round(hit.start, 2), round(hit.end, 2)) == (2.0, 4.01)
    assert [m.unit for m in hit.matches] == ["roman", "type"]
    assert hit.snippet == "roman x [roman type] y"


def test_hits_have_place_and_reason(several):
    hits = several.search("w0 w1", k=20)
    assert len(hits) > 10
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.contributions.values()))
        assert hit.audio == "x.wav"
        offset = 10.0 * int(hit.utterance[1:])
        assert offset <= hit.start <= hit.end
        assert hit.matches
        assert 0 < hit.matches[0].posterior <= 1
        assert hit.recording == f"d{int(hit.utterance[1:]) // 3:02d}"
        assert hit.title == f"t{int(hit.recording[1:])}"
        assert hit.place == f"{hit.recording}@{hit.start:.1f}-{hit.end:.1f}"


@pytest.mark.parametrize(
    ("text", "query", "certainty", "kind", "evidence"),
    [
        ("[ roman 0.9 ]", "roman", "heard", "word", "roman 0.90"),
        ("[ roman 0.4 x 0.3 y 0.3 ]", "roman", "heard", "word", "roman 0.40"),  # on the likeliest reading
        ("[ roman 0.5 x 0.5 ]", "roman", "heard", "word", "roman 0.50"),
        ("[ roman 0.4 x 0.6 ]", "roman", "perhaps", "word", "roman 0.40"),
        ("[ roman 0.9 ] [ type 0.3 x 0.7 ]", "roman type", "perhaps", "word", "roman 0.90, type 0.30"),
        ("[ roman 0.9 ] [ type 0.05 x 0.95 ]", "roman type", "heard", "word", "roman 0.90"),
        ("[ roman 0.05 romeo 0.95 ]", "roman", "perhaps", "word", "roman 0.05"),
        ("[ romeo 1 ]", "roman", "sounds like", "character", "3 of 5 characters of roman"),
        ("[ romeo 1 ]", "type OR Roman", "sounds like", "character", "3 of 5 characters of roman"),
        ("[ romeo 1 ]", '"my type" OR "roman type"', "sounds like", "character", "3 of 9 characters of roman type"),
        ("[ the 1 ] [ roman 0.3 x 0.7 ]", "the roman", "perhaps", "word", "the 1.00, roman 0.30"),
    ],
)
def test_how_certain_a_hit_is(tmp_path, text, query, certainty, kind, evidence):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(sausages(tmp_path / "s.sausage", f"u {text}"))
    hit = make_hit(archive.index, archive.parse(query), 0, 1, 1.0, {})
    assert (hit.certainty, hit.kind, hit.evidence) == (certainty, kind, evidence)


def test_stop_words_are_the_place_only_where_there_are_no_others(tmp_path):
    archive = spoken(tmp_path / "a", "the x x the y press | the")
    hit = make_hit(archive.index, archive.parse("the press"), 0, 1, 1.0, {})
    assert (hit.start, hit.end, [m.unit for m in hit.matches]) == (2.5, 3.0, ["press"])
    lone = make_hit(archive.index, archive.parse("the press"), 1, 1, 1.0, {})
    assert lone.matches == ()  # only a stop word: the whole segment
    assert (lone.certainty, lone.evidence) == ("perhaps", "only stop words")
    nothing = make_hit(archive.index, archive.parse("zzz"), 1, 1, 1.0, {})
    assert (nothing.certainty, nothing.evidence) == ("sounds like", "traces in the lattice, somewhere in the segment")
    assert (lone.start, lone.end) == (segment(archive.index, 1).start, segment(archive.index, 1).end)
    assert make_hit(archive.index, archive.parse("the"), 1, 1, 1.0, {}).matches[0].unit == "the"


def test_words_of_the_query_elsewhere_in_the_segment_are_matches_too(tmp_path):
    archive = spoken(tmp_path / "a", "press a b paper c")
    hit = make_hit(archive.index, archive.parse("press paper"), 0, 1, 1.0, {})
    assert [(m.unit, m.start) for m in hit.matches] == [("press", 0.0), ("paper", 1.5)]
    assert (hit.start, hit.end) == (0.0, 0.5)


def test_a_hit_that_crosses_a_cut(tmp_path):
    archive = spoken(tmp_path / "a", "one two roman | type three")
    (hit,) = archive.search('"roman type"')
    assert (hit.start, hit.end, hit.snippet) == (1.0, 3.0, "one two [roman type] three")
    assert hit.segment == "talk@0.00-2.50"
    near = archive.search("two near/1 type")
    assert [h.segment for h in near] == ["talk@0.00-2.50"]


def test_hits_with_filters_and_groups_have_the_scores_of_all(several):
    for text in ("w0", "w0 w1", '"w0 w1"', "w1 w4 near/3 w2"):
        scores = {h.segment: h.score for h in several.search(text, k=1000)}
        assert scores
        for options in ({"speaker": "ann"}, {"since": "2026-03"}, {"per_recording": 2}, {"per_recording": 50}):
            hits = several.search(text, k=1000, **options)
            assert all(scores[h.segment] == h.score for h in hits)
            if "per_recording" not in options:
                kept = {h.segment for h in several.search(text, k=1000) if _passes(h, options)}
                assert {h.segment for h in hits} == kept
        ranks = [h.recording_rank for h in several.search(text, k=1000, per_recording=50)]
        assert ranks == sorted(ranks)
        assert set(scores) == {h.segment for h in several.search(text, k=1000, per_recording=50)}
        two = several.search(text, k=2, per_recording=1)
        assert [h.recording_rank for h in two] == [1, 2][: len(two)]
        assert [h.recording_score for h in two] == [h.score for h in two]


def _passes(hit, options):
    return hit.speaker == options.get("speaker", hit.speaker) and hit.date >= options.get("since", "")


def test_without_times(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(sausages(tmp_path / "s.sausage", "u [ a 1 ]"))
    hit = archive.search("a")[0]
    assert hit.to_dict()["start"] is None
    assert hit.place == "u"


def test_recordings_of_hits(several, tmp_path):
    (tmp_path / "archive" / "x.wav").touch()
    place = locate(several.index, "d01@35.5")
    assert place == ("d01", tmp_path / "archive" / "x.wav", 35.5, 38.5)
    assert locate(several.index, "d01")[2:] == (0.0, 30.0)
    (tmp_path / "archive" / "x.wav").rename(tmp_path / "x.wav")
    with pytest.raises(rk.InputError, match="--recordings"):
        locate(several.index, "d01@35.5")
    assert locate(several.index, "d01@35.5", str(tmp_path)).audio == tmp_path / "x.wav"
    for text, message in (
        ("d01@x", "expected times in seconds"),
        ("d01@5-4", "begins at 0 or later"),
        ("e", "no recording"),
    ):
        with pytest.raises(rk.InputError, match=message):
            locate(several.index, text)
    bare = Archive.create(tmp_path / "bare", SMALL)
    bare.lattices.index(sausages(tmp_path / "s.sausage", "u [ a 1 ]"))
    with pytest.raises(rk.InputError, match="bare: the archive does not know a recording of 'u'"):
        locate(bare.index, "u@1")


def test_hits_in_stretches(tmp_path):
    """What is said around a hit goes on beyond the pause; every time of the recording is in it."""
    archive = Archive.create(tmp_path / "a", SMALL)
    words = {10: "a", 11: "b", 12: "c", 13: "d", 24: "e"}
    (tmp_path / "x.ctm").write_text(talk(36, words))
    (tmp_path / "y.ctm").write_text(talk(1).replace("rec 1", "first 1"))
    (tmp_path / "a" / "x.wav").touch()
    archive.lattices.index(tmp_path / "y.ctm", {"first": About("d", audio="y.wav")})
    archive.lattices.index(tmp_path / "x.ctm", {"rec": About("d2", audio="x.wav", offset=2.0)})
    assert archive.search("b")[0].snippet.startswith("… ")
    assert " a [b] c d " in archive.search("b")[0].snippet
    assert " a b [c] d " in archive.search("c")[0].snippet
    assert archive.search("e")[0].snippet.startswith("… ")
    assert archive.search("c")[0].start == pytest.approx(2 + 12 * 0.4 + 0.7)
    for at in ("0", "6.9", "7.2", "17.5"):
        assert locate(archive.index, f"d2@{at}").audio.name == "x.wav"


def test_neighbours_are_of_one_utterance(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "x.ctm").write_text("u 1 0 1 a 1\nu 1 2 1 b 1\nv 1 0 1 c 1\n")
    archive.lattices.index(tmp_path / "s", {"u": About("d"), "v": About("d")})
    assert archive.search("b")[0].snippet == "a [b]"
    assert archive.search("c")[0].snippet == "[c]"


def test_utterances_without_times(tmp_path):
    """Nothing is marked in a snippet, and the length of the archive is that of what has times."""
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "x.ctm").write_text("u 1 0 1 a 1\nu 1 2 1 b 1\n")
    (tmp_path / "s" / "y.nbest").write_text("-1.5 c d e\n-2.5 c f e\n")
    archive.lattices.index(tmp_path / "s")
    (hit,) = archive.search("d")
    assert (hit.snippet, hit.place) == ("c d e", "y")
    assert archive.index.seconds == 3.0
