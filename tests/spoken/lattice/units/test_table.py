"""Every row of the table of units."""

import os

import pytest

import rankine as rk
from rankine.spoken.lattice.units import TABLE, splitter

WAYS = {
    "letters": [["设", "定"]],
    "words": None,
    "characters": [["设", "定"]],
    "pinyin": [["she4", "ding4"]],
    "pinyin-toneless": [["she", "ding"]],
    "syllables": [["N-AH", "TH-IH-NG"]],
    "phones": [["N", "AH", "TH", "IH", "NG"]],
}


@pytest.mark.parametrize("name", TABLE)
def test_every_unit(name):
    split = splitter(name)
    word = "nothing" if "en" in TABLE[name].languages else "设定"
    assert (None if split is None else split(word)) == WAYS[name]


def test_units_of_a_language_have_names_of_their_own():
    for language in TABLE["words"].languages:
        singulars = [row.singular for row in TABLE.values() if language in row.languages]
        assert len(singulars) == len(set(singulars)) >= 2


def test_a_file_of_units(tmp_path):
    (tmp_path / "units.txt").write_text("nothing NO1 THING\n")
    assert splitter(str(tmp_path / "units.txt"))("Nothing") == [["NO1", "THING"]]
    (tmp_path / "units.txt").write_text("nothing NOTH ING\n")
    os.utime(tmp_path / "units.txt", ns=(1, 1))  # another state of the file is read again
    assert splitter(str(tmp_path / "units.txt"))("nothing") == [["NOTH", "ING"]]


def test_a_wrong_name_lists_all():
    with pytest.raises(rk.InputError, match="Did you mean 'phones'") as error:
        splitter("phone")
    assert all(name in str(error.value) for name in TABLE)
