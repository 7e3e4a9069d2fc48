"""What the spoken half of the demo needs."""

import sys

from rankine.cli.shared.demo import hears_speech
from rankine.errors import InputError

CHOOSE = "rankine.spoken.recognise.recognisers.choice.choose"


def test_the_spoken_half_needs_a_recogniser_and_pronunciations(monkeypatch):
    assert hears_speech()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pocketsphinx", None)
        patch.setattr(CHOOSE, lambda language: None)  # as if only another recogniser were installed
        assert not hears_speech()

    def choose(language):
        raise InputError("no recogniser here")

    monkeypatch.setattr(CHOOSE, choose)
    assert not hears_speech()
