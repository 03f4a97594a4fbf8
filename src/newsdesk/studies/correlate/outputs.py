"""Look at single outputs: pairs that a metric orders as people do, what two metrics disagree on, points, one whole item.

**Pairs of outputs** of one item: people say better, worse or equal, and a metric says equal where its two scores differ by at most ε. Metrics
hardly ever give equal scores, so ε is calibrated: the threshold with the highest accuracy (Deutsch et al. 2023). It is chosen on one
half of the items and applied to the other, and the other way round, so the accuracy is not that of its own choice. With ε = 0
the figure is the plain one: share of pairs with the same order.

**Close pairs of systems** (Deutsch et al. 2022): correlations over systems of very different quality are easy. Kendall's tau over those pairs of
systems that the metric puts nearest to each other shows what a small improvement of the metric is worth.

**Examples.** Metrics are put on the human scale (Lowe et al. 2017; Qin et al. 2018, Tables 2 and 3): the mean and the standard deviation of the human
scores, clipped to the ends of the scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints
from newsdesk.metrics.systems import System, pairs
from newsdesk.results.correlations import Disagreement, ScoredText, WholeItem
from newsdesk.results.metric_tests import CloseSystems, PairOrder
from newsdesk.stats.coefficients import system_means
from newsdesk.stats.intervals import ends
from newsdesk.stats.resample import exact_columns
from newsdesk.streams import stream
from newsdesk.studies.correlate.bootstrap import item_counts
from newsdesk.studies.correlate.tables import Aligned

_NOISE = 0.05  # added to human scores in scatter plots, as in Figure 1 of Qin et al. (2018)
_POINTS = 2_000
_MOST_STEPS = (
    25  # distinct scores that hide each other: means of two judges on a scale from 1 to 5 have 9
)


def normalized(metric: Floats, human: Floats, scale: tuple[float, float] = (1.0, 5.0)) -> Floats:
    """Return a metric with the mean and standard deviation of the human scores, clipped to the scale.

    Nan stays nan.

    >>> normalized(np.array([0.0, 0.5, 1.0]), np.array([2.0, 3.0, 4.0])).tolist()
    [2.0, 3.0, 4.0]
    """
    spread = float(np.nanstd(metric))
    centre, width = float(np.nanmean(human)), float(np.nanstd(human))
    if spread <= 1e-12:
        return np.where(np.isnan(metric), np.nan, centre)
    return np.clip(centre + (metric - np.nanmean(metric)) / spread * width, *scale)


def scale_of(human: Floats) -> tuple[float, float]:
    """Return the ends of the human scale: 1 to 5 where scores lie in it, else their smallest and largest."""
    low, high = float(np.nanmin(human)), float(np.nanmax(human))
    return (1.0, 5.0) if low >= 1 and 1.5 < high <= 5 else (low, high)


def compared_metrics(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of metrics whose disagreements are worth reading, else the first two metrics."""
    wanted = [("bleu-1", "meteor"), ("meteor", "w-meteor")]
    chosen = [pair for pair in wanted if set(pair) <= set(names)]
    if not chosen:
        chosen = [(plain, weighted) for weighted, plain in pairs(names)][:1]
    return chosen or [(names[0], names[1])] if len(names) > 1 else []


def disagreements(
    study: Aligned, first: str, second: str, texts: Mapping[tuple[str, str], str], count: int = 4
) -> list[Disagreement]:
    """Return outputs with the largest difference of two normalized metrics, half in each direction.

    `texts` is by (item, system).
    """
    scale = scale_of(study.human)
    ours, theirs = study.metrics[study.place(first)], study.metrics[study.place(second)]
    one, two = (normalized(metric, study.human, scale) for metric in (ours, theirs))
    gaps = np.round(one - two, 9)  # items × systems
    order = np.argsort(-np.nan_to_num(gaps).ravel(), kind="stable")
    chosen = [*order[: count // 2].tolist(), *order[::-1][: count // 2].tolist()]
    rows = []
    for cell in chosen:
        row, column = divmod(cell, gaps.shape[1])
        if np.isnan(gaps[row, column]) or gaps[row, column] == 0:
            continue
        item, system = study.items[row], study.systems[column]
        rows.append(
            Disagreement(
                question=study.question,
                item=item,
                system=system,
                text=texts.get((item, system), ""),
                human=float(study.human[row, column]),
                first=first,
                first_value=float(ours[row, column]),
                first_normalized=float(one[row, column]),
                second=second,
                second_value=float(theirs[row, column]),
                second_normalized=float(two[row, column]),
            )
        )
    return rows


def scatter_noise(study: Aligned) -> float:
    """Return the standard deviation of the noise on human scores in scatter plots.

    It is .05 on a scale from 1 to 5 where scores come in few steps, else 0.
    """
    used = study.human[~np.isnan(study.human)]
    low, high = scale_of(study.human)
    return _NOISE * (high - low) / 4 if len(np.unique(used)) <= _MOST_STEPS else 0.0


def scatter_points(study: Aligned, name: str, seed: int) -> list[tuple[float, float]]:
    """Return points: human score, noisy where scores come in few steps, and scaled metric.

    At most 2,000 outputs, drawn at random.
    """
    values = normalized(study.metrics[study.place(name)], study.human, scale_of(study.human))
    used = np.flatnonzero(~np.isnan(study.human))
    rng = stream("correlate scatter", seed)
    if len(used) > _POINTS:
        used = np.sort(rng.permutation(used)[:_POINTS])
    people = study.human.ravel()[used] + rng.normal(0, scatter_noise(study), len(used))
    return list(zip(people.round(4).tolist(), values.ravel()[used].round(4).tolist(), strict=True))


def shown_metrics(names: Sequence[str], values: Sequence[float]) -> list[str]:
    """Return three metrics to plot: those of Figure 1 that were studied, then those of highest value.

    >>> shown_metrics(["rouge-1", "meteor", "cider", "chrf"], [0.5, 0.4, 0.2, 0.6])
    ['meteor', 'chrf', 'rouge-1']
    """
    figure = [name for name in ("bleu-1", "meteor", "w-meteor") if name in names]
    best = np.argsort(-np.nan_to_num(np.array(values), nan=-2.0), kind="stable").tolist()
    return [*figure, *(names[index] for index in best if names[index] not in figure)][:3]


def texts_of(systems: Sequence[System]) -> dict[tuple[str, str], str]:
    """Return the text of every output by (item, system)."""
    return {
        (item, system.name): text if isinstance(text, str) else " ".join(text)
        for system in systems
        for item, text in zip(system.ids, system.batch.candidates, strict=True)
    }


def instance(study: Aligned, systems: Sequence[System]) -> WholeItem | None:
    """Return the item whose references differ most in weight, the first of equals, with all its texts.

    None without texts.
    """
    if not systems:
        return None
    batch, ids = systems[0].batch, systems[0].ids
    judged = [index for index, item in enumerate(ids) if item in study.items]
    if not judged:
        return None

    def spread(index: int) -> float:
        low, high = batch.reference_offsets[index : index + 2].tolist()
        return round(float(np.ptp(batch.weights[low:high])) if high > low else 0.0, 9)

    chosen = max(judged, key=lambda index: (spread(index), -index))
    low, high = batch.reference_offsets[chosen : chosen + 2].tolist()
    item, row = ids[chosen], study.items.index(ids[chosen])
    references = [
        ScoredText("reference", text if isinstance(text, str) else " ".join(text), weight)
        for text, weight in zip(
            batch.references[low:high], batch.weights[low:high].tolist(), strict=True
        )
    ]
    texts = texts_of(systems)
    outputs = [
        ScoredText(name, texts[item, name], float(study.human[row, column]))
        for column, name in enumerate(study.systems)
        if (item, name) in texts and not np.isnan(study.human[row, column])
    ]
    return WholeItem(item, tuple(references), tuple(outputs))


CLOSE = (0.25, 0.5, 1.0)  # shares of the pairs of systems


def pair_accuracies(study: Aligned, *, samples: int, seed: int) -> list[PairOrder]:
    """Return the accuracy of every metric on pairs of outputs of one item.

    None where no item has two outputs.
    """
    first, second = np.triu_indices(len(study.systems), 1)
    people = study.human[:, first] - study.human[:, second]  # items × pairs of systems
    if not len(first) or np.isnan(people).all():
        return []
    halves = stream("correlate calibration", seed).permutation(len(people)) % 2 == 0
    differences = [metric[:, first] - metric[:, second] for metric in study.metrics]
    plain = np.column_stack([_hits(people, metric, 0.0) for metric in differences])
    tuned = np.column_stack([_calibrated(people, metric, halves) for metric in differences])
    hits = np.column_stack([plain, tuned])  # items × (2 · metrics): pairs that a metric gets right
    total = (~np.isnan(people)).sum(axis=1).astype(np.float64)
    draws = _ratios(hits, total, samples, seed)  # samples × (2 · metrics)
    units, metrics = len(study.items), len(study.names)
    return [
        PairOrder(
            metric=name,
            human=study.question,
            accuracy=float(plain[:, index].sum() / total.sum()),
            ci=ends(draws[:, index], "widened", units=units),
            calibrated=float(tuned[:, index].sum() / total.sum()),
            calibrated_ci=ends(draws[:, metrics + index], "widened", units=units),
            epsilon=best_epsilon(people, differences[index]),
            ties=float(np.nansum(people == 0) / total.sum()),
            n=int(total.sum()),
        )
        for index, name in enumerate(study.names)
    ]


def _calibrated(people: Floats, metric: Floats, halves: Bools) -> Floats:
    """Return how many pairs of each item a metric gets right by the threshold of the other half.

    Differences are items × pairs of systems; `halves` marks the items of the first half.
    """
    hits = np.empty(len(people))
    for half in (halves, ~halves):
        source = ~half if (~half).any() else half
        epsilon = best_epsilon(people[source], metric[source])
        hits[half] = _hits(people[half], metric[half], epsilon)
    return hits


def _hits(people: Floats, metric: Floats, epsilon: float) -> Floats:
    """Return how many pairs of each item a metric orders as people do; up to `epsilon` it says equal."""
    with np.errstate(invalid="ignore"):
        order = np.where(np.abs(metric) <= epsilon, 0.0, np.sign(metric))
        return (np.sign(people) == order).sum(axis=1).astype(np.float64)


def best_epsilon(people: Floats, metric: Floats) -> float:
    """Return the threshold below which a metric's difference is a tie that agrees best with people.

    The smallest of equals.

    >>> best_epsilon(np.array([[0.0, 1.0, 0.0]]), np.array([[0.1, 0.5, -0.2]]))
    0.2
    """
    used = ~np.isnan(people) & ~np.isnan(metric)  # items × pairs of systems; flat from here on
    truth, apart = np.sign(people[used]), metric[used]
    size = np.abs(apart)
    order = np.argsort(size, kind="stable")
    # Moving the threshold past a pair makes it a tie: right if people tie, and no longer right if the order was.
    change = (truth == 0).astype(np.float64) - ((truth == np.sign(apart)) & (truth != 0))
    steps = np.cumsum(np.where(size[order] > 0, change[order], 0.0))
    last = np.append(np.diff(size[order]) > 0, True)  # equal differences change sides together
    totals = np.where(last, steps, -np.inf)
    best = int(np.argmax(totals)) if len(totals) else 0
    return float(size[order][best]) if len(totals) and totals[best] > 0 else 0.0


def close_pairs(study: Aligned, *, samples: int, seed: int) -> list[CloseSystems]:
    """Return Kendall's tau of every metric over its nearest system pairs; none below four systems."""
    if len(study.systems) < 4:
        return []
    people, means = system_means(study.human), system_means(study.metrics)
    first, second = np.triu_indices(len(people), 1)
    result: list[CloseSystems] = []
    drawn = _drawn_means(study, samples, seed)
    for index, name in enumerate(study.names):
        apart = np.abs(means[index, first] - means[index, second])
        for share in CLOSE:
            chosen = np.argsort(apart, kind="stable")[: max(3, round(share * len(apart)))]
            pair = first[chosen], second[chosen]
            draws = np.concatenate(
                [_tau(chunk[:, 0], chunk[:, index + 1], *pair) for chunk in drawn]
            )
            result.append(
                CloseSystems(
                    metric=name,
                    human=study.question,
                    share=share,
                    tau=float(_tau(people[None], means[index][None], *pair)[0]),
                    ci=ends(draws, "widened", units=len(study.items)),
                    apart=float(apart[chosen].max()),
                    n=len(chosen),
                )
            )
    return result


def _tau(people: Floats, metric: Floats, first: Ints, second: Ints) -> Floats:
    """Return Kendall's tau-b over chosen pairs for each sample; means are samples × systems."""
    # Samples × pairs: which of the two is better, by people and by the metric.
    by_people = np.sign(np.round(people[:, first] - people[:, second], 12))
    by_metric = np.sign(np.round(metric[:, first] - metric[:, second], 12))
    untied = np.sqrt((by_people != 0).sum(axis=1) * (by_metric != 0).sum(axis=1))
    return (by_people * by_metric).sum(axis=1) / np.maximum(untied, 1)


def _drawn_means(study: Aligned, samples: int, seed: int) -> list[Floats]:
    """Return resampled means in chunks of samples × (1 + metrics) × systems, people first."""
    present = ~np.isnan(study.human)
    stacked = np.concatenate([study.human[None], study.metrics])  # (1 + metrics) × items × systems
    items, systems = present.shape
    filled = np.where(present, stacked, 0.0).transpose(1, 0, 2).reshape(items, -1)
    exact, counted = exact_columns(filled, items), present.astype(np.float64)
    chunks = []
    for counts in item_counts(items, samples, seed):
        sums = (counts @ exact).reshape(len(counts), len(stacked), systems)
        chunks.append(sums / np.maximum(counts @ counted, 1)[:, None, :])
    return chunks


def _ratios(hits: Floats, total: Floats, samples: int, seed: int) -> Floats:
    """Return the share of hits in each sample of items, samples × columns of `hits`.

    `total` is how many pairs of each item could be hit.
    """
    # Sums of the columns are made exact, so that no order in which BLAS adds, hence no number of threads, changes a share.
    exact = exact_columns(hits, len(hits))  # items × columns
    # Counts come in batches of bootstrap samples: how often each item is drawn, samples × items.
    parts = [
        (counts @ exact) / np.maximum(counts @ total, 1)[:, None]
        for counts in item_counts(len(hits), samples, seed)
    ]
    return np.concatenate(parts)
