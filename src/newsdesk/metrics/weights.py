"""Weights in [0, 1] for references, from grades, votes, ranks or any other numbers.

Qin et al. (2018) weigh each reference by its human grade but do not say how a grade of 1 to 5 becomes a weight. `minmax`,
(g - low) / (high - low), is our default, since it uses all of [0, 1] on any scale; `max`, g / high, may be what the authors did;
`itemmax` is g / the best grade of the same item.

`low` and `high` are the ends of the scale, and a value beyond them is refused. An end that is not given is taken from the
values. Where that leaves nothing to divide by (all values equal under `minmax`, all 0 under `max`, all of an item 0 under
`itemmax`), they are as good as each other and every weight is 1. Where low is better, as with ranks, `descending=False` first
turns the scale around: g becomes low + high - g.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of

How = Literal["minmax", "max", "itemmax"]
_TURNED = "-low-is-best"
_SHORT = re.compile(
    rf"(?P<how>{'|'.join(get_args(How))})(?:\[(?P<low>[^,\]]+),(?P<high>[^,\]]+)\])?(?P<turned>{_TURNED})?"
)


@dataclass(frozen=True, slots=True)
class Weighting:
    """A mapping of grades to weights, with a signature.

    >>> five = Weighting("minmax", 1, 5)
    >>> five.signature, five([1, 3, 5]).tolist()
    ('minmax[1,5]', [0.0, 0.5, 1.0])
    """

    how: How = "minmax"
    low: float | None = None
    high: float | None = None
    descending: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        one_of("how", self.how, get_args(How))
        for end in (self.low, self.high):
            if end is not None and not np.isfinite(end):
                raise ArgumentError(f"an end of the scale is {end}, not a finite number")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ArgumentError(f"low {_plain(self.low)} is not below high {_plain(self.high)}")
        if self.how != "minmax" and self.low is not None and self.low < 0:
            raise ArgumentError(f"`{self.how}` needs a scale from 0 up, not {_plain(self.low)}")

    @property
    def signature(self) -> str:
        """The mapping in short; an end taken from the values is a `*`.

        >>> Weighting("max", high=5).signature, Weighting(descending=False).signature
        ('max[*,5]', 'minmax-low-is-best')
        """
        ends = f"[{_plain(self.low)},{_plain(self.high)}]"
        turned = "" if self.descending else _TURNED
        return self.how + ("" if ends == "[*,*]" else ends) + turned

    @classmethod
    def parse(cls, text: str) -> Weighting:
        """Read a mapping in the short form that `signature` has.

        >>> Weighting.parse("minmax[1,5]"), Weighting.parse("max").signature
        (Weighting(how='minmax', low=1.0, high=5.0, descending=True), 'max')
        """
        form = _SHORT.fullmatch(text.strip())
        if form is None:
            raise ArgumentError(
                f"{text!r} is no mapping from values to weights; write minmax, max or itemmax, with the ends of the scale if they are known: minmax[1,5]"
            )
        try:
            low, high = (
                None if end in (None, "*") else float(end) for end in form.group("low", "high")
            )
        except ValueError:
            raise ArgumentError(
                f"{text!r}: an end of the scale is no number; write it as in minmax[1,5]"
            ) from None
        how: How = next(name for name in get_args(How) if name == form["how"])
        return cls(how, low, high, descending=form["turned"] is None)

    def __call__(self, values: ArrayLike, items: ArrayLike | None = None) -> Floats:
        """Return the weight of each value.

        `items` numbers the item that each value belongs to; only `itemmax` needs it.
        """
        grades = _column(values)
        if not len(grades):
            return grades
        if self.how != "minmax":
            _refuse(grades, grades < 0, f"`{self.how}` needs values from 0 up")
        low, high = self._ends(grades)
        if not self.descending:
            grades = low + high - grades
        if self.how == "minmax":
            return _share(grades - low, np.full(len(grades), high - low))
        if self.how == "max":
            return _share(grades, np.full(len(grades), high))
        return _share(grades, _best_of_item(grades, items))

    def _ends(self, grades: Floats) -> tuple[float, float]:
        low = float(grades.min()) if self.low is None else float(self.low)
        high = float(grades.max()) if self.high is None else float(self.high)
        outside = (grades < low) | (grades > high)
        _refuse(grades, outside, f"the scale goes from {_plain(low)} to {_plain(high)}")
        return low, high


def to_weights(
    values: ArrayLike,
    how: How = "minmax",
    low: float | None = None,
    high: float | None = None,
    items: ArrayLike | None = None,
    *,
    descending: bool = True,
) -> Floats:
    """Return weights in [0, 1] for values, as a `Weighting` with the same settings gives them.

    >>> to_weights([1, 2, 3], descending=False).tolist()
    [1.0, 0.5, 0.0]
    >>> to_weights([2, 4, 1], "itemmax", items=[0, 0, 1]).tolist()
    [0.5, 1.0, 1.0]
    """
    return Weighting(how, low, high, descending=descending)(values, items)


def mean_grades(grades: ArrayLike, references: ArrayLike) -> Floats:
    """Return the mean grade of each reference that several people graded.

    `references` numbers from 0 the one each grade is for.

    >>> mean_grades([5, 4, 1], [0, 0, 1]).tolist()
    [4.5, 1.0]
    """
    column = _column(grades)
    numbers = _numbers(references, "reference", len(column))
    counts = np.bincount(numbers)
    if not counts.all():
        raise ArgumentError(f"reference {int(np.argmin(counts))} (counted from 0) has no grade")
    return np.bincount(numbers, weights=column) / counts


def _share(parts: Floats, wholes: Floats) -> Floats:
    """Return parts over wholes, 1 where the whole is 0.

    Clipped, since turning a scale around may round past its end.
    """
    shares = np.divide(parts, wholes, out=np.ones_like(parts), where=wholes > 0)
    return np.clip(shares, 0.0, 1.0)


def _best_of_item(grades: Floats, items: ArrayLike | None) -> Floats:
    """Return for each grade the best grade of the same item."""
    if items is None:
        raise ArgumentError("`itemmax` needs `items`, the number of the item each value belongs to")
    numbers = _numbers(items, "item", len(grades))
    best = np.zeros(int(numbers.max()) + 1)
    np.maximum.at(best, numbers, grades)
    return best[numbers]


def _column(values: ArrayLike) -> Floats:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise ArgumentError(f"values have shape {column.shape}, not one number each")
    _refuse(column, ~np.isfinite(column), "a weight needs a finite number")
    return column


def _numbers(values: ArrayLike, name: str, count: int) -> NDArray[np.int64]:
    """Return `count` whole numbers from 0 up, or raise an error that calls them `name`."""
    numbers = np.asarray(values)
    if numbers.shape != (count,):
        raise ArgumentError(f"{name} numbers have shape {numbers.shape} for {count} values")
    if count and (numbers.dtype.kind not in "iu" or numbers.min() < 0):
        raise ArgumentError(f"{name} numbers must be whole and count from 0")
    return numbers.astype(np.int64)


def _refuse(values: Floats, wrong: NDArray[np.bool_], why: str) -> None:
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(f"value {index} (counted from 0) is {_plain(values[index])}: {why}")


def _plain(number: float | None) -> str:
    return "*" if number is None else repr(float(number)).removesuffix(".0")
