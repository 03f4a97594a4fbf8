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
from newsdesk.rankers.argument.features import ArgumentFeatures, CommentRows
from newsdesk.rankers.argument.reading import CommentReader, Talk
from newsdesk.rankers.argument.weights import Platt, Weights
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
    comments = features.of_talk(talk)
    padding = list(_padding(features, talk))
    scores = weights.scores(comments)
    probability = platt(scores)
    effects = _Effects.of(weights, comments)
    points = _points(features.reader, thread, comments.vectors)
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
    def of(cls, weights: Weights, comments: CommentRows) -> _Effects:
        """Split the score of each comment into effects that sum to it."""
        effects = weights.effects(comments)  # comments × (columns + dimensions)
        count = len(columns())
        rates = np.array([column.is_rate for column in columns()])  # columns
        nothing = np.zeros_like(comments.rows)  # comments × columns
        empty = CommentRows(nothing, comments.logs, comments.whole_logs, comments.trust)
        # A rate is compared with its absence, every other column with its mean in the thread as far as the comment's wording is trusted; the rest is the base.
        absent = weights.effects(empty)[:, :count]
        trust = comments.trust[:, None]  # comments × 1
        mean = (effects[:, :count] / np.maximum(trust, 1e-9)).mean(axis=0)  # columns
        usual = np.where(rates, absent, trust * mean)  # comments × columns
        likeness = effects[:, count:].sum(axis=1)  # comments: all of the vector in one
        whole, left = weights.curve(comments.whole_logs), weights.curve(comments.logs)
        return cls(
            signs=effects[:, :count] - usual,
            likeness=likeness - likeness.mean(),
            length=whole - whole.mean(),
            discount=left - whole,
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


def _points(reader: CommentReader, thread: Thread, vectors: Floats) -> list[str]:
    """Return the sentence of the article that each comment is nearest to; empty where none is near."""
    body = sentences(thread.article.text, reader.lang) if thread.article.text else []
    if not body or not reader.vectors.dimensions:
        return [""] * len(vectors)
    near = vectors @ reader.vectors.encode(body).T  # comments × sentences of the article
    best = np.argmax(near, axis=1).tolist()
    return [
        body[nearest] if near[row, nearest] >= _NEAR else "" for row, nearest in enumerate(best)
    ]


def _padding(features: ArgumentFeatures, talk: Talk) -> Iterator[tuple[str, ...]]:
    """Yield the sentences of each comment that count little."""
    for hosts, read in talk.blocks():
        weights = features.discount.weights(read, talk, hosts).tolist()
        for start, end in pairwise(read.starts.tolist()):
            sentences = zip(read.texts[start:end], weights[start:end], strict=True)
            yield tuple(text for text, weight in sentences if weight < _PADDING)
