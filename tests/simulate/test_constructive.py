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
from newsdesk.simulate.texts import habits

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
    found = Counter((each.group, each.count, each.votes) for each in world.forum.discussions)
    assert found == {(name, count, votes): n for name, (n, count, votes) in SIZES.items()}
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


def test_the_words_of_a_comment_lean_to_its_votes_within_an_article(deep: list[nd.Thread]) -> None:
    words = lexicon("en").content[:2000].tolist()
    good, poor = set(words[::2]), set(words[1::2])
    found = []
    for thread in deep:
        leans, votes = [], []
        for comment in thread.comments:
            said = nd.tokenizer("en").words(comment.text.lower())
            leans.append(sum(w in good for w in said) - sum(w in poor for w in said))
            votes.append(comment.yes)
        if len(set(votes)) > 1:
            found.append(spearman(leans, votes))
    assert 0.1 < np.mean(found) < 0.6


def test_readers_of_one_article_use_few_of_the_shared_words() -> None:
    rng = np.random.default_rng(0)
    for lang in ("en", "zh", "ja"):
        content = lexicon(lang).content.tolist()
        said = habits(lexicon(lang), rng, 60)
        assert 0 < len(said.good) + len(said.poor) <= 62
        assert all(content.index(word) % 2 == 0 for word in said.good)
        assert all(content.index(word) % 2 == 1 for word in said.poor)


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_other_languages_have_such_a_world_too(lang: str) -> None:
    world = simulate.world(preset="constructive", events=3, comments=60, lang=lang)
    thread = next(world.threads("deep"))
    assert len(thread.comments) == 100
    assert all(comment.text for comment in thread.comments)
