"""Tables of recordings, and the language of a source."""

import pytest

import rankine as rk
from rankine.spoken.index.about import About, guess_language, read_about
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.text import ABOUT_COLUMNS, ABOUT_TEXTS

from ..cases import sausages


def test_tables_of_recordings(tmp_path):
    (tmp_path / "t.tsv").write_bytes('\ufeffutterance\ttitle\nu\tthe "first\nv\tsecond" one\n'.encode())
    assert read_about(tmp_path / "t.tsv")["u"].texts == {"title": 'the "first'}
    (tmp_path / "t.csv").write_text('utterance,title\nu,"a, b"\n')
    assert read_about(tmp_path / "t.csv")["u"].texts == {"title": "a, b"}
    (tmp_path / "l.tsv").write_bytes(b"utterance\n\xe9\n")
    with pytest.raises(rk.InputError, match=r"l\.tsv, line 2"):
        read_about(tmp_path / "l.tsv")
    (tmp_path / "o.tsv").write_text("utterance\toffset\nu\tinf\n")
    with pytest.raises(rk.InputError, match="offset must be"):
        read_about(tmp_path / "o.tsv")


def test_all_columns(tmp_path):
    row = {
        "utterance": "u",
        "recording": "d",
        "title": "t",
        "date": "2026",
        "speaker": "s",
        "speakers": "s; t",
        "collection": "c",
        "tags": "x",
        "language": "en",
        "rights": "open",
        "licence": "CC0",
        "notes": "n",
        "audio": "a",
        "offset": "2.5",
    }
    assert tuple(row) == ABOUT_COLUMNS
    (tmp_path / "t.tsv").write_text("\t".join(row) + "\n" + "\t".join(row.values()) + "\n")
    about = About("d", {name: row[name] for name in ABOUT_TEXTS}, "a", 2.5)
    assert read_about(tmp_path / "t.tsv") == {"u": about}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\n", "line 1: unknown column 'name'"),
        ("recording\nx\n", "line 1: the column 'utterance' is missing"),
        ("utterance\trecording\ttitle\na\tA\tx\nb\tA\ty\n", r"line 3: what is said about 'A' differs from .*line 2"),
        ("utterance\toffset\na\tsoon\n", "line 2: expected a number, got 'soon'"),
        ("utterance\na\na\n", "line 3: the utterance 'a' is missing or there twice"),
        ("utterance\ttitle\na\n", "line 2: expected 2 columns"),
        ("utterance\n", "no utterances"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(rk.InputError, match=message):
        read_about(tmp_path / "t.tsv")


def test_the_language_of_a_source(tmp_path):
    english = sausages(tmp_path / "e.sausage", "u [ hello 1 ] [ there 1 ] [ \u8bbe 1 ]")
    mandarin = sausages(tmp_path / "m.sausage", "u [ \u8bbe\u5b9a 1 ] [ \u6e29\u5ea6 1 ] [ ok 1 ]")
    assert guess_language(english, None, Scoring()) == "en"
    assert guess_language(mandarin, None, Scoring()) == "zh"
