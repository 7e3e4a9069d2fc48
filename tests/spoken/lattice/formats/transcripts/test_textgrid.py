"""Praat's TextGrid: long and short, in UTF-8 and UTF-16, with tiers of words or of segments."""

import re

import pytest

import rankine as rk
from rankine.spoken.lattice.formats.transcripts.textgrid import write_textgrid
from rankine.spoken.lattice.formats.transcripts.transcript import Transcript

from ..cases import TRANSCRIPTS
from ..reading import pieces, segments, speakers, timed

SHORT = TRANSCRIPTS["x.textgrid"]
WORDS = [("hello", 0.5, 1.0), ("world", 1.0, 1.5), ("yes", 2.0, 2.5)]
LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2.5
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 2.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "say ""hi"" "
        intervals [2]:
            xmin = 1.5
            xmax = 2.5
            text = "sp"
    item [2]:
        class = "TextTier"
        name = "words of a point tier"
        xmin = 0
        xmax = 2.5
        points: size = 1
        points [1]:
            number = 0.3
            mark = "!"
    item [3]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 2.5
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 2.5
            text = "AH0"
"""


@pytest.mark.parametrize("coding", ["utf-8", "utf-16", "utf-8-sig", "utf-16-be with mark"])
def test_short_form_in_all_codings(tmp_path, coding):
    data = ("\ufeff" + SHORT).encode("utf-16-be") if "mark" in coding else SHORT.encode(coding)
    assert timed(tmp_path, data, "x.TextGrid") == WORDS
    assert speakers(tmp_path, data, "x.TextGrid") == [("Ann", "Hello world"), ("Bob", "Yes")]


def test_long_form(tmp_path):
    assert timed(tmp_path, LONG, "x.TextGrid") == [("say", 0.0, 0.9), ("hi", 0.9, 1.5)]
    (segment,) = segments(tmp_path, LONG, "x.TextGrid")
    assert segment.words[0].text == 'say "hi"'
    assert not segment.estimated


def test_tiers_of_segments_are_speakers(tmp_path):
    text = SHORT.replace("Ann - words", "Ann").replace("Bob - words", "Bob").replace('"sil"', '""')
    assert speakers(tmp_path, text, "x.TextGrid") == [("Ann", "Hello world"), ("Bob", "Yes")]
    assert all(p.turn.estimated for p in pieces(tmp_path, text, "x.TextGrid"))


def test_what_is_written_is_read_again(tmp_path):
    for text in (SHORT, SHORT.replace(" - words", "")):
        before = segments(tmp_path, text, "x.TextGrid")
        assert segments(tmp_path, write_textgrid(Transcript("x", tuple(before))), "y.TextGrid") == before


def test_words_that_overlap_are_written_one_after_the_other(tmp_path):
    (one, other) = segments(tmp_path, SHORT, "x.TextGrid")
    words = tuple(w._replace(start=1.0, end=1.0) for w in one.words)
    (after,) = segments(tmp_path, write_textgrid(Transcript("x", (one._replace(words=words),))), "y.TextGrid")
    assert [(w.start, round(w.end, 6)) for w in after.words] == [(1.0, 1.001), (1.001, 1.002)]
    assert other.speaker == "Bob"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"ooTextFile"\n"TextGrid"\n0 1 <exists> 1 "IntervalTier" "a" 0 1 5', "expected a number, but the file ends"),
        ('"ooTextFile"\n"TextGrid"\n0 1 <exists> 1 "IntervalTier" 0', "line 3: expected a text in quotes, got '0'"),
        ('"ooTextFile"\n"TextGrid"\n0 1 <exists> 1.5', "expected a number of tiers or intervals, got '1.5'"),
        ('"ooTextFile"\n"TextGrid"\n0 "x"', "line 3: expected a number, got "),
        ('"ooTextFile"\n"TextGrid"\n0 1 2', "expected <exists>, got '2'"),
        ('"ooTextFile"\n"TextGrid"\n0 1 <absent>', "no words"),
        ('"ooTextFile"\n"Pitch"\n', "expected 'TextGrid', got 'Pitch'"),
    ],
)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "x.textgrid").write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / "x.textgrid")
    assert "x.textgrid" in str(error.value)


def test_times_are_in_milliseconds(tmp_path):
    (one, _) = segments(tmp_path, SHORT, "x.TextGrid")
    words = tuple(w._replace(start=i / 3 + 0.1, end=i / 3 + 0.3) for i, w in enumerate(one.words))
    text = write_textgrid(Transcript("x", (one._replace(words=words),))).decode()
    numbers = re.findall(r"xm(?:in|ax) = (\S+)", text)
    assert len(numbers) > 6
    assert all(len(n.partition(".")[2]) <= 3 for n in numbers)
    (after,) = segments(tmp_path, text.encode(), "y.TextGrid")
    assert [(w.start, w.end) for w in after.words] == [(0.1, 0.3), (0.433, 0.633)]
