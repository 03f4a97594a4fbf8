"""The search for the cheapest rise: every trick, the greedy combination, the worst case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import samples
from newsdesk.arrays import Floats
from newsdesk.rankers.evaluation.game_search import TriedTrick, search
from newsdesk.rankers.evaluation.gaming import word_count
from newsdesk.rankers.evaluation.tricks import TRICKS
from newsdesk.rankers.ranker import Ranker
from newsdesk.types import Article, Comment, Thread
from tests.rankers.evaluation.test_gaming import Blind
from tests.rankers.plain import thread

WEAK = "Nothing of this is true. They lie, and nobody cares."


def two_threads() -> list[Thread]:
    """A weak comment beside two better ones, and a second article to take sentences from."""
    better = [
        "The tunnel costs ninety millions. The council should publish the survey of the tunnel.",
        "Buses already cross the tunnel. A survey of buses would show where the money goes. " * 9,
    ]
    body = "The council plans a tunnel. It opens in May."
    first = replace(
        thread("a", [WEAK, *better], [0.0, 1.0, 1.0]), article=Article("a", body, lang="en")
    )
    other = thread("b", ["Tomatoes need sun. Water them at night.", "Yes."], [0.5, 0.5])
    return [first, replace(other, article=Article("b", "", lang="en"))]


class Marked(Ranker):
    """Scores by how often a mark stands in a text, and remembers what it was asked."""

    name = "marked"

    def __init__(self, mark: str) -> None:
        object.__setattr__(self, "mark", mark)
        object.__setattr__(self, "texts", [])

    def scores(self, thread: Thread) -> Floats:
        self.texts.extend(comment.text for comment in thread.comments)  # type: ignore[attr-defined]
        counts = [comment.text.count(self.mark) for comment in thread.comments]  # type: ignore[attr-defined]
        shares = [(comment.score or 0.0) > 0.5 for comment in thread.comments]
        return np.array(counts) + 0.5 * np.array(shares)


def by_name(tried: Iterable[TriedTrick]) -> dict[str, TriedTrick]:
    return {trick.trick: trick for trick in tried}


@pytest.mark.parametrize(
    ("trick", "mark"),
    [
        ("quote", "“"),
        ("copy", "Buses already cross"),
        ("restate", "In other words"),
        ("own", "Put differently"),
        ("foreign", "Tomatoes"),
        ("article", "It opens in May"),
        ("numbers", "percent"),
        ("hedging", "Arguably"),
        ("bland", "Time will tell"),
    ],
)
def test_every_trick_adds_what_its_name_says(trick: str, mark: str) -> None:
    ranker = Marked(mark)
    for seed in range(8):  # which sentences are drawn depends on the seed
        search(ranker, two_threads(), [trick], max_words=40, samples=10, seed=seed)
    assert any(mark in text and "Nothing of this" in text for text in ranker.texts)  # type: ignore[attr-defined]


def test_random_words_are_those_of_the_thread() -> None:
    for trick in ("salad", "shuffle"):
        (tried, _) = search(nd.ranker("length"), two_threads(), [trick], max_words=40, samples=10)
        assert tried.worst is not None
        added = set(tried.worst.text.lower().replace(".", " ").replace(",", " ").split())
        words = " ".join(comment.text for comment in two_threads()[0].comments).lower()
        assert added <= set(words.replace(".", " ").replace(",", " ").split())
        assert len(added) > 8


def test_length_is_lifted_and_a_ranker_that_does_not_read_is_not() -> None:
    long = by_name(search(nd.ranker("length"), two_threads(), max_words=40, samples=50))
    assert set(long) == {*TRICKS, "combined"}
    assert long["combined"].share == 0.5  # it passes the short one, and never the long one
    assert long["combined"].lifted == 1.0
    assert long["combined"].pairs == 2
    # The short one is passed after the first piece of the combination, a third of the budget.
    assert long["combined"].words_to_lift is not None
    assert long["combined"].words_to_lift < 20
    for trick in search(Blind(), two_threads(), samples=50):
        assert (trick.share, trick.lifted, trick.worst) == (0.0, 0.0, None)


def test_the_combination_finds_what_no_single_trick_does() -> None:
    class Both(Marked):
        """Wants a quotation and a statistic."""

        def scores(self, thread: Thread) -> Floats:
            marks = [0.4 * ("“" in c.text) + 0.4 * ("percent" in c.text) for c in thread.comments]
            better = [0.5 * ((c.score or 0.0) > 0.5) for c in thread.comments]
            return np.array(marks) + np.array(better)

    tried = by_name(search(Both(""), two_threads(), max_words=60, samples=50, seed=1))
    assert {name for name, trick in tried.items() if trick.share} == {"combined"}
    worst = tried["combined"].worst
    assert worst is not None
    assert {"quote", "numbers"} <= {part.partition(":")[0] for part in worst.place.split("+")}
    assert (worst.passed, worst.of) == (2.0, 2)


def test_the_budget_is_kept_but_for_the_rest_of_a_sentence() -> None:
    for trick in search(nd.ranker("length"), samples.threads(), max_words=30, sample=5, samples=10):
        if trick.words is not None:
            assert trick.words <= 36
        if trick.worst:
            assert trick.worst.words == pytest.approx(
                word_count(trick.worst.text, "en")
                - word_count(_text_of(trick.worst.article, trick.worst.comment), "en"),
                abs=2,  # what stands beside a quotation mark may be cut otherwise
            )


def _text_of(article: str, comment: str) -> str:
    (host,) = (each for each in samples.threads() if each.article.id == article)
    (text,) = (each.text for each in host.comments if each.id == comment)
    return text


def test_styles_of_ones_own_are_tricks_and_an_unknown_one_is_named() -> None:
    own = {"spell": ("Abra cadabra. " * 30,)}
    tried = by_name(search(nd.ranker("length"), two_threads(), ["spell"], own=own, samples=10))
    assert set(tried) == {"spell", "combined"}
    assert tried["spell"].share == 0.5
    assert "|texts:" in tried["spell"].signature
    with pytest.raises(nd.ArgumentError, match="no trick is called 'spel'; there are: quote"):
        search(nd.ranker("length"), two_threads(), ["spel"])


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_the_search_works_in_chinese_and_japanese_and_is_seeded(lang: str) -> None:
    threads = samples.threads(lang)
    first, second = (
        search(nd.ranker("length"), threads, sample=4, max_words=30, samples=10, seed=3)
        for _ in range(2)
    )
    assert first == second
    assert by_name(first)["numbers"].share is not None


def test_a_comment_may_be_replaced_by_several_at_once() -> None:
    host = two_threads()[0]
    changed = [Comment(f"new-{text}", text) for text in ("a", "bb", "ccc")]
    assert nd.ranker("length").replaced(host, [0, 1, 0], changed).tolist() == [1, 2, 3]
