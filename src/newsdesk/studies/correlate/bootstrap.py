"""Bootstrap samples of correlations: items are drawn with replacement, and every level and coefficient is computed in each sample.

What is a mean over items is computed once per item and averaged under the counts of each sample; pooled Pearson and systems' means
come from resampled sums; pooled Spearman from resampled ranks; pooled Kendall from its linearization (`pooled_ranks`). One draw serves all
metrics, so differences between metrics are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.stats.coefficients import (
    Coefficient,
    Level,
    PooledRanks,
    kendall_influence,
    row_correlations,
)
from newsdesk.stats.resample import exact_columns, resample
from newsdesk.studies.correlate.tables import Aligned

Draws = dict[tuple[Level, Coefficient], Floats]
# From how often each item is drawn (samples × items) to the correlations in each sample (samples × metrics).
Statistic = Callable[[Floats], dict[tuple[Level, Coefficient], Floats]]


def item_counts(items: int, samples: int, seed: int, draw: int = 0) -> Iterator[Floats]:
    """Yield how often each item is drawn: samples × items.

    The samples are the same for all metrics and levels.
    """
    return resample("correlate bootstrap", seed, draw, units=items, samples=samples)


def draw_items(
    study: Aligned,
    per_item: Mapping[Coefficient, Floats],
    pooled: Mapping[Coefficient, Floats],
    *,
    samples: int,
    seed: int,
    draw: int = 0,
) -> Draws:
    """Return samples × metrics of every level and coefficient, over items drawn with replacement.

    `per_item` holds metrics × items, `pooled` the value of each metric over all outputs.
    """
    statistics = [
        _pooled_pearson(study),
        _pooled_spearman(study),
        _pooled_kendall(study, pooled),
        _item_means(per_item),
        _systems(study),
    ]
    drawn: dict[tuple[Level, Coefficient], list[Floats]] = {}
    for counts in item_counts(len(study.items), samples, seed, draw):
        for statistic in statistics:
            for key, values in statistic(counts).items():
                drawn.setdefault(key, []).append(values)
    return {key: np.concatenate(parts) for key, parts in drawn.items()}


def _pooled_pearson(study: Aligned) -> Statistic:
    """Return what computes Pearson over all outputs of a sample, from its sums."""
    present = ~np.isnan(study.human)  # items × systems
    # Centred, so that differences of large sums lose no digits; an absent output counts 0 in every sum.
    human = np.where(present, study.human - study.human[present].mean(), 0.0)
    columns = [present.sum(axis=1).astype(np.float64), human.sum(axis=1), (human**2).sum(axis=1)]
    for metric in study.metrics:
        values = np.where(present, metric - metric[present].mean(), 0.0)
        columns += [values.sum(axis=1), (values**2).sum(axis=1), (values * human).sum(axis=1)]
    exact = exact_columns(np.column_stack(columns), len(study.items))  # items × (3 + 3 · metrics)
    flat = np.array(
        [_is_flat(metric[present]) or _is_flat(human[present]) for metric in study.metrics]
    )

    def statistic(counts: Floats) -> dict[tuple[Level, Coefficient], Floats]:
        # Sums over the items drawn give n, Σy, Σy² and of every metric Σx, Σx², Σxy.
        sums = counts @ exact
        n, y, yy = (sums[:, [column]] for column in range(3))  # samples × 1
        x, xx, xy = (sums[:, column::3] for column in (3, 4, 5))  # samples × metrics
        with np.errstate(divide="ignore", invalid="ignore"):
            values = (n * xy - x * y) / np.sqrt((n * xx - x**2) * (n * yy - y**2))
        values[:, flat] = np.nan
        return {("pooled", "pearson"): np.clip(values, -1, 1)}

    return statistic


def _pooled_spearman(study: Aligned) -> Statistic:
    """Return what computes Spearman over all outputs of a sample, from their ranks in it."""
    items, systems = np.nonzero(~np.isnan(study.human))  # of each output
    ranks = PooledRanks.of(
        items.astype(np.int64),
        len(study.items),
        study.human[items, systems],
        study.metrics[:, items, systems],
    )

    def statistic(counts: Floats) -> dict[tuple[Level, Coefficient], Floats]:
        return {("pooled", "spearman"): ranks.spearman(counts)}

    return statistic


def _pooled_kendall(study: Aligned, pooled: Mapping[Coefficient, Floats]) -> Statistic:
    """Return what computes Kendall's tau-b and tau-c over all outputs of a sample, linearized.

    `pooled` holds the value of each metric over all outputs of the data.
    """
    items, systems = np.nonzero(~np.isnan(study.human))  # of each output
    human = study.human[items, systems]
    influence = np.column_stack(
        [
            kendall_influence(
                items.astype(np.int64), len(study.items), human, metric[items, systems]
            )
            for metric in study.metrics
        ]
    )
    exact = exact_columns(influence, len(study.items))  # items × metrics

    def statistic(counts: Floats) -> dict[tuple[Level, Coefficient], Floats]:
        # A count of 1 leaves an item as it is; the linearized tau moves by what is drawn more or less often.
        moved = (counts - 1.0) @ exact  # samples × metrics
        ratio = np.where(pooled["kendall"] == 0, 1.0, pooled["kendall"])
        return {
            ("pooled", "kendall"): np.clip(pooled["kendall"] + moved, -1, 1),
            # Both taus have the same numerator; tau-c's denominator hardly moves.
            ("pooled", "kendall_c"): np.clip(
                pooled["kendall_c"] + moved * np.abs(pooled["kendall_c"] / ratio), -1, 1
            ),
        }

    return statistic


def _item_means(per_item: Mapping[Coefficient, Floats]) -> Statistic:
    """Return what averages over the items of a sample for which a correlation is defined."""
    stacked = np.concatenate(list(per_item.values()))  # (coefficients · metrics) × items
    defined = ~np.isnan(stacked)
    # Items × (coefficients · metrics).
    exact = exact_columns(np.where(defined, stacked, 0.0).T, stacked.shape[1])
    counted = defined.T.astype(np.float64)  # items × (coefficients · metrics)
    metrics = len(next(iter(per_item.values())))

    def statistic(counts: Floats) -> dict[tuple[Level, Coefficient], Floats]:
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (counts @ exact) / (counts @ counted)
        return {
            ("item", name): means[:, number * metrics : (number + 1) * metrics]
            for number, name in enumerate(per_item)
        }

    return statistic


def _systems(study: Aligned) -> Statistic:
    """Return what correlates the mean scores of systems in a sample."""
    present = ~np.isnan(study.human)  # items × systems
    stacked = np.concatenate([study.human[None], study.metrics])
    # Centred, so that differences of large sums lose no digits.
    centres = np.array([side[present].mean() for side in stacked])[:, None, None]
    filled = np.where(present, stacked - centres, 0.0)  # (1 + metrics) × items × systems
    size, (items, systems) = len(stacked), present.shape
    exact = exact_columns(filled.transpose(1, 0, 2).reshape(items, size * systems), items)
    counted = present.astype(np.float64)
    full = bool(present.all())

    def statistic(counts: Floats) -> dict[tuple[Level, Coefficient], Floats]:
        # Means over the items drawn that a system answered, then a correlation over systems in every sample.
        # Samples × (1 + metrics) × systems.
        sums = (counts @ exact).reshape(len(counts), size, systems)
        answered = counts.sum(axis=1)[:, None, None] if full else (counts @ counted)[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.where(answered > 0, sums / answered, np.nan).round(12)
        values = [row_correlations(means[:, side], means[:, 0]) for side in range(1, size)]
        names = values[0]
        return {
            ("system", name): np.column_stack([value[name] for value in values]) for name in names
        }

    return statistic


def _is_flat(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * max(np.abs(values).max(), 1e-300))


def draw_item_differences(
    per_item: Floats, pairs: Sequence[tuple[int, int]], *, samples: int, seed: int
) -> tuple[Floats, Floats, Ints]:
    """Return the mean difference of each pair of metrics within items, its draws, and how many items.

    `per_item` is metrics × items of correlations, the draws are samples × pairs. Only items for which both correlations are defined count.
    """
    apart = np.stack([per_item[one] - per_item[two] for one, two in pairs], axis=1)  # items × pairs
    defined = ~np.isnan(apart)  # items × pairs
    exact = exact_columns(np.where(defined, apart, 0.0), len(apart))
    counted = defined.astype(np.float64)
    items = defined.sum(axis=0).astype(np.int64)  # pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = [
            (counts @ exact) / (counts @ counted)
            for counts in item_counts(len(apart), samples, seed)
        ]
        means = exact.sum(axis=0) / items
    return means, np.concatenate(draws), items
