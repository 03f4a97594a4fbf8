"""Rankers on thinned training data: comments per article and votes per comment."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.studies.curve import (
    ranker_curve,
    ranker_curve_json,
    ranker_curve_section,
    thinned,
)
from newsdesk.types import Article, Comment, Thread

VOTED = Thread(Article("a", "x"), tuple(Comment(str(n), "text", yes=n, votes=6) for n in range(7)))


def test_votes_are_drawn_without_replacement() -> None:
    fewer = thinned(VOTED, "votes", 4, seed=0).comments
    assert all(each.votes == 4 for each in fewer)
    assert all(max(0, n - 2) <= (each.yes or 0) <= min(4, n) for n, each in enumerate(fewer))
    assert thinned(VOTED, "votes", 6, seed=0) == VOTED
    assert thinned(VOTED, "comments", 3, seed=0).comments == VOTED.comments[:3]


def test_all_comments_are_the_plain_ranker_and_fewer_are_less() -> None:
    threads = samples.threads()[:10]
    result = ranker_curve(
        threads, ["ranksvm"], by="comments", counts=(2, 1000), folds=2, samples=50
    )
    assert [(point.count, point.system) for point in result.points] == [
        (2, "ranksvm"),
        (1000, "ranksvm"),
    ]
    few, full = (point.measures["ndcg@5"].value for point in result.points)
    assert few is not None
    assert full is not None
    assert full != few
    assert ranker_curve_json(result)["points"][0]["comments"] == 2
    assert "<svg" in ranker_curve_section(result).html(1)
    assert np.isfinite([few, full]).all()


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ArgumentError, match="counts are none"):
        ranker_curve([VOTED], ["ranksvm"], by="comments", counts=(2, 2))
    with pytest.raises(ArgumentError, match="no ranker is given"):
        ranker_curve([VOTED], [], by="comments", counts=(2,))
    scored = Thread(Article("a", "x"), (Comment("c", "y", score=1.0), Comment("d", "z", score=0.0)))
    with pytest.raises(ArgumentError, match="have no votes"):
        ranker_curve([scored], ["ranksvm"], by="votes", counts=(2,))
