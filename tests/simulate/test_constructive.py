"""The world of constructive comments: the paper's sizes, a file for each group, and what is planted in words and votes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import simulate
from newsdesk.metrics.ranking import spearman
from newsdesk.simulate.lexicon import lexicon
from newsdesk.simulate.texts import OWN_WORDS, habits

LEANING = 12_000
SIZES = {
    "shallow": (8000, 5, 10),
    "deep": (400, 100, 10),
    "shallow-dev": (1000, 5, 10),
    "deep-dev": (50, 100, 10),
    "test": (200, 212, 40),
}


@pytest.fixture(scope="module")
def deep() -> list[nd.Thread]:
    world = simulate.world(preset="constructive", seed=3, events=100, comments=20_000)
    return list(world.threads("deep"))


def test_the_sizes_are_the_paper_s() -> None:
    world = simulate.world(preset="constructive")
    groups = Counter((each.group, each.count, each.votes) for each in world.forum.discussions)
    assert groups == {(name, count, votes): n for name, (n, count, votes) in SIZES.items()}
    assert len({world.forum.article_id(each) for each in world.forum.discussions}) == 9650


def test_every_group_of_threads_is_a_file(tmp_path: Path) -> None:
    world = simulate.world(preset="constructive", events=5, comments=500)
    simulate.write_world(world, tmp_path / "world")
    files = sorted(path.name for path in (tmp_path / "world" / "threads").iterdir())
    assert files == sorted(f"{name}.jsonl" for name in SIZES)
    read = [
        thread
        for name in SIZES
        for thread in nd.read(tmp_path / "world" / "threads" / f"{name}.jsonl", nd.Thread)
    ]
    assert read == list(world.threads())
    assert all(each.comments[0].votes == 40 for each in world.threads("test"))


def test_articles_are_judged_more_or_less_strictly(deep: list[nd.Thread]) -> None:
    def spread(threads: list[nd.Thread]) -> float:
        return float(np.std([np.mean([c.yes / c.votes for c in t.comments]) for t in threads]))

    plain = simulate.world(preset="base", events=60, comments=6_000, seed=3)
    assert spread(deep) > 3 * spread(list(plain.threads()))


def test_the_comments_of_one_article_are_alike_in_quality() -> None:
    forum = simulate.world(preset="constructive", seed=3).forum
    asked = [each for each in forum.discussions if each.group == "deep"]
    quality = np.array([forum.quality(each) for each in asked])
    # As without likeness over all comments, but article means that differ ten times as much as chance has it.
    first, second = forum.settings.quality_shape
    assert quality.mean() == pytest.approx(first / (first + second), abs=0.02)
    between, within = quality.mean(axis=1).var(), quality.var(axis=1, ddof=1).mean()
    assert between > 10 * within / quality.shape[1]
    assert 0.25 < between / (between + within) < forum.settings.likeness


def test_the_words_of_a_comment_lean_to_its_votes_within_an_article(deep: list[nd.Thread]) -> None:
    said = habits(lexicon("en"), np.random.default_rng(0), LEANING)
    good, poor = set(said.good.tolist()), set(said.poor.tolist())
    assert not good & poor
    correlations = []
    for thread in deep:
        leans, votes = [], []
        for comment in thread.comments:
            words = nd.tokenizer("en").words(comment.text.lower())
            leans.append(sum(w in good for w in words) - sum(w in poor for w in words))
            votes.append(comment.yes)
        if len(set(votes)) > 1:
            correlations.append(spearman(leans, votes))
    assert 0.1 < np.mean(correlations) < 0.6


def test_readers_of_one_article_come_back_to_words_of_their_own_that_lean_nowhere() -> None:
    for lang in ("en", "zh", "ja"):
        first, second = (
            habits(lexicon(lang), np.random.default_rng(seed), LEANING) for seed in range(2)
        )
        for one, other in ((first.good, second.good), (first.poor, second.poor)):
            assert (one == other).all()
        for each in (first, second):
            assert len(set(each.own)) == OWN_WORDS
            assert not set(each.own) & {*each.good, *each.poor}
            assert abs(len(each.good) - len(each.poor)) <= 1
        assert set(first.own) != set(second.own)


def test_an_article_is_given_away_by_its_readers_words(deep: list[nd.Thread]) -> None:
    forum = simulate.world(preset="constructive", seed=3, events=100, comments=20_000).forum
    asked = [each for each in forum.discussions if each.group == "deep"][:10]
    for number, discussion in enumerate(asked):
        own = set(forum.habits(discussion).own)
        shares = [_share(own, thread) for thread in deep[:10]]
        assert int(np.argmax(shares)) == number


def _share(words: set[str], thread: nd.Thread) -> float:
    said = [w for each in thread.comments for w in nd.tokenizer("en").words(each.text.lower())]
    return sum(word in words for word in said) / len(said)


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_other_languages_have_such_a_world_too(lang: str) -> None:
    world = simulate.world(preset="constructive", events=3, comments=60, lang=lang)
    thread = next(world.threads("deep"))
    assert len(thread.comments) == 100
    assert all(comment.text for comment in thread.comments)
