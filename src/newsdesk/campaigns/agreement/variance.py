"""Fleiss' kappa and the intraclass correlations of Shrout and Fleiss (1979), by the names under which reviewers ask for them.

- **Fleiss' kappa** (1971): the mean over items of the share of agreeing pairs, corrected by the shares of all judgments. Every item counts once;
  in `RotatingKappa` every pair does, and with equally many judgments per item the two are the same.
- **ICC(1,1)**: items are judged by annotators of their own; computed from the one-way analysis of variance, with the mean number of judgments of
  unbalanced designs (n0). It is what fits rotating pairs of annotators.
- **ICC(2,1)** and **ICC(3,1)**: all annotators judged the item; agreement in the values, and in their order up to a constant per annotator. Only
  items that all annotators judged count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.agreement.coincidences import array_units, coded, numbers, why_none
from newsdesk.campaigns.agreement.intervals import Measure, Units, alike, product, undefined
from newsdesk.settings import one_of

Form = Literal["1,1", "2,1", "3,1"]
_SAME = 1e-12


@dataclass(frozen=True)
class FleissKappa(Measure):
    """Fleiss' kappa of annotators × items."""

    kind: ClassVar[str] = "Fleiss' kappa"

    def units(self, values: Any) -> Units:
        """Reduce each item of two or more judgments to its agreeing pairs and its counts of labels."""
        codes, labels = coded(values)
        there = codes >= 0
        usable = np.flatnonzero(there.sum(axis=0) > 1)
        if not len(usable):
            return undefined(why_none(there), int(there.any(axis=1).sum()))
        counts = np.stack(
            [(codes[:, usable] == code).sum(axis=0) for code in range(len(labels))], 1
        )
        size = counts.sum(axis=1)
        agreeing = (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
        rows, sorts = alike(np.column_stack([agreeing, np.ones(len(usable)), counts]))

        def value(weights: Floats) -> Floats:
            sums = product(weights, rows)
            observed = sums[:, 0] / np.maximum(sums[:, 1], _SAME)
            shares = sums[:, 2:] / np.maximum(sums[:, 2:].sum(axis=1, keepdims=True), _SAME)
            chance = (shares**2).sum(axis=1)
            return _ratio(observed - chance, 1 - chance)

        return array_units(sorts, value, codes, usable, labels)


@dataclass(frozen=True)
class ICC(Measure):
    """An intraclass correlation of single judgments (annotators × items, numbers): `1,1`, `2,1` or `3,1`."""

    form: Form = "1,1"
    kind: ClassVar[str] = "ICC"

    def __post_init__(self) -> None:
        one_of("form", self.form, get_args(Form))

    @property
    def name(self) -> str:
        """The name of Shrout and Fleiss, such as `ICC(1,1)`."""
        return f"ICC({self.form})"

    def units(self, values: Any) -> Units:
        """Reduce each item to its sums of squares."""
        codes, labels = coded(values)
        there = codes >= 0
        scale = np.append(numbers(labels, "an intraclass correlation"), np.nan)
        judges = np.flatnonzero(there.any(axis=1))
        if self.form == "1,1":
            usable = np.flatnonzero(there.sum(axis=0) > 1)
        else:
            usable = np.flatnonzero(there[judges].all(axis=0) & (len(judges) > 1))
        if not len(usable):
            reason = (
                why_none(there) if self.form == "1,1" else "no item was judged by all annotators"
            )
            return undefined(reason, len(judges))
        table = scale[codes[np.ix_(judges, usable)]].T
        table = table - np.nanmean(table)  # squares of large numbers would lose their last digits
        size = (~np.isnan(table)).sum(axis=1).astype(np.float64)
        total = np.nansum(table, axis=1)
        basic = [
            np.ones(len(size)),
            size,
            size**2,
            total,
            np.nansum(table**2, axis=1),
            total**2 / size,
        ]
        columns = basic if self.form == "1,1" else [*basic, *np.nan_to_num(table).T]
        rows, sorts = alike(np.column_stack(columns))
        formula = _one_way if self.form == "1,1" else self._two_way
        return array_units(sorts, lambda w: formula(product(w, rows)), codes, usable, labels)

    def _two_way(self, sums: Floats) -> Floats:
        n, judgments, _, total, squares, within = sums[:, :6].T
        raters = sums[:, 6:]
        m = raters.shape[1]
        middle = total**2 / np.maximum(judgments, _SAME)
        of_raters = (raters**2).sum(axis=1) / np.maximum(n, _SAME) - middle
        between = (within - middle) / np.maximum(n - 1, _SAME)
        left = squares - within - of_raters
        error = left / np.maximum((n - 1) * (m - 1), _SAME)
        if self.form == "3,1":
            return _ratio(between - error, between + (m - 1) * error)
        bias = m * (of_raters / (m - 1) - error) / np.maximum(n, _SAME)
        return _ratio(between - error, between + (m - 1) * error + bias)


def _one_way(sums: Floats) -> Floats:
    """ICC(1,1) from sums over items: items, judgments, their squares, values, squared values, squared sums per judgment."""
    n, judgments, squared, total, squares, within = sums.T
    between = (within - total**2 / np.maximum(judgments, _SAME)) / np.maximum(n - 1, _SAME)
    error = (squares - within) / np.maximum(judgments - n, _SAME)
    mean_size = (judgments - squared / np.maximum(judgments, _SAME)) / np.maximum(n - 1, _SAME)
    return _ratio(between - error, between + (mean_size - 1) * error)


def _ratio(above: Floats, below: Floats) -> Floats:
    """The quotient, nan where nothing varies."""
    return np.divide(above, below, out=np.full(len(above), np.nan), where=np.abs(below) > _SAME)
