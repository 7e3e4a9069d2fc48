"""Peaks against the samples themselves."""

import os

import numpy as np
import pytest
import soundfile

from rankine.web.answers import ApiError
from rankine.web.sound.peaks import SIZES, PeakCache, read_peaks
from rankine.web.sound.timeline import TimedFile

from ..cases import RATE, write_tone


def one(path):
    """A recording that consists of one file."""
    return [TimedFile(str(path), path)]


@pytest.mark.parametrize(("seconds", "points"), [(3.0, 100), (20.0, 33), (0.01, 2000), (17.3, 20_000)])
def test_least_and_largest_of_each_stretch(tmp_path, seconds, points):
    samples = write_tone(tmp_path / "a.wav", seconds, channels=2) / 32768
    peaks = read_peaks(one(tmp_path / "a.wav"), points)
    n = min(points, len(samples))
    rows = peaks.rows()
    assert (peaks.seconds, len(rows)) == (round(len(samples) / RATE, 3), n)
    stretch = np.arange(len(samples)) * n // len(samples)
    for i in range(n):
        own = samples[stretch == i]
        low, high = rows[i]
        assert abs(low - min(own.min(), 0)) <= 5.1e-4
        assert abs(high - max(own.max(), 0)) <= 5.1e-4


def test_computed_once_while_the_file_is_the_same(tmp_path, monkeypatch):
    path, calls = tmp_path / "a.wav", []
    write_tone(path, 1.0)

    def counted(*arguments):
        calls.append(arguments)
        return read_peaks(*arguments)

    monkeypatch.setattr("rankine.web.sound.peaks.read_peaks", counted)
    cache = PeakCache()
    assert cache.get(one(path), 50) is cache.get(one(path), 50)
    assert len(calls) == 1
    write_tone(path, 2.0)
    os.utime(path, ns=(1, 1))
    assert cache.get(one(path), 50).seconds == 2.0
    assert len(calls) == 2


def test_no_audio(tmp_path):
    with pytest.raises(ApiError) as caught:
        PeakCache().get(one(tmp_path / "none.wav"), 50)
    assert caught.value.status == 404
    (tmp_path / "a.wav").write_bytes(b"no audio at all")
    cache = PeakCache()
    for _ in range(2):
        with pytest.raises(ApiError) as caught:
            cache.get(one(tmp_path / "a.wav"), 50)
        assert caught.value.status == 415
        assert cache._busy == {}  # nothing is kept of what cannot be decoded


def test_a_cut_off_file_has_silence_at_its_end(tmp_path):
    soundfile.write(tmp_path / "a.flac", np.random.default_rng(0).normal(0, 0.1, 400_000), RATE)
    data = (tmp_path / "a.flac").read_bytes()
    (tmp_path / "a.flac").write_bytes(data[: len(data) // 2])
    peaks = read_peaks(one(tmp_path / "a.flac"), 100).rows()
    assert peaks[0] != (0.0, 0.0)
    assert peaks[-1] == (0.0, 0.0)


def test_bytes_that_are_kept_are_bounded(tmp_path):
    """Whatever numbers of points are asked for, few sizes are computed, as arrays, and the oldest are let go."""
    paths = [tmp_path / f"{i}.wav" for i in range(6)]
    for i, path in enumerate(paths):
        write_tone(path, 3.0 + i)
    cache = PeakCache()
    for points in range(10, 20_001, 97):
        cache.get(one(paths[0]), points)
    assert len(cache._kept) <= len(SIZES)
    assert cache.size == sum(peaks.thousandths.nbytes for peaks in cache._kept.values()) <= 4 * sum(SIZES)
    largest = cache.get(one(paths[0]), 20_000).thousandths.nbytes
    assert largest == 4 * 20_000
    small = PeakCache(most=2 * largest)
    for path in paths:
        small.get(one(path), 20_000)
        assert 0 < small.size <= small.most
    assert small.size == sum(peaks.thousandths.nbytes for peaks in small._kept.values()) == 2 * largest
    assert small._busy == {}
