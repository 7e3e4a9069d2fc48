r"""The features that Whisper hears: log-mel spectrograms, as OpenAI's ``whisper/audio.py`` defines them.

Audio at 16,000 samples a second is padded with zeros to 30 seconds. A frame of 400 samples in a periodic Hann window is
taken every 160 samples, centred, the audio reflected at its ends. The powers of its spectrum are summed by triangular
filters that stand evenly on Slaney's mel scale and have area 1 over frequency (librosa's default, from which OpenAI's
filters were made). Of a sum :math:`s` the feature is :math:`(\max(\log_{10} \max(s, 10^{-10}),\ m - 8) + 4) / 4`, where
:math:`m` is the largest logarithm of the window.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from ....errors import InputError

RATE = 16000  # samples per second
SECONDS = 30  # of a window
FRAME, HOP = 400, 160  # samples
FRAMES = SECONDS * RATE // HOP  # of a window


def log_mel(samples: np.ndarray, n_mels: int = 80) -> np.ndarray:
    """The features of a window of at most 30 seconds (16-bit samples, or floats from −1 to 1): mels × 3,000 frames.

    >>> log_mel(np.zeros(16000, np.int16)).shape
    (80, 3000)
    """
    if len(samples) > SECONDS * RATE:
        raise InputError(f"expected at most {SECONDS} s of audio, got {len(samples) / RATE:.1f} s")
    scale = 32768.0 if samples.dtype == np.int16 else 1.0
    window = np.zeros(SECONDS * RATE + FRAME, np.float32)
    window[FRAME // 2 : FRAME // 2 + len(samples)] = samples / scale
    _reflect_ends(window)
    frames = np.lib.stride_tricks.sliding_window_view(window, FRAME)[::HOP][:FRAMES]
    filters, curve = mel_filters(n_mels).astype(np.float32), _hann().astype(np.float32)
    sums = np.empty((n_mels, FRAMES), np.float32)
    sounding = min(-(-(len(samples) + FRAME) // HOP), FRAMES)  # all frames after them are silent
    spectrum = np.fft.rfft(frames[:sounding] * curve, axis=1)
    with threadpool_limits(1, user_api="blas"):  # several threads round otherwise, and other samples would be drawn
        sums[:, :sounding] = filters @ (spectrum.real**2 + spectrum.imag**2).T.astype(np.float32)
    sums[:, sounding:] = 0.0
    logs = np.log10(np.maximum(sums, 1e-10))
    return (np.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0


def _reflect_ends(window: np.ndarray) -> None:
    """Fill half a frame at either end with the mirror image of what follows; the sample at the edge occurs once."""
    half = FRAME // 2
    window[:half] = window[half + 1 : 2 * half + 1][::-1]
    window[-half:] = window[-2 * half - 1 : -half - 1][::-1]


@lru_cache(maxsize=1)
def _hann() -> np.ndarray:
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)


@lru_cache(maxsize=2)
def mel_filters(n_mels: int = 80) -> np.ndarray:
    """The filters: mels × 201 frequencies from 0 to 8,000 Hz.

    >>> mel_filters()[0, 1].round(6)
    np.float64(0.024863)
    """
    frequency = np.linspace(0, RATE / 2, FRAME // 2 + 1)
    corner = _hertz(np.linspace(0.0, _LAST_MEL, n_mels + 2))
    low, peak, high = corner[:-2, None], corner[1:-1, None], corner[2:, None]
    rise, fall = (frequency - low) / (peak - low), (high - frequency) / (high - peak)
    return np.maximum(0.0, np.minimum(rise, fall)) * 2 / (high - low)


# Slaney's scale: linear up to 1,000 Hz (15 mels of 66.7 Hz), logarithmic above, 27 mels for a factor of 6.4
_LINEAR, _STEP = 15.0, np.log(6.4) / 27
_LAST_MEL = _LINEAR + np.log(RATE / 2 / 1000) / _STEP


def _hertz(mel: np.ndarray) -> np.ndarray:
    return np.where(mel < _LINEAR, 200 * mel / 3, 1000 * np.exp(_STEP * (np.maximum(mel, _LINEAR) - _LINEAR)))
