"""Log-mel features against a slow, obvious version, and the filters against published values."""

import math

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from rankine.errors import InputError
from rankine.spoken.recognise.recognisers.mel import FRAMES, log_mel, mel_filters

from ....reference_mel import log_mel_frame, triangle

# (mel, frequency, weight) of the filters that OpenAI and Hugging Face distribute with Whisper
PUBLISHED = [
    (0, 1, 0.02486259490251541),
    (1, 1, 0.001990821911022067),
    (1, 2, 0.022871771827340126),
    (9, 10, 0.006945197004824877),
    (39, 41, 0.011486922390758991),
    (69, 131, 0.00487553421407938),
    (79, 192, 0.0031647116411477327),
    (79, 199, 0.0004487590049393475),
]


def test_filters_are_those_that_are_published():
    filters = mel_filters(80)
    for mel, frequency, weight in PUBLISHED:
        assert math.isclose(filters[mel, frequency], weight, rel_tol=1e-5)
    assert math.isclose(filters.sum(), 1.999024, rel_tol=1e-6)


@pytest.mark.parametrize("n_mels", [80, 128])
def test_filters_are_triangles(n_mels):
    expected = [[triangle(m, 40.0 * k, n_mels) for k in range(201)] for m in range(n_mels)]
    np.testing.assert_allclose(mel_filters(n_mels), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(("n_mels", "length"), [(80, 3000), (128, 3000), (80, 480000), (80, 479950), (80, 1), (80, 0)])
def test_features(n_mels, length):
    rng = np.random.default_rng(0)
    samples = (rng.normal(size=length) * 3000 * np.linspace(0, 1, length)).astype(np.int16)
    features = log_mel(samples, n_mels)
    assert features.shape == (n_mels, FRAMES)
    assert features.dtype == np.float32
    floor = features.max() - 2.0  # 8 / 4
    for frame in (0, 1, 18, 19, 20, 21, FRAMES - 1):
        expected = np.maximum((np.array(log_mel_frame(samples / 32768, frame, n_mels)) + 4) / 4, floor)
        np.testing.assert_allclose(features[:, frame], expected, atol=2e-4)


def test_floats_are_taken_as_they_are():
    samples = (np.random.default_rng(1).normal(size=9000) * 1000).astype(np.int16)
    np.testing.assert_allclose(log_mel((samples / 32768).astype(np.float32)), log_mel(samples), atol=1e-5)


def test_more_than_a_window_is_an_error():
    with pytest.raises(InputError, match=r"at most 30 s of audio, got 30\.1 s"):
        log_mel(np.zeros(481600, np.int16))


def test_threads_of_linear_algebra_change_no_bit():
    """Else what is heard would depend on how many processes hear."""
    samples = np.random.default_rng(0).normal(0, 0.1, 480_000).astype(np.float32)
    told = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            told.append(log_mel(samples).tobytes())
    assert told[0] == told[1]
