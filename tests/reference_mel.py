"""Slow, obvious log-mel features of Whisper: sums over samples and frequencies, one at a time."""

import cmath
import math

RATE, WINDOW, FRAME, HOP = 16000, 480000, 400, 160


def hertz(mel):
    """Slaney's scale: 200/3 Hz a mel below 1,000 Hz, then a factor of 6.4 for every 27 mels."""
    return 200 * mel / 3 if mel < 15 else 1000 * 6.4 ** ((mel - 15) / 27)


def mels(frequency):
    return 3 * frequency / 200 if frequency < 1000 else 15 + 27 * math.log(frequency / 1000) / math.log(6.4)


def triangle(m, frequency, n_mels):
    """The weight of a frequency in filter m: a triangle of area 1 between the peaks of its neighbours."""
    low, peak, high = (hertz(mels(RATE / 2) * (m + i) / (n_mels + 1)) for i in range(3))
    if not low < frequency < high:
        return 0.0
    height = 2 / (high - low)
    return height * ((frequency - low) / (peak - low) if frequency <= peak else (high - frequency) / (high - peak))


def sample(samples, at):
    """A sample of the window that is padded with zeros, and reflected at its ends."""
    at = -at if at < 0 else at
    at = 2 * (WINDOW - 1) - at if at >= WINDOW else at
    return float(samples[at]) if at < len(samples) else 0.0


def log_mel_frame(samples, frame, n_mels):
    """log10 of the mel sums of one frame, at least −10."""
    taken = [
        sample(samples, frame * HOP - FRAME // 2 + i) * (0.5 - 0.5 * math.cos(2 * math.pi * i / FRAME))
        for i in range(FRAME)
    ]
    power = [
        abs(sum(x * cmath.exp(-2j * math.pi * k * i / FRAME) for i, x in enumerate(taken) if x)) ** 2
        for k in range(FRAME // 2 + 1)
    ]
    return [
        math.log10(max(sum(triangle(m, k * RATE / FRAME, n_mels) * p for k, p in enumerate(power)), 1e-10))
        for m in range(n_mels)
    ]
