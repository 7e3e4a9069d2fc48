"""One-best words with confidences (CTM, JSON)."""

import json

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.posteriors import arc_posteriors, expected_counts

from ..cases import cases


def test_round_trip_of_the_best_words(tmp_path):
    for lattice in cases():
        network = rk.spoken.confusion_network(lattice)
        best = network.best_entries()
        if best:
            (tmp_path / "a.ctm").write_bytes(f.write_ctm(network))
            back = rk.spoken.read_lattice(tmp_path / "a.ctm")
            said = sorted((round(back.start[a], 6), back.units[back.unit[a]]) for a in np.flatnonzero(back.unit >= 0))
            assert said == sorted((round(float(network.start[i]), 6), network.units[network.unit[i]]) for i in best)


def test_words_with_confidences(tmp_path):
    (tmp_path / "a.ctm").write_text(
        ";; comment\nu1 1 0.5 0.5 world 0.6\nu1 1 0.0 0.5 hello 0.9\nu2 1 0 1 <sil>\nu2 1 1 1 x\n"
    )
    lattices = dict(rk.spoken.read_archive(tmp_path / "a.ctm"))
    assert rk.spoken.pspl(lattices["u1"]).triples()[0] == (0, "hello", pytest.approx(0.9))
    counts = expected_counts(lattices["u1"], arc_posteriors(lattices["u1"]))
    assert counts == pytest.approx({"hello": 0.9, "world": 0.6})
    assert lattices["u2"].units == ("x",)
    (tmp_path / "w.json").write_text(
        '{"segments": [{"words": [{"word": " Hi,", "start": 0, "end": 0.4, "probability": 0.5},'
        ' {"word": " you", "start": 0.4, "end": 0.9, "probability": 1.0}]}]}'
    )
    lattice = rk.spoken.read_lattice(tmp_path / "w.json")
    assert expected_counts(lattice, arc_posteriors(lattice)) == pytest.approx({"hi": 0.5, "you": 1.0})


def test_channels_and_json_of_others(tmp_path):
    (tmp_path / "a.ctm").write_text(";; x\nu A 0 1 hi\nu A 1 1 you\n\nu B 0 1 ho\nu B 0 1 far 7\n")
    one, two = f.pieces(f.files(tmp_path / "a.ctm")[0])
    assert (one.name, two.name) == ("u", "u-B")
    with pytest.raises(rk.InputError, match="u-B, line 6: the confidence"):
        f.load(two, f.Reading())
    (tmp_path / "w.json").write_text(json.dumps({"transcription": [{"tokens": [
        {"text": " spo", "offsets": {"from": 0, "to": 200}, "p": 0.9},
        {"text": "ken", "offsets": {"from": 200, "to": 400}, "p": 0.5},
        {"text": " word", "offsets": {"from": 400, "to": 900}, "p": 1.0},
        {"text": "[_TT_50]", "offsets": {"from": 900, "to": 900}, "p": 0.1}]}]}))  # fmt: skip
    assert rk.spoken.read_lattice(tmp_path / "w.json").units == ("spoken", "word")
    words = [{"word": "in", "start": 0.0, "end": 0.5}, {"word": "1984"}, {"word": "we", "start": 1.5, "end": 2.0}]
    (tmp_path / "x.json").write_text(json.dumps({"segments": [{"words": words}]}))
    lattice = rk.spoken.read_lattice(tmp_path / "x.json")
    assert (lattice.start[1], lattice.end[1]) == (0.5, 1.5)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.ctm", "u 1 0 1\n", "5 or 6 columns"),
        ("y.ctm", "u 1 0 1 w 1.5\n", "between 0 and 1"),
        ("z.ctm", "u 1 zero 1 w\n", "expected a number"),
        ("a.ctm", "u 1 0 1 a\nv 1 0 1 b\nu 1 2 1 c\n", "do not stand together"),
        ("a.ctm", "u 1 2 -1 a\n", "begins at 2"),
        ("x.json", "{", "not the JSON"),
        ("y.json", '{"segments": []}', "no words"),
        ("y.json", '{"words": [{"word": "a", "start": 0, "end": 1e999}]}', "'a' begins at 0.0 and ends at inf"),
        ("y.json", '{"words": [{"word": "\\ud800", "start": 0}]}', "UnicodeEncodeError"),
        ("y.json", '{"words": [{"word": "a"}]}', "KeyError: 'start'"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        list(rk.spoken.read_archive(tmp_path / name))
    assert name in str(error.value)


def words_json(**changes):
    return json.dumps({"words": [{"word": "a", "start": 0, "end": 1, "conf": 0.5} | changes]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "not the JSON of a recogniser"),
        ('{"words": ' + "[" * 500 + "]" * 500 + "}", "not the JSON of a recogniser"),
        ('{"words": "abc"}', "expected a list, got str"),
        ('{"words": [' + "9" * 5000 + "]}", "not the JSON of a recogniser"),
        (words_json(start=10**400, end=10**400), "not the JSON of a recogniser"),
        (words_json(word="\ud800"), "not the JSON of a recogniser"),
        (words_json(conf=float("nan")), "the confidence of 'a' must lie between 0 and 1, got nan"),
        (words_json(end=1e300), "'a' begins at 0.0 and ends at 1e.300"),
        (words_json(end="x\ny"), "not the JSON of a recogniser"),
    ],
    ids=range(9),
)
def test_hostile_json(tmp_path, text, message):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(rk.InputError, match=message) as error:
        rk.spoken.read_lattice(tmp_path / "x.json")
    assert "\n" not in str(error.value)
    assert "x.json" in str(error.value)


def test_members_that_are_not_used_may_be_anything(tmp_path):
    (tmp_path / "x.json").write_text(words_json()[:-1] + ', "avg": NaN, "deep": [[[{"a": Infinity}]]]}')
    assert rk.spoken.read_lattice(tmp_path / "x.json").units == ("a",)


def test_json_too_large_to_hold(tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.formats.simple._LONGEST_JSON", 50)
    (tmp_path / "x.json").write_text(words_json(word="a" * 50))
    with pytest.raises(rk.InputError, match="JSON of more than"):
        rk.spoken.read_lattice(tmp_path / "x.json")


def test_an_utterance_too_large_to_hold(tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.spoken.lattice.formats.common.MOST_BYTES", 1000)
    for name, line in (("x.ctm", "u 1 0 1 a\n"), ("x.ark", "u\n" + "0 1 2\n"), ("x.mesh", "name u\nalign 0 a 1\n")):
        (tmp_path / name).write_text(line + line.split("\n", 1)[-1] * 200 if name != "x.ctm" else line * 200)
        with pytest.raises(rk.InputError, match=f"{name}: the utterance 'u' has more than"):
            list(rk.spoken.read_archive(tmp_path / name))
