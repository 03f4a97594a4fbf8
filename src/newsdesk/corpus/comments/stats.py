"""What a comment corpus is like: Table 2 of Qin et al. (2018) and of Fujita et al. (2019), mean lengths, vocabulary, the tail of up-votes and categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from newsdesk.corpus.comments.cleaning import Clean
from newsdesk.types import Comment

UNKNOWN = "unknown"
_SHARES = (0.5, 0.9, 0.99, 0.999)
TOP_CATEGORIES = 15


@dataclass(frozen=True, slots=True)
class PartStats:
    """The statistics of one part; a mean is None where nothing has the number.

    `tail` holds quantiles of the up-votes of a comment, `c_scores` the least and the greatest number
    of yes votes, `scores` those of comments that have a score alone.
    """

    part: str
    votes: int
    articles: int
    comments: int
    comments_per_article: float | None
    upvotes_per_comment: float | None
    title_words: float | None
    content_words: float | None
    comment_words: float | None
    comment_characters: float | None
    tail: Mapping[str, int]
    c_scores: tuple[int, int] | None = None
    scores: tuple[float, float] | None = None


class PartCounts:
    """Collects the numbers of a part while its threads are written."""

    _KINDS = ("title", "content", "comment")

    def __init__(self, part: str, votes: int) -> None:
        self.part = part
        self.votes = votes
        self.articles = self.comments = 0
        self.words: Counter[str] = Counter()
        self.texts: Counter[str] = Counter()
        self.characters = 0
        self.upvotes: Counter[int] = Counter()
        self.yes: set[int] = set()
        self.scores: set[float] = set()

    def add(self, clean: Clean, comments: Iterable[Comment], vocabulary: set[str]) -> None:
        """Count an article and those of its comments that are written; their words go into the vocabulary."""
        article = clean.thread.article
        self.articles += 1
        texts = [("title", article.title or ""), ("content", article.text)]
        for comment in comments:
            self.comments += 1
            self.characters += len(comment.text)
            if comment.likes is not None:
                self.upvotes[comment.likes] += 1
            if comment.yes is not None:
                self.yes.add(comment.yes)
            elif comment.score is not None:
                self.scores.add(comment.score)
            texts.append(("comment", comment.text))
        for kind, text in texts:
            if text:
                words = clean.words(text)
                vocabulary.update(words)
                self.words[kind] += len(words)
                self.texts[kind] += 1

    def stats(self) -> PartStats:
        """Return the statistics of the threads added so far."""
        total = sum(likes * count for likes, count in self.upvotes.items())
        words = {kind: _mean(self.words[kind], self.texts[kind]) for kind in self._KINDS}
        return PartStats(
            part=self.part,
            votes=self.votes,
            articles=self.articles,
            comments=self.comments,
            comments_per_article=_mean(self.comments, self.articles),
            upvotes_per_comment=_mean(total, self.upvotes.total()),
            title_words=words["title"],
            content_words=words["content"],
            comment_words=words["comment"],
            comment_characters=_mean(self.characters, self.comments),
            tail=tail(self.upvotes),
            c_scores=(min(self.yes), max(self.yes)) if self.yes else None,
            scores=(min(self.scores), max(self.scores)) if self.scores else None,
        )


def tail(counts: Counter[int]) -> dict[str, int]:
    """Quantiles and the greatest of counted numbers.

    >>> tail(Counter({0: 98, 7: 1, 900: 1}))
    {'50%': 0, '90%': 0, '99%': 7, '99.9%': 900, 'most': 900}
    """
    if not counts:
        return {}
    values = sorted(counts)
    total, reached = counts.total(), 0
    quantiles: dict[str, int] = {}
    shares = list(_SHARES)
    for value in values:
        reached += counts[value]
        while shares and reached >= shares[0] * total:
            quantiles[f"{shares.pop(0):.3%}".replace(".000%", "%").replace("00%", "%")] = value
    return {**quantiles, "most": values[-1]}


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None
