"""Transcripts in XML: ELAN, TEI and OHMS."""

import pytest

import rankine as rk

from ..cases import TRANSCRIPTS
from ..reading import pieces, segments, speakers, timed

WORDS = [("hello", 0.5, 1.0), ("world", 1.0, 1.5), ("yes", 2.0, 2.5)]


@pytest.mark.parametrize("name", ["x.eaf", "tei.xml"])
def test_words_and_speakers(tmp_path, name):
    assert timed(tmp_path, TRANSCRIPTS[name], name) == WORDS
    assert speakers(tmp_path, TRANSCRIPTS[name], name) == [("Ann", "Hello, world."), ("Bob", "Yes!")]
    declared = '<?xml version="1.0" encoding="UTF-16"?>\n<!-- x -->' + TRANSCRIPTS[name]
    assert timed(tmp_path, declared.encode("utf-16"), name) == WORDS


def eaf(tiers, slots=(("t1", 500), ("t2", None), ("t3", 1500), ("t4", 2000), ("t5", 2500))):
    times = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="{i}"' + ("/>" if t is None else f' TIME_VALUE="{t}"/>') for i, t in slots
    )
    body = "".join(
        f"<TIER {head}>" + "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a" TIME_SLOT_REF1="{a}" TIME_SLOT_REF2="{b}">'
            f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>" for a, b, text in rows
        ) + "</TIER>" for head, rows in tiers
    )  # fmt: skip
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{times}</TIME_ORDER>{body}</ANNOTATION_DOCUMENT>"


def test_tiers_of_elan(tmp_path):
    words = [("t1", "t2", "Hello,"), ("t2", "t3", "world."), ("t4", "t5", "Yes!")]
    own = ('TIER_ID="K-Spch"', [("t1", "t3", "Hello, world."), ("t4", "t5", "Yes!")])
    smaller = ('TIER_ID="W-Words" PARENT_REF="K-Spch" LINGUISTIC_TYPE_REF="words"', words)
    translated = ('TIER_ID="en" PARENT_REF="K-Spch"', [("t1", "t3", "Bonjour")])
    assert timed(tmp_path, eaf([own, smaller, translated]), "x.eaf") == WORDS
    assert [w for w, _, _ in timed(tmp_path, eaf([own, translated]), "x.eaf")] == ["hello", "world", "yes"]
    assert not pieces(tmp_path, eaf([own, smaller]), "x.eaf")[0].turn.estimated
    other = ('TIER_ID="W-Spch" PARTICIPANT="Wim"', [("t3", "t4", "No.")])
    assert [w for w, _, _ in timed(tmp_path, eaf([own, smaller, other]), "x.eaf")] == ["hello", "world", "yes", "no"]
    assert [who for who, _ in speakers(tmp_path, eaf([own, smaller, other]), "x.eaf")] == ["K-Spch", "Wim"]


def tei(body, timeline='<when xml:id="T0" absolute="10:00:00"/><when xml:id="T1" absolute="10:00:01.5"/>'):
    people = '<person xml:id="A"><persName><forename>Ann</forename> <surname>Lee</surname></persName></person>'
    return (
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{people}</teiHeader><text><timeline>{timeline}</timeline>'
        f"<body>{body}</body></text></TEI>"
    )


def test_tei_with_anchors_words_and_what_is_not_said(tmp_path):
    third = '<when xml:id="T0"/><when xml:id="T1" interval="1.5"/><when xml:id="T2" interval="1" since="#T1"/>'
    said = (
        '<u who="#A" start="#T0" end="#T2">Hello <vocal><desc>laughs</desc></vocal> there<anchor synch="#T1"/>yes</u>'
    )
    got = segments(tmp_path, tei(said, third), "x.xml")
    assert [(s.speaker, s.start, s.end, [w.text for w in s.words]) for s in got] == [
        ("Ann Lee", 0.0, 1.5, ["Hello", "there"]), ("Ann Lee", 1.5, 2.5, ["yes"]),
    ]  # fmt: skip
    words = '<annotationBlock who="#B" start="#T0" end="#T1"><u><seg><w>we</w><w>go</w></seg></u></annotationBlock>'
    assert timed(tmp_path, tei(words), "x.xml") == [("we", 0.0, 0.75), ("go", 0.75, 1.5)]
    assert speakers(tmp_path, tei(words), "x.xml") == [("B", "we go")]


def ohms(**fields):
    body = "".join(f"<{name}>{text}</{name}>" for name, text in fields.items())
    return f'<?xml version="1.0"?><ROOT xmlns="https://www.weareavp.com/nunncenter/ohms"><record>{body}</record></ROOT>'


def test_sync_points_of_ohms(tmp_path):
    got = segments(tmp_path, TRANSCRIPTS["ohms.xml"], "x.xml")
    assert [(s.speaker, [(w.text, w.start, w.end) for w in s.words]) for s in got] == [
        ("ANN", [("Hello,", 0.0, 60.0)]),
        ("ANN", [("world.", 60.0, 96.0)]),
        ("BOB", [("Yes!", 96.0, 120.0)]),
        ("BOB", [("No.", 120.0, 180.0)]),
    ]
    assert all(s.estimated for s in got)
    vtt = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n&lt;v Ann&gt;Hi\n"
    assert speakers(tmp_path, ohms(sync="", transcript="", vtt_transcript=vtt), "x.xml") == [("Ann", "Hi")]
    noted = ohms(sync="1:|1(2)", transcript="one[[footnote]]1[[/footnote]] two three")
    assert timed(tmp_path, noted, "x.xml") == [("one", 0.0, 30.0), ("two", 30.0, 60.0), ("three", 60.0, 120.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<TEI><text>", "line 1: not XML"),
        (tei("<u>Hello</u>"), "'Hello' has no times: expected start and end"),
        (tei("<u/>", '<when xml:id="x" interval="one"/>'), "expected an interval, got 'one'"),
        (tei("<u/>", '<when xml:id="x" absolute="soon"/>'), "expected hours:minutes:seconds, got 'soon'"),
        ("<TEI>" + "<p>" * 2000 + "</p>" * 2000 + "</TEI>", "more than 100 elements inside each other"),
        ('<!DOCTYPE TEI [<!ENTITY a "b">]><TEI>&a;</TEI>', "XML that defines entities is not read"),
        (ohms(sync="", transcript="a b"), "expected sync points such as"),
        (ohms(sync="1:|1(1)", transcript="a b", duration="x"), "expected hours:minutes:seconds"),
        (eaf([("", [("t1", "t9", "a")])]), "the annotation 'a' has no time slots"),
        (eaf([("", [("t1", "t2", "a")])], [("t1", "x")]), "expected milliseconds, got 'x'"),
        (eaf([("", [("t1", "t2", "a")])], [("t1", None)]), "no time slot has a time"),
    ],
    ids=range(11),
)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "x.xml").write_text(text)
    kind = "ohms" if "ROOT" in text else "elan" if "TIER" in text else "tei"
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / "x.xml", format=kind)
    assert "x.xml" in str(error.value)


def test_titles(tmp_path):
    ohms = TRANSCRIPTS["ohms.xml"].replace("<duration>", "<title>On\n printing</title><duration>").replace(
        "</record>", "<index><point><title>Ink</title></point></index></record>"
    )  # fmt: skip
    assert {p.turn.title for p in pieces(tmp_path, ohms, "x.xml")} == {"On printing"}
    head = "<teiHeader><fileDesc><titleStmt><title>On printing</title></titleStmt></fileDesc></teiHeader><text>"
    tei = TRANSCRIPTS["tei.xml"].replace("<text>", head)
    assert {p.turn.title for p in pieces(tmp_path, tei, "x.xml")} == {"On printing"}
    for text in (TRANSCRIPTS["ohms.xml"], TRANSCRIPTS["tei.xml"]):
        assert {p.turn.title for p in pieces(tmp_path, text, "x.xml")} == {""}
