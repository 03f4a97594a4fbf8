"""Kappa and alpha: golden values (DEFINITIONS.md, C.10), equality with plain loops, nltk and scikit-learn, real labels."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import binary_distance, interval_distance
from sklearn.metrics import cohen_kappa_score

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import (
    Alpha,
    band,
    cohen_kappa,
    krippendorff_alpha,
    rotating_kappa,
    with_interval,
)
from tests.stats.agreement.graded import (
    KRIPPENDORFF,
    LEVELS,
    NAN,
    WEIGHTS,
    WIKIPEDIA,
    slow_alpha,
    some_grades,
)

DEMO = [1, 2, 3, 4, 5, 3, 4, 4, 2, 5], [1, 3, 3, 4, 4, 3, 5, 4, 2, 4]
NLTK_2302 = (
    [3, 5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 5, 5, 5, 5, 3, 5, 5, 5, 5],
    [0, 4, 5, 2, 2, 1, 0, 0, 5, 0, 5, 0, 5, 2, 4, 0, 0, 4, 0, 2],
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # Published are nominal and interval alpha of the first (Wikipedia), and nominal, ordinal and ratio of the second to
        # three digits (fast-krippendorff); the others are DEFINITIONS' own values.
        (WIKIPEDIA, (0.691358, 0.806721, 0.810845, 0.808944)),
        (KRIPPENDORFF, (0.743421, 0.815388, 0.849107, 0.797403)),
    ],
)
def test_alpha_has_its_published_values(values: Floats, expected: Sequence[float]) -> None:
    coefficient = [krippendorff_alpha(values, level) for level in LEVELS]
    assert coefficient == pytest.approx(expected, abs=5e-7)


def test_nominal_alpha_has_the_twelve_digits_of_nltk() -> None:
    assert krippendorff_alpha(KRIPPENDORFF) == pytest.approx(0.743421052632, abs=5e-13)


def test_alpha_of_strings_with_missing_values_is_nltks_dress_example() -> None:
    dresses = [["YES", "YES", None], ["NO", "NO", NAN], ["NO", None, "NO"]]
    assert krippendorff_alpha(dresses) == pytest.approx(-1 / 3, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "labels", "expected"),
    [
        # Plain kappa of the first is in nltk's issue 2302 (scikit-learn says the same); the others are own values.
        (*NLTK_2302, range(6), (-0.0119047619, 0.0072202, 0.0571939)),
        (*DEMO, range(1, 6), (0.480519, 0.696970, 0.858156)),
    ],
)
def test_kappa_has_its_published_values(
    a: list[int], b: list[int], labels: range, expected: Sequence[float]
) -> None:
    coefficient = [cohen_kappa(a, b, weights=weights, labels=labels) for weights in WEIGHTS]
    assert coefficient == pytest.approx(expected, abs=5e-7)


def test_kappa_in_both_orders_is_the_pi_of_artstein_and_poesio() -> None:
    # Their example: 100 utterances, 46 + 32 + 10 on the diagonal.
    counts = {"ss": 46, "si": 6, "ii": 32, "ci": 6, "cc": 10}
    a, b = ("".join(pair[side] * count for pair, count in counts.items()) for side in (0, 1))
    agreed = np.mean([x == y for x, y in zip(a, b, strict=True)])
    assert agreed == pytest.approx(0.88)
    assert (agreed - 1 / 3) / (2 / 3) == pytest.approx(0.82)
    assert rotating_kappa([list(a), list(b)]) == pytest.approx(0.79953, abs=5e-6)


small_tables = st.integers(2, 5).flatmap(
    lambda annotators: st.lists(
        st.lists(
            st.one_of(st.just(NAN), st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0])),
            min_size=annotators,
            max_size=annotators,
        ),
        min_size=1,
        max_size=8,
    )
)


@given(small_tables, st.sampled_from(LEVELS))
def test_alpha_equals_a_plain_loop_for_any_missing_values(items: list[list[float]], level: Any) -> None:  # fmt: skip
    values = np.array(items).T
    expected, coefficient = slow_alpha(values, level), krippendorff_alpha(values, level)
    assert (coefficient is None) == (expected is None)
    if expected is not None:
        assert coefficient == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["nominal", "interval"]))
def test_alpha_equals_nltk_with_missing_values(seed: int, level: Any) -> None:
    values = some_grades(seed, annotators=4, items=9, present=0.7)
    # nltk wants every coder and item to be of use.
    values = values[:, (~np.isnan(values)).sum(axis=0) > 1]
    triples = [
        (f"a{a}", f"i{i}", values[a, i])
        for a, i in np.ndindex(values.shape)
        if not math.isnan(values[a, i])
    ]
    distance = binary_distance if level == "nominal" else interval_distance
    expected = AnnotationTask(triples, distance=distance).alpha()
    coefficient = krippendorff_alpha(values, level)
    # Where all is equal nltk says 1; we say that it cannot be told.
    assert (
        coefficient == pytest.approx(expected, abs=1e-9)
        if coefficient is not None
        else expected == 1
    )


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(WEIGHTS))
def test_kappa_equals_scikit_learn(seed: int, weights: Any) -> None:
    values = some_grades(seed, annotators=2, items=12, present=0.9)
    both = values[:, ~np.isnan(values).any(axis=0)]
    coefficient = cohen_kappa(*values, weights=weights, labels=range(1, 6))
    if coefficient is None:
        assert len(np.unique(both)) < 2
    else:
        expected = cohen_kappa_score(*both.astype(int), weights=weights, labels=range(1, 6))
        assert coefficient == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(WEIGHTS))
def test_rotating_kappa_is_kappa_of_all_pairs_in_both_orders(seed: int, weights: Any) -> None:
    values = some_grades(seed, items=10, present=0.5)
    pairs = [
        pair
        for unit in values.T
        for pair in combinations([v for v in unit if not math.isnan(v)], 2)
    ]
    coefficient = rotating_kappa(values, weights=weights, labels=range(1, 6))
    if coefficient is None:
        assert len(np.unique(pairs)) < 2
        return
    first, second = np.array(pairs, dtype=int).T
    expected = cohen_kappa_score(
        np.append(first, second), np.append(second, first), weights=weights, labels=range(1, 6)
    )
    assert coefficient == pytest.approx(expected, abs=1e-9)


def test_kappa_without_labels_closes_gaps_in_the_scale() -> None:
    a, b = [1, 1, 5, 5, 4], [1, 5, 5, 4, 4]
    whole = cohen_kappa(a, b, weights="quadratic", labels=range(1, 6))
    gaps = cohen_kappa(a, b, weights="quadratic")
    assert gaps == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert whole == pytest.approx(
        cohen_kappa_score(a, b, weights="quadratic", labels=range(1, 6)), abs=1e-12
    )
    assert abs(whole - gaps) > 0.01


def test_kappa_of_words_takes_their_order_from_the_labels() -> None:
    a, b = ["no", "part", "yes", "yes"], ["part", "part", "yes", "no"]
    scale = ["no", "part", "yes"]
    places = [[scale.index(each) for each in side] for side in (a, b)]
    assert cohen_kappa(a, b, weights="linear", labels=scale) == pytest.approx(
        cohen_kappa_score(*places, weights="linear")
    )
    with pytest.raises(ArgumentError, match="needs numbers, and a value is 'no'"):
        cohen_kappa(a, b, weights="linear")


def test_none_is_missing_among_numbers() -> None:
    with_none = [[None if math.isnan(v) else v for v in row] for row in WIKIPEDIA.tolist()]
    assert krippendorff_alpha(with_none) == krippendorff_alpha(WIKIPEDIA)


def test_the_cost_of_alpha_grows_with_the_number_of_judgments_and_no_faster() -> None:
    def seconds(items: int) -> float:
        values = some_grades(1, annotators=10, items=items, present=1.1)
        started = time.process_time()
        krippendorff_alpha(values, "ordinal")
        return time.process_time() - started

    few = min(seconds(10_000) for _ in range(3))
    # Ten times the judgments; comparing each with each would be a hundred times the work.
    assert seconds(100_000) < 40 * few


@pytest.mark.real
def test_the_labels_of_ten_japanese_judges_with_na(shared_data: Path) -> None:
    rows = {}
    for name in ("dev", "test"):
        lines = (shared_data / "stc_ja_labels" / f"{name}.tsv").read_text("utf-8").splitlines()
        labels = [line.split("\t")[2:] for line in lines]
        rows[name] = np.array([[NAN if x == "NA" else float(x) for x in row] for row in labels]).T
    counted = {name: Counter(values[~np.isnan(values)].tolist()) for name, values in rows.items()}
    assert counted["dev"] == {0: 418, 1: 238, 2: 273}
    assert counted["test"] == {0: 477, 1: 245, 2: 208}
    assert int(np.isnan(rows["dev"]).sum()) == 71
    for values in rows.values():
        for level in ("nominal", "ordinal", "interval"):
            expected = slow_alpha(values, level)
            assert krippendorff_alpha(values, level) == pytest.approx(expected, abs=1e-9)
    coefficient = with_interval(Alpha("ordinal"), rows["dev"])
    assert coefficient.judgments <= 929 and coefficient.low < coefficient.value < coefficient.high
    assert band(coefficient.value) == "fair"
