"""The order of a thread beyond scores one by one: diversity, age, and likes corrected for position."""

from __future__ import annotations

import numpy as np
import pytest

from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError
from newsdesk.rankers import ordering
from newsdesk.rankers.ordering import (
    MOST_WEIGHT,
    Ordering,
    PositionBias,
    age_weights,
    comment_vectors_of,
    diversified,
)
from newsdesk.rankers.ranker import ranker
from newsdesk.streams import stream
from newsdesk.types import Article, Comment, Thread


def _vectors(count: int) -> Floats:
    vectors = stream("test-ordering", 0).normal(size=(count, 8))
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def plain_mmr(values: Floats, vectors: Floats, diversity: float) -> list[int]:
    """Maximal marginal relevance by its definition."""
    placed: list[int] = []
    while len(placed) < len(values):
        gains = {
            place: (1 - diversity) * values[place]
            - diversity * max([0.0, *(float(vectors[place] @ vectors[each]) for each in placed)])
            for place in range(len(values))
            if place not in placed
        }
        placed.append(max(gains, key=lambda place: gains[place]))
    return placed


@pytest.mark.parametrize("diversity", [0.1, 0.5, 1.0])
def test_sorting_by_the_values_is_maximal_marginal_relevance(diversity: float) -> None:
    values, vectors = stream("test-values", 1).random(40), _vectors(40)
    placed = diversified(values, vectors, diversity)
    assert best_first(placed).tolist() == plain_mmr(values, vectors, diversity)


def test_after_the_depth_the_rest_follow_below_all_that_were_placed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ordering, "DEPTH", 5)
    values, vectors = stream("test-values", 2).random(30), _vectors(30)
    order = best_first(diversified(values, vectors, 0.4)).tolist()
    assert order[:5] == plain_mmr(values, vectors, 0.4)[:5]
    assert sorted(order) == list(range(30))


def test_two_comments_that_say_the_same_do_not_stand_together() -> None:
    texts = [
        "The new railway line will cut the journey to forty minutes.",
        "This railway line will cut our journey to forty minutes, the new one!",
        "Who pays for the tunnels once the grants run out in spring?",
    ]
    thread = Thread(Article("a", ""), tuple(Comment(str(n), text) for n, text in enumerate(texts)))
    length = ranker("length")
    scores = length.scores(thread)
    assert best_first(scores).tolist() == [1, 0, 2]
    values = Ordering(diversity=0.5).values(length, thread, scores)
    assert best_first(values).tolist() == [1, 2, 0]
    assert comment_vectors_of(length, thread).shape[0] == 3


def test_a_model_with_vectors_is_asked_for_them() -> None:
    class Embedded(type(ranker("length"))):  # type: ignore[misc]
        def vectors_of(self, thread: Thread) -> Floats:
            return np.eye(len(thread.comments), 2)

    thread = Thread(Article("a", ""), (Comment("1", "x"), Comment("2", "y")))
    assert comment_vectors_of(Embedded(), thread).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_the_half_life_halves_the_value_of_older_comments() -> None:
    moments = ["2026-11-16T10:00:00Z", "2026-11-15T10:00:00Z", "not a time", None]
    assert age_weights(moments, 24).tolist() == [1.0, 0.5, 1.0, 1.0]
    thread = Thread(
        Article("a", ""), tuple(Comment(str(n), "x", at=at) for n, at in enumerate(moments[:2]))
    )
    scores = np.array([11.0, 11.5])
    values = Ordering(half_life_h=12).values(ranker("length"), thread, scores)
    assert values.tolist() == pytest.approx([0.2689, 0.7311 / 4], abs=1e-4)
    assert Ordering().values(ranker("length"), thread, scores) is scores


def test_settings_that_make_no_sense_are_refused_and_those_that_are_off_are_not_signed() -> None:
    with pytest.raises(ArgumentError, match="diversity is 2, not a number from 0 to 1"):
        Ordering(diversity=2)
    with pytest.raises(ArgumentError, match="half_life_h is 0, not above zero hours"):
        Ordering(half_life_h=0)
    assert Ordering().fields == {}
    assert Ordering(0.3, 24).fields == {"diversity": 0.3, "half-life": 24}


def _liked(power: float, threads: int = 30, comments: int = 40) -> list[Thread]:
    """Threads of comments of the same quality, whose likes fall with the place by a power law."""
    rng = stream("test-likes", int(10 * power))
    listed = []
    for name in range(threads):
        means = rng.gamma(2.0) * 50 * np.arange(1, comments + 1) ** -power
        likes = rng.poisson(means)
        listed.append(
            Thread(
                Article(str(name), ""),
                tuple(
                    Comment(str(place), "x", likes=int(count), dislikes=1, position=place)
                    for place, count in enumerate(likes)
                ),
            )
        )
    return listed


@pytest.mark.parametrize("power", [0.0, 0.3, 0.8])
def test_the_power_of_position_bias_is_recovered_from_likes(power: float) -> None:
    assert PositionBias.of(_liked(power)).power == pytest.approx(power, abs=0.03)


def test_corrected_likes_no_longer_fall_with_the_place() -> None:
    threads = _liked(0.6)
    bias = PositionBias.of(threads)
    corrected = [bias.corrected(thread) for thread in threads]
    places = np.tile(np.arange(40), len(threads))
    before, after = (
        np.array([comment.likes for thread in each for comment in thread.comments])
        for each in (threads, corrected)
    )
    assert np.corrcoef(places, before)[0, 1] < -0.2
    assert abs(np.corrcoef(places, after)[0, 1]) < 0.06
    assert corrected[0].comments[-1].dislikes == round(40**bias.power)


def test_comments_without_positions_keep_their_likes_and_weights_are_limited() -> None:
    bias = PositionBias(1.0)
    thread = Thread(
        Article("a", ""),
        (Comment("1", "x", likes=3), Comment("2", "y", likes=2, position=5), Comment("3", "z", likes=1, position=900)),
    )  # fmt: skip
    assert [comment.likes for comment in bias.corrected(thread).comments] == [3, 2, MOST_WEIGHT]


def test_without_positions_there_is_nothing_to_estimate() -> None:
    thread = Thread(Article("a", ""), tuple(Comment(str(n), "x", likes=n) for n in range(30)))
    with pytest.raises(ArgumentError, match="position bias needs at least 20 comments with `likes` and `position`"):  # fmt: skip
        PositionBias.of([thread])
