"""What is guaranteed, in words and numbers: one place for `rankine train`, `rankine bound` and the documentation.

The words name exactly the quantity that was proved to be bounded. A number that is an upper bound is rounded up, so
that what is printed is true whenever the bound is.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from ..losses.base import Loss

COUNTED = " (0 for queries whose ranking does not matter)"
JUDGED = " (0 for queries without a relevant document)"
_ROUNDING = 1e-12  # more than the arithmetic of a bound can be off, relatively


def bounded_by(loss: Loss) -> str:
    """What the loss of a query bounds, in words; for every query, also one whose ranking does not matter.

    >>> from rankine.losses import get
    >>> bounded_by(get("svm-p@5:tight"))
    '1 − P@5 / best possible P@5 (0 for queries whose ranking does not matter)'
    """
    return ("the loss itself" if loss.bounded is None else loss.bounded.text) + COUNTED


def misordered(norm: bool) -> str:
    """The 0–1 error of pairs, in words."""
    return ("the share of misordered pairs" if norm else "the number of misordered pairs") + " (the 0–1 error)"


def decimals_up(value: float, places: int = 4) -> str:
    """An upper bound with so many places, rounded up.

    >>> decimals_up(0.12341), decimals_up(-1e-17), decimals_up(1e-9)
    ('0.1235', '0.0000', '0.0001')
    """
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_CEILING) + 0:f}"


def digits_up(value: float, digits: int = 4) -> str:
    """An upper bound with so many digits, rounded up.

    >>> digits_up(0.123412), digits_up(0.25), digits_up(123456.0)
    ('0.1235', '0.25', '1.235e+05')
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value))
    return f"{up.normalize():.{digits}g}" if 1e-4 <= up < 10**digits or up == 0 else f"{float(up):.{digits}g}"


def number_up(log_value: float, certain: bool = False) -> str:
    """An upper bound given by its logarithm, rounded up; as a power of ten where floats end.

    With ``certain`` what the arithmetic may have lost is added first.

    >>> number_up(math.log(0.25)), number_up(math.log(0.25), certain=True), number_up(-math.inf), number_up(1000.0)
    ('0.25', '0.2501', '0', '10^434.3')
    """
    if log_value == -math.inf:
        return "0"
    if certain:
        log_value += _ROUNDING * (1 + abs(log_value))
    if log_value < 700:
        return digits_up(math.exp(log_value))
    return f"10^{decimals_up(log_value / math.log(10) * (1 + _ROUNDING), 1)}"


def probability(delta: float) -> str:
    """1 − δ, never rounded up.

    >>> probability(0.05), probability(1e-9)
    ('0.95', '1 − 1e-09')
    """
    text = f"{1 - delta:g}"
    return text if Fraction(text) <= 1 - Fraction(repr(float(delta))) else f"1 − {float(delta)!r}"
