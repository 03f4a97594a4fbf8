"""Pooled Spearman and Kendall of many bootstrap samples.

**Spearman** is computed anew in every sample. Outputs are sorted once; a sample changes only their weights, so mid-ranks are
cumulative weights, and a product with a sparse matrix adds the other side's ranks. A side with more than 1,024 distinct values is
cut into 1,024 groups of neighbours that share a rank, which changes a coefficient by less than 1e-4; the printed value is exact.

**Kendall's** tau is linearized: the change of the coefficient per item (its influence) is added up over the items drawn. What is left
out is of the order 1/items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Floats, Ints

_GROUPS = 1024
_TABLE = 1 << 22
_AT_ONCE = 32  # samples per product: the tables stay in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class PooledRanks:
    """The outputs of a study sorted once by people and by each metric."""

    item_of: Ints
    human_groups: Ints
    human_weights: Any
    metric_weights: tuple[Any, ...]
    metric_sums: Any
    offsets: Ints

    @classmethod
    def of(cls, item_of: Ints, items: int, human: Floats, metrics: Floats) -> PooledRanks:
        """`human` has a value per output, `metrics` is metrics × outputs, `item_of` the item of each output."""
        outputs = np.arange(len(human))
        by_human = groups_of(human, _GROUPS)
        grouped = [groups_of(metric, _GROUPS) for metric in metrics]
        sizes = np.array([int(each.max()) + 1 for each in grouped])
        return cls(
            item_of,
            by_human,
            _ones(by_human, item_of, int(by_human.max()) + 1, items),
            tuple(_ones(each, item_of, int(each.max()) + 1, items) for each in grouped),
            sparse.vstack(
                [_ones(each, outputs, int(each.max()) + 1, len(human)) for each in grouped],
                format="csr",
            ),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        )

    def spearman(self, counts: Floats) -> Floats:
        """Samples × metrics: Spearman's rho where each item counts so often (samples × items)."""
        parts = [
            self._spearman(np.ascontiguousarray(counts[low : low + _AT_ONCE].T, dtype=np.float32))
            for low in range(0, len(counts), _AT_ONCE)
        ]
        return np.concatenate(parts)

    def _spearman(self, counts: Any) -> Floats:
        ranks, spread = _mid_ranks(self.human_weights @ counts)
        carried = np.take(ranks.astype(np.float32), self.human_groups, axis=0)
        carried *= np.take(counts, self.item_of, axis=0)
        sums = self.metric_sums @ carried
        result = np.empty((counts.shape[1], len(self.metric_weights)))
        for place, weights in enumerate(self.metric_weights):
            own, own_spread = _mid_ranks(weights @ counts)
            low, high = self.offsets[place : place + 2]
            product = (own * sums[low:high]).sum(axis=0)
            with np.errstate(divide="ignore", invalid="ignore"):
                result[:, place] = product / np.sqrt(own_spread * spread)
        return result


def groups_of(values: Floats, most: int) -> Ints:
    """The number of the group of each value, in ascending order; equal values share one, and there are at most `most`."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(sizes) <= most:
        return group.astype(np.int64)
    middle = np.cumsum(sizes) - (sizes + 1) / 2
    coarse = np.floor(middle * most / len(values)).astype(np.int64)
    return np.unique(coarse, return_inverse=True)[1][group].astype(np.int64)


def kendall_influence(item_of: Ints, items: int, human: Floats, metric: Floats) -> Floats:
    """How much each item moves the pooled tau-b per unit of its weight."""
    most = int(_TABLE**0.5)
    x, y = groups_of(metric, most), groups_of(human, most)
    table = np.zeros((int(x.max()) + 2, int(y.max()) + 2))
    np.add.at(table, (x + 1, y + 1), 1.0)
    below = table.cumsum(axis=0).cumsum(axis=1)
    total = float(len(x))
    row, column = below[:, -1], below[-1]
    # Counts of outputs before and up to the value of each output, on either side.
    x0, x1, y0, y1 = row[x], row[x + 1], column[y], column[y + 1]
    both00, both01 = below[x, y], below[x, y + 1]
    both10, both11 = below[x + 1, y], below[x + 1, y + 1]
    concordant = both00 + total - x1 - y1 + both11
    discordant = (x0 - both01) + (y0 - both10)
    agree = concordant - discordant
    untied_x, untied_y = total - (x1 - x0), total - (y1 - y0)
    sums = [agree.sum(), untied_x.sum(), untied_y.sum()]
    if not (sums[1] and sums[2]):
        return np.zeros(items)
    scale = np.sqrt(sums[1] * sums[2])
    tau = sums[0] / scale
    of_output = 2 * agree / scale - tau * (untied_x / sums[1] + untied_y / sums[2])
    return np.bincount(item_of, weights=of_output, minlength=items).astype(np.float64)


def _mid_ranks(weights: Any) -> tuple[Floats, Floats]:
    """Mid-ranks of groups (groups × samples) of these weights less their mean, and the sum of their weighted squares."""
    heavy = weights.astype(np.float64)
    up_to = np.cumsum(heavy, axis=0)
    ranks = up_to - heavy / 2 - up_to[-1] / 2
    return ranks, (heavy * ranks * ranks).sum(axis=0)


def _ones(rows: Ints, columns: Ints, height: int, width: int) -> Any:
    ones = np.ones(len(rows), dtype=np.float32)
    return sparse.csr_array((ones, (rows, columns)), shape=(height, width))
