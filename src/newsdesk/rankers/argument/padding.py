"""The padding filter: sentences that add length without substance are removed before features are computed.

A multinomial logistic regression on a sentence's words, marks, rarity, vector and distance from the topic of the thread, with one class for each kind of
padding, is trained on padding sentences of our own (`padding-en.txt` and so on; the gaming test uses others) against the sentences of
the training comments. Padding comes in runs, so a two-state hidden Markov model decodes the comment as a whole, and a sentence is removed where
the posterior of padding exceeds one half. The first sentence always stays. Repeated sentences are removed as well.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.models import Arrays
from newsdesk.packaged import sections
from newsdesk.rankers.argument.lexicon import LISTED, lexicon
from newsdesk.rankers.argument.reading import Piece, Read, Reader, Talk
from newsdesk.rankers.argument.repeats import is_new
from newsdesk.rankers.argument.wording import phrase_rates
from newsdesk.streams import stream

# The probability that padding begins after a sentence, and that it ends.
BEGINS, ENDS = 0.03, 0.1
# The share of padding among the sentences that the classifier learns from.
_PADDING_SHARE = 0.2
_HOSTS = 4
_MOST_SENTENCES = 8_000
_COST = 0.03
_COMMON, _CONTENT = 3.0, 3.0
_MOST_ODDS = 8.0
_VECTOR_SCALE, _COSINE_SCALE = 16.0, 5.0
_MARK, _DIGIT = re.compile(r"[^\w\s]"), re.compile(r"\d")
_ME = frozenset(("I", "I'm", "I've", "I'd", "I'll"))


@dataclass(frozen=True, slots=True, eq=False)
class PaddingFilter:
    """Classifies pieces as padding by logistic regression; with an empty `coef` only repetition is removed."""

    reader: Reader
    coef: Floats
    bias: Floats
    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, reader: Reader, talks: Sequence[Talk], seed: int = 0) -> PaddingFilter:
        """Train on our padding against the sentences of comments; for a language without padding data only repetition is removed."""
        places = [
            (talk, place, number)
            for talk in talks
            for place, read in enumerate(talk.reads)
            for number in range(len(read.pieces))
        ]
        later = [each for each in places if each[2]]
        if reader.lang not in LISTED or not later:
            return cls(reader, np.zeros((0, 0)), *(np.zeros(0),) * 3)
        rng = stream("padding", seed)
        if len(later) > _MOST_SENTENCES:
            drawn = rng.choice(len(later), _MOST_SENTENCES, replace=False)
            later = [later[each] for each in np.sort(drawn).tolist()]
        ours = [
            (kind, text)
            for kind, lines in enumerate(
                sections("rankers", f"padding-{reader.lang}.txt").values(), 1
            )
            for text in lines
        ]
        reads = reader.read([text for _, text in ours])
        rows, classes = [], []
        for (kind, _), read in zip(ours, reads, strict=True):
            for host in rng.integers(0, len(places), _HOSTS).tolist():
                talk, place, _ = places[host]
                opening = talk.reads[place].vectors[0]
                rows.append(_piece_rows(reader, read, talk, place, opening, frozenset()))
                classes += [kind] * len(read.pieces)
        for talk, place, number in later:
            read = talk.reads[place]
            one = read.only([each == number for each in range(len(read.pieces))])
            rows.append(_piece_rows(reader, one, talk, place, read.vectors[0], talk.terms[place]))
        return cls._learned(reader, np.vstack(rows), np.array(classes + [0] * len(later)))

    @classmethod
    def restored(cls, reader: Reader, arrays: Arrays) -> PaddingFilter:
        """Rebuild the filter from the state that `learned` returned."""
        coef = arrays["padding_coef"]
        if not coef.size:
            return cls(reader, coef, *(np.zeros(0),) * 3)
        return cls(
            reader,
            coef,
            bias=arrays["padding_bias"],
            mean=arrays["padding_mean"],
            scale=arrays["padding_scale"],
        )

    def stays(self, reads: Sequence[Read], talk: Talk, hosts: Sequence[int]) -> list[list[bool]]:
        """For each comment, which of its pieces stay; comment i is read in the place of comment `hosts[i]` of the thread."""
        new = [is_new([piece.text for piece in read.pieces]) for read in reads]
        if not self.coef.size:
            return new
        odds = self._odds(reads, talk, hosts)
        return [
            [each and not padded for each, padded in zip(fresh, _padded(some), strict=True)]
            for fresh, some in zip(new, odds, strict=True)
        ]

    def learned(self) -> Arrays:
        """The state of the classifier, as arrays."""
        if not self.coef.size:
            return {"padding_coef": self.coef}
        return {
            "padding_coef": self.coef,
            "padding_bias": self.bias,
            "padding_mean": self.mean,
            "padding_scale": self.scale,
        }

    @classmethod
    def _learned(cls, reader: Reader, matrix: Floats, classes: Ints) -> PaddingFilter:
        from sklearn.linear_model import LogisticRegression

        mean = matrix.mean(axis=0)
        scale = np.maximum(matrix.std(axis=0), 1e-9)
        # The vectors keep their common scale, so that a direction of little variance is not amplified.
        scale[: reader.vectors.dimensions] = 1.0
        padding = classes > 0
        weights = np.where(padding, _PADDING_SHARE * np.sum(~padding) / np.sum(padding), 1.0)
        model = LogisticRegression(C=_COST, max_iter=500, tol=1e-3)
        model.fit((matrix - mean) / scale, classes, sample_weight=weights)
        coef, bias = np.round(model.coef_, 9), np.round(model.intercept_, 9)
        return cls(reader, coef, bias=bias, mean=mean, scale=scale)

    def _odds(self, reads: Sequence[Read], talk: Talk, hosts: Sequence[int]) -> list[list[float]]:
        """The log-odds of padding (all kinds) for each piece."""
        rows = [
            _piece_rows(self.reader, read, talk, host, read.vectors[0], talk.terms[host])
            for read, host in zip(reads, hosts, strict=True)
            if read.pieces
        ]
        if not rows:
            return [[] for _ in reads]
        scores = (np.vstack(rows) - self.mean) / self.scale @ self.coef.T + self.bias
        padding = np.logaddexp.reduce(scores[:, 1:], axis=1) - scores[:, 0]
        odds = np.clip(padding - math.log(_PADDING_SHARE), -_MOST_ODDS, _MOST_ODDS).tolist()
        parts, start = [], 0
        for read in reads:
            parts.append(odds[start : start + len(read.pieces)])
            start += len(read.pieces)
        return parts


def _piece_rows(
    reader: Reader, read: Read, talk: Talk, host: int, opening: Floats, own: frozenset[str]
) -> Floats:
    """The features of each piece, read in a thread; `own` are the terms of the comment that it stands in for."""
    others = talk.others(host)
    reach = float(np.sqrt(others @ others)) or 1.0
    near = _COSINE_SCALE * (read.vectors @ np.stack([others / reach, opening]).T)
    wording = [_piece_wording(reader, piece, talk, own) for piece in read.pieces]
    return np.hstack([_VECTOR_SCALE * read.vectors, near, np.array(wording)])


def _piece_wording(reader: Reader, piece: Piece, talk: Talk, own: frozenset[str]) -> list[float]:
    text, units = piece.text, piece.units
    words, rarity = max(len(units), 1), reader.rarity
    values = rarity.values(piece.terms)
    rare = sorted(values) or [0.0]
    content = {
        term: value for term, value in zip(piece.terms, values, strict=True) if value > _CONTENT
    }
    shared = [value for term, value in content.items() if talk.counts.get(term, 0) > (term in own)]
    capitals = sum(word[:1].isupper() and word not in _ME for word in text.split()[1:])
    mean = sum(rare) / len(rare)
    return [
        mean,
        rare[-1],
        sum(rare[-3:]) / len(rare[-3:]),
        bisect_left(rare, _COMMON) / len(rare),
        math.sqrt(max(sum(map(mul, rare, rare)) / len(rare) - mean * mean, 0.0)),
        math.log1p(len(units)),
        sum(map(len, units)) / words,
        capitals / words,
        float(capitals > 0),
        float(_DIGIT.search(text) is not None),
        text.count('"') / words,
        text.count("?"),
        text.count("!"),
        text.count(",") / words,
        text.count("'") / words,
        len(_MARK.findall(text)) / max(len(text), 1),
        float(text[-1:] in (".", "。")),
        float("..." in text),
        float(text[:1].isupper()),
        len(shared) / max(len(content), 1),
        len(content),
        sum(shared),
        *phrase_rates(piece.hits, len(units), len(lexicon(reader.lang).kinds)),
    ]


def _padded(odds: Sequence[float]) -> list[bool]:
    """Which pieces have a posterior of padding above one half, by the forward-backward algorithm in odds.

    >>> _padded([5.0, -3.0, 2.0, 2.0]), _padded([0.0, 2.0])
    ([False, False, True, True], [False, False])
    """
    forward = [0.0] * len(odds)
    for place in range(1, len(odds)):
        before = forward[place - 1]
        turned = (BEGINS + before * (1 - ENDS)) / ((1 - BEGINS) + before * ENDS)
        forward[place] = math.exp(odds[place]) * turned
    backward = 1.0
    padded = [False] * len(odds)
    for place in range(len(odds) - 1, 0, -1):
        padded[place] = forward[place] * backward > 1
        seen = math.exp(odds[place]) * backward
        backward = (ENDS + (1 - ENDS) * seen) / ((1 - BEGINS) + BEGINS * seen)
    return padded
