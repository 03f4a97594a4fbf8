"""The title and lead of an event: those of its most central article, which is named, so that nobody takes them for a summary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from newsdesk.corpus.align.background import words
from newsdesk.text import sentences
from newsdesk.types import Article

_LEAD_CHARACTERS = 1_500
_MOST_TITLE = 200
_MOST_READ = 50  # articles of an event whose headlines are compared


def central(articles: Sequence[Article]) -> Article:
    """Return the article whose headline shares most with the others; of equals the first.

    Headlines are compared by the cosine of their words, each counted once; an article without one stands by its first sentence.

    >>> rows = [Article("a", "x", title="Sport today"), Article("b", "x", title="Dam breaks in north"), Article("c", "x", title="Dam breaks")]
    >>> central(rows).id
    'c'
    """
    read = articles[:_MOST_READ]
    bags = [Counter(set(words(headline_of(article)))) for article in read]
    total: Counter[str] = Counter()
    for bag in bags:
        total.update(bag)
    scores = [
        round(sum(total[word] - 1 for word in bag) / math.sqrt(len(bag)), 9) if bag else 0.0
        for bag in bags
    ]
    return read[max(range(len(read)), key=lambda place: (scores[place], -place))]


def headline_of(article: Article) -> str:
    """Return the title of an article, or else its first sentence."""
    if article.title:
        return " ".join(article.title.split())
    return _first_sentence(article)[:_MOST_TITLE]


def lead_of(article: Article) -> str:
    """Return the first sentence of an article's text that is not its headline."""
    return _first_sentence(article, besides=article.title)


def _first_sentence(article: Article, besides: str | None = None) -> str:
    headline = words(besides or "")
    for sentence in sentences(article.text[:_LEAD_CHARACTERS], article.lang):
        text = " ".join(sentence.split())
        if text and words(text) != headline:
            return text
    return ""
