"""Standard scores against an implementation of others, and who has none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from newsdesk.errors import ArgumentError
from newsdesk.stats.standard_scores import standard_scores


def test_standard_scores_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 101, (7, 40)).astype(float)
    scores[rng.random(scores.shape) < 0.4] = np.nan
    expected = stats.zscore(scores, axis=1, ddof=1, nan_policy="omit")
    np.testing.assert_allclose(standard_scores(scores), expected, atol=1e-9)


def test_strictness_and_the_part_of_the_scale_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(50, 20, 30)
    both = standard_scores([scores, 10 + scores / 3])
    np.testing.assert_allclose(both[0], both[1], atol=1e-9)


def test_who_gives_one_score_has_no_standard_scores() -> None:
    nan = float("nan")
    assert np.isnan(standard_scores([[70.0, 70.0, nan], [nan, 3.0, nan]])).all()


def test_a_row_is_not_a_table() -> None:
    with pytest.raises(ArgumentError, match="not annotators × targets"):
        standard_scores([1.0, 2.0])
