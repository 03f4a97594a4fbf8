"""How far each sentence of a comment belongs to its thread, learned without votes and without styles of padding.

A logistic regression tells the sentences of a thread from those of other threads, by how near they are to the other comments and to the title, and by the words that they share with them. It needs no
example of padding: what belongs elsewhere, or nowhere, is unlike the thread.

One sentence says little, so those of a comment are judged together, by a mixture: a comment is its writer's own, or padded, and then each of its sentences is foreign with even
chances. A sentence weighs the probability that it is not foreign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from newsdesk.arrays import Floats, Ints, unit_rows
from newsdesk.model import Arrays
from newsdesk.rankers.argument.discount import CONTENT
from newsdesk.rankers.argument.logistic import ridge_logistic, sigmoid
from newsdesk.rankers.argument.reading import CommentReader, Sentences, Talk
from newsdesk.streams import stream

# With fewer threads or comments the detector is that of the ready model.
LEAST_THREADS, LEAST_COMMENTS = 30, 500
# Threads learned from, and comments read in others than their own, over all threads.
_MOST_THREADS, _GUESTS = 250, 3_000
# Strength of the ridge on scaled features.
_RIDGE = 10.0
# Before its sentences are looked at, a comment is padded with this probability; a sentence in a padded one is foreign with that.
_PADDED, _FOREIGN = 0.2, 0.5
# Sentences of strangers' padding are further from the thread than those of other threads, so the log-odds count so many times.
_SHARPNESS = 3.0
_NEAREST = 3
# With fewer other comments the log-odds count less.
_ENOUGH_OTHERS = 10
_MOST_ODDS = 15.0
_LEAST_SCALE = 1e-6
_PARTS = ("coef", "centre", "learned_from")


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """The detector of sentences that belong to their thread; with an empty `coef` all do."""

    coef: Floats  # features, then the bias
    centre: Floats  # dimensions: mean vector of sentences
    learned_from: Ints  # threads, comments
    at_hand: bool = False  # learned from the threads that are ranked or fitted on

    @staticmethod
    def are_enough(sizes: Sequence[int]) -> bool:
        """Return True if threads with so many comments each are enough to learn from."""
        return len(sizes) >= LEAST_THREADS and sum(sizes) >= LEAST_COMMENTS

    @classmethod
    def nothing(cls, dimensions: int) -> Linked:
        """Return a detector by which every sentence belongs to its thread."""
        return cls(np.zeros(0), np.zeros(dimensions), np.zeros(2, dtype=np.int64))

    @classmethod
    def of(cls, talks: Sequence[Talk], reader: CommentReader, seed: int = 0) -> Linked:
        """Learn the sentences of threads against sentences of other threads read in their place."""
        comments = sum(len(talk.texts) for talk in talks)
        some = [talk for talk in talks if len(talk.texts) > 1]
        if len(some) < 2:
            return cls.nothing(reader.vectors.dimensions)
        rng = stream("linked", seed)
        drawn = sorted(rng.permutation(len(some))[:_MOST_THREADS].tolist())
        blank = replace(
            cls.nothing(reader.vectors.dimensions),
            centre=_centre([some[number] for number in drawn]),
            learned_from=np.array([len(talks), comments]),
        )
        own, foreign = [], []  # of each thread: sentences × features
        for number in drawn:
            talk = some[number]
            own += [blank._rows(read, talk, hosts) for hosts, read in talk.blocks()]
            guests = _guests(some, number, _GUESTS // len(drawn), rng)
            read = reader.read(guests, talk.terms)
            hosts = rng.permutation(len(talk.texts))[: len(guests)]
            foreign.append(blank._rows(read, talk, hosts))
        return blank._learned(np.vstack(own), np.vstack(foreign))

    @classmethod
    def restored(cls, arrays: Arrays) -> Linked | None:
        """Rebuild the detector from the state that `learned` returned; models of older versions have none."""
        if "linked_coef" not in arrays:
            return None
        coef, centre, learned_from = (arrays[f"linked_{name}"] for name in _PARTS)
        return cls(coef, centre, learned_from)

    def learned(self) -> Arrays:
        """Return the state of the detector, as arrays."""
        return {f"linked_{name}": getattr(self, name) for name in _PARTS}

    @property
    def basis(self) -> str:
        """What the detector was learned from, in words."""
        threads, comments = self.learned_from.tolist()
        where = "the file" if self.at_hand else "the model's training"
        return f"{threads:,} threads of {where} ({comments:,} comments)"

    def weights(self, read: Sentences, talk: Talk, hosts: Ints) -> Floats:
        """Return how far each sentence belongs to the thread, from 0 to 1.

        Comment i is read in the place of comment `hosts[i]` of the thread.
        """
        if not self.coef.size or not len(read.texts):
            return np.ones(len(read.texts))
        rows = self._rows(read, talk, hosts)
        # Log-odds that a sentence is foreign: sentences. Among few comments nobody can tell.
        certainty = _SHARPNESS * min((len(talk.centres) - 1) / _ENOUGH_OTHERS, 1.0)
        odds = -certainty * (rows @ self.coef[:-1] + self.coef[-1])
        odds = np.clip(odds, -_MOST_ODDS, _MOST_ODDS) + np.log(_FOREIGN)
        # In a padded comment a sentence is foreign or not: the likelihood of either.
        either = np.logaddexp(odds, np.log(1 - _FOREIGN))
        padded = sigmoid(np.log(_PADDED / (1 - _PADDED)) + read.sums(either))  # comments
        return 1 - padded[read.comment_of] * np.exp(odds - either)

    def _learned(self, own: Floats, foreign: Floats) -> Linked:
        """Fit the regression on sentences of their thread and of others, both with the same weight in all."""
        rows = np.vstack([own, foreign])
        mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), _LEAST_SCALE)
        sizes = [len(own), len(foreign)]
        votes = np.repeat(len(rows) / (2.0 * np.array(sizes)), sizes)  # sentences
        slopes = ridge_logistic(
            np.column_stack([(rows - mean) / scale, np.ones(len(rows))]),
            yes=votes * np.repeat([1.0, 0.0], sizes),
            votes=votes,
            offset=np.zeros(len(rows)),
            ridge=np.append(np.full(rows.shape[1], _RIDGE), 1e-6),
        )
        coef = slopes[:-1] / scale
        return replace(self, coef=np.round(np.append(coef, slopes[-1] - mean @ coef), 6))

    def _rows(self, read: Sentences, talk: Talk, hosts: Ints) -> Floats:
        """Return the features of each sentence; comment i is read in the place of comment `hosts[i]`."""
        host = hosts[read.comment_of]  # sentences
        near = [read.vectors @ unit_rows(self.centre[None])[0]]  # like any sentence of any thread
        if read.vectors.shape[1]:
            near += self._nearness(read, talk, host)
        sizes = np.diff(read.term_starts)  # sentences: how many terms
        sentence = np.repeat(np.arange(len(sizes)), sizes)  # uses of terms
        rarity = talk.terms.rarities()[read.terms]  # uses of terms
        users = talk.mentions(read.terms, host[sentence])  # uses of terms: by how many others
        # Content words that the comment has not used before and other comments have.
        shared = read.first_uses() & (rarity > CONTENT) & (users > 0)
        # How many times likelier they are in this thread than elsewhere.
        lift = np.maximum(np.log((users + 0.5) / len(talk.centres)) + rarity, 0.0)
        words = np.maximum(sizes, 1)  # sentences
        sums = [
            np.bincount(sentence, values, len(sizes)) / words
            for values in (shared, shared * lift, rarity)
        ]
        return np.stack([*near, *sums, np.log(words)], axis=1)

    def _nearness(self, read: Sentences, talk: Talk, hosts: Ints) -> list[Floats]:
        """Return the likeness of sentences to the other comments together, and to the nearest three or to the title.

        Vectors are taken from the mean of all sentences, so that being like any comment is no likeness.
        """
        vectors = unit_rows(read.vectors - self.centre)  # sentences × dimensions
        others = talk.others(hosts) - (len(talk.centres) - 1) * self.centre
        groups = talk.sample
        near = vectors @ unit_rows(talk.centres[groups] - self.centre).T  # sentences × groups
        near[talk.groups[hosts][:, None] == groups] = -np.inf
        # Sentences × 3, the nearest last; there is one other group at least.
        best = np.sort(np.partition(near, -min(_NEAREST, len(groups)), axis=1)[:, -_NEAREST:])
        real = np.isfinite(best)  # there may be fewer than three others
        nearest = np.where(real, best, 0.0).sum(axis=1) / np.maximum(real.sum(axis=1), 1)
        title = unit_rows(talk.title[None] - self.centre)[0] if talk.title.any() else talk.title
        return [
            (vectors * unit_rows(others)).sum(axis=1),
            np.maximum(nearest, vectors @ title),
        ]


def _centre(talks: Sequence[Talk]) -> Floats:
    """Return the mean vector of the sentences of threads."""
    total, count = np.zeros(talks[0].centres.shape[1]), 0
    for talk in talks:
        for _, read in talk.blocks():
            total += read.vectors.sum(axis=0, dtype=np.float64)
            count += len(read.vectors)
    return total / count


def _guests(talks: Sequence[Talk], number: int, most: int, rng: np.random.Generator) -> list[str]:
    """Return texts of comments of other threads than the one of this number, no more than it has itself."""
    count = min(most, len(talks[number].texts))
    others = (number + 1 + rng.integers(len(talks) - 1, size=count)) % len(talks)
    return [str(rng.choice(talks[other].texts)) for other in others.tolist()]
