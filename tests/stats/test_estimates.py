"""Correlations at three levels equal SciPy's, with ties and missing outputs; resampled ones equal SciPy's on the repeated items."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from newsdesk.arrays import Floats
from newsdesk.stats.coefficients import (
    COEFFICIENTS,
    flat_correlations,
    groups_of,
    kendall_influence,
    row_correlations,
)
from newsdesk.stats.resample import exact_columns
from newsdesk.stats.significance import williams
from newsdesk.studies.correlate.bootstrap import draw_items, item_counts
from newsdesk.studies.correlate.study import CorrelateSettings, study_question
from newsdesk.studies.correlate.tables import Aligned, HumanScores, MetricScores, align


def tables(
    items: int = 40, systems: int = 7, missing: float = 0.1, seed: int = 1
) -> tuple[HumanScores, list[MetricScores]]:
    """Human grades with many ties, a metric with ties, one without, some outputs missing."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(items, systems)) + rng.normal(size=systems)
    keys = [(f"i{i}", f"s{s}") for i in range(items) for s in range(systems)]
    human = np.clip(np.rint(3 + quality), 1, 5).ravel()
    coarse = np.round(quality + rng.normal(size=quality.shape)).ravel()
    fine = (quality + 2 * rng.normal(size=quality.shape)).ravel()
    used = rng.random(len(keys)) >= missing
    judged = {key: (float(v),) for key, v, use in zip(keys, human, used, strict=True) if use}
    metrics = [
        MetricScores("coarse", dict(zip(keys, coarse.tolist(), strict=True)), "coarse"),
        MetricScores("fine", dict(zip(keys, fine.tolist(), strict=True)), "fine"),
    ]
    return HumanScores("grade", judged), metrics


def scipy_correlations(x: Floats, y: Floats) -> dict[str, float]:
    return {
        "pearson": stats.pearsonr(x, y).statistic,
        "spearman": stats.spearmanr(x, y).statistic,
        "kendall": stats.kendalltau(x, y).statistic,
        "kendall_c": stats.kendalltau(x, y, variant="c").statistic,
    }


def test_every_level_equals_scipy_with_ties_and_missing_outputs() -> None:
    human, metrics = tables()
    part = study_question(human, metrics, CorrelateSettings(samples=100))
    study = part.study
    for place in range(2):
        used = ~np.isnan(study.human)
        pooled = scipy_correlations(study.metrics[place][used], study.human[used])
        rows = [
            scipy_correlations(study.metrics[place, row][used[row]], study.human[row][used[row]])
            for row in range(len(study.items))
            if np.ptp(study.metrics[place, row][used[row]]) and np.ptp(study.human[row][used[row]])
        ]
        means = np.where(used, study.metrics[place], np.nan), study.human  # items × systems
        over = scipy_correlations(*(np.nanmean(side, axis=0) for side in means))
        for name in COEFFICIENTS:
            estimates = [
                part.estimates[level, name][place] for level in ("pooled", "item", "system")
            ]
            assert estimates[0].value == pytest.approx(pooled[name], abs=1e-12)
            assert estimates[1].value == pytest.approx(
                np.mean([row[name] for row in rows]), abs=1e-12
            )
            assert estimates[1].n == len(rows)
            tested = stats.ttest_1samp([row[name] for row in rows], 0)
            assert estimates[1].p == pytest.approx(tested.pvalue, rel=1e-9)
            assert estimates[2].value == pytest.approx(over[name], abs=1e-12)


def test_a_bootstrap_sample_equals_scipy_on_the_items_drawn() -> None:
    human, metrics = tables(missing=0.0)
    part = study_question(human, metrics, CorrelateSettings(samples=100))
    study = part.study
    counts = next(item_counts(len(study.items), 100, 0))
    for sample in (0, 57):
        drawn = np.repeat(np.arange(len(study.items)), counts[sample].astype(int))
        for place in range(2):
            x, y = study.metrics[place][drawn], study.human[drawn]
            pooled = scipy_correlations(x.ravel(), y.ravel())
            over = scipy_correlations(x.mean(axis=0).round(12), y.mean(axis=0).round(12))
            rows = row_correlations(x, y)
            for name in COEFFICIENTS:
                got = {
                    level: part.draws[level, name][sample, place]
                    for level in ("pooled", "item", "system")
                }
                assert got["item"] == pytest.approx(np.nanmean(rows[name]), abs=1e-9)
                assert got["system"] == pytest.approx(over[name], abs=1e-9)
                # Kendall's pooled tau is linearized: equal up to what 1 / items leaves out.
                loose = {"pearson": 1e-9, "spearman": 1e-6}.get(name, 0.02)
                assert got["pooled"] == pytest.approx(pooled[name], abs=loose)


def test_the_influence_of_an_item_is_how_far_tau_moves_when_it_counts_a_little_more() -> None:
    rng = np.random.default_rng(2)
    human = rng.integers(0, 3, (6, 4)).astype(np.float64)
    metric = rng.integers(0, 4, (6, 4)).astype(np.float64)
    human[0] = 2  # an item of ties, which moves what tau is divided by
    item_of = np.repeat(np.arange(6), 4)
    influence = kendall_influence(item_of, 6, human.ravel(), metric.ravel())
    many = 100

    def tau(item: int, more: int) -> float:
        counts = np.full(6, many)
        counts[item] += more
        drawn = np.repeat(np.arange(6), counts)
        return float(stats.kendalltau(metric[drawn].ravel(), human[drawn].ravel()).statistic)

    for item in range(6):
        slope = (tau(item, 1) - tau(item, -1)) * many / 2
        assert influence[item] == pytest.approx(slope, abs=1e-3)


def test_many_distinct_values_are_grouped_for_resampling_with_little_loss() -> None:
    rng = np.random.default_rng(3)
    human, metric = rng.normal(size=(2, 400, 8))
    study = Aligned(
        "q",
        tuple(map(str, range(400))),
        tuple("abcdefgh"),
        ("m",),
        ("",),
        human,
        (human + metric)[None],
    )
    pooled = flat_correlations(study.metrics[0].ravel(), human.ravel())
    rows = row_correlations(study.metrics[0], human)
    drawn = draw_items(
        study,
        {name: rows[name][None] for name in COEFFICIENTS},
        {name: np.array([pooled[name].value]) for name in COEFFICIENTS},
        samples=3,
        seed=5,
    )
    counts = next(item_counts(400, 3, 5))
    for sample in range(3):
        chosen = np.repeat(np.arange(400), counts[sample].astype(int))
        expected = stats.spearmanr(
            study.metrics[0][chosen].ravel(), human[chosen].ravel()
        ).statistic
        assert drawn["pooled", "spearman"][sample, 0] == pytest.approx(expected, abs=2e-4)
    assert groups_of(study.metrics[0].ravel(), 1024).max() == 1023


def test_resampled_sums_do_not_depend_on_the_order_of_addition() -> None:
    rng = np.random.default_rng(0)
    columns = exact_columns(rng.normal(size=(300, 4)) * np.array([1, 1e-6, 1e6, 0]), 300)
    order = rng.permutation(300)
    counts = next(item_counts(300, 5, 0))
    assert ((counts @ columns) == (counts[:, order] @ columns[order])).all()


def test_williams_equals_the_value_worked_by_hand() -> None:
    # Steiger (1980), equation 7, worked with r12 = .7, r13 = .5, r23 = .6, n = 50.
    determinant = 1 - 0.49 - 0.25 - 0.36 + 2 * 0.7 * 0.5 * 0.6
    t = 0.2 * np.sqrt(49 * 1.6 / (2 * determinant * 49 / 47 + 0.36 * 0.4**3))
    assert williams(0.7, 0.5, 0.6, 50) == pytest.approx(2 * stats.t.sf(t, 47), abs=1e-12)
    assert williams(0.5, 0.5, 0.3, 50) == 1.0


def test_outputs_without_a_human_score_are_left_out_and_counted() -> None:
    human, metrics = tables(missing=0.3)
    study = align(human, metrics)
    assert study.outputs == len(human.values)
    assert study.left_out == 40 * 7 - len(human.values)
