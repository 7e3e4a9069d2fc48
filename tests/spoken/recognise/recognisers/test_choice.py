"""The recogniser that is used when none is named."""

import pytest

from rankine.errors import InputError
from rankine.spoken.recognise.models import models
from rankine.spoken.recognise.recognisers import choice
from rankine.spoken.recognise.recognisers.choice import choose, choose_by_model
from rankine.spoken.recognise.recognisers.table import RecogniserRow
from rankine.spoken.recognise.run import recognise

from ..cases import Echo, write


@pytest.fixture
def here(monkeypatch):
    """What is on this machine: sets that a test fills."""
    installed, there = set(), set()
    monkeypatch.setattr(
        RecogniserRow, "is_installed", property(lambda row: row.module in installed), raising=True
    )  # fmt: skip
    monkeypatch.setattr(models, "is_here", lambda name: name in there)
    return installed, there


@pytest.mark.parametrize(
    ("installed", "there", "language", "name", "model", "said"),
    [
        ("whisper vosk pocketsphinx", "tiny.en vosk-small-en", "en", "whisper", "tiny.en", "whisper (tiny.en)"),
        ("whisper pocketsphinx", "tiny.en small.en", "en", "whisper", "small.en", "the best recogniser that is here"),
        ("whisper vosk pocketsphinx", "vosk-small-en", "en", "vosk", "vosk-small-en", "whisper hears better: `rankine"),
        ("pocketsphinx", "", "en", "pocketsphinx", None, 'whisper hears better: `pip install -e ".[whisper]"` and'),
        ("whisper vosk pocketsphinx", "tiny.en vosk-small-zh", "zh", "vosk", "vosk-small-zh", "for 'zh'"),
        ("whisper pocketsphinx", "tiny.en tiny", "de", "whisper", "tiny", "whisper (tiny)"),
    ],
)
def test_the_best_that_is_here_is_chosen(here, installed, there, language, name, model, said):
    here[0].update(installed.split())
    here[1].update(there.split())
    best = choose(language)
    assert best.name == name
    assert getattr(best.recogniser, "model", None) == best.model == model
    assert said in best.why


def test_a_model_tells_its_recogniser(tmp_path):
    (tmp_path / "am").mkdir()
    (tmp_path / "am" / "final.mdl").write_bytes(b"")
    best = choose_by_model(str(tmp_path))
    assert (best.name, best.model, best.recogniser.model) == ("vosk", str(tmp_path), str(tmp_path))
    assert f"heard by vosk, the recogniser that {tmp_path} is a model of" in best.why
    assert choose_by_model("tiny.en").name == "whisper"
    (tmp_path / "model.bin").write_bytes(b"")
    for folder in (tmp_path, tmp_path / "am"):  # of two kinds, and of none
        with pytest.raises(
            InputError, match=r"or a folder with one of these files in it: mdef \(pocketsphinx\), model"
        ):
            choose_by_model(str(folder))


def test_a_model_of_several_languages_tells_them_unless_one_is_given(here):
    here[0].add("whisper")
    here[1].update(["tiny.en", "small"])
    best = choose(None)
    assert (best.model, best.recogniser.language, best.recogniser.detects) == ("small", None, True)
    assert "here for 'en', which tells the language of each recording" in best.why
    assert choose("en").recogniser.language == "en"
    here[1].discard("small")
    assert "tells" not in choose(None).why


def test_no_recogniser_for_a_language(here):
    here[0].update(["pocketsphinx"])
    with pytest.raises(InputError, match=r"here understands 'de': whisper: `pip install .* models add tiny`"):
        choose("de")
    assert set(choice.ORDER) <= set(choice.TABLE)


def test_what_was_heard_stays_unless_a_recogniser_is_given(audio, tmp_path, monkeypatch):
    folder = tmp_path / "lattices"
    assert recognise([audio], folder, Echo()).done == 6
    other = choice.Choice(Echo(fail="call"), "other", "why")
    monkeypatch.setattr("rankine.spoken.recognise.run.choose", lambda language: other)
    again = recognise([audio], folder)
    assert (again.done, again.before) == (0, 6)
    assert "why" not in again.notes  # nothing was heard
    write(audio / "new.wav", 9000, seed=9)
    new = recognise([audio], folder)
    assert "why" in new.notes
    assert len(new.errors) == 1  # only the new one was heard, by a recogniser that fails
    assert recognise([audio], folder, Echo(wait=0.001)).done == 7
