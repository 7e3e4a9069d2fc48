r"""Exact decimal-to-binary conversion inside numba kernels.

A decimal is first cut into an integer :math:`w` of at most 19 digits and a power :math:`q`, so that it stands for
:math:`w\,10^q`. Where both are small one division of doubles is already correctly rounded (Clinger 1990). Otherwise
the algorithm of Eisel and Lemire (*Number parsing at a gigabyte per second*, 2021) multiplies :math:`w` by a
128-bit approximation of :math:`5^q`; Mushtak and Lemire (2023) proved that for 19 digits it never needs a
fall-back. Digits are read eight at a time as one 64-bit word.

Buffers handed to these kernels must end with ``files.PADDING`` bytes that are not digits.
"""

# mypy: allow-untyped-defs

import math
from decimal import Decimal

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..kernel import kernel

DECIMAL, NOT_A_NUMBER, NOT_FINITE, TOO_MANY_DIGITS = 0, 1, 2, 3

_MIN_POWER, _MAX_POWER = -342, 308
_POWERS_OF_TEN = 10.0 ** np.arange(23)
_INT_POWERS = np.array([10**i for i in range(9)], np.uint64)
_SATURATED = np.uint64(10**17)


def _powers_of_five() -> np.ndarray:
    """128 leading bits of 5^q as (high, low) words, rounded up for q < 0 as the algorithm requires."""
    rows = []
    for q in range(_MIN_POWER, _MAX_POWER + 1):
        if q >= 0:
            c = 5**q
            c = c << (128 - c.bit_length()) if c.bit_length() <= 128 else c >> (c.bit_length() - 128)
        else:
            five = 5**-q
            z = (five - 1).bit_length()
            c = (1 << (z + 127 if q >= -27 else 2 * z + 128)) // five + 1
            c >>= max(c.bit_length() - 128, 0)
        rows.append((c >> 64, c & (2**64 - 1)))
    return np.array(rows, np.uint64)


_FIVES = _powers_of_five()


@intrinsic
def address_of(typingctx, buf):
    """The address of the first byte of an array. Kernels move along text by address: few and cheap arguments."""

    def codegen(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.ptrtoint(array.data, ir.IntType(64))

    return types.int64(buf), codegen


def _load(bits, result):
    @intrinsic
    def load(typingctx, address):
        def codegen(context, builder, signature, args):
            pointer = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
            return builder.load(pointer, align=1)

        return result(types.int64), codegen

    return load


byte = _load(8, types.uint8)
load8 = _load(64, types.uint64)


@intrinsic
def _trailing_zeros(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _leading_zeros(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _multiply_high(typingctx, x, y):
    def codegen(context, builder, signature, args):
        i128 = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], i128), builder.zext(args[1], i128))
        return builder.trunc(builder.lshr(product, ir.Constant(i128, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@kernel(inline="always")
def _eight_digits(t):
    """The number whose digits (0 to 9, first one lowest) are the bytes of ``t``."""
    t = (t * np.uint64(2561)) >> np.uint64(8)
    t = ((t & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601)) >> np.uint64(16)
    return ((t & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001)) >> np.uint64(32)


@kernel
def _digits8(p):
    """The run of decimal digits at ``p``, eight at the most: (value, how many)."""
    t = load8(p) ^ np.uint64(0x3030303030303030)
    other = ((t + np.uint64(0x7676767676767676)) | t) & np.uint64(0x8080808080808080)
    n = _trailing_zeros(other) >> np.uint64(3)
    if n == 0:
        return np.uint64(0), 0
    return _eight_digits(t << ((np.uint64(8) - n) << np.uint64(3))), np.int64(n)


@kernel
def scan_unsigned(p):
    """A run of digits as an integer (saturating at 10^17): (value, position after it)."""
    value, n = _digits8(p)
    p += n
    while n == 8:
        more, n = _digits8(p)
        # before it could overflow: 18446744073709551617 is not 1
        value = value * _INT_POWERS[n] + more if value < _SATURATED // _INT_POWERS[n] else _SATURATED
        p += n
    return np.int64(value), p


@kernel
def _scan_long(p):
    """An unsigned decimal of any length, leading zeros not counted: (status, w, q, position after it)."""
    w, digits, q, point, any_digit = np.uint64(0), 0, 0, False, False
    status = DECIMAL
    while True:
        c = byte(p)
        if c == 46 and not point:
            point = True
        elif 48 <= c <= 57:
            any_digit = True
            if digits < 19:
                w = w * np.uint64(10) + np.uint64(c - 48)
                digits += w > 0
                q -= point
            else:
                status = TOO_MANY_DIGITS if c != 48 else status
                q += not point
        else:
            break
        p += 1
    if not any_digit:
        return NOT_A_NUMBER, w, q, p
    if (byte(p) | 32) == 101:
        e = p + 1
        minus = byte(e) == 45
        e += byte(e) == 45 or byte(e) == 43
        exponent, end = scan_unsigned(e)
        if end == e:
            return NOT_A_NUMBER, w, q, p
        exponent = min(exponent, 10**9)
        q += -exponent if minus else exponent
        p = end
    return status, w, q, p


@kernel
def _is_word(p, a, b, c):
    return (byte(p) | 32) == a and (byte(p + 1) | 32) == b and (byte(p + 2) | 32) == c


@kernel
def scan_decimal(p):
    """Cut the decimal at ``p``: (status, negative, w, q, position after it)."""
    negative = byte(p) == 45
    start = p + (negative or byte(p) == 43)
    status, w, q, end = _scan_long(start)
    if status == NOT_A_NUMBER and (_is_word(start, 110, 97, 110) or _is_word(start, 105, 110, 102)):
        status = NOT_FINITE
    return status, negative, w, q, end


@kernel(inline="always")
def scan_short(p):
    """The common case of :func:`scan_decimal`: up to seven digits on either side of the point and a blank or line
    end behind. (matches, negative, w, digits behind the point, position after it); w is below 2^53."""
    matches, negative, w, k, p = scan_few(p)
    return matches and (byte(p) == 32 or byte(p) == 10), negative, w, k, p


@kernel
def scan_few(p):
    """:func:`scan_short` whatever stands behind the number: there may be an exponent."""
    negative = byte(p) == 45
    p += negative
    w, n = _digits8(p)
    p += n
    k = 0
    if byte(p) == 46:
        fraction, k = _digits8(p + 1)
        w = w * _INT_POWERS[k] + fraction
        p += 1 + k
    return n < 8 and k < 8 and n + k > 0, negative, w, k, p


@kernel(inline="always")
def scan_alike(p, k):
    """A decimal shaped d.ddd with exactly ``k`` (1 to 7) digits behind the point and a blank behind: (matches, w).

    Numbers in a file tend to look alike. Testing for the expected shape makes the next number's place known before
    this one is converted, which :func:`scan_short` cannot: the processor works on several at once.
    """
    first = np.uint64(byte(p)) ^ np.uint64(48)
    t = load8(p + 2) ^ np.uint64(0x3030303030303030)
    other = ((t + np.uint64(0x7676767676767676)) | t) & np.uint64(0x8080808080808080)
    unused = np.uint64(64) - (np.uint64(k) << np.uint64(3))
    matches = byte(p + 1) == 46 and byte(p + 2 + k) == 32 and first <= np.uint64(9) and (other << unused) == 0
    return matches, first * _INT_POWERS[k] + _eight_digits(t << unused)


@kernel
def _eisel_lemire(w, q, mantissa_bits, bias, infinite, even_low, even_high):
    """Bits (without sign) of the binary float nearest to w·10^q, ties to even."""
    if w == 0 or q < _MIN_POWER:
        return np.uint64(0)
    if q > _MAX_POWER:
        return np.uint64(infinite) << np.uint64(mantissa_bits)
    lz = _leading_zeros(w)
    w <<= lz
    five_high, five_low = _FIVES[q - _MIN_POWER, 0], _FIVES[q - _MIN_POWER, 1]
    high, low = _multiply_high(w, five_high), w * five_high
    unsure = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(mantissa_bits + 3)
    if (high & unsure) == unsure:
        second = _multiply_high(w, five_low)
        low += second
        high += np.uint64(second > low)
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(61 - mantissa_bits)
    m = high >> shift
    power = ((217706 * q) >> 16) + 63 + np.int64(upper) - np.int64(lz) + bias
    if power <= 0:
        if 1 - power >= 64:
            return np.uint64(0)
        m >>= np.uint64(1 - power)
        m += m & np.uint64(1)
        return m >> np.uint64(1)
    if low <= 1 and even_low <= q <= even_high and (m & np.uint64(3)) == 1 and (m << shift) == high:
        m &= ~np.uint64(1)
    m += m & np.uint64(1)
    m >>= np.uint64(1)
    hidden = np.uint64(1) << np.uint64(mantissa_bits)
    if m >= hidden << np.uint64(1):
        m = hidden
        power += 1
    if power >= infinite:
        return np.uint64(infinite) << np.uint64(mantissa_bits)
    return (np.uint64(power) << np.uint64(mantissa_bits)) | (m & ~hidden)


@kernel
def _slow_double(w, q):
    return np.uint64(_eisel_lemire(w, q, 52, 1023, 2047, -4, 23)).view(np.float64)


@kernel
def _slow_single(w, q):
    return np.float64(np.uint32(_eisel_lemire(w, q, 23, 127, 255, -17, 10)).view(np.float32))


@kernel
def to_double(negative, w, q):
    """The float64 nearest to ±w·10^q."""
    if w <= np.uint64(1 << 53) and -22 <= q <= 0:
        return short_to_double(negative, w, -q)
    v = _slow_double(w, q)
    return -v if negative else v


@kernel
def to_single(negative, w, q):
    """The float32 nearest to ±w·10^q, as a float64."""
    if w <= np.uint64(1 << 53) and -22 <= q <= 0:
        return short_to_single(negative, w, -q)
    v = _slow_single(w, q)
    return -v if negative else v


@kernel(inline="always")
def short_to_double(negative, w, k):
    """The float64 nearest to ±w/10^k for w ≤ 2^53 and k ≤ 22: one correctly rounded division."""
    v = np.float64(w) / _POWERS_OF_TEN[k]
    return -v if negative else v


@kernel(inline="always")
def short_to_single(negative, w, k):
    """The same in float32. Rounding twice goes wrong only where the double is a midpoint of two float32."""
    v = np.float64(w) / _POWERS_OF_TEN[k]
    if (np.float64(v).view(np.uint64) & np.uint64(0x1FFFFFFF)) == np.uint64(0x10000000):
        v = _slow_single(w, -k)
    v = np.float64(np.float32(v))
    return -v if negative else v


def exact_float(token: str, dtype: np.dtype) -> float:
    """The float of ``dtype`` nearest to the decimal ``token``, which may have any length.

    Python converts to the nearest double. Rounding that once more to float32 goes wrong only where it lies exactly
    between two of them: then the decimal itself, compared with the double, decides.

    >>> exact_float("1.00000005960464477540", np.dtype(np.float32))
    1.0000001192092896
    >>> exact_float("0.1111111111111111111111e-9999999", np.dtype(np.float32))
    0.0
    """
    double = float(token)
    if dtype == np.float64 or not math.isfinite(double):
        return double
    with np.errstate(over="ignore"):
        near = np.float32(double)
        other = np.nextafter(near, np.float32(math.copysign(math.inf, double - float(near))))
    low, high = sorted(_stretched(float(f)) for f in (near, other))
    if double in (low, high) or (low + high) / 2 != double:
        return float(near)
    side = Decimal(token).compare(Decimal(double))  # exact, whatever the precision
    if not side:
        return float(near)
    return _infinite(high if side > 0 else low)


def _stretched(single: float) -> float:
    """A float32 as a double; 2^128, where the next one would be, for an infinite one."""
    return math.copysign(2.0**128, single) if math.isinf(single) else single


def _infinite(double: float) -> float:
    """The inverse of :func:`_stretched`."""
    return math.copysign(math.inf, double) if abs(double) >= 2.0**128 else double
