"""How much each sentence of a comment counts: sentences that look like padding are discounted, none is removed.

A multinomial logistic regression per sentence with a class for each style of padding, on its vector, its likeness to the thread and to the comment's other sentences, the rarity of its words and its wording, learns padding
written for it (`padding-en.txt` and so on; the gaming test has filler written apart) against the sentences of real comments.

One sentence says little, so the sentences of a comment are judged together, by a mixture: a comment is its writer's own, or padded in one style, and then each of its sentences is padding with even
chances. Sentences that all look a little like one style are padding, wherever they stand; those that look a little like different styles are not. What is discounted must also look
more like padding than the comment's best sentence by some distance: where all of a comment is in the manner of a style, that is how its writer writes. And more than half of a comment
counts unless it is padded almost surely. Repeated sentences do not count again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from newsdesk.arrays import Bools, Floats, Ints, unit_rows
from newsdesk.languages import LISTED
from newsdesk.model import Arrays
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import lexicon, names_of
from newsdesk.rankers.argument.logistic import sigmoid
from newsdesk.rankers.argument.reading import CommentReader, Sentences, Talk
from newsdesk.rankers.argument.repetition import is_new
from newsdesk.streams import stream

# A style of padding on the topic cannot be told from comments by its topic: it is measured and not learned.
UNLEARNED = ("platitude",)
# Before its sentences are looked at, a comment is padded with this probability, and a sentence of a padded comment is padding with that.
_PADDED, _IN_PADDED = 0.2, 0.5
# A sentence counts half at these log-odds of padding, or where they exceed those of the comment's best sentence by so much.
_HALF, _LEAD = 1.0, 2.0
_WIDTH = 0.6
# At least this share of a comment counts, unless it is padded but for this much probability.
_KEPT, _DOUBT = 0.6, 0.01
_HOSTS = 4
_MOST_SENTENCES = 8_000
_PADDING_SHARE = 0.3
_COST = 0.03
_LEAST_SCALE = 1e-6
# Rarity below which a word is common, and above which it is a content word.
COMMON, CONTENT = 3.0, 3.0
_MOST_ODDS = 8.0
_MOST_PADDING = 1 - 1e-6
_VECTOR_SCALE, _COSINE_SCALE = 16.0, 5.0
_PARTS = ("coef", "bias", "mean", "scale", "centre")  # what is learned
_CAPITAL = re.compile(r"(?<=\s)(?!I\b)[A-Z]")


@dataclass(frozen=True, slots=True, eq=False)
class Discount:
    """Weighs sentences by the odds of being padding; with an empty `coef` only repetition is discounted."""

    reader: CommentReader
    coef: Floats  # classes × features: part of a comment, then each style of padding
    bias: Floats  # classes
    mean: Floats  # features
    scale: Floats  # features
    centre: Floats  # dimensions: mean vector of all training comments

    @classmethod
    def nothing(cls, reader: CommentReader) -> Discount:
        """Return a discount of repetition only."""
        empty = np.zeros(0)
        return cls(reader, empty, empty, empty, empty, np.zeros(reader.vectors.dimensions))

    @classmethod
    def of(
        cls,
        reader: CommentReader,
        talks: Sequence[Talk],
        seed: int = 0,
        without: Sequence[str] = (),
    ) -> Discount:
        """Learn our padding, but for the styles in `without`, against the sentences of comments."""
        comments = [
            (number, comment)
            for number, talk in enumerate(talks)
            for comment in range(len(talk.groups))
        ]
        if reader.lang not in LISTED or not comments:
            return cls.nothing(reader)
        rng = stream("padding", seed)
        # The sentences of real comments as features, without a classifier yet.
        centre = unit_rows(sum(talk.centres.sum(axis=0) for talk in talks)[None])[0]
        blank = replace(cls.nothing(reader), centre=centre)
        real = np.vstack(
            [blank._rows(read, talk, hosts) for talk in talks for hosts, read in talk.blocks()]
        )
        if len(real) > _MOST_SENTENCES:
            real = real[np.sort(rng.choice(len(real), _MOST_SENTENCES, replace=False))]
        bank = sections("rankers", f"padding-{reader.lang}.txt")
        styles = [name for name in bank if name not in (*without, *UNLEARNED)]
        sentences = [(style, text) for style, name in enumerate(styles) for text in bank[name]]
        # Each sentence of our padding is read at the end of `_HOSTS` random comments.
        # Number of the talk → (comment, style, sentence).
        hosts: dict[int, list[tuple[int, int, str]]] = {}
        for style, text in sentences:
            for drawn in rng.integers(0, len(comments), _HOSTS).tolist():
                number, comment = comments[drawn]
                hosts.setdefault(number, []).append((comment, style, text))
        rows = [blank._padded_rows(talks[number], hosts[number]) for number in sorted(hosts)]
        # Padding sentences × features, and the style of each.
        matrix, classes = (np.concatenate(column) for column in zip(*rows, strict=True))
        return blank._learned(real, [matrix[classes == style] for style in range(len(styles))])

    @classmethod
    def restored(cls, reader: CommentReader, arrays: Arrays) -> Discount:
        """Rebuild the discount from the state that `learned` returned."""
        return cls(reader, *(arrays[f"padding_{name}"] for name in _PARTS))

    def learned(self) -> Arrays:
        """Return the state of the classifier, as arrays."""
        return {f"padding_{name}": getattr(self, name) for name in _PARTS}

    def weights(self, read: Sentences, talk: Talk, hosts: Ints) -> Floats:
        """Return how much each sentence counts, from 0 to 1.

        Comment i is read in the place of comment `hosts[i]` of the thread.
        """
        new = [is_new(read.texts[start:end]) for start, end in pairwise(read.starts.tolist())]
        fresh = np.array([flag for flags in new for flag in flags], dtype=np.float64)  # sentences
        if not self.coef.size or not len(fresh):
            return fresh
        odds, padded = self.odds(read, talk, hosts)  # sentences, comments
        # A sentence is judged beside the one of its comment that looks least like padding.
        best = np.full(len(read.starts) - 1, np.inf)  # comments
        np.minimum.at(best, read.comment_of, odds)
        half = np.maximum(_HALF, best + _LEAD)  # comments: odds at which a sentence counts half
        # A comment of one sentence has nothing else to be judged by.
        half[np.diff(read.starts) == 1] = np.inf
        weights = fresh * sigmoid((half[read.comment_of] - odds) / _WIDTH)
        # Where too little of a comment would be left, all its sentences are raised alike.
        sizes = fresh * read.counts[:, names_of(self.reader.lang).index("characters")]
        return weights + (fresh - weights) * _raised(read, weights, sizes, padded)[read.comment_of]

    def odds(self, read: Sentences, talk: Talk, hosts: Ints) -> tuple[Floats, Floats]:
        """Return the log-odds that each sentence is padding, and the probability that each comment is padded.

        All sentences of its comment are taken into account.
        """
        # sentences × (1 + styles): log probability of each class up to a constant
        slopes = (self.coef / self.scale).T  # features × (1 + styles), of rows that are not scaled
        classes = self._rows(read, talk, hosts) @ slopes + (self.bias - self.mean @ slopes)
        styles = classes.shape[1] - 1
        # Per style: how much likelier a sentence is as its padding than as part of a comment.
        # sentences × styles
        ratio = classes[:, 1:] - classes[:, :1] - np.log(_PADDING_SHARE / styles)
        ratio = np.clip(ratio, -_MOST_ODDS, _MOST_ODDS) + np.log(_IN_PADDED)
        # In a padded comment a sentence is padding or not: the likelihood of either.
        either = np.logaddexp(ratio, np.log(1 - _IN_PADDED))  # sentences × styles
        # Of the whole comment: padded in each style, and summed up with not padded at all.
        in_style = read.sums(either) + np.log(_PADDED / styles)  # comments × styles
        every = np.logaddexp(np.logaddexp.reduce(in_style, axis=1), np.log(1 - _PADDED))
        # Bayes: this comment is padded in a style, and this sentence is the padding.
        of_style = (in_style - every[:, None])[read.comment_of] + ratio - either
        # Sentences: log probability of padding in any style.
        padding = np.minimum(np.logaddexp.reduce(of_style, axis=1), np.log(_MOST_PADDING))
        return padding - np.log1p(-np.exp(padding)), 1 - np.exp(np.log(1 - _PADDED) - every)

    def _learned(self, real: Floats, padding: Sequence[Floats]) -> Discount:
        """Fit the classifier on rows of real sentences, and of the padding of each style."""
        from sklearn.linear_model import LogisticRegression

        mean, scale = real.mean(axis=0), real.std(axis=0)
        # A phrase that no real comment uses would weigh without bounds.
        scale[scale < _LEAST_SCALE] = 1.0
        # The vectors keep their common scale, so that a direction of little variance is not amplified.
        scale[: self.reader.vectors.dimensions] = 1.0
        sizes = [len(real), *map(len, padding)]
        # Every style weighs the same, however many sentences it has.
        share = _PADDING_SHARE * len(real) / len(padding)
        # A weight and a class for each sentence.
        weights = np.repeat([1.0, *(share / len(rows) for rows in padding)], sizes)
        classes = np.repeat(np.arange(len(sizes)), sizes)  # sentences
        model = LogisticRegression(C=_COST, max_iter=500, tol=1e-3)
        model.fit((np.vstack([real, *padding]) - mean) / scale, classes, sample_weight=weights)
        coef, bias = np.round(model.coef_, 6), np.round(model.intercept_, 6)
        return replace(self, coef=coef, bias=bias, mean=mean, scale=scale)

    def _padded_rows(
        self, talk: Talk, padded: Sequence[tuple[int, int, str]]
    ) -> tuple[Floats, Ints]:
        """Return the rows of padding as it would stand behind comments of a thread, and their styles.

        `padded` has comment, style and sentence.
        """
        texts, styles, sizes = [], [], []
        for comment, style, sentence in padded:
            texts.append(f"{talk.texts[comment]} {sentence}")
            sizes.append(len(self.reader.split(sentence)))
            styles.append(style)
        read = self.reader.read(texts, talk.terms)
        # Sentences of comments with padding behind them × features.
        rows = self._rows(read, talk, np.array([comment for comment, _, _ in padded]))
        # Of each text only its last sentences, as many as the padding has.
        ends = np.repeat(read.starts[1:], np.diff(read.starts))  # sentences
        last = np.arange(len(rows)) >= ends - np.repeat(sizes, np.diff(read.starts))
        return rows[last], np.repeat(styles, np.diff(read.starts))[last]

    def _rows(self, read: Sentences, talk: Talk, hosts: Ints) -> Floats:
        """Return the features of each sentence; comment i is read in the place of comment `hosts[i]`."""
        comment = read.comment_of  # sentences
        host = hosts[comment]  # sentences
        rest = read.sums(read.vectors)[comment] - read.vectors  # sentences × dimensions
        # Cosines with the other comments, the rest of this one, all training comments, and the title.
        near = [
            (read.vectors * unit_rows(talk.others(hosts))[comment]).sum(axis=1),
            (read.vectors * unit_rows(rest)).sum(axis=1),
            read.vectors @ self.centre,
            read.vectors @ talk.title,
        ]
        likeness = _COSINE_SCALE * np.stack(near, axis=1)  # sentences × 4
        return np.hstack(
            [
                _VECTOR_SCALE * read.vectors,
                likeness,
                self._words(read, talk, host),
                self._wording(read),
            ]
        )

    def _words(self, read: Sentences, talk: Talk, hosts: Ints) -> Floats:
        """Return how rare the words of each sentence are, and how many of its content words occur elsewhere.

        Elsewhere is in the thread or in the rest of the comment.
        """
        sizes = np.diff(read.term_starts)  # sentences: how many terms
        sentence = np.repeat(np.arange(len(sizes)), sizes)  # uses of terms
        values = talk.terms.rarities()[read.terms]  # uses of terms
        most = self.reader.rarity.most
        seen = values < most
        total = np.maximum(sizes, 1)  # sentences
        # Sentences: terms seen in training; mean and mean square of their rarity.
        known_total = np.maximum(_sums(sentence, seen, len(sizes)), 1)
        mean = _sums(sentence, values * seen, len(sizes)) / known_total
        square = _sums(sentence, values * values * seen, len(sizes)) / known_total
        largest = np.zeros(len(sizes))  # sentences: the rarest known term
        np.maximum.at(largest, sentence, values * seen)
        # Content words, and which of them another group of comments uses as well.
        content = values > CONTENT
        shared = talk.shared(read.terms, hosts[sentence]) * content
        contents = np.maximum(_sums(sentence, content, len(sizes)), 1)  # sentences
        return np.stack(
            [
                mean,
                largest,
                np.sqrt(np.maximum(square - mean * mean, 0.0)),
                _sums(sentence, values < COMMON, len(sizes)) / total,
                1 - _sums(sentence, seen, len(sizes)) / total,
                _sums(sentence, content, len(sizes)),
                _sums(sentence, shared, len(sizes)) / contents,
                np.log1p(_sums(sentence, shared * values, len(sizes))),
            ],
            axis=1,
        )

    def _wording(self, read: Sentences) -> Floats:
        """Return sizes, marks and phrases of each sentence."""
        names = names_of(self.reader.lang)
        column_of = {name: number for number, name in enumerate(names)}
        counts = read.counts
        units = np.maximum(counts[:, column_of["units"]], 1)  # sentences
        # The last counts: sentences × kinds of phrases.
        kinds = counts[:, len(names) - len(lexicon(self.reader.lang).kinds) :]
        texts = read.texts
        # Sentences: capital letters inside.
        capitals = np.array([len(_CAPITAL.findall(text)) for text in texts], dtype=np.float64)
        marks = [
            np.log1p(counts[:, column_of["units"]]),
            counts[:, column_of["word size"]] / units,
            capitals / units,
            capitals > 0,
            counts[:, column_of["digits"]] > 0,
            np.array([text.count('"') for text in texts]) / units,
            counts[:, column_of["question mark"]],
            counts[:, column_of["exclamation"]],
            counts[:, column_of["comma"]] / units,
            np.array([text.count("'") for text in texts]) / units,
            counts[:, column_of["punctuation"]] / np.maximum(counts[:, column_of["characters"]], 1),
            np.array([text[-1:] in (".", "。") for text in texts]),
            counts[:, column_of["ellipsis"]] > 0,
            np.array([text[:1].isupper() for text in texts]),
            np.array([text[:1] in "-•*" for text in texts]),
        ]
        # Sentences × marks.
        columns = np.stack([np.asarray(mark, dtype=np.float64) for mark in marks], axis=1)
        return np.hstack([columns, kinds / units[:, None]])


def _sums(rows: Ints, values: Floats | Bools, count: int) -> Floats:
    return np.bincount(rows, values.astype(np.float64), count).astype(np.float64)


def _raised(read: Sentences, weights: Floats, sizes: Floats, padded: Floats) -> Floats:
    """Return how far the weights of each comment's sentences are moved towards 1, from 0 to 1.

    So enough of it counts; `padded` is the probability that it is padded.
    """
    whole, kept = read.sums(sizes), read.sums(sizes * weights)  # comments: characters
    least = _KEPT * np.minimum((1 - padded) / _DOUBT, 1.0) * whole
    return np.maximum(least - kept, 0.0) / np.maximum(whole - kept, 1e-9)
