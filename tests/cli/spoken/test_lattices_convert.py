"""``rankine spoken convert``."""

import pytest

import rankine as rk
from rankine.spoken.lattice.formats import TABLE, files, pieces, written
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ...spoken.lattice.cases import SLF
from ...spoken.lattice.formats.cases import TRANSCRIPTS
from ..running import rankine


@pytest.mark.parametrize("to", written())
def test_convert(place, to):
    (place / "lattices" / "more.slf").write_text(SLF)
    target = "out" if TABLE[to].split is None else f"out{TABLE[to].endings[0]}"
    rankine(place, "spoken", "convert", "lattices", target, "--to", to)
    words = {"words": str(place / "out.ark.words.txt")} if to == "kaldi" else {}
    back = dict(rk.spoken.read_archive(place / target, **words))
    assert sorted(back) == ["good", "more"]
    want = {"a": 1.0, "b": 0.75 if "confidences" in TABLE[to].holds else 1.0}
    tenths = 0.051 if to == "vtt" else 1e-6
    assert expected_counts(back["good"], arc_posteriors(back["good"])) == pytest.approx(want, abs=tenths)
    if to == "slf":
        done = rankine(place, "spoken", "convert", "lattices", "one.slf", code=1)
        assert "name a folder" in done.stderr
        assert "--to must be" in rankine(place, "spoken", "convert", "lattices", "x.yz", code=1).stderr


def test_converting_keeps_posteriors(tmp_path):
    (tmp_path / "a.ark").write_text("u\n0 1 x 0.5,15,3_3\n0 1 y 0.25,20,3_3\n1 2 z 0,1,3\n2 0,0,\n\n")
    lattice = rk.spoken.read_lattice(tmp_path / "a.ark")
    want = expected_counts(lattice, arc_posteriors(lattice, acoustic_scale=0.1))
    for to, name in (("slf", "a.slf"), ("openfst", "a.fst"), ("kaldi-text", "b.ark")):
        rankine(tmp_path, "spoken", "convert", "a.ark", name, "--to", to)
        back = rk.spoken.read_lattice(tmp_path / name)
        scale = 0.1 if to == "kaldi-text" else 1.0
        assert expected_counts(back, arc_posteriors(back, acoustic_scale=scale)) == pytest.approx(want, abs=1e-9)
    rankine(tmp_path, "spoken", "convert", "a.slf", "c.ark", "--to", "kaldi-text")
    back = rk.spoken.read_lattice(tmp_path / "c.ark")
    assert expected_counts(back, arc_posteriors(back, acoustic_scale=0.1)) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("to", [name for name in written() if TABLE[name].writes == "words"])
def test_transcripts_keep_what_both_formats_hold(tmp_path, to):
    (tmp_path / "talk.json").write_text(TRANSCRIPTS["whisper.json"])
    target = f"out/talk{TABLE[to].endings[0]}" if to != "ctm" else "talk.ctm"
    (tmp_path / "out").mkdir()
    rankine(tmp_path, "spoken", "convert", "talk.json", target, "--to", to)
    before, after = (list(pieces(files(tmp_path / name)[0])) for name in ("talk.json", target))
    if "speakers" in TABLE[to].holds:
        assert [p.turn.speaker for p in after] == ["Ann", "Bob"]
    rows = [words_of(rk.spoken.read_lattice(tmp_path / name)) for name in ("talk.json", target)]
    assert [word.lower() for word, _, _ in rows[1]] == ["hello", "world", "yes"]
    ends = [(0, 0), (1, 1), (2, 2)] if to in ("whisper", "vtt", "ctm") else [(0, 1), (2, 2)]
    for first, last in ends:
        assert (rows[1][first][1], rows[1][last][2]) == pytest.approx((rows[0][first][1], rows[0][last][2]))
    assert len(before) == 2


def words_of(lattice):
    arcs = zip(lattice.unit.tolist(), lattice.start.tolist(), lattice.end.tolist(), strict=True)
    return [(lattice.units[u], start, end) for u, start, end in arcs if u >= 0]


def test_recordings_need_a_folder_and_times(tmp_path):
    (tmp_path / "x.stm").write_text("u 1 A 0 1 hello\nv 1 B 0 1 Yes!\n")
    failed = rankine(tmp_path, "spoken", "convert", "x.stm", "x.vtt", code=1)
    assert "several recordings do not fit into one vtt file: name a folder" in failed.stderr
    rankine(tmp_path, "spoken", "convert", "x.stm", "out", "--to", "srt")
    assert (tmp_path / "out" / "v.srt").read_text() == "1\n00:00:00,000 --> 00:00:01,000\n[B]: Yes!\n\n"
    (tmp_path / "n.nbest").write_text("-1.0 a b\n")
    failed = rankine(tmp_path, "spoken", "convert", "n.nbest", "n.srt", code=1)
    assert "SRT needs times" in failed.stderr


def test_files_of_a_folder_keep_their_names(tmp_path):
    for name in ("s1/u.slf", "s2/u.slf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SLF)
    rankine(tmp_path, "spoken", "convert", ".", "out", "--to", "slf")
    assert sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.slf")) == [
        "s1/u.slf", "s2/u.slf",
    ]  # fmt: skip


def test_lists_of_hypotheses(tmp_path):
    """The likeliest paths of a lattice become a list, and the network of a list becomes a mesh."""
    (tmp_path / "u.sausage").write_text("u [ a 0.75 b 0.25 ] [ c 1 ]\n")
    rankine(tmp_path, "spoken", "convert", "u.sausage", "u.nbest", "--paths", "5")
    lines = [line.split() for line in (tmp_path / "u.nbest").read_text().splitlines()]
    assert [line[2:] for line in lines] == [["2", "a", "c"], ["2", "b", "c"]]
    rankine(tmp_path, "spoken", "convert", "u.nbest", "u.mesh")
    network = rk.spoken.confusion_network(rk.spoken.read_lattice(tmp_path / "u.mesh"))
    assert [(p, u) for p, u, _ in network.triples()] == [(0, "a"), (0, "b"), (1, "c")]
    assert network.posterior.tolist() == pytest.approx([0.75, 0.25, 1.0])
    rankine(tmp_path, "spoken", "convert", "u.sausage", "one.nbest", "--paths", "1")
    assert len((tmp_path / "one.nbest").read_text().splitlines()) == 1
    said = rankine(tmp_path, "spoken", "convert", "u.sausage", "no.nbest", "--paths", "0", code=1).stderr
    assert "--paths must be at least 1, got 0" in said


def test_scores_of_lists_are_weighed_before_they_are_converted(tmp_path):
    (tmp_path / "u.nbest").write_text("-8 -2 1 a\n-16 -1 1 b\n")
    rankine(tmp_path, "spoken", "convert", "u.nbest", "u.slf", "--acoustic-scale", "0")
    back = rk.spoken.read_lattice(tmp_path / "u.slf")
    assert expected_counts(back, arc_posteriors(back)) == pytest.approx({"a": 1 / 11, "b": 10 / 11})


def test_what_was_written_is_told(place):
    (place / "x.srt").write_bytes("1\n00:00:01,000 --> 00:00:02,000\nCafé\n".encode("cp1252"))
    done = rankine(place, "spoken", "convert", "x.srt", "x.vtt", "--encoding", "cp1252")
    assert done.stderr.endswith("x.vtt: 1 recording, from srt to vtt\n")
    assert "Café" in (place / "x.vtt").read_text(encoding="utf-8")
    for target, to in (("out.ctm", "ctm"), ("out", "openfst"), ("out.ark", "kaldi")):
        done = rankine(place, "spoken", "convert", "lattices", target, "--to", to)
        assert done.stderr.endswith(f"{target}: 1 utterance, from slf to {to}\n")
    done = rankine(place, "spoken", "convert", "x.srt", "y.vtt", code=1)
    assert "x.srt, line 3: b'\\xe9" in done.stderr
    assert "(--encoding, such as cp1252 or latin-1)" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("convert", "archive/recognised", "out.slf"), ("inspect", "archive/recognised/good.slf"),
        ("index", "other", "archive/recognised"), ("pspl", "archive/recognised"),
    ],
)  # fmt: skip
def test_lattices_of_an_archive_are_read_as_its_rights_allow(place, command):
    rankine(place, "spoken", "index", "archive", "lattices")
    (place / "archive" / "recognised").mkdir()
    (place / "archive" / "recognised" / "good.slf").write_text(SLF)
    rk.spoken.Archive(place / "archive").metadata.set("good", {"rights": "closed"})
    said = rankine(place, "spoken", *command, code=1).stderr
    assert "1 recording such as 'good' that may not be read by everybody: --closed reads all of it" in said
    rankine(place, "spoken", *command, "--closed")
