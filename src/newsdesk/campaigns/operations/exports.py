"""Exports of a campaign: weighted references, threads with gains, TREC qrels, training pairs.

Everything is computed from the current judgments of the store, without excluded annotators and control questions, by the functions of
`aggregate`. A `question` is needed where several were asked and none is called `overall`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsdesk.campaigns import aggregate
from newsdesk.campaigns.aggregate import Tally
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import texts_of
from newsdesk.errors import ArgumentError
from newsdesk.metrics.weights import How, Weighting
from newsdesk.types import Pair, References, Thread

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
    references = aggregate.weighted_references(rows, texts_of(store.tasks(campaign)), weighting)
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
    return aggregate.gain_threads(rows, texts, threads, votes=votes)


def qrels(store: Store, campaign: str, *, question: str | None = None) -> Iterator[str]:
    """Lines of TREC qrels with integer gains: the number of yes votes, or the sum of grades."""
    rows = tallies_of(store, campaign, question)
    if store.campaign(campaign).protocol.kind == "rank":
        raise ArgumentError("ranks give no whole-number gains; write .jsonl")
    return aggregate.qrels_lines(rows)


def pairs(
    store: Store, campaign: str, *, least_margin: float = 0.0, question: str | None = None
) -> Iterator[Pair]:
    """Pairs of targets of one item of which one was judged better by at least the margin."""
    rows = tallies_of(store, campaign, question)
    return aggregate.training_pairs(rows, least_margin=least_margin)


def tallies_of(store: Store, campaign: str, question: str | None = None) -> list[Tally]:
    """Return one question's values by target, higher is better."""
    form = store.campaign(campaign).protocol
    return aggregate.values_of(store.judgments(campaign, control=False), form, question)


def weighting_of(form: Protocol, how: How = "minmax") -> Weighting:
    """Return the weighting for a protocol's values, from the ends of its scale; shares range from 0 to 1.

    >>> from newsdesk.campaigns.protocols import protocol
    >>> weighting_of(protocol("grade")).signature, weighting_of(protocol("rank"), "max").signature
    ('minmax[1,5]', 'max[0,1]')
    """
    if form.kind == "label":
        raise ArgumentError(
            f"a campaign of kind {form.kind!r} gives no weights; grades, votes and ranks do"
        )
    if how == "itemmax":
        return Weighting(how)
    if form.kind == "scale":
        return Weighting(how, float(form.values[0]), float(form.values[-1]))
    return Weighting(how, 0.0, 1.0)
