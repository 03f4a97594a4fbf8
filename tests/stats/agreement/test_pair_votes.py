"""Alpha over pairs of comments equals alpha of a table of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from newsdesk.errors import ArgumentError
from newsdesk.stats.agreement import pair_alpha
from tests.stats.agreement.graded import slow_alpha, slow_pairs, some_votes


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans())
def test_pair_alpha_is_alpha_of_a_table_of_pairs_in_both_orders(seed: int, drop: bool) -> None:
    votes = some_votes(seed)
    expected = slow_alpha(slow_pairs(votes, drop=drop), "nominal")
    task, comment, worker, vote = zip(*votes, strict=True)
    alpha = pair_alpha(task, comment, worker, vote, ties="drop" if drop else "keep")
    assert (alpha is None) == (expected is None)
    if expected is not None:
        assert alpha == pytest.approx(expected, abs=1e-9)


def test_pair_alpha_does_not_depend_on_names_or_on_the_order_of_votes() -> None:
    votes = some_votes(5)
    task, comment, worker, vote = map(np.array, zip(*votes, strict=True))
    first = pair_alpha(task, comment, worker, vote)
    order = np.random.default_rng(0).permutation(len(vote))
    renamed = np.array([name[::-1] + "x" for name in comment])
    second = pair_alpha(task[order], renamed[order], worker[order], vote[order])
    assert second == pytest.approx(first, abs=1e-12)


def test_pairs_within_an_article_cross_its_tasks() -> None:
    # Two tasks of one comment each: no pair within a task, one within the article.
    votes = (["t1", "t2"] * 2, ["c", "d"] * 2, ["w", "w", "x", "x"], [1, 0, 1, 0])
    assert pair_alpha(*votes) is None
    assert pair_alpha(*votes, article=["a"] * 4, scope="article") == 1.0
    with pytest.raises(ArgumentError, match="need `article`"):
        pair_alpha(*votes, scope="article")


def test_a_worker_who_votes_twice_on_a_comment_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="voted twice"):
        pair_alpha(["t"] * 3, ["c", "d", "d"], ["w"] * 3, [1, 0, 1])
