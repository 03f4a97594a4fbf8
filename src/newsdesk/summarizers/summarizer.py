"""The base class of all summarizers: a frozen value with settings, a spec that parses back to it, and a signature.

A method implements `steps`: the sentences it considers, in order, each with its outcome. The summary consists of the sentences taken,
and the steps are its trace.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError
from newsdesk.model import Configured
from newsdesk.registry import SUMMARIZERS
from newsdesk.settings import at_least, one_of
from newsdesk.signatures import signature
from newsdesk.streams import stream
from newsdesk.summarizers.greedy import SHOWN_BEHIND, Redundancy, Room, Step, Unit, judge, select
from newsdesk.summarizers.prepare import Candidate, Prepared, Summary, prepare
from newsdesk.text import tokenizer_for
from newsdesk.types import Cluster

Order = Literal["selection", "chronological"]


@dataclass(frozen=True)
class Summarizer(Configured):
    """A method with its settings.

    A summary holds whole sentences of at least `min_tokens` tokens, up to `max_words` words (or as many tokens, characters or sentences,
    if `unit` says so), in the order of selection or of date and position. With `titles` an article's title is its first sentence.
    """

    max_words: int = 40
    unit: Unit = "words"
    min_tokens: int = 7
    order: Order = "selection"
    titles: bool = False

    def __post_init__(self) -> None:
        one_of("unit", self.unit, get_args(Unit))
        one_of("order", self.order, get_args(Order))
        at_least("max_words", self.max_words, 1)
        at_least("min_tokens", self.min_tokens, 0)

    @property
    def seeded(self) -> bool:
        """True if the method uses random numbers, and so has a `seed`."""
        return hasattr(self, "seed")

    @property
    def signature(self) -> str:
        """The name and all settings: what is needed to reproduce the summaries."""
        return signature(self.name, self.settings)

    def summarize(self, cluster: Cluster | Prepared) -> Summary:
        """Summarize a cluster.

        When several methods summarize the same one, prepare it once and pass the result.
        """
        prepared = self.prepared(cluster)
        steps = (self.steps(prepared) or self._why_not(prepared)) if len(prepared) else []
        taken = [step.sentence for step in steps if step.outcome == "taken"]
        if self.order == "chronological":
            taken = prepared.chronological(taken)
        sentences = tuple(map(prepared.sentence, taken))
        tokenizers = sorted({tokenizer_for(lang).signature for lang in prepared.languages})
        return Summary(
            text=prepared.glue.join(sentence.text for sentence in sentences),
            sentences=sentences,
            trace=tuple(
                Candidate(prepared.sentence(step.sentence), step.score, step.outcome, step.detail)
                for step in steps
            ),
            signature=f"{self.signature}|tok:{'+'.join(tokenizers) or 'none'}",
        )

    def prepared(self, cluster: Cluster | Prepared) -> Prepared:
        """Return the cluster prepared with this method's setting of `titles`."""
        if isinstance(cluster, Prepared) and cluster.titles == self.titles:
            return cluster
        source = cluster.cluster if isinstance(cluster, Prepared) else cluster
        return prepare(source, titles=self.titles)

    def _why_not(self, prepared: Prepared) -> list[Step]:
        """Return the trace of a method that had no candidates: why the first sentences were rejected."""
        room = self.room(prepared)
        return [
            Step(number, None, *judge(prepared, number, room, self.min_tokens))
            for number in prepared.distinct[:SHOWN_BEHIND].tolist()
        ]

    @abstractmethod
    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the sentences considered, in order, with their outcomes.

        The cluster has at least one sentence.
        """

    def room(self, prepared: Prepared) -> Room:
        """Return the length budget before any sentence is taken."""
        return Room(prepared, self.max_words, self.unit)

    def rng(self, prepared: Prepared, seed: int) -> np.random.Generator:
        """Return the random generator of this method for this cluster.

        It does not depend on other clusters and their order.
        """
        return stream(f"summarizers {self.name} {prepared.cluster.id}", seed)


@dataclass(frozen=True)
class Scored(Summarizer):
    """A method that scores sentences and takes the best that do not repeat those taken before."""

    redundancy: float = 0.5

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        if not 0 <= self.redundancy <= 1:
            raise ArgumentError(f"redundancy is {self.redundancy}, not a share from 0 to 1")

    @abstractmethod
    def scores(self, prepared: Prepared) -> Floats:
        """Return a score for each distinct sentence."""

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection by descending score, ties broken by position."""
        scores = np.round(self.scores(prepared), 9)
        ranking = best_first(scores)
        return select(
            prepared,
            prepared.distinct[ranking],
            scores[ranking],
            self.room(prepared),
            min_tokens=self.min_tokens,
            redundancy=Redundancy(prepared, self.redundancy),
        )


def summarizer(spec: str, **settings: Any) -> Summarizer:
    """Build the summarizer that a spec names, such as `centroid` or `submodular(diversity=4)`.

    The spec overrides `settings`.

    >>> str(summarizer("centroid(redundancy=0.3)", max_words=60).spec)
    'centroid(max_words=60, redundancy=0.3)'
    """
    return SUMMARIZERS.make(spec, **settings)


def seeded_summarizer(spec: str, seed: int, **settings: Any) -> Summarizer:
    """Build the summarizer that a spec names, with the seed if the method uses random numbers."""
    plain = summarizer(spec, **settings)
    return summarizer(spec, **settings, seed=seed) if plain.seeded else plain
