"""The words: a large vocabulary with the statistics of real text, in three languages."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

import newsdesk as nd
from newsdesk import simulate
from newsdesk.languages import LISTED
from newsdesk.simulate.lexicon import lexicon, world_stream
from newsdesk.simulate.people import assign
from newsdesk.simulate.texts import TOPIC_WORDS, lengths, topic, write_texts


def test_english_has_tens_of_thousands_of_word_forms() -> None:
    content = lexicon("en").content
    assert len(content) == len(set(content)) > 30_000
    assert not set(content) & set(lexicon("en").function)


@pytest.mark.parametrize("lang", LISTED)
def test_every_pattern_can_be_filled(lang: str) -> None:
    words = lexicon(lang)
    assert len(words.categories) == 10
    assert len(words.content) > 5000
    slots = {"A", "P", "noun", "nouns", "noun2", "adj", "base", "pres", "past", "ing", "num", "day"}
    for kind in ("summaries", "facts", "fillers", "updates", "follows", "titles", "stories"):
        for pattern in words.patterns[kind]:
            assert set(re.findall(r"{(\w*)}", pattern)) <= slots
    for phrase in words.patterns["stock"]:
        assert 6 <= len(phrase.split()) <= 8
        assert phrase.split().count("{}") == 1


def test_words_fall_off_with_rank_as_in_real_text() -> None:
    world = simulate.world(events=150, comments=0)
    words = Counter(
        word
        for cluster in world.clusters()
        for article in cluster.articles
        for word in re.findall("[a-z]+", article.text.lower())
    )
    counts = np.array([count for _, count in words.most_common()])
    ranks = np.arange(1, len(counts) + 1)
    middle = slice(10, 3000)
    slope = np.polyfit(np.log(ranks[middle]), np.log(counts[middle]), 1)[0]
    assert -1.4 < slope < -0.8
    assert words.most_common(1)[0][0] == "the"
    assert len(counts) > 5000


@pytest.mark.parametrize("lang", LISTED)
def test_texts_are_in_their_language(lang: str) -> None:
    world = simulate.world(events=3, comments=30, lang=lang)
    thread = next(world.threads())
    assert nd.language(thread.article.text) == lang
    assert nd.language(" ".join(comment.text for comment in thread.comments)) == lang
    assert len(nd.sentences(thread.article.text, lang=lang)) >= 6


def test_better_texts_are_longer_and_say_more() -> None:
    words = lexicon("en")
    rng = world_stream("test", 0)
    about = topic(words, rng)
    insights = set(about.insights)
    shares, sizes = [], []
    for q in (0.1, 0.5, 0.9):
        quality = np.full(300, q)
        texts = write_texts(words, about, rng, quality, lengths(rng, quality))
        flat = [word for text in texts for word in text]
        shares.append(sum(word in insights for word in flat) / len(flat))
        sizes.append(len(flat) / 300)
    assert shares == pytest.approx([0.06, 0.3, 0.54], abs=0.03)
    assert sizes == pytest.approx([17 * (0.65 + 0.7 * q) for q in (0.1, 0.5, 0.9)], abs=1)


def test_a_topic_starts_with_the_words_of_its_article() -> None:
    about = topic(
        lexicon("en"), world_stream("test", 0), mentioned=["harbour", "strike", "harbour"]
    )
    assert list(about.words[:2]) == ["harbour", "strike"]
    assert len(set(about.words) | set(about.insights)) == TOPIC_WORDS + 12
    assert any("harbour" in phrase for phrase in about.stock)


def test_the_people_of_a_task_are_different_and_evenly_used() -> None:
    who = assign(world_stream("test", 0), 3000, 25, 2)
    assert (who[:, 0] != who[:, 1]).all()
    counts = np.bincount(who.ravel(), minlength=25)
    assert counts.min() > 180
    assert counts.max() < 300
    everyone = assign(world_stream("test", 0), 10, 12, 12)
    assert (np.sort(everyone, axis=1) == np.arange(12)).all()
