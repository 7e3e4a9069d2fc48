"""Small media files, made with PyAV."""

import numpy as np


def sweep(seconds, rate):
    """A tone that rises, so that every moment of it sounds different."""
    t = np.arange(int(seconds * rate)) / rate
    return 0.4 * np.sin(2 * np.pi * (200 * t + 150 * t * t)) * (0.6 + 0.4 * np.sin(7 * t))


def clip(path, samples, rate, codec, picture=0.0, start=0.0, tags=None):
    """Write sound with a codec, and so many seconds of a picture; the sound begins at ``start``."""
    import av

    with av.open(str(path), "w") as out:
        out.metadata.update(tags or {})
        sound = out.add_stream(codec, rate=rate, layout="mono", bit_rate=128000) if len(samples) else None
        if picture:
            video = out.add_stream("mpeg4", rate=10)
            video.width = video.height = 32
            for i in range(int(10 * picture)):
                frame = av.VideoFrame.from_ndarray(np.full((32, 32, 3), i % 255, np.uint8), format="rgb24")
                frame.pts = i
                out.mux(video.encode(frame))
            out.mux(video.encode(None))
        if sound is not None:
            data = (samples * 32767).astype(np.int16)[None]
            frame = av.AudioFrame.from_ndarray(data, format="s16", layout="mono")
            frame.rate, frame.pts = rate, int(start * rate)
            out.mux(sound.encode(frame))
            out.mux(sound.encode(None))
    return path


def lag(want, got):
    """By how many samples what was decoded is late."""
    from scipy.signal import correlate

    n = min(len(want), len(got)) - 5000
    products = correlate(got[2000 : n + 3000], want[5000:n], "valid", "fft")
    return int(np.argmax(products)) - 3000
