"""Work on every utterance of a source: results in order, errors as results."""

from functools import partial

import pytest

from rankine.spoken.lattice.formats import Reading, load
from rankine.spoken.lattice.scoring import each

from .cases import SLF
from .formats.cases import LATTICE4


def units(reading, piece):
    if piece.name == "u4":
        raise ZeroDivisionError("a bug")
    return load(piece, reading).units


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_order_and_errors_name_their_place(tmp_path, workers):
    for i in range(6):
        (tmp_path / f"u{i}.slf").write_text(SLF if i != 2 else SLF.replace("N=4", "N=7"))
    results = list(each(tmp_path, partial(units, Reading()), workers=workers))
    assert [r.name for r in results] == [f"u{i}" for i in range(6)]
    assert [r.result for r in results] == [("b", "a"), ("b", "a"), None, ("b", "a"), None, ("b", "a")]
    assert results[2].error == f"{tmp_path}/u2.slf: N=7, but there are 4"
    assert results[4].error == f"{tmp_path}/u4.slf: ZeroDivisionError: a bug"
    assert list(each(tmp_path, partial(units, Reading()), skip=4)) == results[4:]


def test_the_rest_of_a_damaged_file_is_the_last_result(tmp_path):
    (tmp_path / "k.ark").write_bytes(LATTICE4 + b"u2 wrong")
    first, last = each(tmp_path / "k.ark", partial(units, Reading()))
    assert (first.name, first.result) == ("u1", ("1", "2", "3"))
    assert last.name == f"the rest of {tmp_path}/k.ark"
    assert "expected the magic number" in last.error
