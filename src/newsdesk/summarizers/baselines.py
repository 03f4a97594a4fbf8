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
    """Return the steps through the first sentences of an article up to the limit, which uses up `room`.

    Sentences that are too short are skipped.
    """
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


Check: TypeAlias = "Callable[[Ints], NDArray[np.bool_]]"  # from places to flags


def rouge_words(lang: str) -> Callable[[str], list[str]]:
    """Return the evaluation's tokenizer of a language.

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
        """Count the overlap of these sentences, a row for each, with the cluster's summary."""
        summary = prepared.cluster.summary
        if summary is None:
            raise ArgumentError(
                f"cluster {prepared.cluster.id!r} has no `summary`, and an oracle needs one"
            )
        tokenize = rouge_words(language(summary))
        summary_words = tokenize(summary)
        columns = {word: column for column, word in enumerate(dict.fromkeys(summary_words))}
        width = len(columns) + 1  # the last column takes every word that the reference lacks
        texts = number_words(
            (tokenize(prepared.texts[number]) for number in numbers),
            lambda stream: map(columns.get, stream, repeat(len(columns))),
        )
        cells = np.bincount(texts.rows * width + texts.ids, minlength=len(texts) * width)
        column_of = np.array([columns[word] for word in summary_words], dtype=np.int64)
        reference = np.bincount(column_of, minlength=len(columns))
        return cls(cells.reshape(len(texts), width)[:, :-1], texts.lengths, reference)

    def f(self, hits: Floats | Ints, lengths: Floats | Ints) -> Floats:
        """Return ROUGE-1 F of texts from their matches with the reference and their lengths."""
        total_lengths = np.maximum(lengths + int(self.reference.sum()), 1)
        return 2 * hits / total_lengths


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
        sizes = None  # of the sentences, where the limit binds
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
        taken = [[step.sentence for step in steps if step.outcome == "taken"] for steps in leads]
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
        return [
            Step(step.sentence, float(f[best]), step.outcome, step.detail) for step in leads[best]
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """The best next sentence of each pool: its place and the F it gives, -1 where a pool has none left."""

    place: Ints  # pools
    f: Floats  # pools


def _rounds(
    overlap: Overlap, pool: Ints, long_enough: Check, sizes: Ints | None, limit: int
) -> list[_Round]:
    """Return the greedy choices of all pools at once, round by round, until every pool has stopped.

    Without `sizes` a pool stops when F falls, with them when nothing fits into `limit` any more.
    """
    starts = np.flatnonzero(np.diff(pool, prepend=-1))  # the first place of each pool
    pools = len(starts)
    pool_of = np.repeat(np.arange(pools), np.diff(np.append(starts, len(pool))))  # sentences
    wanted = np.tile(overlap.reference, (pools, 1))  # pools × reference words not matched yet
    hits, lengths, last_f = np.zeros(pools), np.zeros(pools), np.zeros(pools)
    room = np.full(pools, limit)
    free = np.ones(len(pool), dtype=np.bool_)  # sentences
    rounds: list[_Round] = []
    while free.any():
        gained = np.minimum(overlap.counts, wanted[pool_of]).sum(axis=1)
        f = np.round(overlap.f(hits[pool_of] + gained, lengths[pool_of] + overlap.lengths), 9)
        f[~free if sizes is None else ~free | (sizes > room[pool_of])] = -1.0
        best = _best_of_pools(f, free, starts, pool_of, long_enough)
        rounds.append(best)
        # Gains only shrink: after a sentence that leaves F unchanged, none raises it.
        going = best.f > last_f if sizes is None else best.f >= 0
        chosen = best.place[going]
        hits[going] += gained[chosen]
        lengths[going] += overlap.lengths[chosen]
        wanted[going] = np.maximum(wanted[going] - overlap.counts[chosen], 0)
        if sizes is not None:
            room[going] -= sizes[chosen]
        last_f = best.f
        free[chosen] = False
        free &= going[pool_of]
    return rounds


def _best_of_pools(
    f: Floats, free: NDArray[np.bool_], starts: Ints, pool_of: Ints, long_enough: Check
) -> _Round:
    """Return the sentence of highest F in each pool, the first of equals.

    Only the best ones are checked for their length. Those too short are marked in `f` (-1) and `free`.
    """
    while True:
        best = np.maximum.reduceat(f, starts)
        equals = np.flatnonzero((f == best[pool_of]) & (f >= 0))
        short = equals[~long_enough(equals)]
        if not len(short):
            place = np.where(f == best[pool_of], np.arange(len(f)), len(f))
            return _Round(np.minimum.reduceat(place, starts), best)
        f[short] = -1.0
        free[short] = False


def _best_steps(numbers: Ints, rounds: list[_Round], *, early_stopping: bool) -> list[Step]:
    """Return the steps of the pool that ends with the highest F, the first of equals.

    `numbers` has the sentence in each place.
    """
    f = np.array([each.f for each in rounds])  # rounds × pools
    added = (f >= 0).sum(axis=0)
    final_f = f.max(axis=0) if early_stopping else f[added - 1, np.arange(len(added))]
    pool = int(np.argmax(final_f))
    path = rounds[: added[pool]]
    n_taken = int(np.argmax(f[:, pool])) + 1 if early_stopping else len(path)
    steps = []
    for at, each in enumerate(path):
        number, value = int(numbers[each.place[pool]]), float(each.f[pool])
        if at < n_taken:
            steps.append(Step(number, value, "taken"))
        else:
            without = f"ROUGE-1 F is {f[n_taken - 1, pool]:.4f} without"
            steps.append(Step(number, value, "no gain", without))
    return steps
