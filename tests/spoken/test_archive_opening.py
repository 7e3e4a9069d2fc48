"""Opening an archive, or making one for a language."""

import pytest

from rankine.errors import InputError
from rankine.spoken.archive import create_or_open
from rankine.spoken.lattice.formats import one_best


def test_a_language_without_pronunciations_is_found_by_words_and_letters(tmp_path):
    archive = create_or_open(tmp_path / "archive", "de")
    assert archive.settings.kinds == {"word": "words", "letter": "letters"}
    said = {"a": ["herr", "müller", "spricht"], "b": ["die", "bundesbahnen"], "c": ["guten", "morgen"]}
    archive.lattices.add(
        (name, one_best([(w, float(i), i + 0.5, 0.9) for i, w in enumerate(words)])) for name, words in said.items()
    )
    assert archive.search("Muller")[0].recording == "a"
    assert archive.search("bundesbahn")[0].recording == "b"  # nobody said it so: its letters find it
    assert archive.settings.language == "other"
    assert create_or_open(tmp_path / "archive", "de").recordings.names == ["a", "b", "c"]
    assert create_or_open(tmp_path / "archive", None).recordings.names == ["a", "b", "c"]


def test_a_language_of_other_units_is_refused(tmp_path):
    create_or_open(tmp_path / "archive", "de")
    with pytest.raises(InputError, match="not those of the language 'zh'"):
        create_or_open(tmp_path / "archive", "zh")
    with pytest.raises(InputError, match="or a code such as de; got 'English'"):
        create_or_open(tmp_path / "other", "English")
    assert not (tmp_path / "other").exists()
