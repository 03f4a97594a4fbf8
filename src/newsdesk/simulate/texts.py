"""Texts of known quality: the generator of the weighted-reference findings.

Each article has 30 topic words (Zipf .9), two aspects of six insight words each, and four stock phrases of six to eight words that name
the topic. A text of quality q takes one aspect, starts with a stock phrase with probability .4 (1 - q)², and then goes word by word:
an insight word with probability .6 q, an off-topic word with .8 (1 - q), else a topic word (.3) or a function word. So poor texts look
alike and good ones say something, which is what makes weights matter to metrics that take the best match.

The source leaves open what off-topic words are: here content words of the language by rank (Zipf 1.1). Comments of threads are longer and
should read like talk, so they have more insight words to choose from, rarer off-topic words, and function words in between.

Habits: in some worlds quality shows in nothing but words that all articles share. Half of what is said freely are words that lean everywhere: every second one to good
comments, the others to poor ones. There are so many that what each leans to must be learned from a few dozen uses, so more votes always help. Four tenths are words that
lean nowhere, of which the readers of one article come back to ten: they give the article away, and what its comments have in common seems to come from them to who has
seen few articles. The rest are topic words.

Comments are cut to a length in characters, with sentences and marks of tone. Length is fixed before a word is drawn, so quality shows in it only as far as a preset wants.
What gives quality away in the words is what was found on real comments: arguments and proposals on one side, insults, absolutes and exclamation marks on the other.

Scenarios are such texts without a world around them, to see when weights help a metric; by default as many articles as Qin et al. (2018) graded. Expected of W-METEOR
over METEOR, in Spearman correlation with the grades and on the mean of four seeds: `base` gains .02 to .08, and less than .03 with weights shuffled among the references of
an article; `equal` gains less than .01; `wide` more than .12; `k4` less than .03; `article-effect` gains more than .05 even when shuffled, since the mean grade of an
article's references then predicts its candidates' grades.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import to_weights
from newsdesk.simulate.lexicon import (
    Words,
    WorldLexicon,
    content_words,
    lexicon,
    ranks,
    world_stream,
    zipf_shares,
)
from newsdesk.simulate.presets import PRESETS, WorldSettings
from newsdesk.types import Reference

TOPIC_WORDS = 30
ASPECTS = 2
STOCK = 4
TOPIC_SHARE = 0.3

TOPIC_SHARES = zipf_shares(TOPIC_WORDS, 0.9)
# Topic and insight words come from the tail, where off-topic talk seldom lands.
_COMMON = 150

OWN_WORDS = 10
OWN_POOL = 400
_LEANING_SHARE = 0.5
_OWN_SHARE = 0.4
_LEANING_EXPONENT = 0.3
_MARK_SHARE = 0.12
_FEW_MARKS = 0.02
_SENTENCE_END = 1 / 14
_SHOUT_SHARE = 0.4
_SPARE_WORDS = 6

SCALE = (1, 5)  # of grades
SCENARIOS = ("base", "equal", "wide", "k4", "article-effect")
ARTICLES = 1610
# Article, system, candidate, references, grade, quality.
_Row = tuple[str, str, str, tuple[Reference, ...], float, float]


@dataclass(frozen=True, slots=True)
class Style:
    """How texts are worded."""

    insights: int  # words of an aspect
    off_topic_exponent: float  # of Zipf's law
    between: float  # the share of function words
    topic: float = TOPIC_SHARE  # of topic words in the rest


GRADED = Style(insights=6, off_topic_exponent=1.1, between=0.0)
TALK = Style(insights=40, off_topic_exponent=0.9, between=0.4)


@dataclass(frozen=True, slots=True)
class Topic:
    """What there is to say about one article, and in which style."""

    style: Style
    words: Words
    insights: Words
    stock: tuple[tuple[str, ...], ...]


def topic(
    lexicon: WorldLexicon,
    rng: np.random.Generator,
    style: Style = GRADED,
    mentioned: Sequence[str] = (),
) -> Topic:
    """Return the topic of an article: words that the article mentions come first, the rest is drawn."""
    wanted = TOPIC_WORDS + ASPECTS * style.insights
    reused = list(dict.fromkeys(mentioned))[:TOPIC_WORDS]
    drawn = (
        rng.choice(len(lexicon.content) - _COMMON, wanted + len(reused), replace=False) + _COMMON
    )
    fresh = [word for word in lexicon.content[drawn] if word not in reused]
    words = (reused + fresh)[:TOPIC_WORDS]
    insights = fresh[-ASPECTS * style.insights :]
    patterns = lexicon.patterns["stock"]
    stock = tuple(
        tuple(words[turn] if word == "{}" else word for word in patterns[number].split())
        for turn, number in enumerate(rng.choice(len(patterns), STOCK, replace=False))
    )
    return Topic(style, np.array(words, dtype=object), np.array(insights, dtype=object), stock)


def lengths(rng: np.random.Generator, quality: Floats) -> Ints:
    """Return how many words a text of each quality has: 17 (.65 + .7 q) ± 4, from 5 to 50."""
    drawn = np.rint(17 * (0.65 + 0.7 * quality) + rng.normal(0, 4, len(quality)))
    return np.clip(drawn, 5, 50).astype(np.int64)


def write_texts(
    lexicon: WorldLexicon, about: Topic, rng: np.random.Generator, quality: Floats, length: Ints
) -> list[list[str]]:
    """Return one text, as words, for each quality, of the length in the same place."""
    texts = steps(lexicon, about, rng, quality, length)
    for text, opening in zip(texts, openings(about, rng, quality), strict=True):
        text[: len(opening)] = opening[: len(text)]
    return texts


def openings(about: Topic, rng: np.random.Generator, quality: Floats) -> list[tuple[str, ...]]:
    """Return the stock phrase that each text starts with, or nothing."""
    starts = rng.random(len(quality)) < 0.4 * (1 - quality) ** 2
    which = rng.integers(0, STOCK, len(quality))
    return [
        about.stock[number] if start else ()
        for start, number in zip(starts.tolist(), which.tolist(), strict=True)
    ]


def steps(
    lexicon: WorldLexicon, about: Topic, rng: np.random.Generator, quality: Floats, length: Ints
) -> list[list[str]]:
    """Return the word-by-word part of each text."""
    words, _ = mixed_words(lexicon, about, rng, quality, length)
    flat = words.tolist()
    ends = np.cumsum(length).tolist()
    return [flat[end - count : end] for end, count in zip(ends, length.tolist(), strict=True)]


def mixed_words(
    lexicon: WorldLexicon, about: Topic, rng: np.random.Generator, quality: Floats, length: Ints
) -> tuple[Words, NDArray[np.bool_]]:
    """Return the words of all texts in a row, and which of them are function words."""
    q = np.repeat(quality, length)  # of each word's text
    aspect = np.repeat(rng.integers(0, ASPECTS, len(length)), length)
    draw, rank, second, between = rng.random((4, len(q)))
    free = between >= about.style.between
    insight = free & (draw < 0.6 * q)
    off = free & ~insight & (draw < 0.6 * q + 0.8 * (1 - q))
    on_topic = free & ~insight & ~off & (second < about.style.topic)
    words = lexicon.function[ranks(zipf_shares(len(lexicon.function), 1.0), rank)]
    words[on_topic] = about.words[ranks(TOPIC_SHARES, rank[on_topic])]
    size = about.style.insights
    words[insight] = about.insights[aspect[insight] * size + (rank[insight] * size).astype(int)]
    words[off] = content_words(lexicon, rng, int(off.sum()), about.style.off_topic_exponent)
    return words, ~(insight | off | on_topic)


@dataclass(frozen=True, slots=True)
class Habits:
    """The words of an article's readers: that lean to good comments, that lean to poor ones, their own."""

    good: Words
    poor: Words
    own: Words


def habits(lexicon: WorldLexicon, rng: np.random.Generator, leaning: int) -> Habits:
    """Let the first so many content words lean, and draw the readers' own from those that follow."""
    end = min(leaning, len(lexicon.content) - OWN_POOL)
    own = lexicon.content[end + rng.choice(OWN_POOL, OWN_WORDS, replace=False)]
    return Habits(lexicon.content[0:end:2], lexicon.content[1:end:2], own)


def habitual_words(
    lexicon: WorldLexicon,
    about: Topic,
    said: Habits,
    rng: np.random.Generator,
    quality: Floats,
    length: Ints,
) -> tuple[Words, NDArray[np.bool_]]:
    """Draw words as `mixed_words` does, but quality shows only in which of the leaning words are taken."""
    q = np.repeat(quality, length)  # of each word's text
    draw, rank, kind, between = rng.random((4, len(q)))
    free = between >= about.style.between
    leaning = free & (draw < _LEANING_SHARE)
    own = free & ~leaning & (draw < _LEANING_SHARE + _OWN_SHARE)
    good = leaning & (kind < q)
    words = lexicon.function[ranks(zipf_shares(len(lexicon.function), 1.0), rank)]
    words[own] = said.own[(rank[own] * len(said.own)).astype(int)]
    on_topic = free & ~leaning & ~own
    words[on_topic] = about.words[ranks(TOPIC_SHARES, rank[on_topic])]
    for where, pool in ((good, said.good), (leaning & ~good, said.poor)):
        words[where] = pool[ranks(zipf_shares(len(pool), _LEANING_EXPONENT), rank[where])]
    return words, ~free


def comment_texts(
    lexicon: WorldLexicon,
    about: Topic,
    rng: np.random.Generator,
    quality: Floats,
    characters: Floats,
    said: Habits | None = None,
) -> list[str]:
    """Return one comment for each quality, about so many characters long.

    With habits quality shows in shared words instead of insights.
    """
    starts = openings(about, rng, quality)
    space = len(lexicon.space)
    taken = [sum(len(word) + space for word in start) for start in starts]
    wanted = np.maximum(characters - taken, 0)
    drawn = (wanted / float(lexicon.patterns["characters"][0])).astype(np.int64) + _SPARE_WORDS
    if said:
        words, function = habitual_words(lexicon, about, said, rng, quality, drawn)
    else:
        words, function = mixed_words(lexicon, about, rng, quality, drawn)
    share = _FEW_MARKS if said else _MARK_SHARE
    _set_tone(lexicon, rng, words, function, np.repeat(quality, drawn), share)
    lengths = _cut_lengths(words, drawn, wanted, space)
    ends = rng.random(len(words)) < _SENTENCE_END
    loud = rng.random(len(quality)) < _SHOUT_SHARE * (1 - quality)
    flat, closes = words.tolist(), ends.tolist()
    texts = []
    first = 0
    for start, count, keep, shout in zip(
        starts, drawn.tolist(), lengths.tolist(), loud.tolist(), strict=True
    ):
        spoken = [*start, *flat[first : first + keep]] or [flat[first]]
        breaks = [*[False] * len(start), *closes[first : first + keep]]
        texts.append(_punctuated(lexicon, spoken, breaks, lexicon.shout if shout else lexicon.stop))
        first += count
    return texts


def _set_tone(
    lexicon: WorldLexicon,
    rng: np.random.Generator,
    words: Words,
    function: np.ndarray[tuple[int], np.dtype[np.bool_]],
    quality: Floats,
    share: float,
) -> None:
    """Put marks of tone in the place of some function words, in `words` itself.

    `function` and `quality` are those of each word; `share` of the function words are replaced.
    """
    marked = np.flatnonzero(function & (rng.random(len(words)) < share))
    good = rng.random(len(marked)) < quality[marked]
    for kind, where in (("constructive", marked[good]), ("shouting", marked[~good])):
        marks = lexicon.marks[kind]
        words[where] = marks[rng.integers(0, len(marks), len(where))]


def _cut_lengths(words: Words, drawn: Ints, wanted: Floats, space: int) -> Ints:
    """Return how many of its words each text keeps to come nearest to its length.

    `drawn` counts the words of each text, `wanted` is its length in characters.
    """
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + space
    ends = np.cumsum(sizes)
    starts = np.concatenate([[0], ends])[np.cumsum(drawn) - drawn]
    middle = ends - sizes / 2 - np.repeat(starts, drawn)
    keep = middle < np.repeat(wanted, drawn)
    return np.add.reduceat(keep, np.cumsum(drawn) - drawn, dtype=np.int64)


def _punctuated(lexicon: WorldLexicon, words: list[str], breaks: list[bool], last: str) -> str:
    """Return words as sentences: one ends where `breaks` says so, and the text with the mark `last`."""
    stop = lexicon.stop
    closed = [word + stop if end else word for word, end in zip(words[:-1], breaks, strict=False)]
    text = lexicon.space.join([*closed, words[-1] + last])
    if not lexicon.space:
        return text
    return ". ".join(part[:1].upper() + part[1:] for part in text.split(". "))


def draw_quality(rng: np.random.Generator, settings: WorldSettings) -> Floats:
    """Return the quality of an article's references and of one text of each system."""
    count = settings.references
    means = [settings.reference_mean] * count + list(settings.comment_systems.values())
    spreads = np.full(len(means), settings.system_spread)
    spreads[:count] = settings.reference_spread
    return np.clip(rng.normal(means, spreads), 0, 1)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Simulated items, each a candidate of one system for one article: parallel tuples."""

    name: str
    seed: int
    articles: tuple[str, ...]
    systems: tuple[str, ...]
    candidates: tuple[str, ...]
    references: tuple[tuple[Reference, ...], ...]
    grades: tuple[float, ...]
    quality: tuple[float, ...]

    def shuffled(self) -> Scenario:
        """Shuffle the weights among the references of each article: what a gain must beat."""
        rng = world_stream("scenario shuffle", self.seed)
        mixed: dict[str, tuple[Reference, ...]] = {}
        for article, references in zip(self.articles, self.references, strict=True):
            if article not in mixed:
                order = rng.permutation(len(references))
                mixed[article] = tuple(
                    replace(reference, weight=references[other].weight)
                    for reference, other in zip(references, order, strict=True)
                )
        return replace(self, references=tuple(mixed[article] for article in self.articles))


def scenario(name: str, seed: int, *, articles: int = ARTICLES, lang: str = "en") -> Scenario:
    """Return the scenario of a preset: every system's text for every article, graded by two people."""
    settings: WorldSettings = PRESETS.load(name)
    if articles < 1:
        raise ArgumentError(f"a scenario needs at least one article, not {articles}")
    rows = [
        row for number in range(articles) for row in _article_rows(settings, seed, number, lang)
    ]
    ids, systems, candidates, references, grades, quality = zip(*rows, strict=True)
    return Scenario(name, seed, ids, systems, candidates, references, grades, quality)


def _article_rows(settings: WorldSettings, seed: int, number: int, lang: str) -> Iterator[_Row]:
    rng = world_stream("scenario", seed, number)
    words = lexicon(lang)
    about = topic(words, rng)
    effect = rng.normal(0, 1) * settings.article_effect
    count = settings.references
    quality = draw_quality(rng, settings)
    texts = [
        words.space.join(text)
        for text in write_texts(words, about, rng, quality, lengths(rng, quality))
    ]
    grades = mean_grades(rng, quality + effect, settings.grade_noise)
    weights = to_weights(grades[:count], "minmax", *SCALE)
    references = tuple(map(Reference, texts[:count], weights.tolist()))
    for index, system in enumerate(settings.comment_systems, count):
        yield (
            f"sim-{number:05d}",
            system,
            texts[index],
            references,
            float(grades[index]),
            float(quality[index]),
        )


def mean_grades(rng: np.random.Generator, perceived: Floats, noise: float) -> Floats:
    """Return the mean grade of two people who see a quality with some noise."""
    seen = perceived + rng.normal(0, noise, (2, len(perceived)))
    return np.clip(np.rint(1 + 4 * seen), *SCALE).mean(axis=0)
