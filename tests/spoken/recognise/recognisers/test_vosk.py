"""Vosk: its settings, languages and weights with a stand-in of the decoder, and the real one where it is."""

import json
import pickle
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from rankine.errors import InputError
from rankine.spoken import Archive, confusion_network, read_lattice
from rankine.spoken.archive import create_or_open
from rankine.spoken.recognise import Vosk, recognise
from rankine.spoken.recognise.models import models
from rankine.spoken.recognise.recognisers import vosk
from rankine.spoken.recognise.run import settings_of

from ..cases import heard

INSTALLED = find_spec("vosk") is not None
needs_vosk = pytest.mark.skipif(not INSTALLED, reason='needs vosk: pip install -e ".[vosk]"')
EN, ZH = "vosk-small-en", "vosk-small-zh"


@pytest.fixture
def english(own_models):
    """The real model; tests that need it are skipped without it."""
    if not INSTALLED or not models.is_here(EN):
        pytest.skip(f"needs the model {EN}: rankine spoken models add {EN}")


def alternative(score, text):
    """An alternative as Vosk writes it; a word takes 0.3 seconds."""
    words = [{"word": w, "start": 0.3 * i, "end": 0.3 * (i + 1)} for i, w in enumerate(text.split())]
    return {"text": text, "confidence": score, **({"result": words} if words else {})}


class StandIn:
    """A decoder that pauses after every second of audio, and always says the same."""

    said = (alternative(100.0, "he hears"), alternative(98.0, "he ears"), alternative(96.0, ""))

    def __init__(self, model, rate):
        self.heard = 0

    def SetMaxAlternatives(self, number):
        self.number = number

    def SetWords(self, words):
        assert words

    def AcceptWaveform(self, data):
        self.heard += len(data) // 2
        return self.heard % 16000 == 0

    def Result(self):
        return json.dumps({"alternatives": self.said[: self.number]})

    def FinalResult(self):
        return json.dumps({"alternatives": [{"text": "", "confidence": 1.0}]})


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(vosk, "_loaded", lambda model: (SimpleNamespace(KaldiRecognizer=StandIn), model))


def words(content, tmp_path):
    (tmp_path / "x.slf.gz").write_bytes(content)
    lattice = read_lattice(tmp_path / "x.slf.gz")
    rows = zip(lattice.unit, lattice.posterior, lattice.start, lattice.end, strict=True)
    return [(lattice.units[u], round(float(p), 4), float(s), float(e)) for u, p, s, e in rows if u >= 0]


def test_alternatives_are_weighed_by_the_softmax_of_their_scores(stand_in, tmp_path):
    out = words(Vosk()(np.ones(16000, np.int16)), tmp_path)
    weights = np.exp(vosk.SCALE * np.array([0.0, -2.0, -4.0]))
    weights = (weights / weights.sum()).round(4).tolist()  # the last is that nothing was said
    first = [("he", weights[0], 0.0, 0.3), ("hears", weights[0], 0.3, 0.6)]
    second = [("he", weights[1], 0.0, 0.3), ("ears", weights[1], 0.3, 0.6)]
    assert sorted(out) == sorted([*first, *second])
    assert {w for w, *_ in words(Vosk(number=1)(np.ones(16000, np.int16)), tmp_path)} == {"he", "hears"}


def test_paths_of_the_same_words_are_one(stand_in, tmp_path, monkeypatch):
    same = [alternative(100.0, "he hears"), alternative(100.0, "he hears"), alternative(100.0, "he ears")]
    monkeypatch.setattr(StandIn, "said", same)
    out = words(Vosk()(np.ones(16000, np.int16)), tmp_path)
    assert [(w, p) for w, p, *_ in out if w != "he"] == [("hears", 0.6667), ("ears", 0.3333)]


def test_every_pause_ends_a_window(stand_in, tmp_path):
    content = Vosk(number=1)(np.ones(3 * 16000, np.int16))
    assert [w for w, *_ in words(content, tmp_path)] == ["he", "hears"] * 3
    assert Vosk()(np.ones(15999, np.int16)) is None  # no pause, and nothing at the end
    assert Vosk()(np.zeros(0, np.int16)) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number": 0}, "from 1 to 500, got 0"),
        ({"model": "no-such"}, "expected the folder of a model, or one of vosk-small-en, vosk-small-zh; got 'no-such'"),
        ({"model": "tiny.en"}, "got 'tiny.en', a model of whisper"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(InputError, match=message):
        Vosk(**options)


def test_the_language_chooses_the_model(tmp_path):
    assert Vosk().languages == Vosk().in_language("en").languages == ("en",)
    assert Vosk(number=3).in_language("zh") == Vosk(model=ZH, number=3)
    assert Vosk(model=EN).in_language("zh").languages == ("en",)  # the archive refuses it
    assert Vosk(model=str(tmp_path)).languages == ()
    with pytest.raises(InputError, match=r"no model of Vosk for the language 'de': there are vosk-small-en \(en\), "):
        Vosk().in_language("de")


def test_an_archive_chooses_the_model(tmp_path, models_place, monkeypatch):
    soundfile.write(tmp_path / "a.wav", np.ones(16000) / 2, 16000)
    archive = create_or_open(tmp_path / "zh", "zh")
    with pytest.raises(InputError, match=f"{ZH} is not on this machine: `rankine spoken models add {ZH}`"):
        archive.recordings.add(tmp_path / "a.wav", ["vosk"])
    with pytest.raises(InputError, match="Vosk understands en here, and the recordings are in 'zh'"):
        archive.recordings.add(tmp_path / "a.wav", [Vosk(model=EN)])
    with pytest.raises(InputError, match=f"{EN} is not on this machine"):
        Archive.create(tmp_path / "en").recordings.add(tmp_path / "a.wav", ["vosk"])


def test_it_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(Vosk(number=3))) == Vosk(number=3)


def test_folders_that_are_no_model(tmp_path):
    with pytest.raises(InputError, match=r"expected a model of Vosk .*; there is no am/final\.mdl"):
        Vosk(model=str(tmp_path)).start()


def model_of(folder, content=b"nothing"):
    for name in ("am/final.mdl", "conf/mfcc.conf", "conf/model.conf"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return str(folder)


def test_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vosk", None)
    with pytest.raises(InputError, match=r'this needs the package vosk: pip install -e "\.\[vosk\]"'):
        Vosk(model=model_of(tmp_path)).start()


def test_settings_of_a_model_are_replaced_and_not_changed(tmp_path, monkeypatch):
    seen = []

    def load(folder):
        for name in ("mfcc.conf", "model.conf"):
            with open(f"{folder}/conf/{name}") as file:
                seen.append(file.read())

    package = SimpleNamespace(SetLogLevel=lambda level: None, Model=load, KaldiRecognizer=StandIn)
    monkeypatch.setitem(sys.modules, "vosk", package)
    folder = model_of(tmp_path, b"--num-ceps=40")
    Vosk(model=folder).start()
    assert seen == ["--num-ceps=40\n--dither=0\n", "--num-ceps=40\n--lattice-beam=6\n"]
    assert (tmp_path / "conf" / "mfcc.conf").read_bytes() == b"--num-ceps=40"


@needs_vosk
def test_a_damaged_model(tmp_path, capfd):
    with pytest.raises(InputError, match=r"Vosk cannot use this model: Failed to create a model"):
        Vosk(model=model_of(tmp_path)).start()
    assert capfd.readouterr().err == ""


# -- the real model


def test_what_is_said_on_a_tape(english, tmp_path, capfd):
    recogniser = Vosk()
    recogniser.start()
    first = recogniser(heard("tape-70"))
    recogniser(heard("tape-50"))
    assert recogniser(heard("tape-70")) == first  # whatever came before
    (tmp_path / "x.slf.gz").write_bytes(first)
    lattice = read_lattice(tmp_path / "x.slf.gz")
    assert "railway" in confusion_network(lattice).best()
    assert 0 <= lattice.start.min() <= lattice.end.max() <= len(heard("tape-70")) / 16000 + 1e-6
    assert recogniser(np.zeros(16, np.int16)) is None
    assert capfd.readouterr().err == ""


def test_settings_count_the_content_of_a_model(english):
    assert models.identity(EN) in settings_of(Vosk())
    assert settings_of(Vosk(model=EN)) == settings_of(Vosk()) != settings_of(Vosk(number=3))


def test_a_run_in_two_processes_is_the_same(english, tmp_path):
    (tmp_path / "audio").mkdir()
    sound = np.concatenate([heard("tape-70"), heard("tape-50")])
    for i in range(2):
        soundfile.write(tmp_path / "audio" / f"{i}.wav", sound[i:], 16000)
    for workers in (1, 2):
        result = recognise([tmp_path / "audio"], tmp_path / f"out{workers}", Vosk(), workers=workers)
        assert (result.done, result.errors) == (2, [])
    for path in (tmp_path / "out1").glob("*.slf.gz"):
        assert path.read_bytes() == (tmp_path / "out2" / path.name).read_bytes()


def test_the_mandarin_model(own_models, tmp_path):
    if not INSTALLED or not models.is_here(ZH):
        pytest.skip(f"needs the model {ZH}: rankine spoken models add {ZH}")
    content = Vosk(model=ZH)(heard("tape-70"))  # no Mandarin is at hand: English, heard as Mandarin words
    assert all("\u4e00" <= c <= "\u9fff" for w, *_ in words(content, tmp_path) for c in w)
