"""What a method must beat and cannot exceed: random sentences and leads, and oracles that know the reference summary.

Leads are the first sentences of the first article, of a random one, or of each article in turn. A lead begins with the first sentence that fits and ends before the first that does not. The released code gave up on an article
whose very first sentence is too long, which left single-article clusters without any summary.

Oracles are upper bounds of extraction:

    oracle-multi   adds the sentence of the cluster that gives the highest ROUGE-1 F, until F falls
    oracle-single  the best such summary from the sentences of one article
    oracle-lead    the best lead of an article (its first sentences up to the limit)

Words are those of the evaluation: lower-cased runs of a–z and 0–9 where the reference is in Latin script, its language's words elsewhere.
The first two are not bound by the limit, as in Gholipour Ghalandari et al. (2020). With `early_stopping=False` they are: they add sentences, even those that lower F,
until no other one fits (their footnote 8).

Counts are stored per word of the reference, so that a round costs sentences × reference words and no text is scored twice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.summarizers.prepare import Prepared, number_words
from newsdesk.summarizers.summarizer import Room, Step, Summarizer, select
from newsdesk.text import language, tokenizer, tokenizer_for
from newsdesk.wording import plural


@dataclass(frozen=True)
class RandomSentences(Summarizer):
    """Sentences in random order up to the limit."""

    seed: int = 0

    name = "random"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection from a random ranking, without a redundancy check."""
        ranking = self.rng(prepared, self.seed).permutation(prepared.distinct)
        room = self.room(prepared)
        return select(prepared, ranking, None, room, min_tokens=self.min_tokens)


@dataclass(frozen=True)
class Lead(Summarizer):
    """The first sentences of the first article that has a usable lead."""

    name = "lead"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the lead of the first article that has one, with the sentences rejected before it."""
        return self.first_lead(prepared, range(len(prepared.languages)))

    def first_lead(self, prepared: Prepared, articles: Iterable[int]) -> list[Step]:
        """Return the steps through these articles up to the first one that has a lead."""
        steps: list[Step] = []
        for article in articles:
            steps += lead(prepared, article, self.room(prepared), self.min_tokens)
            if any(step.outcome == "taken" for step in steps):
                break
        return steps


@dataclass(frozen=True)
class RandomLead(Lead):
    """The first sentences of an article drawn at random."""

    seed: int = 0

    name = "random-lead"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the lead of the first article, in random order, that has one."""
        articles = self.rng(prepared, self.seed).permutation(len(prepared.languages))
        return self.first_lead(prepared, articles.tolist())


@dataclass(frozen=True)
class LeadInterleaved(Summarizer):
    """The first sentence of each article, then the second of each, and so on."""

    name = "lead-interleaved"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Greedy selection by place in the article, then by article, without a redundancy check."""
        place = prepared.distinct - prepared.offsets[prepared.article[prepared.distinct]]
        ranking = prepared.distinct[np.argsort(place, kind="stable")]
        room = self.room(prepared)
        return select(prepared, ranking, None, room, min_tokens=self.min_tokens)


def lead(prepared: Prepared, article: int, room: Room, min_tokens: int) -> list[Step]:
    """Return the first sentences of an article up to the limit; sentences that are too short are skipped."""
    steps: list[Step] = []
    begun = False
    for number in range(int(prepared.offsets[article]), int(prepared.offsets[article + 1])):
        if prepared.too_short(number, min_tokens):
            steps.append(
                Step(number, None, "too short", plural(len(prepared.words(number)), "token"))
            )
        elif room.size(number) > room.left:
            steps.append(Step(number, None, "does not fit", str(room)))
            if begun:
                break
        else:
            steps.append(Step(number, None, "taken"))
            room.take(number)
            begun = True
    return steps


Check: TypeAlias = "Callable[[Ints], NDArray[np.bool_]]"


def rouge_words(lang: str) -> Callable[[str], list[str]]:
    """Return the evaluation's tokenizer.

    For Latin script it is ROUGE-1.5.5's rule, else the language's words in lower case.
    """
    if lang == "en":
        return tokenizer("rouge").words
    words = tokenizer_for(lang).words
    return lambda text: [word.lower() for word in words(text)]


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """Counts of each reference word in each sentence, and the sentences' lengths in words."""

    counts: Ints  # sentences × distinct words of the reference
    lengths: Ints  # sentences
    reference: Ints  # how often the reference has each of its distinct words

    @classmethod
    def of(cls, prepared: Prepared, numbers: Iterable[int]) -> Overlap:
        """Count the overlap of sentences with the cluster's summary."""
        summary = prepared.cluster.summary
        if summary is None:
            raise ArgumentError(
                f"cluster {prepared.cluster.id!r} has no `summary`, and an oracle needs one"
            )
        words = rouge_words(language(summary))
        wanted = words(summary)
        columns = {word: at for at, word in enumerate(dict.fromkeys(wanted))}
        width = len(columns) + 1  # the last column takes every word that the reference lacks
        texts = number_words(
            (words(prepared.texts[number]) for number in numbers),
            lambda stream: map(columns.get, stream, repeat(len(columns))),
        )
        cells = np.bincount(texts.rows * width + texts.ids, minlength=len(texts) * width)
        at = np.array([columns[word] for word in wanted], dtype=np.int64)
        reference = np.bincount(at, minlength=len(columns))
        return cls(cells.reshape(len(texts), width)[:, :-1], texts.lengths, reference)

    def f(self, hits: Floats | Ints, lengths: Floats | Ints) -> Floats:
        """ROUGE-1 F of texts from their matches with the reference and their lengths."""
        both = np.maximum(lengths + int(self.reference.sum()), 1)
        return 2 * hits / both


@dataclass(frozen=True)
class Oracle(Summarizer):
    """Greedy maximization of ROUGE-1 F within pools of sentences; the best pool wins."""

    early_stopping: bool = True

    @abstractmethod
    def pools(self, prepared: Prepared) -> tuple[Ints, Ints]:
        """Return the candidate sentences and the pool of each; sentences of one pool are consecutive."""

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the sentences of the best pool in the order added, and the next one.

        The next one would have lowered F.
        """
        numbers, pool = self.pools(prepared)
        overlap = Overlap.of(prepared, numbers.tolist())
        room = self.room(prepared)
        sizes = None
        if not self.early_stopping:
            sizes = np.array([room.size(number) for number in numbers.tolist()])

        def long_enough(places: Ints) -> NDArray[np.bool_]:
            return prepared.long_enough(numbers[places], self.min_tokens)

        rounds = _rounds(overlap, pool, long_enough, sizes, room.left)
        return _best_steps(numbers, rounds, early_stopping=self.early_stopping)


@dataclass(frozen=True)
class OracleMulti(Oracle):
    """The greedy oracle over all sentences of a cluster."""

    name = "oracle-multi"

    def pools(self, prepared: Prepared) -> tuple[Ints, Ints]:
        """Return one pool of all distinct sentences."""
        return prepared.distinct, np.zeros(len(prepared.distinct), dtype=np.int64)


@dataclass(frozen=True)
class OracleSingle(Oracle):
    """The best greedy oracle of a single article."""

    name = "oracle-single"

    def pools(self, prepared: Prepared) -> tuple[Ints, Ints]:
        """Return a pool for each article, with its distinct sentences."""
        _, numbers = np.unique(prepared.article * len(prepared) + prepared.first, return_index=True)
        numbers = np.sort(numbers)
        return numbers, prepared.article[numbers]


@dataclass(frozen=True)
class OracleLead(Summarizer):
    """The lead of highest ROUGE-1 F among the leads of all articles."""

    name = "oracle-lead"

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the lead of highest F; if no article has a lead, all sentences considered."""
        leads = [
            lead(prepared, article, self.room(prepared), self.min_tokens)
            for article in range(len(prepared.languages))
        ]
        # By article the numbers of the sentences in its lead; the overlap has a row for each of them.
        taken = [[s.sentence for s in steps if s.outcome == "taken"] for steps in leads]
        overlap = Overlap.of(prepared, [number for numbers in taken for number in numbers])
        ends = np.cumsum([len(numbers) for numbers in taken])[:-1]  # where the next article begins
        # A word counts at most as often as the reference has it.
        hits = [
            int(np.minimum(rows.sum(axis=0), overlap.reference).sum())
            for rows in np.split(overlap.counts, ends)
        ]
        lengths = [int(words.sum()) for words in np.split(overlap.lengths, ends)]
        f = np.round(overlap.f(np.array(hits), np.array(lengths)), 9)  # articles
        if not any(taken):
            return [step for steps in leads for step in steps]
        # An article without a lead never wins, not even where all others have F = 0.
        best = int(np.argmax(np.where([bool(numbers) for numbers in taken], f, -1.0)))
        return [Step(s.sentence, float(f[best]), s.outcome, s.detail) for s in leads[best]]


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """The best next sentence of each pool: its place and the F it gives, -1 where a pool has none left."""

    place: Ints
    f: Floats


def _rounds(
    overlap: Overlap, pool: Ints, long_enough: Check, sizes: Ints | None, limit: int
) -> list[_Round]:
    """Return the greedy choices of all pools at once, round by round, until every pool has stopped.

    Without `sizes` a pool stops when F falls, with them when nothing fits any more.
    """
    starts = np.flatnonzero(np.diff(pool, prepend=-1))
    pools = len(starts)
    of = np.repeat(np.arange(pools), np.diff(np.append(starts, len(pool))))
    wanted = np.tile(overlap.reference, (pools, 1))
    hits, lengths, last = np.zeros(pools), np.zeros(pools), np.zeros(pools)
    room = np.full(pools, limit)
    free = np.ones(len(pool), dtype=np.bool_)
    rounds: list[_Round] = []
    while free.any():
        gained = np.minimum(overlap.counts, wanted[of]).sum(axis=1)
        f = np.round(overlap.f(hits[of] + gained, lengths[of] + overlap.lengths), 9)
        f[~free if sizes is None else ~free | (sizes > room[of])] = -1.0
        best = _best_of_pools(f, free, starts, of, long_enough)
        rounds.append(best)
        # Gains only shrink: after a sentence that leaves F unchanged, none raises it.
        going = best.f > last if sizes is None else best.f >= 0
        chosen = best.place[going]
        hits[going] += gained[chosen]
        lengths[going] += overlap.lengths[chosen]
        wanted[going] = np.maximum(wanted[going] - overlap.counts[chosen], 0)
        if sizes is not None:
            room[going] -= sizes[chosen]
        last = best.f
        free[chosen] = False
        free &= going[of]
    return rounds


def _best_of_pools(
    f: Floats, free: NDArray[np.bool_], starts: Ints, of: Ints, long_enough: Check
) -> _Round:
    """Return the sentence of highest F in each pool, the first of equals.

    Only the best ones are checked for their length.
    """
    while True:
        best = np.maximum.reduceat(f, starts)
        equals = np.flatnonzero((f == best[of]) & (f >= 0))
        short = equals[~long_enough(equals)]
        if not len(short):
            place = np.where(f == best[of], np.arange(len(f)), len(f))
            return _Round(np.minimum.reduceat(place, starts), best)
        f[short] = -1.0
        free[short] = False


def _best_steps(numbers: Ints, rounds: list[_Round], *, early_stopping: bool) -> list[Step]:
    """Return the steps of the pool that ends with the highest F, the first of equals."""
    f = np.array([each.f for each in rounds])
    added = (f >= 0).sum(axis=0)
    ends = f.max(axis=0) if early_stopping else f[added - 1, np.arange(len(added))]
    pool = int(np.argmax(ends))
    path = [(int(each.place[pool]), float(each.f[pool])) for each in rounds[: added[pool]]]
    taken = int(np.argmax(f[:, pool])) + 1 if early_stopping else len(path)
    return [
        Step(int(numbers[place]), value, "taken")
        if at < taken
        else Step(
            int(numbers[place]), value, "no gain", f"ROUGE-1 F is {path[taken - 1][1]:.4f} without"
        )
        for at, (place, value) in enumerate(path)
    ]
