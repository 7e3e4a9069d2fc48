"""Filters: which recordings pass, and what is said where none does."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.query.terms import FieldFilter
from rankine.spoken.search.filters import RecordingFilter

from ..cases import SMALL, filled, sausages

TEXTS = {
    "a": {"speaker": "Ann Müller", "title": "On Printing", "date": "2021-05-17"},
    "b": {"speaker": "bob", "title": "Printing, again", "date": "2022"},
    "c": {"speaker": "Mary-Ann Lee", "title": "Éditions", "date": "2021-12"},
    "d": {"speaker": "", "title": "", "date": "5.11.2026"},
}


@pytest.fixture
def archive(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    about = {f"u{d}": About(f"tape-{d}", {k: v for k, v in texts.items() if v}) for d, texts in TEXTS.items()}
    archive.lattices.index(sausages(tmp_path / "s.sausage", *(f"u{d} [ press 1 ]" for d in TEXTS)), about)
    return archive


def passing(archive, *fields):
    mask = RecordingFilter(tuple(FieldFilter(*field) for field in fields)).mask(archive.index)
    return "".join(sorted(name[-1] for name, passes in zip(archive.recordings.names, mask, strict=True) if passes))


@pytest.mark.parametrize(
    ("name", "values", "want"),
    [
        ("speaker", ("ann",), "ac"), ("speaker", ("ANN MULLER",), "a"), ("speaker", ("müller",), "a"),
        ("speaker", ("mary-ann",), "c"), ("speaker", ("bob", "lee"), "bc"), ("speaker", ("ann lee",), "c"),
        ("title", ("printing",), "ab"), ("title", ("print",), "ab"), ("title", ("editions",), "c"),
        ("title", ("printing again",), "b"), ("recording", ("TAPE-A",), "a"), ("recording", ("tape-a", "tape-d"), "ad"),
        ("date", ("2021",), "ac"), ("date", ("2021-05",), "a"), ("date", ("2021-05-17",), "a"),
        ("date", ("2021-06..",), "bc"), ("date", ("..2021",), "ac"), ("date", ("2021..2022",), "abc"),
    ],
)  # fmt: skip
def test_fields(archive, name, values, want):
    assert passing(archive, (name, values)) == want
    others = "".join(d for d in TEXTS if d not in want)
    assert passing(archive, (name, values, True)) == others


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (("speaker", ("bop",)), r"^no recording is by the speaker 'bop'\. Did you mean 'bob'\?$"),
        (("speaker", ("zzz", "xxx")), r"^no recording is by the speaker 'zzz' or 'xxx'$"),
        (("title", ("on pronting",)), r"^no recording has 'on pronting' in its title\. Did you mean 'On Printing'\?$"),
        (("recording", ("tape-x",)), r"^no recording is called 'tape-x'\. Did you mean 'tape-"),
        (("tag", ("x",)), "^no recording of this archive has tags, so tag:x leaves none$"),
        (("date", ("1455",)), r"^no recording is of the date '1455'; there are dates from 2021-05-17 to 2022$"),
        (("date", ("2021-05-18..2021-05-19",)), "there are dates"),
        (("date", ("1455..",), True), "^no recording is left by -date:1455..$"),
    ],
)
def test_a_filter_that_leaves_nothing(archive, field, message):
    if field[-1] is True:
        archive.recordings.delete(["tape-d"])
    with pytest.raises(rk.InputError, match=message):
        passing(archive, field)


def test_filters_that_leave_nothing_together(archive):
    message = (
        r"^no recording passes all filters: speaker:bob leaves 1, -date:2022 leaves 3, title:'printing again' leaves 1$"
    )
    with pytest.raises(rk.InputError, match=message):
        passing(archive, ("speaker", ("bob",)), ("date", ("2022",), True), ("title", ("printing again",)))
    assert passing(archive, ("speaker", ("ann",)), ("title", ("printing",))) == "a"


def test_options(archive, tmp_path):
    assert RecordingFilter.of() == RecordingFilter()
    assert RecordingFilter().mask(archive.index) is None
    assert RecordingFilter.of("ann", "2021", "2022-01").fields == (
        FieldFilter("speaker", ("ann",)), FieldFilter("date", ("2021..2022-01",)),
    )  # fmt: skip
    assert RecordingFilter.of(until="2022").fields[0].values == ("..2022",)
    for options, message in (
        ({"since": "5.11.2026"}, r"^since: expected a year \(2023\), .*; got '5.11.2026'$"),
        ({"until": "2021..2022"}, "^until: expected a year"),
        ({"since": ""}, "^since: expected a year"),
        ({"since": "2023", "until": "2022"}, "from the earlier to the later, got '2023..2022'"),
        ({"speaker": " "}, "^speaker: expected a name, got ' '$"),
    ):
        with pytest.raises(rk.InputError, match=message):
            RecordingFilter.of(**options)
    empty = filled(tmp_path / "empty", [])
    assert RecordingFilter.of("ann").mask(empty.index) is None
    with pytest.raises(rk.InputError, match="no recording of this archive has a speaker, so speaker:ann leaves none"):
        RecordingFilter.of("ann").mask(filled(tmp_path / "bare", ["x"]).index)


def test_dates_that_cannot_be_read(archive):
    assert RecordingFilter.of("ann").notes(archive.index, archive.index) == []
    note = "1 recording has a date that cannot be read, such as '5.11.2026': no filter of dates finds it"
    assert RecordingFilter.of(since="2021").notes(archive.index, archive.index) == [note]
    archive.recordings.delete(["tape-d"])
    assert RecordingFilter.of(since="2021").notes(archive.index, archive.index) == []


def test_scores_do_not_depend_on_filters(taught):
    archive, judged = taught
    archive.weights.learn(judged, "svm-map", folds=2, normalise="query-minmax", keep=True)
    assert archive.weights.learned.normalise is not None
    for text in ("w0 w1", "w3"):
        every = {h.recording: h.score for h in archive.search(text, k=1000)}
        some = {h.recording: h.score for h in archive.search(f"{text} -recording:d07 -w5", k=1000)}
        assert "d07" not in some
        assert 0 < len(some) < len(every)
        assert all(every[d] == s for d, s in some.items())
    archive.weights.use(None)
