"""What to label next: the comments whose length does not tell, and the systems that are not told from the leader."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.errors import ArgumentError
from newsdesk.studies.next_labels import (
    contenders,
    information,
    next_comments,
    next_items,
)
from newsdesk.types import Article, Comment, Judgment, Output, Thread
from research.next_labels import ranker_on_simulated_votes, verdict_on_simulated_grades


def thread(name: str, lengths: list[int], *, voted: bool) -> Thread:
    """Comments of these lengths; with votes, those longer than 100 characters got five yes of five, the others none."""
    comments = (
        Comment(
            f"{name}-{place}",
            "x" * length,
            yes=5 * (length > 100) if voted else None,
            votes=5 if voted else None,
        )
        for place, length in enumerate(lengths)
    )
    return Thread(Article(name, "an article", lang="en"), tuple(comments))


def test_comments_whose_length_does_not_tell_come_first() -> None:
    lengths = [*range(10, 90, 2), *range(112, 400, 8)]
    threads = [
        thread("voted", lengths, voted=True),
        thread("open", [15, 100, 380, 95], voted=False),
    ]
    result = next_comments(threads, count=3)
    assert [each.comment for each in result.comments[:2]] in (
        ["open-1", "open-3"],
        ["open-3", "open-1"],
    )
    assert len(result.comments) == 3
    assert (result.labelled, result.waiting) == (len(lengths), 4)
    assert result.comments[0].information > 4 * result.comments[2].information
    assert "curve:votes" in result.signature
    assert result.as_json()["comments"][0]["article"] == "open"


def test_before_the_first_votes_the_ready_model_knows_the_lengths() -> None:
    result = next_comments([thread("open", [3, 60, 150, 3000], voted=False)], count=4)
    assert "curve:ready[ready-en-plain]" in result.signature
    assert result.comments[-1].comment in ("open-0", "open-3")
    with pytest.raises(ArgumentError, match="every comment has votes already"):
        next_comments([thread("voted", [3, 4], voted=True)])
    with pytest.raises(
        ArgumentError, match="0 comments have votes, fewer than 50, and no ready model is in 'ru'"
    ):
        next_comments([thread("open", [3, 60], voted=False)], lang="ru")


def test_a_vote_is_worth_most_where_the_answer_is_open() -> None:
    assert information(np.array([0.0, 0.5, 1.0, 0.9])).tolist() == pytest.approx([0, 1, 0, 0.36])


def grades(system: str, values: list[float], first: int = 0) -> list[Judgment]:
    return [
        Judgment("c", str(first + place), str(first + place), system, "quality", value, "ann")
        for place, value in enumerate(values)
    ]


OUTPUTS = [Output(str(item), system, "text") for item in range(30) for system in ("a", "b", "bad")]


def test_systems_told_from_the_leader_are_left_out() -> None:
    rng = np.random.default_rng(1)
    level = rng.normal(3, 1, 20)
    judgments = [
        *grades("a", list(level + rng.normal(0.1, 0.5, 20))),
        *grades("b", list(level + rng.normal(0.0, 0.5, 20))),
        *grades("bad", list(level + rng.normal(-2, 0.5, 20))),
    ]
    result = next_items(OUTPUTS, judgments, count=12)
    assert set(result.systems) == {"a", "b"}
    assert result.settled == ("bad",)
    # The ten items that nobody judged come before those with a vote.
    assert {each.item for each in result.items[:10]} == {str(item) for item in range(20, 30)}
    assert [each.votes for each in result.items] == [0] * 10 + [1] * 2
    assert result.verdict.startswith(f"{result.systems[0]} leads; not told from it: ")
    assert next_items(OUTPUTS, judgments, count=12) == result
    clear = [
        *grades("a", [5, 4, 5, 4, 5, 5, 4]),
        *grades("b", [2, 1, 1, 2, 1, 2, 1]),
        *grades("bad", [1, 1, 2, 1, 1, 1, 2]),
    ]
    done = next_items(OUTPUTS, clear)
    assert done.items == ()
    assert done.verdict == "a leads and every other system is told from it; no judgment is needed."


def test_easy_items_do_not_make_a_leader() -> None:
    # b was judged on the easy items too, where everything is graded two higher.
    sums = np.array([[3.0, 2.5]] * 10 + [[0.0, 5.0]] * 10)
    votes = np.array([[1, 1]] * 10 + [[0, 1]] * 10)
    leader, others = contenders(sums, votes)
    assert leader == 0
    assert others == []


def test_without_judgments_every_system_is_open() -> None:
    result = next_items(OUTPUTS, [], count=5)
    assert set(result.systems) == {"a", "b", "bad"}
    with pytest.raises(ArgumentError, match="two systems or more"):
        next_items([Output("1", "a", "x")], [])
    with pytest.raises(ArgumentError, match="'good' is no grade"):
        next_items(OUTPUTS, [Judgment("c", "1", "1", "a", "q", "good", "ann")])


def test_it_saves_votes_on_simulated_worlds() -> None:
    assert ranker_on_simulated_votes(seeds=4) < 0.9
    assert verdict_on_simulated_grades(campaigns=12) < 0.9
