"""Decimals become the nearest binary floats."""

import subprocess
import sys
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numba import njit

from rankine.io.number_kernels import (
    DECIMAL,
    address_of,
    exact_float,
    scan_decimal,
    scan_unsigned,
    to_double,
    to_single,
)

from ..folders import TESTS


@njit
def convert(buf, starts, single, values, statuses):
    for i in range(len(starts)):
        status, negative, w, q, _ = scan_decimal(address_of(buf) + starts[i])
        statuses[i] = status
        values[i] = to_single(negative, w, q) if single else to_double(negative, w, q)


def converted(tokens, single):
    text = "\n".join([*tokens, ""]).encode()
    starts = np.cumsum([0, *(len(t) + 1 for t in tokens[:-1])])
    values, statuses = np.empty(len(tokens)), np.empty(len(tokens), np.int64)
    convert(np.frombuffer(text + bytes(8), np.uint8).copy(), starts, single, values, statuses)
    return values, statuses


def random_decimals(rng, n):
    yield from ("0", "-0", "0.0", "1", "1e0", "9007199254740993", "1e23", "8.5e22", "5e-324", "2.2250738585072014e-308")
    yield from (
        "1.7976931348623157e308",
        "4.9406564584124654e-324",
        "0.000000000000000000000000000001",
        "100000000000000000000",
    )
    for i in range(n):
        a, b = rng.integers(0, 10**18, 2).tolist()
        yield (
            repr(rng.random()),
            repr(np.uint64(rng.integers(0, 2**63)).view(np.float64).item()).replace("nan", "1").replace("inf", "2"),
            str(np.float32(rng.standard_normal())),
            f"{a}e{rng.integers(-345, 300)}",
            f"-{a % 10**9}.{b % 10**9}",
            f"{(2 * (a % 2**23) + 1) * 2.0 ** int(rng.integers(-30, 5))!r}",
        )[i % 6]


CONTEXT = Context(prec=400)


def test_doubles_are_correctly_rounded():
    tokens = list(random_decimals(np.random.default_rng(0), 60_000))
    values, statuses = converted(tokens, single=False)
    assert (statuses == DECIMAL).all()
    assert values.tolist() == [float(t) for t in tokens]


def test_singles_are_correctly_rounded():
    rng = np.random.default_rng(1)
    tokens = [t for t in random_decimals(rng, 8_000) if abs(float(t)) < 3.4e38]
    midpoints = [repr((1 + (2 * k + 1) * 2.0**-24) * 2.0**e) for k, e in rng.integers(0, 99, (300, 2)).tolist()]
    nudged = [f"{m}{z}1" for m in midpoints for z in ("", "000")]
    tokens += midpoints + [t for t in nudged if sum(c.isdigit() for c in t) <= 19 and "e" not in t]
    values, statuses = converted(tokens, single=True)
    assert (statuses == DECIMAL).all()
    assert values.tolist() == [exact_float(t, np.dtype(np.float32)) for t in tokens]


def test_a_long_number_is_the_nearest_single_whatever_its_exponent():
    single = np.dtype(np.float32)
    rng = np.random.default_rng(0)
    for bits in rng.integers(0, 0x7F7FFFFF, 500).tolist():
        low, high = (Fraction(float(np.uint32(b).view(np.float32))) for b in (bits, bits + 1))
        middle = Decimal(float((low + high) / 2))  # a double holds the midpoint of two singles
        for step, nearest in ((-1, low), (0, low if bits % 2 == 0 else high), (1, high)):
            token = format(middle, "f")
            token = token if "." in token else token + "."
            digits = token + "0" * 60 + ("1" if step > 0 else "0")
            if step < 0:
                digits = format(Decimal(token).next_minus(CONTEXT), "f")
            assert exact_float(digits, single) == float(nearest)
            assert exact_float("-" + digits, single) == -float(nearest)
    assert exact_float("0.1111111111111111111111e-9999999", single) == 0.0
    assert exact_float("0.1111111111111111111111e+9999999", single) == np.inf
    assert exact_float("1" * 10_000 + "e-10000", single) == float(np.float32(1 / 9))
    edge = 2**128 - 2**103  # above it a single is infinite
    assert exact_float(f"{edge}.{'0' * 30}", single) == np.inf
    assert exact_float(f"{edge - 1}.{'9' * 30}", single) == float(np.finfo(np.float32).max)


@njit
def whole(buf):
    value, after = scan_unsigned(address_of(buf))
    return value, after - address_of(buf)


def test_whole_numbers_saturate_and_do_not_overflow():
    """2^64 + 1 is not 1, whatever a word of 64 bits makes of it."""
    rng = np.random.default_rng(2)
    tokens = [str(2**64 + i) for i in (-1, 0, 1, 100)] + [str(10**k + i) for k in range(25) for i in (-1, 0, 1)]
    tokens += ["".join(map(str, rng.integers(0, 10, n))) for n in rng.integers(1, 60, 3000)]
    for token in tokens:
        text = np.frombuffer(token.encode() + b" " * 8, np.uint8)
        assert whole(text) == (min(int(token), 10**17), len(token))


def test_huge_exponents_take_no_time():
    tokens = ["1e18446744073709551617", "1e-18446744073709551617", "0e99999999999999999999", f"0.{'0' * 5000}1e5001"]
    values, statuses = converted(tokens, single=False)
    assert (statuses == DECIMAL).all()
    assert values.tolist() == [np.inf, 0.0, 0.0, 1.0]


def test_text_is_read_no_further_than_its_padding():
    """Every beginning of a few lines, right before a page that cannot be read."""
    program = TESTS / "guarded_text.py"
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "read\n"), run.stderr
