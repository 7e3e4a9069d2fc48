"""Whisper: its settings, words and samples with a stand-in of the model, and the real one where it is."""

import gzip
import hashlib
import json
import pickle
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.spoken import Archive, confusion_network, read_lattice
from rankine.spoken.lattice.formats.transcripts.transcript import TranscriptWord
from rankine.spoken.recognise.models import fetching, models
from rankine.spoken.recognise.models.table import DEFAULT
from rankine.spoken.recognise.recognisers import whisper
from rankine.spoken.recognise.recognisers.hypotheses import SHARPNESS, TextHypothesis
from rankine.spoken.recognise.recognisers.mel import log_mel
from rankine.spoken.recognise.recognisers.whisper import TokenWord, Whisper, split, timed
from rankine.spoken.recognise.run import recognise, settings_of

from ....folders import ROOT
from ..cases import heard
from ..toy_models import write_folder

INSTALLED = all(find_spec(name) for name in ("ctranslate2", "tokenizers"))
needs_ctranslate2 = pytest.mark.skipif(not INSTALLED, reason='needs ctranslate2: pip install -e ".[whisper]"')


@pytest.fixture
def tiny(own_models):
    """The real model; tests that need it are skipped without it."""
    if not INSTALLED or not models.is_here(DEFAULT):
        pytest.skip(f"needs the model {DEFAULT}: rankine spoken models add {DEFAULT}")


class StandIn:
    """An engine that hears numbers: a sample is drawn from the seed, and its word begins after a second."""

    def __init__(self):
        self.loaded, self.seeds = 0, []
        self.ctranslate2 = SimpleNamespace(set_random_seed=self.seeds.append)
        self.model, self.no_speech = "shared", 0.1

    def load(self):
        self.loaded += 1
        return f"fresh {self.loaded}"

    def encode(self, samples):
        return samples

    def detected(self, encoded):
        return "en"

    def generate(self, model, encoded, language, **options):
        n = options["num_hypotheses"]
        if model == "shared":
            return [TextHypothesis((i + 1,), f" word{i}", -float(i)) for i in range(n)], self.no_speech
        rng = np.random.default_rng(self.seeds[-1])
        drawn = rng.integers(1, 4, size=n).tolist()
        return [TextHypothesis((t,), f" word{t}", -0.5) for t in drawn], self.no_speech

    def words(self, encoded, texts, language, length):
        return [[TranscriptWord(f"word{text[0]}", 1.0, 1.5, 0.5)] for text in texts]


@pytest.fixture
def engine(monkeypatch):
    stand_in = StandIn()
    monkeypatch.setattr(whisper, "_engine", lambda model: stand_in)
    return stand_in


def units(content, tmp_path):
    (tmp_path / "x.slf.gz").write_bytes(content)
    lattice = read_lattice(tmp_path / "x.slf.gz")
    return {
        lattice.units[u]: round(float(p), 4) for u, p in zip(lattice.unit, lattice.posterior, strict=True) if u >= 0
    }


def test_samples_depend_on_audio_and_seed_alone(engine, tmp_path):
    a, b = np.arange(1, 100, dtype=np.int16), np.arange(2, 101, dtype=np.int16)
    first = Whisper()(a)
    Whisper()(b)
    assert Whisper()(a) == first
    assert engine.seeds[0] == engine.seeds[2] != engine.seeds[1]
    assert engine.loaded == 3  # a model object for each window
    Whisper(seed=1)(a)
    assert engine.seeds[3] != engine.seeds[0]
    weights = units(first, tmp_path)
    assert sum(weights.values()) == pytest.approx(1.0)
    assert all(round(20 * w, 6) == round(20 * w) for w in weights.values())


def test_beams(engine, tmp_path):
    sound = np.ones(100, np.int16)
    best = units(Whisper(hypotheses="best")(sound), tmp_path)
    assert best == {"word1": 0.5}  # the probability of the word
    nbest = units(Whisper(hypotheses="nbest", number=2)(sound), tmp_path)
    first = 1 / (1 + np.exp(-SHARPNESS))
    assert nbest == {"word1": pytest.approx(first, abs=1e-4), "word2": pytest.approx(1 - first, abs=1e-4)}
    assert engine.loaded == 0


def test_a_window_without_speech_is_marked(engine, tmp_path):
    engine.no_speech = 0.9
    content = Whisper(hypotheses="nbest", number=1)(np.ones(16000, np.int16))
    assert gzip.decompress(content).startswith(
        b"# 0.00-1.00: no speech (1 of 1 texts); probability of no speech 0.900\n"
    )
    assert units(content, tmp_path) == {"word1": 0.1}


def test_long_segments_are_heard_in_windows(engine, tmp_path):
    (tmp_path / "x.slf.gz").write_bytes(Whisper(hypotheses="nbest", number=1)(np.ones(70 * 16000, np.int16)))
    lattice = read_lattice(tmp_path / "x.slf.gz")
    starts = [*sorted(lattice.start[lattice.unit >= 0]), 70.0]
    assert len(starts) > 3
    assert max(np.diff(starts)) <= 30.0
    assert Whisper()(np.zeros(70 * 16000, np.int16)) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hypotheses": "worst"}, "must be samples, nbest or best; got 'worst'"),
        ({"number": 0}, "from 1 to 200, got 0"),
        ({"temperature": 0.0}, r"above 0 and at most 10, got 0\.0"),
        ({"model": "no-such"}, "expected the folder of a model, or one of tiny.en"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(InputError, match=message):
        Whisper(**options)


def test_models_of_one_language_state_it(tmp_path):
    assert Whisper().languages == ("en",)
    assert Whisper(model="tiny").languages == Whisper(model=str(tmp_path)).languages == ()
    (tmp_path / "vocabulary.json").write_text(json.dumps(["x"] * 51866))
    assert Whisper(model=str(tmp_path)).languages == ()
    (tmp_path / "vocabulary.txt").write_text("x\n" * 51864)
    assert Whisper(model=str(tmp_path)).languages == ("en",)
    (tmp_path / "vocabulary.txt").write_text("x\n" * 51865)
    assert Whisper(model=str(tmp_path)).languages == ()
    assert Whisper(model="tiny").detects
    assert not Whisper(model="tiny", language="de").detects
    assert not Whisper().detects


def test_it_can_be_sent_to_other_processes():
    recogniser = Whisper(hypotheses="best", seed=3)
    assert pickle.loads(pickle.dumps(recogniser)) == recogniser


def test_settings_count_the_content_of_a_model(toy):
    with pytest.raises(InputError, match="models add toy"):
        settings_of(Whisper(model="toy"))
    fetching.add("toy", toy)
    first = settings_of(Whisper(model="toy"))
    assert models.identity("toy") in first
    assert settings_of(Whisper(model="toy", number=20)) == first
    assert settings_of(Whisper(model="toy", seed=1)) != first
    assert settings_of(Whisper(model="toy", hypotheses="best", seed=1)) == settings_of(
        Whisper(model="toy", hypotheses="best")
    )


@needs_ctranslate2
def test_folders_that_are_no_model(tmp_path, toy):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: expected a Whisper model in CTranslate2's form .* no config\.json"):
        Whisper(model=str(tmp_path / "empty")).start()
    with pytest.raises(InputError, match=r"own: CTranslate2 cannot load this model: "):
        Whisper(model=str(write_folder(tmp_path / "own"))).start()


def test_words_of_tokens():
    pieces = {1: " Wood", 2: "block", 3: ",", 4: " don", 5: "'t", 6: ".", 7: "你", 8: "好"}

    def decode(tokens):
        if list(tokens) == [9]:
            return "\ufffd"
        return "é" if list(tokens) == [9, 10] else "".join(pieces[t] for t in tokens)

    assert split([1, 2, 3, 4, 5, 6], decode) == [TokenWord(" Woodblock,", 2, 1), TokenWord(" don't.", 2, 1)]
    assert split([7, 3, 8], decode, unspaced=True) == [TokenWord("你,", 1, 1), TokenWord("好", 1)]
    assert split([4, 9, 10], decode) == [TokenWord(" doné", 3)]
    assert split([4, 3, 5], decode) == [TokenWord(" don,'t", 3)]
    assert split([], decode) == []


def test_a_word_ends_where_its_punctuation_begins():
    alignment = [(0, 0), (0, 20), (1, 25), (1, 80), (2, 100), (3, 120)]
    out = timed([TokenWord(" one,", 1, 1), TokenWord(" two", 1)], alignment, [0.5, 0.1, 0.25])
    assert out == [TranscriptWord("one,", 0.0, 0.5, 0.5), TranscriptWord("two", 1.92, 2.4, 0.25)]
    assert timed([TokenWord("x", 1)], [], [1.0]) == [TranscriptWord("x", 0.0, 0.0, 1.0)]


@pytest.mark.parametrize("seed", range(30))
def test_times_are_in_order_and_early(seed):
    """Starts are 80 ms before the decoder's; no word ends before it begins or after the next one begins."""
    rng = np.random.default_rng(seed)
    words = [TokenWord("x", int(rng.integers(1, 3)), int(rng.integers(0, 2))) for _ in range(8)]
    n = sum(w.tokens + w.after for w in words)
    places = np.sort(rng.integers(0, 200, n + 1)).tolist()
    out = timed(words, list(enumerate(places)), [0.5] * n)
    at = 0
    for word, row, following in zip(words, out, [*out[1:], None], strict=True):
        assert row.start == pytest.approx(max(places[at] - 4, 0) / 50)
        at += word.tokens + word.after
        assert row.start <= row.end <= (following.start if following else places[-1] / 50) + 1e-9


def test_the_beginning_of_a_text():
    engine = object.__new__(whisper._Engine)
    numbers = {"<|de|>": 3}
    engine.folder, engine.special = "x", whisper._Special(1, 5, 9, 0)
    engine.tokenizer = SimpleNamespace(token_to_id=numbers.get)
    engine.model = SimpleNamespace(is_multilingual=True)
    assert engine.prompt("de") == [1, 3, 5]
    with pytest.raises(InputError, match="does not know the language 'xx'"):
        engine.prompt("xx")
    engine.model = SimpleNamespace(is_multilingual=False)
    assert engine.prompt("en") == [1]
    assert engine.detected([]) == "en"


# -- the real model


def test_what_is_said_on_a_tape(tiny, tmp_path):
    recogniser = Whisper()
    first = recogniser(heard("tape-70"))
    recogniser(heard("tape-50"))
    assert recogniser(heard("tape-70")) == first  # whatever came before
    (tmp_path / "x.slf.gz").write_bytes(first)
    lattice = read_lattice(tmp_path / "x.slf.gz")
    assert "railway" in confusion_network(lattice).best()
    length = len(heard("tape-70")) / 16000
    assert 0 <= lattice.start.min() <= lattice.end.max() <= length + 1e-6
    assert Whisper(seed=1)(heard("tape-70")) != first


@pytest.mark.parametrize("hypotheses", ["best", "nbest"])
def test_beams_of_the_real_model(tiny, tmp_path, hypotheses):
    recogniser = Whisper(hypotheses=hypotheses)
    content = recogniser(heard("tape-70"))
    assert content == recogniser(heard("tape-70"))
    assert "railway" in units(content, tmp_path)


@pytest.mark.parametrize("name", ["tape-70", "tape-50"])
def test_texts_are_those_of_ctranslate2_alone(tiny, name):
    """The library by itself, with its own tokens: greedy, and as wide as our best text."""
    import ctranslate2
    import tokenizers

    folder = str(models.find(DEFAULT))
    model = ctranslate2.models.Whisper(folder, compute_type="int8", intra_threads=1, inter_threads=1)
    tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
    features = ctranslate2.StorageView.from_array(log_mel(heard(name))[None])
    engine = whisper._engine(DEFAULT)
    for width in (1, 5):
        alone = model.generate(features, [["<|startoftranscript|>", "<|notimestamps|>"]], beam_size=width)[0]
        ours, _ = engine.generate(engine.model, engine.encode(heard(name)), "en", beam_size=width, num_hypotheses=1)
        assert ours[0].text == tokenizer.decode(alone.sequences_ids[0])
        assert len(ours[0].text) > 10


def test_samples_are_the_same_in_another_process(tiny):
    script = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1])\n"
        "from tests.spoken.recognise.cases import heard\n"
        "from rankine.spoken.recognise.recognisers.whisper import Whisper\n"
        "print(hashlib.sha256(Whisper(number=3)(heard('tape-50'))).hexdigest())\n"
    )
    root = str(ROOT)
    said = subprocess.run([sys.executable, "-c", script, root], capture_output=True, text=True, check=True).stdout
    assert said.strip() == hashlib.sha256(Whisper(number=3)(heard("tape-50"))).hexdigest()


def test_noise_is_marked(tiny):
    noise = np.random.default_rng(0).normal(size=48000) * 300
    assert b"no speech" in gzip.decompress(Whisper(hypotheses="best")(noise.astype(np.int16))).split(b"\n")[0]


class Polyglot:
    """The real model as if it knew several languages; it tells those of a list, one window after the other."""

    is_multilingual = True

    def __init__(self, model, languages):
        self.model, self.languages = model, list(languages)

    def detect_language(self, encoded):
        if not self.languages:
            raise RuntimeError("nothing to tell")
        return [[(f"<|{language}|>", p) for language, p in self.languages.pop(0)]]

    def __getattr__(self, name):
        return getattr(self.model, name)


@pytest.fixture
def polyglot(tiny, monkeypatch):
    """A function that gives the engine of the real model languages to tell, and the prompts that it has used."""
    engine, prompts = whisper._Engine(models.find(DEFAULT)), []
    begin = engine.prompt
    monkeypatch.setattr(whisper, "_engine", lambda model: engine)
    monkeypatch.setattr(Whisper, "languages", ())  # those of a folder that has no name
    monkeypatch.setattr(engine, "prompt", lambda language: prompts.append(language) or begin(language))

    def tell(*languages):
        engine.model = Polyglot(engine.model, languages)
        return prompts

    return tell


GERMAN, ENGLISH = [("de", 0.6), ("en", 0.4)], [("en", 0.9), ("de", 0.1)]


def test_a_recording_has_the_language_of_its_first_segments(polyglot, tmp_path):
    """Two windows of German and one of English, of which it is surer: by the mean it is English, and all of it is."""
    import soundfile

    pause = np.random.default_rng(0).integers(-9, 10, 40000).astype(np.int16)
    sound = np.concatenate([np.concatenate([heard(f"tape-{n}"), pause]) for n in (70, 50, 54, 75)])
    (tmp_path / "audio").mkdir()
    soundfile.write(tmp_path / "audio" / "a.wav", sound, 16000)
    soundfile.write(tmp_path / "audio" / "b.wav", heard("tape-50"), 16000)
    prompts = polyglot(GERMAN, ENGLISH, GERMAN, GERMAN)  # three windows of a, and the one of b
    archive = Archive.create(tmp_path / "archive")
    options = {"longest": 5.0, "workers": 1}
    archive.recordings.add(tmp_path / "audio", [Whisper(number=2)], **options)
    assert [archive.metadata.get(name)["language"] for name in ("a", "b")] == ["en", "de"]
    assert set(prompts[:-3]) - {"en"} == set()  # the last three: decoding and aligning b
    assert prompts[-2:] == ["de", "de"]
    lines = (tmp_path / "archive" / "recognised" / "recognised.jsonl").read_text()
    assert '"language": "de"' in lines.replace('":"', '": "')
    archive.recordings.add(tmp_path / "audio", [Whisper(number=2)], **options)  # nothing is told again


def test_a_language_that_was_given_is_not_told(polyglot, tmp_path):
    import soundfile

    soundfile.write(tmp_path / "b.wav", heard("tape-50"), 16000)
    polyglot()
    archive = Archive.create(tmp_path / "archive")
    added = archive.recordings.add(tmp_path / "b.wav", [Whisper(number=2)], language="de")
    assert added.errors == []
    assert archive.metadata.get("b")["language"] == "de"
    soundfile.write(tmp_path / "c.wav", heard("tape-70"), 16000)
    added = archive.recordings.add(tmp_path / "c.wav", [Whisper(number=2)])  # there is nothing to tell
    assert [error.split(": ", 1)[1] for error in added.errors] == ["its language cannot be told: nothing to tell"]


def test_only_english(tiny):
    with pytest.raises(InputError, match="knows only English, got the language 'de'"):
        Whisper(language="de").start()


def test_a_run_in_two_processes_is_the_same(tiny, tmp_path):
    import soundfile

    sound = np.concatenate([heard("tape-70"), heard("tape-50")])
    for i in range(2):
        (tmp_path / "audio").mkdir(exist_ok=True)
        soundfile.write(tmp_path / "audio" / f"{i}.wav", sound[i:], 16000)
    for workers in (1, 2):
        result = recognise([tmp_path / "audio"], tmp_path / f"out{workers}", Whisper(number=3), workers=workers)
        assert result.done == 2
        assert result.errors == []
    for path in (tmp_path / "out1").glob("*.slf.gz"):
        assert path.read_bytes() == (tmp_path / "out2" / path.name).read_bytes()
