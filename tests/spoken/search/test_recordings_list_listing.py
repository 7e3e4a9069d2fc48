"""Lists of recordings: filtered, sorted, with any columns."""

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.search.recordings_list import COLUMNS, RecordingsList

from ..cases import SMALL, filled


@pytest.fixture
def archive(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    for name, n in (("b", 3), ("a", 40), ("c", 1)):
        archive.lattices.add([(name, one_best([(f"w{i}", i, i + 1.0, 0.9) for i in range(n)]))])
    archive.metadata.merge(
        {
            "a": {"title": "Zebra", "date": "2022-01", "place": "York"},
            "c": {"title": "ant", "date": "2021", "rights": "closed"},
        }
    )
    return archive


def test_columns(archive):
    columns = RecordingsList(archive.index, closed=True).table()
    assert tuple(columns) == ("recording", "rights", *COLUMNS[1:])
    assert columns["rights"] == ["", "", "closed"]
    assert tuple(RecordingsList(archive.index, closed=True).table("title:zebra")) == COLUMNS
    assert columns["recording"] == ["a", "b", "c"]
    assert columns["title"] == ["Zebra", "", "ant"]
    assert columns["length"] == [40.0, 3.0, 1.0]
    assert columns["segments"] == [archive.index.n_stretches - 2, 1, 1]
    some = RecordingsList(archive.index, closed=True).table(fields=["Recording", "place", "tags", "speaker"])
    assert some == {"recording": ["a", "b", "c"], "place": ["York", "", ""], "tags": [""] * 3, "speakers": [""] * 3}


@pytest.mark.parametrize(
    ("sort", "reverse", "want"),
    [
        ("title", False, "cab"), ("title", True, "acb"), ("date", False, "cab"), ("date", True, "acb"),
        ("length", False, "cba"), ("length", True, "abc"), ("place", False, "abc"), ("recording", True, "cba"),
    ],
)  # fmt: skip
def test_sorting(archive, sort, reverse, want):
    assert "".join(RecordingsList(archive.index, closed=True).table("", sort, reverse)["recording"]) == want


@pytest.mark.parametrize(
    ("where", "want"),
    [
        ("date:2021..2022", "ac"),
        ("title:zebra", "a"),
        ("-place:york", "bc"),
        ("rights:closed", "c"),
        ("rights:open", "ab"),
        ("recording:a OR recording:b", "ab"),
    ],
)
def test_filters(archive, where, want):
    assert "".join(RecordingsList(archive.index, closed=True).table(where)["recording"]) == want


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": "press"}, "expected a field, such as speaker:ann"),
        ({"where": "plce:x"}, "unknown field 'plce'. Did you mean 'place'"),
        ({"sort": "titel2"}, "unknown field 'titel2'. Did you mean 'title'"),
        ({"fields": ["zz"]}, "unknown field 'zz'. There are: recording, "),
        ({"where": "speaker:x"}, "no recording of this archive has a speaker"),
    ],
)  # fmt: skip
def test_mistakes(archive, options, message):
    with pytest.raises(rk.InputError, match=message):
        RecordingsList(archive.index, closed=True).table(**options)


def test_an_empty_archive(tmp_path):
    assert RecordingsList(filled(tmp_path / "e", []).index).table() == {name: [] for name in COLUMNS}


def test_the_length_of_what_has_no_times_is_not_known(archive):
    archive.lattices.add([("n", one_best([("word", float("nan"), float("nan"), 0.9)]))])
    assert RecordingsList(archive.index, closed=True).table()["length"] == [40.0, 3.0, 1.0, None]
    for reverse in (False, True):
        assert RecordingsList(archive.index, closed=True).table("", "length", reverse)["recording"][-1] == "n"
