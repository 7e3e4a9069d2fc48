"""Every row of the table of recognisers."""

from inspect import signature

import pytest

from rankine.errors import InputError
from rankine.spoken.recognise import PocketSphinx, Recogniser, recognise, run
from rankine.spoken.recognise.recognisers.table import TABLE, RecogniserRow, get

CALLED = {name: "program {audio} {output}" if name == "command" else name for name in TABLE}


@pytest.mark.parametrize("name", TABLE)
def test_every_recogniser_has_what_a_run_needs(name):
    recogniser = get(CALLED[name])
    assert all(TABLE[name][:4])
    assert TABLE[name].languages
    assert TABLE[name].yields
    assert TABLE[name].model
    assert TABLE[name].cost
    assert TABLE[name].packages
    assert recogniser.rate > 0
    assert recogniser.ending.startswith(".")
    assert callable(recogniser)


@pytest.mark.parametrize("name", TABLE)
def test_every_option_is_a_parameter(name):
    options = TABLE[name].options
    assert {option.parameter for option in options} <= set(signature(type(get(CALLED[name]))).parameters)
    assert len({option.flag for option in options}) == len(options)
    assert all(option.help and option.flag.startswith("--") for option in options)


def test_recognisers_that_share_a_flag_share_its_type_and_help():
    options = [option for row in TABLE.values() for option in row.options]
    assert len({(o.flag, o.type, o.help) for o in options}) == len({o.flag for o in options})


def test_a_recogniser_by_name():
    assert get("pocketsphinx") == PocketSphinx()
    assert get("pocketsphinx", beam=1e-40, without=("a",)) == PocketSphinx(beam=1e-40, without=("a",))
    with pytest.raises(
        InputError, match=r"unknown recogniser 'pocketsphins'\. Did you mean 'pocketsphinx'\? There are: "
    ):
        get("pocketsphins")
    with pytest.raises(InputError, match=r"expected a command such as 'program \{audio\} \{output\}', got ''"):
        get("command")
    with pytest.raises(InputError, match=r"'pocketsphinx' has no option 'bean'\. Did you mean 'beam'\? There are: "):
        get("pocketsphinx", bean=1e-40)


def test_whether_a_recogniser_is_installed():
    assert TABLE["pocketsphinx"].is_installed
    assert not TABLE["pocketsphinx"]._replace(packages=("no_such_package",)).is_installed


def test_the_names_of_the_room():
    assert recognise is run.recognise
    assert Recogniser is run.Recogniser


def test_a_recogniser_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(RecogniserRow, "is_installed", property(lambda row: False))
    with pytest.raises(InputError, match=r"'vosk' is not installed: pip install -e \"\.\[vosk\]\""):
        get("vosk")
