"""``rankine spoken hearings``, and ``add`` with several recognisers."""

import shutil

import pytest

from rankine.spoken.recognise.recognisers import pocketsphinx
from rankine.spoken.recognise.recognisers.table import TABLE, RecogniserOption, RecogniserRow

from ...spoken.hearings.cases import Second, Told, write_recordings
from ...spoken.hearings.test_hearings import N, right, unsure
from ..running import rankine

pytest.importorskip("soundfile")
NAMES = ("own", "other")


class Unsure(Told):
    """A recogniser of the table."""

    def __init__(self, model=""):
        super().__init__(unsure())


class Right(Second):
    """Another one."""

    def __init__(self, model=""):
        super().__init__(right())


@pytest.fixture
def tables(monkeypatch):
    """Two recognisers, which share an option."""
    model = RecogniserOption("model", "--model", "A model.")
    for name, kind in zip(NAMES, (Unsure, Right), strict=True):
        monkeypatch.setattr(pocketsphinx, kind.__name__, kind, raising=False)
        monkeypatch.setitem(TABLE, name, RecogniserRow("pocketsphinx", kind.__name__, "told", "spoken", (model,)))


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """The folder of an archive that one recogniser of the table has heard, and what the second adds to it."""
    folder = tmp_path_factory.mktemp("added")
    write_recordings(folder / "recordings", range(N))
    with pytest.MonkeyPatch.context() as patch:
        tables.__wrapped__(patch)
        rankine(folder, "spoken", "add", "archive", "recordings", "--recogniser", "own", "--workers", "1")
        both = ("--recogniser", "own", "--recogniser", "other", "--workers", "1")
        return folder, rankine(folder, "spoken", "add", "archive", "recordings", *both).stderr


@pytest.fixture
def place(added, tmp_path, tables):
    shutil.copytree(added[0], tmp_path / "place")
    return tmp_path / "place"


def test_adding_ends_with_what_was_learned(added):
    said = added[1]
    assert "archive/recognised: 0 recordings recognised" in said
    assert f"archive/hearings/other: {N} recordings recognised" in said
    assert f"the hearing other counts 0.5: {N} words that several hearings have: mean AP 0.5000 without it" in said


def test_the_table_of_hearings(place):
    shown = rankine(place, "spoken", "hearings", "archive").stdout
    assert "the archive's own" in shown
    assert "0.5" in shown
    shown = rankine(place, "spoken", "hearings", "archive", "--set", "other=0").stdout
    assert "given" in shown
    shown = rankine(place, "spoken", "hearings", "archive", "--learn").stdout
    assert "given" not in shown
    said = rankine(place, "spoken", "hearings", "archive", "--remove", "other").stderr
    assert said == "archive: the hearing other is removed\n"
    assert not list((place / "archive" / "hearings").iterdir())


def test_hearings_that_are_not_there_and_weights_that_are_none(place):
    for option, message in (
        ("--set=othr=1", "no further hearing is called 'othr'. Did you mean 'other'? There are: other"),
        ("--remove=x", "no further hearing is called 'x'. There are: other"),
        ("--set=other", "expected the name of a hearing and its weight, such as whisper=0.3, got 'other'"),
        ("--set=other=-1", "the weight of a hearing must be between 0 and 10, got -1.0"),
    ):
        assert message in rankine(place, "spoken", "hearings", "archive", option, code=1).stderr


def test_a_further_hearing_by_itself(place):
    rankine(place, "spoken", "hearings", "archive", "--remove", "other")
    arguments = ("spoken", "add", "archive", "recordings", "--workers", "1")
    said = rankine(place, *arguments, "--hearing", "other", "--model", "large").stderr
    assert "archive/recognised" not in said
    assert f"archive/hearings/other: {N} recordings recognised" in said
    said = rankine(place, *arguments, "--hearing", "other", "--recogniser", "own", code=1).stderr
    assert "give one of both" in said
    both = ("--recogniser", "own", "--recogniser", "other", "--model", "large")
    assert "--model is an option of own and other" in rankine(place, *arguments, *both, code=1).stderr
    rankine(place, "spoken", "add", "new", "recordings", "--hearing", "other", code=1)
    assert not (place / "new").exists()
    said = rankine(place, "spoken", "recognise", "recordings", "-o", "new", *both[:4], code=1).stderr
    assert "lattices are made by one recogniser" in said
