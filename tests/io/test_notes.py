"""What readers say: a warning that names the user's line, once for each text."""

import warnings

import pytest

import rankine as rk
from rankine.errors import InputNote
from rankine.io.notes import said


def test_it_is_a_warning_at_the_users_line():
    with pytest.warns(InputNote, match="^a guess$") as notes:
        said("a guess")
    assert notes[0].filename == __file__


def test_it_is_told_once_and_can_be_silenced():
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("default", InputNote)
        for text in ("one", "one", "two", "one"):
            said(text)
    assert [str(note.message) for note in notes] == ["one", "two"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputNote)
        said("nothing")
    assert issubclass(InputNote, UserWarning)
    assert rk.InputError is not InputNote
