"""One-best words with confidences (CTM)."""

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.transcripts.transcript import Transcript, TranscriptSegment, TranscriptWord
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ...cases import cases


def test_round_trip_of_the_best_words(tmp_path):
    for lattice in cases():
        network = rk.spoken.confusion_network(lattice)
        best = network.best_entries()
        if best:
            (tmp_path / "a.ctm").write_bytes(f.write_ctm(f.transcript_of(network)))
            back = rk.spoken.read_lattice(tmp_path / "a.ctm")
            said = sorted((float(back.start[a]), back.units[back.unit[a]]) for a in np.flatnonzero(back.unit >= 0))
            assert said == sorted((round(float(network.start[i]), 3), network.units[network.unit[i]]) for i in best)


def test_milliseconds_are_written_and_come_back_as_they_were(tmp_path):
    rng = np.random.default_rng(0)
    times = [(int(a), int(a + n)) for a, n in zip(rng.integers(0, 10**7, 500), rng.integers(0, 2000, 500), strict=True)]
    words = sorted((a / 1000, b / 1000) for a, b in times)
    segment = TranscriptSegment(0.0, 1e4, tuple(TranscriptWord("a", a, b, 0.3) for a, b in words))
    text = f.write_ctm(Transcript("u", (segment,)))
    for line in text.decode().splitlines():
        assert all(len(field.partition(".")[2]) <= 3 for field in line.split()[2:4])
        assert line.endswith(" 0.3")
    (tmp_path / "a.ctm").write_bytes(text)
    back = rk.spoken.read_lattice(tmp_path / "a.ctm")
    spoken = back.unit >= 0
    assert list(zip(back.start[spoken].tolist(), back.end[spoken].tolist(), strict=True)) == words


def test_words_with_confidences(tmp_path):
    (tmp_path / "a.ctm").write_text(
        ";; comment\nu1 1 0.5 0.5 world 0.6\nu1 1 0.0 0.5 hello 0.9\nu2 1 0 1 <sil>\nu2 1 1 1 x\n"
    )
    lattices = dict(rk.spoken.read_archive(tmp_path / "a.ctm"))
    assert rk.spoken.pspl(lattices["u1"]).triples()[0] == (0, "hello", pytest.approx(0.9))
    counts = expected_counts(lattices["u1"], arc_posteriors(lattices["u1"]))
    assert counts == pytest.approx({"hello": 0.9, "world": 0.6})
    assert lattices["u2"].units == ("x",)


def test_channels(tmp_path):
    (tmp_path / "a.ctm").write_text(";; x\nu A 0 1 hi\nu A 1 1 you\n\nu B 0 1 ho\nu B 0 1 far 7\n")
    one, two = f.pieces(f.files(tmp_path / "a.ctm")[0])
    assert (one.name, two.name) == ("u", "u-B")
    with pytest.raises(rk.InputError, match="u-B, line 6: the confidence"):
        f.load(two, f.Reading())


def test_alternatives(tmp_path):
    """The example of SCTK's documentation: alternatives stand between marks, and @ is nothing."""
    (tmp_path / "a.ctm").write_text(
        "u 1 0 0.5 we\nu 1 * * <ALT_BEGIN>\nu 1 0.5 0.4 um\nu 1 * * <ALT>\nu 1 0.5 0.2 uh\nu 1 0.7 0.2 huh\n"
        "u 1 * * <ALT>\nu 1 0.5 0.4 @\nu 1 * * <ALT_END>\nu 1 1.0 0.5 go 0.5\n"
    )
    lattice = rk.spoken.read_lattice(tmp_path / "a.ctm")
    want = {"we": 1, "um": 1 / 3, "uh": 1 / 3, "huh": 1 / 3, "go": 0.5}
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx(want)
    times = {lattice.units[u]: (s, e) for u, s, e in zip(lattice.unit, lattice.start, lattice.end, strict=True)}
    assert times["huh"] == pytest.approx((0.7, 0.9))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.ctm", "u 1 0 1\n", "5 or 6 columns"),
        ("y.ctm", "u 1 0 1 w 1.5\n", "between 0 and 1"),
        ("z.ctm", "u 1 zero 1 w\n", "expected a number"),
        ("a.ctm", "u 1 0 1 a\nv 1 0 1 b\nu 1 2 1 c\n", "do not stand together"),
        ("a.ctm", "u 1 2 -1 a\n", "begins at 2"),
        ("a.ctm", "u 1 * * <ALT_BEGIN>\nu 1 0 1 a\n", "<ALT_BEGIN> without <ALT_END>"),
        ("a.ctm", "u 1 0 1 a\nu 1 * * <ALT>\n", "line 2: <ALT> without <ALT_BEGIN>"),
        ("a.ctm", "u 1 * * <ALT_BEGIN>\nu 1 * * <ALT_BEGIN>\n", "line 2: <ALT_BEGIN> inside of <ALT_BEGIN>"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        list(rk.spoken.read_archive(tmp_path / name))
    assert name in str(error.value)


def test_an_utterance_too_large_to_hold(tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.formats.reading.MOST_BYTES", 1000)
    for name, line in (("x.ctm", "u 1 0 1 a\n"), ("x.ark", "u\n" + "0 1 2\n"), ("x.mesh", "name u\nalign 0 a 1\n")):
        (tmp_path / name).write_text(line + line.split("\n", 1)[-1] * 200 if name != "x.ctm" else line * 200)
        with pytest.raises(rk.InputError, match=f"{name}: the utterance 'u' has more than"):
            list(rk.spoken.read_archive(tmp_path / name))
