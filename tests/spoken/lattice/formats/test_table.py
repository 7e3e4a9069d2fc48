"""Every row of the table of formats: what is written is read again, and told by its content."""

from pathlib import Path

import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.table import TABLE, name_by_content, name_by_path, writer_of

from ..cases import cases, same
from .cases import BYTES

LATTICES = [name for name in f.written() if TABLE[name].writes == "lattice"]


@pytest.mark.parametrize("name", LATTICES)
def test_every_format_of_lattices_is_read_as_it_was_written(name, tmp_path):
    row, numbers = TABLE[name], {f"w{i}": i + 1 for i in range(3)}
    (tmp_path / "words.txt").write_text("<eps> 0\n" + "".join(f"{w} {n}\n" for w, n in numbers.items()))
    reading = {"frame": 1e-3, "words": str(tmp_path / "words.txt")} if row.options else {}
    options = {"frame": 1e-3, "numbers": numbers}
    place = tmp_path / f"a{row.endings[0]}"
    for lattice in cases():
        place.write_bytes(writer_of(name)(lattice, **{option: options[option] for option in row.options}))
        back = rk.spoken.read_lattice(place, **reading)
        scales = {} if name == "openfst" else {"acoustic_scale": 0.7}  # it has one score for each arc
        same(lattice, back, times=name == "slf", tolerance=1e-6 if name == "kaldi" else 1e-10, **scales)
        assert back.name == ("a" if row.split is None else lattice.name)


@pytest.mark.parametrize("name", TABLE)
def test_every_row_is_explained_and_found_by_its_endings(name):
    row = TABLE[name]
    assert row.explanation
    for ending in row.endings:
        assert TABLE[name_by_path(Path(f"x{ending}.gz"))].parse is row.parse
    assert row.writes in ("lattice", "network", "words", "hypotheses")
    assert set(row.options) <= {"frame", "numbers", "paths"}


@pytest.mark.parametrize("name", BYTES)
def test_content_tells_at_most_its_own_format(name):
    assert name_by_content(BYTES[name]) in (name_by_path(Path(name)), None)


def test_formats_that_are_only_read():
    for name in ("json", "nonsense"):
        with pytest.raises(rk.InputError, match=f"--to must be one of slf, .*; got '{name}'"):
            writer_of(name, "--to")


def test_acoustic_scales():
    assert {name for name, row in TABLE.items() if row.scale(0.01) != 1} == {"kaldi", "kaldi-text"}
    assert (TABLE["kaldi"].scale(0.01), TABLE["kaldi"].scale(0.03)) == (0.1, 1.0)
