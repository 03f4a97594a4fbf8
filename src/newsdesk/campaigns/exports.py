"""Exports of a campaign: weighted references, threads with gains, TREC qrels, training pairs.

Everything is computed from the current judgments of the store, without excluded annotators and control questions. A `question` is needed where several were
asked and none is called `overall`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from newsdesk.campaigns.aggregate import Tally, values_of
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import texts_of
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import How, Weighting
from newsdesk.types import Article, Comment, Pair, Reference, References, Thread

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store


@dataclass(frozen=True, slots=True)
class WeightedReferences:
    """The judged texts as references, and the weighting that was applied."""

    references: tuple[References, ...]
    weighting: Weighting


def weights(
    store: Store, campaign: str, *, how: How = "minmax", question: str | None = None
) -> WeightedReferences:
    """Return the judged texts as references, weighted by mean grade, share of votes, or rank."""
    rows = tallies_of(store, campaign, question)
    weighting = weighting_of(store.campaign(campaign).protocol, how)
    references = weighted_references(rows, texts_of(store.tasks(campaign)), weighting)
    return WeightedReferences(tuple(references), weighting)


def gains(
    store: Store,
    campaign: str,
    threads: Iterable[Thread] = (),
    *,
    question: str | None = None,
) -> list[Thread]:
    """Return threads whose comments have score, yes and votes, and what those of `threads` have besides.

    An article that is not in `threads` has only its id.
    """
    rows = tallies_of(store, campaign, question)
    votes = store.campaign(campaign).protocol.kind == "select"
    texts = texts_of(store.tasks(campaign))
    return gain_threads(rows, texts, threads, votes=votes)


def qrels(store: Store, campaign: str, *, question: str | None = None) -> Iterator[str]:
    """Yield lines of TREC qrels with integer gains: the number of yes votes, or the sum of grades."""
    rows = tallies_of(store, campaign, question)
    if store.campaign(campaign).protocol.kind == "rank":
        raise ArgumentError("ranks give no whole-number gains; write .jsonl")
    return qrels_lines(rows)


def pairs(
    store: Store, campaign: str, *, least_margin: float = 0.0, question: str | None = None
) -> Iterator[Pair]:
    """Yield pairs of targets of one item of which one was judged better by at least the margin."""
    rows = tallies_of(store, campaign, question)
    return training_pairs(rows, least_margin=least_margin)


def tallies_of(store: Store, campaign: str, question: str | None = None) -> list[Tally]:
    """Return one question's values by target, higher is better."""
    form = store.campaign(campaign).protocol
    return values_of(store.judgments(campaign, control=False), form, question)


def weighting_of(form: Protocol, how: How = "minmax") -> Weighting:
    """Return the weighting for a protocol's values, from the ends of its scale; shares range from 0 to 1.

    >>> from newsdesk.campaigns.protocols import protocol
    >>> weighting_of(protocol("grade")).signature, weighting_of(protocol("rank"), "max").signature
    ('minmax[1,5]', 'max[0,1]')
    """
    if form.kind in ("label", "spans"):
        raise ArgumentError(
            f"a campaign of kind {form.kind!r} gives no weights; grades, votes, choices and ranks do"
        )
    if how == "itemmax":
        return Weighting(how)
    if form.kind in ("scale", "slider"):
        return Weighting(how, *map(float, form.ends))
    if form.kind == "best-worst":
        return Weighting(how, -1.0, 1.0)
    return Weighting(how, 0.0, 1.0)


def weighted_references(
    rows: Iterable[Tally], texts: Mapping[tuple[str, str], str], weighting: Weighting
) -> list[References]:
    """Return the targets as references of their item, weighted by mean grade or share of votes.

    `texts` are by item and target.
    """
    listed = list(rows)
    places = {item: number for number, item in enumerate(dict.fromkeys(row.item for row in listed))}
    weights = weighting([row.mean for row in listed], [places[row.item] for row in listed])
    references_of: dict[str, list[Reference]] = {}
    for row, weight in zip(listed, weights, strict=True):
        text = texts[row.item, row.target]
        references_of.setdefault(row.item, []).append(Reference(text, float(weight)))
    return [References(item, tuple(references)) for item, references in references_of.items()]


def gain_threads(
    rows: Iterable[Tally],
    texts: Mapping[tuple[str, str], str],
    threads: Iterable[Thread],
    *,
    votes: bool,
) -> list[Thread]:
    """Return threads whose comments have their gain as `score`: the share of yes, or the mean grade.

    `texts` are by item and target.
    Likes, times, authors and all else is that of the comment of the same ids in `threads`; the text is the one that was judged.
    """
    articles: dict[str, Article] = {}
    known_comments: dict[tuple[str, str], Comment] = {}
    for thread in threads:
        articles[thread.article.id] = thread.article
        known_comments |= {(thread.article.id, comment.id): comment for comment in thread.comments}
    comments_of: dict[str, list[Comment]] = {}
    for row in rows:
        yes, count = (row.yes, len(row.values)) if votes else (None, None)
        text = texts[row.item, row.target]
        comment = known_comments.get((row.item, row.target)) or Comment(row.target, text)
        judged = replace(comment, text=text, score=row.mean, yes=yes, votes=count)
        comments_of.setdefault(row.item, []).append(judged)
    return [
        Thread(articles.get(item) or Article(item, ""), tuple(comments))
        for item, comments in comments_of.items()
    ]


def qrels_lines(rows: Iterable[Tally]) -> Iterator[str]:
    """Yield lines of TREC qrels with integer gains: the number of yes votes, or the sum of grades."""
    for row in rows:
        for name in (row.item, row.target):
            if any(character.isspace() for character in name):
                raise ArgumentError(f"the id {name!r} holds white space, which a TREC file cannot")
        yield f"{row.item} 0 {row.target} {row.yes}"


def training_pairs(rows: Iterable[Tally], *, least_margin: float) -> Iterator[Pair]:
    """Yield pairs of targets of one item whose means differ by at least the margin, the better first."""
    by_item: dict[str, list[Tally]] = {}
    for row in rows:
        by_item.setdefault(row.item, []).append(row)
    for item, tallied in by_item.items():
        for first, second in combinations(tallied, 2):
            better, worse = (first, second) if first.mean >= second.mean else (second, first)
            margin = better.mean - worse.mean
            if margin > 0 and margin >= least_margin:
                yield Pair(item, better.target, worse.target, round(margin, 9))
