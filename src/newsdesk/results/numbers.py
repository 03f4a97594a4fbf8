"""Numbers as readers want them: three digits, one number of decimals per column, intervals and p-values in one form.

Files that programs read (CSV, JSON) keep every digit; only what people read is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

_MOST_PLACES = 6
_LEAST_P = 0.001


def decimals(values: Iterable[float]) -> int:
    """Return how many decimals show three digits of the largest of these values.

    >>> [decimals([value]) for value in (0.3412, 1.0, 2.859, 23.45, 195.5, 0.0067)]
    [3, 3, 2, 1, 0, 5]
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest == 0.0 or 0.1 <= largest <= 1.0:
        return 3  # a share or a correlation, up to 1 itself
    return min(max(2 - math.floor(math.log10(largest)), 0), _MOST_PLACES)


def number_text(value: float, places: int | None = None) -> str:
    """Return a number with a fixed number of decimals; without one, with three digits.

    >>> number_text(195.5), number_text(0.34125), number_text(-0.00001, 3)
    ('196', '0.341', '0.000')
    """
    places = decimals([value]) if places is None else places
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def interval_text(value: float, low: float, high: float, places: int | None = None) -> str:
    """Return a number with the ends of its interval.

    >>> interval_text(0.34125, 0.3, 0.4)
    '0.341 [0.300, 0.400]'
    """
    places = decimals([value, low, high]) if places is None else places
    ends = f"[{number_text(low, places)}, {number_text(high, places)}]"
    return f"{number_text(value, places)} {ends}"


def p_text(p: float) -> str:
    """Return a p-value with its sign: `= 0.012`, or `< 0.001` where it is smaller.

    >>> p_text(0.0123), p_text(0.00002)
    ('= 0.012', '< 0.001')
    """
    return f"< {_LEAST_P}" if p < _LEAST_P else f"= {p:.3f}"
