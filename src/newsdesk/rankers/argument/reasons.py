"""What a comment's score is made of: parts that sum to it, each with a label and the words that show it.

The parts are the base, length, wording (each sign of `signs.txt`), likeness to what judges liked (the vector), neighbours in the thread, and the discount of sentences that look
like padding. A sign that a comment may lack is compared with its absence, everything else with its mean in the thread. Effects near zero are pooled, and so are levels whose columns
disagree: where words are shorter on the mean and yet more of them are long, neither label would be true. Where the article has a body, the sentence nearest to the comment is shown as the point it replies to; this has no effect on the score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.languages import has_spaces
from newsdesk.rankers.argument.counts import NEIGHBOURS, SignColumn, columns, lexicon, units_of
from newsdesk.rankers.argument.features import ArgumentFeatures
from newsdesk.rankers.argument.reading import CommentReader, Sentences, Talk
from newsdesk.rankers.argument.weights import Platt, ScoreParts, Weights
from newsdesk.rankers.ranker import Explained, Reason
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread

_NEAR = 0.35  # cosine from which a sentence of the article is a comment's point
_MOST_WORDS = 5  # shown with a sign
# Effects below this are pooled: a reader cannot tell them from nothing.
_LEAST_EFFECT = 0.03
# Columns of one level disagree if one of them works against their sum by more than this share of it.
_AGAINST = 0.1
# A sentence that counts less than this is listed as padding.
_PADDING = 0.5
_REST = "smaller signs together"
# What is said of the discount where sentences are listed as padding, and where none is: what it does, because its guess may be wrong.
_PADDED, _LESSENED = "is partly taken for padding or repetition", "some sentences count for less"


def explain(
    features: ArgumentFeatures, weights: Weights, platt: Platt, thread: Thread, most: int = 6
) -> list[Explained]:
    """Return the parts of each comment's score, at most `most` beside base and length.

    The others are pooled.
    """
    if not thread.comments:
        return []
    talk = Talk.of(thread, features.reader)
    article = _ArticleBody.of(features.reader, thread)
    blocks: list[ScoreParts] = []
    padding: list[tuple[str, ...]] = []
    points: list[str] = []
    # What an explanation needs is kept of each block: the vectors of a long thread would fill the memory.
    for read, sentence_weights, rows in features.weighed_blocks(talk):
        blocks.append(weights.parts(rows))
        padding += _padding(read, sentence_weights)
        points += article.points(rows.vectors)
    parts = ScoreParts.joined(blocks)
    scores, probability = parts.scores, platt(parts.scores)
    effects = _Effects.of(weights, parts)
    return [
        Explained(
            article=thread.article.id,
            comment=comment.id,
            score=float(scores[row]),
            probability=float(probability[row]),
            reasons=tuple(
                effects.reasons(row, comment.text, features.lang, most, padded=bool(padding[row]))
            ),
            padding=padding[row],
            point=points[row],
        )
        for row, comment in enumerate(thread.comments)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Effects:
    """The effects of all comments of a thread on their log-odds.

    Of each column, of the vector, of length before and after the discount, and the base.
    """

    signs: Floats  # comments × columns
    likeness: Floats  # comments
    length: Floats  # comments
    discount: Floats  # comments
    base: Floats  # comments

    @classmethod
    def of(cls, weights: Weights, parts: ScoreParts) -> _Effects:
        """Split the score of each comment into effects that sum to it."""
        rates = np.array([column.is_rate for column in columns()])  # columns
        # A rate is compared with its absence, every other column with its mean in the thread as far as the comment's wording is trusted; the rest is the base.
        trust = parts.trust[:, None]  # comments × 1
        mean = (parts.signs / np.maximum(trust, 1e-9)).mean(axis=0)  # columns
        usual = np.where(rates, parts.absent, trust * mean)  # comments × columns
        likeness, whole = parts.likeness, parts.whole
        return cls(
            signs=parts.signs - usual,
            likeness=likeness - likeness.mean(),
            length=whole - whole.mean(),
            discount=parts.left - whole,
            base=weights.bias + usual.sum(axis=1) + likeness.mean() + whole.mean(),
        )

    def reasons(self, row: int, text: str, lang: str, most: int, *, padded: bool) -> list[Reason]:
        """Return the parts of one comment's score, the largest signs first."""
        parts = [Reason("base", "a usual comment of the thread", (), float(self.base[row]))]
        length = float(self.length[row])
        parts.append(Reason("length", "long" if length > 0 else "short", (), length))
        likeness, discount = float(self.likeness[row]), float(self.discount[row])
        signs = sorted(
            [
                *_signs(self.signs[row], text, lang),
                Reason("likeness", _likeness(likeness), (), likeness),
                Reason("discount", _PADDED if padded else _LESSENED, (), discount),
            ],
            key=lambda reason: (-abs(reason.effect), reason.text),
        )
        shown = [sign for sign in signs[:most] if abs(sign.effect) >= _LEAST_EFFECT]
        total = float(self.signs[row].sum()) + likeness + discount
        rest = total - sum(sign.effect for sign in shown)
        return [*parts, *shown, Reason("rest", _REST, (), rest)]


def _likeness(effect: float) -> str:
    return "reads like what judges liked" if effect > 0 else "reads unlike what judges liked"


def _signs(effects: Floats, text: str, lang: str) -> list[Reason]:
    """Return the effects of columns, those that share a label in one.

    Levels whose columns disagree are left out.
    """
    words = _words(text, lang)
    # (part, label) → words that show it, effects
    pooled: dict[tuple[str, str], tuple[list[str], list[float]]] = {}
    # The labels of a level are a pair, for a positive and for a negative effect; those of a rate are one, for its presence.
    by_labels: dict[tuple[str, ...], list[tuple[SignColumn, float]]] = {}
    for column, effect in zip(columns(), effects.tolist(), strict=True):
        by_labels.setdefault(column.labels, []).append((column, effect))
    for members in by_labels.values():
        total = sum(effect for _, effect in members)
        column, _ = members[0]
        # the largest effect whose sign is opposite to the total's
        against = max(-effect * np.sign(total) for _, effect in members)
        # The label of a rate is true whichever way its columns work; the total chooses that of a level, which a column against it would belie.
        if not column.is_rate and against > _AGAINST * abs(total):
            continue
        part = "neighbours" if column.name in NEIGHBOURS else "wording"
        shown, totals = pooled.setdefault((part, column.label(total)), ([], []))
        shown += [word for member, _ in members for word in words.get(member.name, ())]
        totals.append(total)
    return [
        Reason(part, label, tuple(dict.fromkeys(shown))[:_MOST_WORDS], effect=sum(totals))
        for (part, label), (shown, totals) in pooled.items()
        if any(totals)
    ]


def _words(text: str, lang: str) -> dict[str, list[str]]:
    """Return the phrases of a comment by the name of their kind."""
    joint = " " if has_spaces(lang) else ""
    units = units_of(text, lang)
    kinds = lexicon(lang).kinds
    words: dict[str, list[str]] = {}
    for hit in lexicon(lang).hits(units):
        words.setdefault(kinds[hit.kind], []).append(joint.join(units[hit.start : hit.end]))
    return words


@dataclass(frozen=True, slots=True, eq=False)
class _ArticleBody:
    """The sentences of an article, with their vectors."""

    sentences: tuple[str, ...]
    vectors: Floats  # sentences × dimensions

    @classmethod
    def of(cls, reader: CommentReader, thread: Thread) -> _ArticleBody:
        """Read the body of a thread's article."""
        body = tuple(sentences(thread.article.text, reader.lang)) if thread.article.text else ()
        return cls(body, reader.vectors.encode(body))

    def points(self, vectors: Floats) -> list[str]:
        """Return the sentence that each comment is nearest to; empty where none is near."""
        if not self.vectors.size:
            return [""] * len(vectors)
        near = vectors @ self.vectors.T  # comments × sentences
        best = np.argmax(near, axis=1).tolist()
        return [
            self.sentences[nearest] if near[row, nearest] >= _NEAR else ""
            for row, nearest in enumerate(best)
        ]


def _padding(read: Sentences, weights: Floats) -> Iterator[tuple[str, ...]]:
    """Yield the sentences of each comment that count little; `weights` say how much each counts."""
    little = (weights < _PADDING).tolist()  # sentences
    for start, end in pairwise(read.starts.tolist()):
        yield tuple(
            text
            for text, flag in zip(read.texts[start:end], little[start:end], strict=True)
            if flag
        )
