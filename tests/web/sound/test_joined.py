"""Audio files of different rates and channels as one recording."""

import numpy as np
import pytest
import soundfile

from rankine.web.sound.joined import open_files
from rankine.web.sound.timeline import TimedFile


@pytest.fixture
def files(tmp_path):
    """One second of a tone: with 8,000 samples of one channel, and with 16,000 of two."""
    for name, rate, channels in (("a", 8000, 1), ("b", 16000, 2)):
        tone = 0.5 * np.sin(2 * np.pi * 100 * np.arange(rate) / rate)
        soundfile.write(tmp_path / f"{name}.wav", np.column_stack([tone] * channels), rate, subtype="FLOAT")
    return [TimedFile(name, tmp_path / f"{name}.wav", begin, 1.0) for begin, name in enumerate("ab")]


def test_the_larger_rate_and_all_channels(files):
    with open_files(files) as audio:
        assert (audio.rate, audio.channels, audio.frames) == (16000, 2, 32000)
        whole = np.concatenate(list(audio.blocks()))
        tone = 0.5 * np.sin(2 * np.pi * 100 * np.arange(16000) / 16000)
        np.testing.assert_allclose(whole[:16000, 0], tone, atol=0.02)  # straight lines between samples
        np.testing.assert_allclose(whole[16000:, 1], tone, atol=1e-6)
        for first in (1, 777, 15_999, 16_000, 20_001, 31_999):
            np.testing.assert_array_equal(np.concatenate(list(audio.blocks(first))), whole[first:])
        assert list(audio.blocks(32000)) == []


def test_a_file_that_ends_early_is_silent_to_its_end(files):
    longer = [files[0]._replace(seconds=2.0), files[1]._replace(begin=2.0)]
    with open_files(longer) as audio:
        whole = np.concatenate(list(audio.blocks()))
        assert len(whole) == audio.frames == 48000
        assert not whole[16000:32000].any()
