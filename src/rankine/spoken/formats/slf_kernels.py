"""Link lines of SLF, all of one layout of numbers, straight from bytes."""

from ...io.numbers import DECIMAL, address_of, byte, scan_decimal, to_double
from ...kernel import kernel


@kernel
def read_links(text, begin, end, keys, out):
    """Fill ``out`` (lines × keys) from lines ``key=number key=number …``; how many lines, or −1 − the one that differs.

    ``text`` must go on for a few bytes behind ``end``. Empty lines and lines that begin with # are passed over.
    """
    base = address_of(text)
    p, stop, line = base + begin, base + end, 0
    while p < stop:
        while p < stop and (byte(p) == 32 or byte(p) == 9 or byte(p) == 13):
            p += 1
        if p >= stop:
            break
        if byte(p) == 10:
            p += 1
            continue
        if byte(p) == 35:
            while p < stop and byte(p) != 10:
                p += 1
            continue
        if line >= len(out):
            return -1 - line
        for k in range(len(keys)):
            while byte(p) == 32 or byte(p) == 9:
                p += 1
            if byte(p) != keys[k] or byte(p + 1) != 61:
                return -1 - line
            status, negative, w, q, p = scan_decimal(p + 2)
            if status != DECIMAL:
                return -1 - line
            out[line, k] = to_double(negative, w, q)
        while byte(p) == 32 or byte(p) == 9 or byte(p) == 13:
            p += 1
        if p < stop and byte(p) != 10:
            return -1 - line
        line += 1
    return line
