"""Fitting on too little is refused in one sentence, and little data is logged as a warning."""

from __future__ import annotations

import logging

import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.rankers.ranker import check_enough
from newsdesk.types import Thread
from tests.rankers.plain import thread

LEARNERS = ("ranksvm", "svr", "ranknet", "lstm-reg", "argument")
TEXTS = ["some words", "other words", "and more of them"]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("threads", "reason"),
    [
        ([], "no comment has a 'score' to learn from; add scores or votes, or predict likes"),
        ([thread("a", TEXTS, [None] * 3)], "no comment has a 'score' to learn from"),
        ([thread("a", TEXTS, [None, 1, None])], "on: 1 comment of one article; add articles"),
        ([thread("a", TEXTS, [3, 1, 2])], "on: 3 comments of one article; add articles"),
    ],
    ids=["no thread", "no votes", "one comment", "one article"],
)
def test_too_little_to_learn_from_is_refused(name: str, threads: list[Thread], reason: str) -> None:
    with pytest.raises(nd.ArgumentError, match=reason):
        nd.ranker(name).fit(threads)


def test_little_data_is_logged_and_enough_is_not(caplog: pytest.LogCaptureFixture) -> None:
    little = samples.threads()[:3]
    with caplog.at_level(logging.WARNING, logger="newsdesk"):
        check_enough(little, "score", "svr")
        assert [record.getMessage() for record in caplog.records] == [
            "svr is fitted on little data (82 comments of 3 articles): "
            "evaluate it on held-out threads before you use it"
        ]
        caplog.clear()
        check_enough(samples.threads(), "score", "svr")
        assert not caplog.records
