"""The kernel that puts lines of LETOR text together."""

# mypy: allow-untyped-defs

import numpy as np

from ...kernel import kernel


@kernel
def _copy(text, start, stop, out, at):
    for i in range(start, stop):
        out[at] = text[i]
        at += 1
    return at


@kernel
def assemble(head_at, heads, tail_at, tails, columns, ends, value_at, values, out):
    """Lines ``head index:value ... tail``; how many bytes they took."""
    at, cell = 0, 0
    digits = np.empty(20, np.uint8)
    for row in range(len(ends)):
        at = _copy(heads, head_at[row], head_at[row + 1], out, at)
        while cell < ends[row]:
            out[at] = 32
            at += 1
            n, index = 0, columns[cell]
            while index > 0 or n == 0:
                digits[n] = 48 + index % 10
                index //= 10
                n += 1
            for i in range(n - 1, -1, -1):
                out[at] = digits[i]
                at += 1
            out[at] = 58
            at = _copy(values, value_at[cell], value_at[cell + 1], out, at + 1)
            cell += 1
        at = _copy(tails, tail_at[row], tail_at[row + 1], out, at)
        out[at] = 10
        at += 1
    return at
