"""States and arcs of Kaldi's binary lattices straight from bytes."""

# mypy: allow-untyped-defs

import numpy as np

from .....io.number_kernels import address_of, byte
from .....kernel import kernel


@kernel
def _int32(p):
    x = np.int64(byte(p)) | np.int64(byte(p + 1)) << 8 | np.int64(byte(p + 2)) << 16 | np.int64(byte(p + 3)) << 24
    return x - ((x >> 31) << 32)


@kernel
def read_states(data, begin, end, n_states, compact, ints, floats, finals, final_weights):
    """Fill arcs (source, target, input, output label, frames; graph, acoustic cost) and final states (state, frames).

    (arcs, final states, position after the lattice); arrays must be long enough; with empty arrays it only counts.
    The position is −1 where the bytes end too soon and −2 − p where what stands at p is not a length.
    """
    base = address_of(data)
    p, stop = base + begin, base + end
    n_arcs = n_finals = 0
    real = np.empty(8, np.uint8)
    weight = real.view(np.float32)
    fills = len(ints) > 0
    for state in range(n_states):
        left = -1  # the final weight comes first
        while left != 0:
            is_arc = left > 0
            if p + (16 if is_arc else 8) > stop:
                return n_arcs, n_finals, -1
            label_in = label_out = 0
            if is_arc:
                label_in, label_out = _int32(p), _int32(p + 4)
                p += 8
            for i in range(8):
                real[i] = byte(p + i)
            p += 8
            frames = 0
            if compact:
                if p + 4 > stop:
                    return n_arcs, n_finals, -1
                frames = _int32(p)
                if frames < 0 or frames > 10_000_000:
                    return n_arcs, n_finals, -2 - (p - base)
                p += 4 + 4 * frames
            if is_arc:
                if p + 4 > stop:
                    return n_arcs, n_finals, -1
                if fills:
                    ints[n_arcs, 0], ints[n_arcs, 1] = state, _int32(p)
                    ints[n_arcs, 2], ints[n_arcs, 3] = label_in, label_out
                    ints[n_arcs, 4] = frames if compact else (1 if label_in != 0 else 0)
                    floats[n_arcs, 0], floats[n_arcs, 1] = weight[0], weight[1]
                p += 4
                n_arcs += 1
                left -= 1
            else:
                if np.isnan(weight[0]) or np.isnan(weight[1]):
                    return n_arcs, n_finals, -2 - (p - base)
                if np.isfinite(weight[0]) and np.isfinite(weight[1]):
                    if fills:
                        finals[n_finals, 0], finals[n_finals, 1] = state, frames
                        final_weights[n_finals, 0], final_weights[n_finals, 1] = weight[0], weight[1]
                    n_finals += 1
                if p + 8 > stop:
                    return n_arcs, n_finals, -1
                left = _int32(p)
                if left < 0 or _int32(p + 4) != 0:
                    return n_arcs, n_finals, -2 - (p - base)
                p += 8
    return n_arcs, n_finals, p - base


@kernel
def state_times(n, source, target, frames, has_word, times, next_word):
    """Frames before each state (all paths to it have as many in Kaldi's lattices), and before the next word after it.

    Arcs must be sorted by source in a topological order.
    """
    times[:] = 0.0
    for a in range(len(source)):
        times[target[a]] = max(times[target[a]], times[source[a]] + frames[a])
    next_word[:] = np.inf
    next_word[n - 1] = times[n - 1]
    for a in range(len(source) - 1, -1, -1):
        after = times[source[a]] if has_word[a] else next_word[target[a]]
        next_word[source[a]] = min(next_word[source[a]], after)
