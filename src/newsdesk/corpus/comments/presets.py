"""The filters and sizes of two papers as presets, with every number a setting: `fujita2019(shallow_articles=80, test_articles=5)`.

A preset says of each thread whether its article is used (`refusal`), which of its comments a part draws from (`pool`), and, when all threads are known, which
article goes to which part (`plan`).

Readings. Qin et al. (2018): the 1,610 articles of the test set have at least 30 comments of more than five words each, from which 27 are drawn, and more than 200
up-votes in all comments. Fujita et al. (2019): an article counts if it has more than 100 comments, whatever their length, and those of 10 to 125 characters may be
drawn (`count='after'` counts only these); a part takes articles with as many of them as it draws from each; the 5,000 comments
for validation have the form of their setting; the test set has the paper's 42,436 comments or, where 200 articles have fewer, all of them, spread as evenly as
the articles allow. In the comparison with feedback the most liked comments are taken from all articles that count, without those that were drawn at random.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from newsdesk.arrays import Floats, best_first
from newsdesk.corpus.comments.planning import (
    Choice,
    Clean,
    Facts,
    Part,
    drawn,
    even_counts,
    need,
    permuted,
)
from newsdesk.errors import ArgumentError
from newsdesk.feedback import DISLIKE_WEIGHT, feedback
from newsdesk.registry import Registry
from newsdesk.settings import at_least, one_of
from newsdesk.types import Comment

PRESETS = Registry(
    "preset",
    {
        "qin2018": "newsdesk.corpus.comments.presets:Qin2018",
        "fujita2019": "newsdesk.corpus.comments.presets:Fujita2019",
        "feedback": "newsdesk.corpus.comments.presets:Feedback",
        "plain": "newsdesk.corpus.comments.presets:Plain",
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Qin2018:
    """Qin et al. (2018, section 3): train, dev, and a test set to be graded."""

    min_words: int = 30
    min_comments: int = 20
    dev_articles: int = 5_000
    test_articles: int = 1_610
    test_min_comments: int = 30
    test_words_above: int = 5
    test_upvotes_above: int = 200
    test_comments: int = 27
    votes: int = 2
    duplicates: bool = False
    protocol: ClassVar[str] = "grade"

    def __post_init__(self) -> None:
        _not_negative(self)
        if self.test_comments > self.test_min_comments:
            raise ArgumentError(
                f"{self.test_comments} comments cannot be drawn from articles with at least {self.test_min_comments}"
            )

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, and how many people judge a comment."""
        return (Part("train", 0), Part("dev", 0), Part("test", self.votes))

    def refusal(self, clean: Clean) -> str | None:
        """Return why this preset does not use an article, or None if it does."""
        if len(clean.comments) < self.min_comments:
            return f"fewer than {self.min_comments} comments"
        if len(clean.words(clean.thread.article.text)) < self.min_words:
            return f"fewer than {self.min_words} words"
        return None

    def unfit(self, clean: Clean) -> tuple[str, int]:
        """Return why comments of an article that is used are left out beforehand, and how many."""
        return "", 0

    def facts(self, clean: Clean) -> tuple[int, Floats | None]:
        """Return 1 if the article may be annotated (0: too few up-votes or long comments), and None.

        Words are counted no longer than needed.
        """
        if clean.upvotes <= self.test_upvotes_above:
            return 0, None
        enough = itertools.islice(self._annotatable(clean), self.test_min_comments)
        return int(sum(1 for _ in enough) >= self.test_min_comments), None

    def pool(self, part: str, clean: Clean) -> Sequence[Comment]:
        """Return the comments that a part takes or draws from."""
        return list(self._annotatable(clean)) if part == "test" else clean.comments

    def _annotatable(self, clean: Clean) -> Iterator[Comment]:
        least = self.test_words_above
        return (comment for comment in clean.comments if len(clean.words(comment.text)) > least)

    def plan(self, facts: Sequence[Facts], seed: int) -> list[Choice]:
        """Draw test articles from those that may be annotated, dev from the rest; all others train."""
        annotatable = [fact for fact in facts if fact.pool]
        need(
            len(annotatable), self.test_articles, "test_articles", "articles that may be annotated"
        )
        test = drawn(annotatable, self.test_articles, seed, "test")
        test_indexes = {fact.index for fact in test}
        rest = [fact for fact in facts if fact.index not in test_indexes]
        need(len(rest), self.dev_articles, "dev_articles", "articles besides the test set")
        dev = {fact.index for fact in drawn(rest, self.dev_articles, seed, "dev")}
        choices = [Choice(fact.index, "dev" if fact.index in dev else "train") for fact in rest]
        return choices + [Choice(fact.index, "test", self.test_comments) for fact in test]


class _ByLength:
    """What presets share that draw from the comments of a length between two limits."""

    __slots__ = ()
    min_characters: int
    max_characters: int

    def __post_init__(self) -> None:
        _not_negative(self)
        if self.min_characters > self.max_characters:
            raise ArgumentError(
                f"min_characters {self.min_characters} is more than max_characters {self.max_characters}"
            )

    @property
    def span(self) -> str:
        """The limits in words."""
        return f"{self.min_characters} to {self.max_characters} characters"

    def unfit(self, clean: Clean) -> tuple[str, int]:
        """Return the reason why comments are left out, and how many: those too short or too long."""
        return f"not {self.span}", len(clean.comments) - len(self._fitting(clean))

    def facts(self, clean: Clean) -> tuple[int, Floats | None]:
        """Return how many comments may be drawn, and None: they have no scores."""
        return len(self._fitting(clean)), None

    def pool(self, part: str, clean: Clean) -> Sequence[Comment]:
        """Return the comments of the right length: the same for every part."""
        return self._fitting(clean)

    def _fitting(self, clean: Clean) -> list[Comment]:
        least, most = self.min_characters, self.max_characters
        return [comment for comment in clean.comments if least <= len(comment.text.strip()) <= most]


class _ByCount(_ByLength):
    """What presets share whose articles count if they have enough comments."""

    __slots__ = ()
    comments_above: int
    count: str

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("count", self.count, ("before", "after"))

    def refusal(self, clean: Clean) -> str | None:
        """Return why an article does not count: too few comments, before or after limits of length."""
        before = self.count == "before"
        if len(clean.comments if before else self._fitting(clean)) > self.comments_above:
            return None
        limits = "" if before else f" of {self.span}"
        return f"not more than {self.comments_above} comments{limits}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fujita2019(_ByCount):
    """Fujita et al. (2019, section 2.3): Shallow and Deep of equal cost, a dev set for each, and Test."""

    comments_above: int = 100
    count: str = "before"
    min_characters: int = 10
    max_characters: int = 125
    shallow_articles: int = 8_000
    shallow_comments: int = 5
    deep_articles: int = 400
    deep_comments: int = 100
    test_articles: int = 200
    test_comments: int = 42_436
    dev_comments: int = 5_000
    votes: int = 10
    test_votes: int = 40
    duplicates: bool = False
    protocol: ClassVar[str] = "constructive"

    def __post_init__(self) -> None:
        _ByCount.__post_init__(self)
        for name in ("shallow_comments", "deep_comments"):
            at_least(name, getattr(self, name), 1)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, and how many people judge a comment."""
        names = ("shallow", "shallow-dev", "deep", "deep-dev")
        return (*(Part(name, self.votes) for name in names), Part("test", self.test_votes))

    def plan(self, facts: Sequence[Facts], seed: int) -> list[Choice]:
        """Draw articles without overlap: Test, Deep and Shallow, each with as many comments as it asks for."""
        sizes = {  # articles, comments of each; the test set takes what its articles have
            "test": (self.test_articles, 1),
            "deep": (self.deep_articles, self.deep_comments),
            "deep-dev": (self.dev_comments // self.deep_comments, self.deep_comments),
            "shallow": (self.shallow_articles, self.shallow_comments),
            "shallow-dev": (self.dev_comments // self.shallow_comments, self.shallow_comments),
        }
        wanted = sum(articles for articles, _ in sizes.values())
        need(len(facts), wanted, "shallow_articles and the other sizes", "articles that count")
        left = permuted(facts, seed, "articles")
        choices: list[Choice] = []
        for part, (articles, comments) in sizes.items():
            description = (
                f"articles left for {part} with {comments} or more comments of {self.span}"
            )
            enough = [fact for fact in left if fact.pool >= comments]
            setting = "dev_comments" if part.endswith("-dev") else f"{part}_articles"
            need(len(enough), articles, setting, description)
            members = enough[:articles]
            taken = {member.index for member in members}
            left = [fact for fact in left if fact.index not in taken]
            counts = [comments] * articles
            if part == "test":
                counts = even_counts([member.pool for member in members], self.test_comments)
            choices += [
                Choice(fact.index, part, count) for fact, count in zip(members, counts, strict=True)
            ]
        return choices


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(_ByCount):
    """Fujita et al. (2019, Figure 2): comments drawn as for Shallow beside those users like best."""

    comments_above: int = 100
    count: str = "before"
    min_characters: int = 10
    max_characters: int = 125
    articles: int = 1_000
    comments: int = 5
    liked: int = 5_000
    dislike_weight: float = DISLIKE_WEIGHT
    votes: int = 10
    duplicates: bool = False
    protocol: ClassVar[str] = "constructive"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The two groups of comments, and how many people judge a comment."""
        return (Part("random", self.votes), Part("liked", self.votes))

    def facts(self, clean: Clean) -> tuple[int, Floats | None]:
        """Return how many comments may be drawn, and the feedback on each; without likes the least."""
        pool = self._fitting(clean)
        scores = [feedback(comment, self.dislike_weight) for comment in pool]
        return len(pool), np.array([-np.inf if score is None else score for score in scores])

    def plan(self, facts: Sequence[Facts], seed: int) -> list[Choice]:
        """Draw comments of articles at random, then take the best liked of all comments not drawn."""
        enough = [fact for fact in facts if fact.pool >= self.comments]
        what = f"articles that count with {self.comments} or more comments of {self.span}"
        need(len(enough), self.articles, "articles", what)
        members = drawn(enough, self.articles, seed, "random")
        choices = [Choice(member.index, "random", self.comments) for member in members]
        # A comment is the index of its article and its place in the article's pool.
        taken = {
            (choice.index, place)
            for choice, member in zip(choices, members, strict=True)
            for place in choice.places(member.pool, seed)
        }
        liked_places: dict[int, list[int]] = {}  # places, by the index of the article
        left = self.liked
        for index, place in self._by_feedback(facts) if left else ():
            if (index, place) not in taken:
                liked_places.setdefault(index, []).append(place)
                left -= 1
            if not left:
                break
        need(self.liked - left, self.liked, "liked", "further comments with likes")
        liked = [
            Choice(index, "liked", ranks=tuple(sorted(liked_places[index])))
            for index in sorted(liked_places)
        ]
        return choices + liked

    def _by_feedback(self, facts: Sequence[Facts]) -> Iterator[tuple[int, int]]:
        """Yield all comments with likes, best feedback first, as article and place in its pool."""
        scored = [(fact.index, fact.scores) for fact in facts if fact.scores is not None]
        if not scored:
            return
        article_indexes = np.repeat(
            [index for index, _ in scored], [len(scores) for _, scores in scored]
        )
        places_in_pool = np.concatenate([np.arange(len(scores)) for _, scores in scored])
        scores = np.concatenate([scores for _, scores in scored])
        for position in best_first(scores).tolist():
            if np.isfinite(scores[position]):
                yield int(article_indexes[position]), int(places_in_pool[position])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(_ByLength):
    """Any corpus, split by article; nothing is dropped unasked."""

    min_words: int = 0
    min_comments: int = 1
    min_characters: int = 1
    max_characters: int = 1_000_000
    dev_share: float = 0.1
    test_share: float = 0.1
    votes: int = 5
    duplicates: bool = False
    protocol: ClassVar[str] = "constructive"

    def __post_init__(self) -> None:
        _ByLength.__post_init__(self)
        if self.dev_share + self.test_share > 1:
            raise ArgumentError(
                f"dev_share {self.dev_share} and test_share {self.test_share} are more than 1 together"
            )

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts; all may be judged."""
        return tuple(Part(name, self.votes) for name in ("train", "dev", "test"))

    def refusal(self, clean: Clean) -> str | None:
        """Return why this preset does not use an article, or None if it does."""
        if len(self._fitting(clean)) < self.min_comments:
            return f"fewer than {self.min_comments} comments"
        if self.min_words and len(clean.words(clean.thread.article.text)) < self.min_words:
            return f"fewer than {self.min_words} words"
        return None

    def plan(self, facts: Sequence[Facts], seed: int) -> list[Choice]:
        """Draw shares of the articles for dev and test, each with all its comments."""
        order = permuted(facts, seed, "articles")
        dev_count, test_count = (
            round(share * len(order)) for share in (self.dev_share, self.test_share)
        )
        names = ["test"] * test_count + ["dev"] * dev_count + ["train"] * len(order)
        return [Choice(fact.index, part) for fact, part in zip(order, names, strict=False)]


Preset = Qin2018 | Fujita2019 | Feedback | Plain


def _not_negative(preset: Qin2018 | _ByLength) -> None:
    """Refuse a negative number in any setting of a preset."""
    for name in preset.__slots__:
        if not isinstance(getattr(preset, name), str):
            at_least(name, getattr(preset, name), 0)
