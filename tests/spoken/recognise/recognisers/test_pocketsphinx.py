"""PocketSphinx as a recogniser."""

import gzip

import pytest

from rankine.errors import InputError
from rankine.spoken import read_lattice
from rankine.spoken.recognise.recognisers import pocketsphinx as r

from ..cases import heard


def test_lattices_do_not_depend_on_what_came_before():
    recogniser = r.PocketSphinx()
    first = recogniser(heard("tape-70"))
    recogniser(heard("tape-50"))
    assert recogniser(heard("tape-70")) == first
    text = gzip.decompress(first).decode()
    assert text.startswith("# best by language model: ")
    assert "railway" in text


def test_words_that_are_taken_out(tmp_path):
    (tmp_path / "words.txt").write_text("Railway\n")
    without = r.read_words(tmp_path / "words.txt")
    content = r.PocketSphinx(without=without)(heard("tape-70"))
    (tmp_path / "x.slf.gz").write_bytes(content)
    units = {u.split("(")[0] for u in read_lattice(tmp_path / "x.slf.gz").units}
    assert "railway" not in units
    assert "strike" in units
    (tmp_path / "none.txt").write_text("\n")
    with pytest.raises(InputError, match="expected words"):
        r.read_words(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"model": "/no/such/model"}, "no such model"), ({"dictionary": "/no/dict"}, "no such dictionary"),
     ({"beam": 2.0}, "ratio of probabilities")],
)  # fmt: skip
def test_bad_settings(options, message):
    with pytest.raises((InputError, FileNotFoundError), match=message):
        r.PocketSphinx(**options)


def test_a_folder_that_is_no_model(tmp_path):
    with pytest.raises(InputError, match=r"expected a model of PocketSphinx \(mdef, means, …\); there is no mdef"):
        r.PocketSphinx(model=str(tmp_path))(heard("tape-70"))
    (tmp_path / "mdef").write_text("damaged")  # the library ends its process
    with pytest.raises(InputError, match=r"PocketSphinx cannot use this: .*Version error: Expecting 0.3, but read"):
        r.PocketSphinx(model=str(tmp_path)).start()
    (tmp_path / "mdef").write_text("0.3\n")
    with pytest.raises(InputError, match="PocketSphinx cannot"):
        r.PocketSphinx(model=str(tmp_path)).start()
