"""Bands, degenerate cases and faults in words, and the agreement of real ratings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import (
    Alpha,
    Kappa,
    KendallW,
    Measure,
    PairAlpha,
    RotatingKappa,
    SplitHalf,
    TauB,
    Votes,
    band,
    cohen_kappa,
    kendall_w,
    krippendorff_alpha,
    pair_alpha,
    split_half,
    with_interval,
)
from newsdesk.stats.units import over_items
from tests.stats.agreement.graded import LEVELS, NAN, slow_alpha


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.4, "fair"),
        (0.5282, "moderate"),
        (0.5495, "moderate"),
        (0.59, "moderate"),
        (0.61, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_bands_are_landis_and_kochs(value: float, name: str) -> None:
    assert band(value) == name


def test_a_band_of_no_number_is_refused() -> None:
    with pytest.raises(ArgumentError, match="not a number up to 1"):
        band(NAN)


@pytest.mark.parametrize(
    ("measure", "values", "words"),
    [
        (Alpha(), [[NAN, NAN], [NAN, NAN]], "there are no judgments"),
        (Alpha(), [[1, 2, 3]], "only one annotator"),
        (Alpha(), [[1, 2, 3], [NAN, NAN, NAN]], "only one annotator"),
        (Alpha(), [[1, NAN, 3], [NAN, 2, NAN]], "no item has two judgments"),
        (Alpha("ratio"), [[2, 2], [2, 2]], "all 4 judgments are 2: where nothing varies"),
        (Alpha(), [["a", "a", "b"], ["a", "a", None]], "all 4 judgments are 'a'"),
        (Kappa(), [[1, NAN], [NAN, 1]], "no item was judged by both"),
        (Kappa("linear"), [[1, 1], [1, 1]], "all 4 judgments are 1"),
        (RotatingKappa(), [[1, 1], [1, 1]], "all 4 judgments are 1"),
        (PairAlpha(), Votes([], [], [], []), "no pair of comments was compared by two workers"),
        (PairAlpha(), Votes(["t"] * 2, ["c", "d"], ["w"] * 2, [1, 0]), "by two workers"),
        (PairAlpha(), Votes(["t"] * 4, ["c", "d"] * 2, ["w", "w", "x", "x"], [1] * 4), "equal"),
        (PairAlpha(ties="drop"), Votes(["t"] * 4, ["c", "d"] * 2, ["w", "w", "x", "x"], [1] * 4), "with unequal votes"),
        (KendallW(), [[1, 2, 3]], "no item was ranked by two annotators"),
        (KendallW(), [[1, 1, 1], [2, 2, 2]], "tie all systems"),
        (TauB(), [[1, 1, 1], [1, 2, 3]], "tie all systems"),
        (SplitHalf(), [[1, 2], [1, 2]], "2 items of two or more judgments: too few"),
        (SplitHalf(), [[1, 2, 3]], "only one annotator"),
        (SplitHalf(), [[1, 1, 1], [1, 1, 1]], "nothing varies"),
    ],
)  # fmt: skip
def test_what_is_undefined_is_none_and_explained(measure: Measure, values: Any, words: str) -> None:
    agreement = with_interval(measure, values)
    assert (agreement.value, agreement.low, agreement.high) == (None, None, None)
    assert words in agreement.note
    assert measure.units(values).value is None


def test_one_item_has_a_value_and_no_interval() -> None:
    agreement = with_interval(Alpha(), [[1], [2], [2]])
    assert agreement.value == pytest.approx(0.0) and agreement.low is None
    assert "one item" in agreement.note


def test_perfect_agreement_is_one_and_its_interval_says_nothing() -> None:
    values = [[1, 2, 3, 4, 5] * 4] * 3
    for level in LEVELS:
        agreement = with_interval(Alpha(level), values)
        assert (agreement.value, agreement.low, agreement.high) == (1.0, 1.0, 1.0)
        assert "the interval says nothing" in agreement.note


def test_fractions_that_agree_agree_to_the_last_bit() -> None:
    assert krippendorff_alpha([[0.1, 0.7, 0.3]] * 7, "interval") == 1.0


def test_rare_values_leave_resamples_undefined_and_the_note_says_so() -> None:
    agreement = with_interval(Alpha(), [[1] * 9 + [2], [1] * 9 + [2]])
    assert agreement.value == 1.0
    few = with_interval(Alpha(), [[1] * 6 + [2, 1], [1] * 6 + [2, 2]])
    assert "of the resamples" in few.note
    rarer = with_interval(Alpha(), [[1] * 30 + [2], [1] * 30 + [1]])
    assert rarer.low is not None


def test_opposite_constants_have_kappa_zero() -> None:
    assert cohen_kappa([1, 1, 1], [2, 2, 2]) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: krippendorff_alpha([1, 2, 3]), "not annotators × items"),
        (lambda: krippendorff_alpha([[1, 2], [1]]), "rows differ in length"),
        (lambda: krippendorff_alpha([[1, math.inf], [1, 2]]), "infinite"),
        (lambda: krippendorff_alpha([["a", "b"], ["a", 1]]), "strings and numbers, such as 1"),
        (lambda: krippendorff_alpha([["a"], ["b"]], "ordinal"), "alpha .ordinal. needs numbers"),
        (lambda: krippendorff_alpha([[-1], [2]], "ratio"), "a ratio scale starts at 0"),
        (lambda: krippendorff_alpha([[1], [2]], "cardinal"), "level is 'cardinal'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: cohen_kappa([1], [2], weights="cubic"), "weights is 'cubic'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: cohen_kappa([1], [2], labels=[1, 3]), r"a value is 2.0, not one of the labels \[1, 3\]"),
        (lambda: cohen_kappa([1], [2], labels=[1, 2, 1]), "name one of them twice"),
        (lambda: Kappa().units([[1], [1], [1]]), "two annotators, not 3"),
        (lambda: pair_alpha(["t"], ["c", "d"], ["w"], [1]), "`comment` has shape"),
        (lambda: PairAlpha(scope="thread"), "scope is 'thread'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: kendall_w([1, 2]), "not annotators × items × systems"),
        (lambda: split_half([["a"], ["b"]]), "needs numbers"),
        (lambda: split_half([[1], [2]], repeats=0), "repeats is 0"),
        (lambda: over_items([[1.0, NAN]], lambda sums: sums), "not items × columns, all finite"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.real
def test_the_ratings_of_dialogue_responses(shared_data: Path) -> None:
    lines = (shared_data / "grade_dialog_human" / "ratings.jsonl").read_text("utf-8").splitlines()
    ratings = [json.loads(line)["ratings"] for line in lines]
    values = np.full((11, len(ratings)), NAN)
    for item, each in enumerate(ratings):
        values[: len(each), item] = each
    assert float(np.nanmean(values, axis=0).mean()) == pytest.approx(3.0568, abs=5e-5)
    agreement = with_interval(Alpha("ordinal"), values)
    assert (agreement.items, agreement.judgments) == (1200, 11_910)
    assert agreement.value == pytest.approx(slow_alpha(values, "ordinal"), abs=1e-9)
    halves = split_half(values)
    # Ten raters of this alpha make panels of this reliability (Spearman-Brown), and of these halves.
    alpha = krippendorff_alpha(values, "interval")
    assert alpha is not None
    assert halves.full_pearson == pytest.approx(10 * alpha / (1 + 9 * alpha), abs=0.02)
