"""Alignment written out the slow way, a pair at a time: what the matrices must give."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from datetime import date

from newsdesk.corpus.align.background import Background, words
from newsdesk.corpus.align.features import LEAD_WORDS, RARE_SHARE, phrases
from newsdesk.corpus.align.model import EventAligner
from newsdesk.corpus.pages import url_key
from newsdesk.types import Article, Event


def plain_features(
    article: Article, event: Event, background: Background, features: str
) -> list[float]:
    """All features of one pair, in order."""
    frequency, shared = _tables(background)
    rich = features == "rich"
    idf = {
        word: math.log((1 + background.documents) / (1 + frequency.get(word, 0))) + 1
        for word in words(f"{article.title} \n {article.text} \n {event.summary}")
    }
    summary = words(event.summary)

    def vector(tokens: Sequence[str]) -> dict[str, float]:
        damp = (lambda n: 1 + math.log(n)) if rich else float
        counts = Counter(each for each in tokens if not rich or each in shared or each in summary)
        return {word: damp(n) * idf[word] for word, n in counts.items()}

    def cosine(tokens: Sequence[str]) -> float:
        mine, theirs = vector(tokens), vector(summary)
        norms = [math.sqrt(sum(each**2 for each in side.values())) for side in (mine, theirs)]
        if not all(norms):
            return 0.0
        return sum(mine[word] * theirs[word] for word in mine.keys() & theirs.keys()) / (
            norms[0] * norms[1]
        )

    title, body = words(article.title or ""), words(article.text)
    named = phrases(event)
    in_body = sum(each in article.text for each in named)
    values = [
        cosine(title),
        cosine(body),
        sum(each in (article.title or "") for each in named),
        in_body,
    ]
    if rich:
        distinct = set(summary)
        rare = {w for w in distinct if frequency.get(w, 0) <= RARE_SHARE * background.documents}
        values += [len(rare & set(part)) for part in (title, body[:LEAD_WORDS], body)]
        total = sum(idf[word] for word in distinct)
        values.append(sum(idf[word] for word in distinct & set(body)) / total if total else 0.0)
        values.append(in_body / max(len(named), 1))
    return [float(value) for value in values]


@functools.cache
def _tables(background: Background) -> tuple[dict[str, int], set[str]]:
    """How many documents hold each word, and the words of the background's summaries."""
    counts = zip(background.vocabulary, background.frequencies.tolist(), strict=True)
    return dict(counts), set(background.vocabulary[: background.summary_words])


def plain_joins(
    events: Sequence[Event],
    articles: Sequence[Article],
    aligner: EventAligner,
    *,
    probability: float = 0.9,
    days: int = 1,
) -> dict[str, dict[str, float | None]]:
    """Event → article → probability (None for cited); events without a cited article are left out."""
    joins: dict[str, dict[str, float | None]] = {event.id: {} for event in events}
    cited_events = set()
    for article in articles:
        keys = {
            event.id
            for event in events
            if article.url
            and url_key(article.url) in {url_key(source.url) for source in event.sources}
        }
        if keys:
            cited_events |= keys
            for key in keys:
                joins[key][article.id] = None
            continue
        best: tuple[float, str] | None = None
        for event in sorted(events, key=lambda each: each.date):
            if article.date is None or abs(_day(article.date) - _day(event.date)) > days:
                continue
            values = plain_features(article, event, aligner.background_, aligner.features)
            if values[1] < 0.05:
                continue
            odds = aligner.bias_ + sum(w * v for w, v in zip(aligner.weights_, values, strict=True))
            chance = round(1 / (1 + math.exp(-odds)), 9)
            if best is None or chance > best[0]:
                best = (chance, event.id)
        if best and best[0] >= probability:
            joins[best[1]][article.id] = best[0]
    return {event: members for event, members in joins.items() if event in cited_events}


def _day(text: str) -> int:
    return date.fromisoformat(text).toordinal()
