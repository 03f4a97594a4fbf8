"""Judgments of a campaign as threads: shares of votes and mean grades, under the articles that were judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from newsdesk.campaigns import gains
from newsdesk.campaigns.store import Store
from newsdesk.types import Article, Comment, Thread
from tests.campaigns.worlds import GRADE, VOTE, grade_tasks, judgments, vote_tasks


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as opened:
        yield opened


def test_votes_are_shares_with_their_counts_under_the_articles_of_threads(store: Store) -> None:
    tasks = vote_tasks(2, bundle=2)
    store.create("votes", VOTE, tasks, ["ann", "ben"], per_item=2, seed=0)
    for name, values in (("ann", [True, False]), ("ben", [True, True])):
        store.import_judgments("votes", judgments("votes", VOTE, tasks[0], name, values))
    article = Article("article0", "The bridge closes.", title="A bridge")
    (thread,) = gains(store, "votes", [Thread(article, ())])
    assert thread.article == article
    assert [(each.id, each.score, each.yes, each.votes) for each in thread.comments] == [
        ("b0c0", 1.0, 2, 2),
        ("b0c1", 0.5, 1, 2),
    ]
    assert thread.comments[0].text == "comment 0 0"
    (bare,) = gains(store, "votes")
    assert (bare.article.id, bare.article.title) == ("article0", None)


def test_grades_are_means_and_known_answers_are_left_out(store: Store) -> None:
    tasks = grade_tasks(3, controls=1)
    store.create("grades", GRADE, tasks, ["ann", "ben"], per_item=2, seed=0)
    for task in tasks:
        for name, grade in (("ann", 2), ("ben", 5)):
            store.import_judgments("grades", judgments("grades", GRADE, task, name, [grade]))
    (thread,) = gains(store, "grades")
    assert [(each.id, each.score, each.votes) for each in thread.comments] == [
        ("c1", 3.5, None),
        ("c2", 3.5, None),
    ]


def test_the_c_score_is_the_number_of_yes_votes_and_the_score_its_share(store: Store) -> None:
    tasks = vote_tasks(1, bundle=3)
    names = ["ann", "ben", "cy", "dee"]
    store.create("votes", VOTE, tasks, names, per_item=4, seed=0)
    for place, name in enumerate(names):
        values = [True, place < 3, False]
        store.import_judgments("votes", judgments("votes", VOTE, tasks[0], name, values))
    (thread,) = gains(store, "votes")
    assert [(each.yes, each.votes, each.score) for each in thread.comments] == [
        (4, 4, 1.0),
        (3, 4, 0.75),
        (0, 4, 0.0),
    ]


def test_gains_keep_what_the_threads_know_of_a_comment(store: Store) -> None:
    tasks = vote_tasks(2, bundle=2)
    store.create("votes", VOTE, tasks, ["ann"], per_item=1, seed=0)
    store.import_judgments("votes", judgments("votes", VOTE, tasks[0], "ann", [True, False]))
    known = Comment(
        "b0c1", "comment 0 1", likes=7, dislikes=2, score=0.1, at="2026-01-02T09:00:00Z",
        position=3, author="dee", parent="b0c0",
    )  # fmt: skip
    foreign = Thread(Article("article9", ""), (Comment("b0c0", "of another article", likes=99),))
    threads = [Thread(Article("article0", "The bridge."), (known,)), foreign]
    (thread,) = gains(store, "votes", threads)
    assert thread.comments == (
        Comment("b0c0", "comment 0 0", score=1.0, yes=1, votes=1),
        replace(known, score=0.0, yes=0, votes=1),
    )
