"""What a comment's score is made of: parts that sum to it, each with a label and the words that show it.

The parts are length, wording (each sign of `signs.txt`), likeness to what judges liked (the vector), neighbours in the thread, and the discount of sentences that look
like padding, each against its mean in the thread, length and the score itself against the median, which a few very short comments do not move. A part is told where its label is true of the comment: a sign that the comment has more of than usual, a level whose columns agree
(where words are shorter on the mean and yet more of them are long, neither label would be true), never the absence of one sign, which a lexicon cannot vouch for: all that a comment has less of than usual is one part. A sign whose words are not to be found is not told.
Of these at most three are reasons, the largest first: each has at least a tenth of all that sets the comment apart, and none contradicts a larger one about the same thing.
Where their sum is on the other side than the score, all else together is a reason, so that reasons agree with the place. Base and rest complete the sum. A reason quotes the comment where words show it.

Where the article has a body, the sentence nearest to the comment is shown as the point it replies to; this has no effect on the score.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Floats
from newsdesk.languages import has_spaces
from newsdesk.rankers.argument.counts import ADDRESS, NEIGHBOURS, columns
from newsdesk.rankers.argument.evidence import INSULT, evidence
from newsdesk.rankers.argument.features import ArgumentFeatures
from newsdesk.rankers.argument.reading import CommentReader, Sentences, Talk
from newsdesk.rankers.argument.weights import Platt, ScoreParts, Weights
from newsdesk.rankers.ranker import LEAST_SHARE, MOST_REASONS, Explained, Reason, standings
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread
from newsdesk.wording import excerpt, plural
from newsdesk.work.progress import OnProgress, Progress, silent

_NEAR = 0.35  # cosine from which a sentence of the article is a comment's point
# Columns of one level disagree if one of them works against their sum by more than this share of it.
_AGAINST = 0.1
# A sentence that counts less than this is listed as padding.
_PADDING = 0.5
_BASE, _REST = "a usual comment of the thread", "all else together"
_SEVERAL = "many small things together"
# What is said of signs that a comment has less of than usual, by what they do to a score.
_LIKENESS = ("reads like what judges liked", "reads unlike what judges liked")
_LACKING = {1: "has less of what raises others here", -1: "has less of what lowers others here"}
# What is said of the discount where sentences are listed as padding, and where none is: what it does, because its guess may be wrong.
_PADDED, _LESSENED = "is partly taken for padding or repetition", "some sentences count for less"


@dataclass(frozen=True, slots=True, eq=False)
class Dissected:
    """The comments of a thread explained, and of each what an order can be made of without reading it again."""

    comments: tuple[Explained, ...]
    length: Floats  # comments: the part of each score that is due to length, against the mean of the thread
    vectors: NDArray[np.float16]  # comments × dimensions, of length one or zero


def dissect(
    features: ArgumentFeatures,
    weights: Weights,
    platt: Platt,
    thread: Thread,
    *,
    most: int = MOST_REASONS,
    least: float = LEAST_SHARE,
    penalties: Floats | None = None,
    progress: OnProgress = silent,
) -> Dissected:
    """Return the parts of each comment's score: the base, at most `most` reasons, and the rest.

    A reason has at least the share `least` of what sets the comment apart from the usual one. `penalties` are taken off the scores for insults.
    """
    if not thread.comments:
        return Dissected((), np.zeros(0), np.zeros((0, 0), np.float16))
    parts, comments, points, vectors = _weighed(features, weights, thread, progress)
    effects = _Effects.of(parts, np.zeros(len(comments)) if penalties is None else penalties)
    scores, probability = effects.scores, platt(effects.scores)
    standing = standings(scores)
    explained = tuple(
        Explained(
            article=thread.article.id,
            comment=comment.id,
            score=float(scores[row]),
            probability=None if platt.error is None else float(probability[row]),
            reasons=tuple(effects.reasons(row, comments[row], features.reader, most, least)),
            padding=comments[row].padding,
            point=points[row],
            standing=standing[row],
            probability_error=platt.error,
        )
        for row, comment in enumerate(thread.comments)
    )
    return Dissected(explained, parts.left - parts.left.mean(), vectors)


def _weighed(
    features: ArgumentFeatures, weights: Weights, thread: Thread, progress: OnProgress
) -> tuple[ScoreParts, list[_ReadComment], list[str], NDArray[np.float16]]:
    """Read and weigh a thread, and return what explanations need of it, with points and vectors.

    All else of a long thread would fill the memory, and is given free on return.
    """
    talk = Talk.of(thread, features.reader, progress)
    article = _ArticleBody.of(features.reader, thread)
    blocks: list[ScoreParts] = []
    comments: list[_ReadComment] = []
    points: list[str] = []
    vectors: list[NDArray[np.float16]] = []
    for read, sentence_weights, rows in features.weighed_blocks(talk):
        blocks.append(weights.parts(rows))
        comments += _read(talk.texts[len(comments) :], read, sentence_weights)
        points += article.points(rows.vectors)
        vectors.append(rows.vectors.astype(np.float16))
        progress(Progress("weighing comments", len(comments), len(thread.comments)))
    return ScoreParts.joined(blocks), comments, points, np.vstack(vectors)


@dataclass(frozen=True, slots=True)
class _ReadComment:
    """The text of a comment, its sentences as they were counted, and those of them that count little."""

    text: str
    sentences: tuple[str, ...]
    padding: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _PartKind:
    """A kind of part of a score: what it is about, the labels of its effects, and the columns behind it."""

    part: str
    about: str
    labels: tuple[str, ...]  # of a positive and of a negative effect, or of both
    columns: tuple[int, ...] = ()
    names: frozenset[str] = frozenset()
    rate_sign: int = 0  # of columns that are rates

    def label(self, effect: float) -> str:
        """Return what a reader is told of an effect."""
        return self.labels[0] if effect > 0 else self.labels[-1]


@functools.cache
def _part_kinds() -> tuple[_PartKind, ...]:
    """Return the kinds of parts: columns that share labels, rates that a comment lacks, and what is no column."""
    by_labels: dict[tuple[str, ...], list[int]] = {}
    for number, column in enumerate(columns()):
        by_labels.setdefault(column.labels, []).append(number)
    kinds = []
    for labels, numbers in by_labels.items():
        members = [columns()[number] for number in numbers]
        first = members[0]
        kinds.append(
            _PartKind(
                "neighbours" if first.name in NEIGHBOURS else "wording",
                first.about,
                labels,
                tuple(numbers),
                frozenset(member.name for member in members),
                first.sign if first.is_rate else 0,
            )
        )
    return (
        *kinds,
        *(_PartKind("wording", "lacking", (label,)) for label in _LACKING.values()),
        _PartKind("length", "length", ()),
        _PartKind("discount", "padding", (_LESSENED,)),
        _PartKind("likeness", "nearness", _LIKENESS),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Effects:
    """The effects on the log-odds of all comments of a thread, against their mean in it; length against the median.

    Of the kinds of parts in their order, each with whether its label is true. `totals` are all that sets a comment apart, what no part accounts for included. A thread of one comment is compared with the training comments.
    """

    scores: Floats  # comments
    base: float
    effects: Floats  # comments × kinds of parts
    true: Bools  # comments × kinds of parts
    totals: Floats  # comments

    @classmethod
    def of(cls, parts: ScoreParts, penalties: Floats) -> _Effects:
        """Compare the parts of each score, less the penalties for insults, with their mean in the thread."""
        # A column is compared as far as the comment's wording is trusted, or a short comment would be told to have more of what it has less of.
        trust = parts.trust[:, None]  # comments × 1
        mean = (parts.signs / np.maximum(trust, 1e-9)).mean(axis=0)  # columns
        several = float(len(parts.scores) > 1)
        discount = parts.left - parts.whole  # comments
        # A penalty is told as what the words of the column do, of which it is the larger part.
        insulting = np.array([column.name == INSULT for column in columns()])  # columns
        lowered = np.outer(penalties - several * penalties.mean(), insulting)  # comments × columns
        signs = parts.signs - several * trust * mean - lowered
        present = parts.present | np.outer(penalties > 0, insulting)
        effects, true = _of_labels(signs, present)
        effects[:, -3] = parts.whole - np.median(parts.whole)
        effects[:, -2] = discount - several * discount.mean()
        true[:, -2] = effects[:, -2] < 0
        effects[:, -1] = parts.likeness - several * parts.likeness.mean()
        scores = parts.scores - penalties
        base = float(np.median(scores))
        left_over = np.abs(scores - base - effects.sum(axis=1))  # comments
        return cls(scores, base, effects, true, np.abs(effects).sum(axis=1) + left_over)

    def reasons(
        self, row: int, read: _ReadComment, reader: CommentReader, most: int, least: float
    ) -> list[Reason]:
        """Return base, reasons and rest of one comment."""
        lead, total = float(self.scores[row]) - self.base, float(self.totals[row])
        reasons: list[Reason] = []
        sides: dict[str, bool] = {}  # what was told → whether it raised the score
        for share, effect, label, number in self._large(row, read.text, reader.lang, least):
            if len(reasons) == most:
                break
            kind = _part_kinds()[number]
            opposed = sides.get(kind.about, effect > 0) != (effect > 0)
            if opposed or not self.true[row, number]:
                continue
            reason = Reason(kind.part, label, (), effect, round(share, 3))
            if shown := _shown(reason, kind, read, reader):
                reasons.append(shown)
                sides[kind.about] = effect > 0
        if sum(reason.effect for reason in reasons) * lead < 0:
            # What decided is spread over many small parts: told apart they would explain the contrary of the place.
            reasons = reasons[: most - 1]
            several = lead - sum(reason.effect for reason in reasons)
            share = round(abs(several) / total, 3)
            reasons.append(Reason("several", _SEVERAL, (), several, share))
            reasons.sort(key=lambda reason: -abs(reason.effect))
        rest = lead - sum(reason.effect for reason in reasons)
        return [Reason("base", _BASE, (), self.base), *reasons, Reason("rest", _REST, (), rest)]

    def _large(
        self, row: int, text: str, lang: str, least: float
    ) -> list[tuple[float, float, str, int]]:
        """Return share, effect, label and kind of the parts of a comment with at least the share `least`.

        The largest come first, equal ones by their labels.
        """
        total = float(self.totals[row]) or 1.0
        large = [
            (abs(effect) / total, effect, number)
            for number, effect in enumerate(self.effects[row].tolist())
            if effect and abs(effect) / total >= least
        ]
        kinds = _part_kinds()
        labelled = [
            (share, effect, kinds[number].label(effect) if kinds[number].labels else _size(text, lang, long=effect > 0), number)
            for share, effect, number in large
        ]  # fmt: skip
        return sorted(labelled, key=lambda part: (-abs(part[1]), part[2]))


def _of_labels(signs: Floats, present: Bools) -> tuple[Floats, Bools]:
    """Return comments × kinds of parts: the effects of columns, and whether their labels are true.

    Rates that a comment has less of than usual are two parts: all that would have raised it, and all that would have lowered it.
    """
    kinds = _part_kinds()
    effects = np.zeros((len(signs), len(kinds)))
    true = np.ones(effects.shape, dtype=bool)
    lacking = {1: effects[:, -5], -1: effects[:, -4]}  # sign of columns → comments
    for number, kind in enumerate(kinds[:-5]):
        own = signs[:, kind.columns]  # comments × columns of this label
        total = own.sum(axis=1)
        if kind.rate_sign:
            lacks = total * kind.rate_sign <= 0
            lacking[kind.rate_sign][lacks] += total[lacks]
            effects[:, number] = np.where(lacks, 0.0, total)
            true[:, number] = present[:, kind.columns].any(axis=1)
        else:
            # The largest effect whose sign is opposite to the total's: a column against the total belies the label.
            against = (-own * np.sign(total)[:, None]).max(axis=1)
            effects[:, number] = total
            true[:, number] = against <= _AGAINST * np.abs(total)
    return effects, true


def _size(text: str, lang: str, *, long: bool) -> str:
    """Return what is told of the length of a comment."""
    words = text.split()
    size = plural(len(words), "word") if has_spaces(lang) else plural(len("".join(words)), "character")  # fmt: skip
    return f"{'long' if long else 'short'} for this thread ({size})"


# A quotation would show nothing of these.
_UNQUOTED = frozenset(("comma", "colon", "ellipsis"))
# A comment that ends like this does not leave out its last mark, even if it was split in the wrong place.
_ENDED = re.compile(rf"(?:[.!?…。！？～~]|{ADDRESS.pattern})\W*$")
_MOST_PADDING = 60  # characters of a sentence that counts little


def _shown(
    reason: Reason, kind: _PartKind, read: _ReadComment, reader: CommentReader
) -> Reason | None:
    """Return a reason with the words that show it, the first of them quoted as they stand.

    None where nothing shows what the label says.
    """
    names = kind.names
    if reason.part == "discount" and read.padding:
        return replace(reason, text=_PADDED, quote=excerpt(read.padding[0], _MOST_PADDING))
    if "full stop" in names and reason.effect < 0 and _ENDED.search(read.text):
        return None
    if not kind.rate_sign or not names.isdisjoint(_UNQUOTED):
        return reason
    words, quote = evidence(read.text, read.sentences, names, reader)
    return replace(reason, words=words, quote=quote) if words else None


@dataclass(frozen=True, slots=True, eq=False)
class _ArticleBody:
    """The sentences of an article, with their vectors."""

    sentences: tuple[str, ...]
    vectors: Floats  # sentences × dimensions

    @classmethod
    def of(cls, reader: CommentReader, thread: Thread) -> _ArticleBody:
        """Read the body of a thread's article."""
        body = tuple(sentences(thread.article.text, reader.lang)) if thread.article.text else ()
        return cls(body, reader.vectors.encode(body).astype(np.float64))

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


def _read(texts: Sequence[str], read: Sentences, weights: Floats) -> Iterator[_ReadComment]:
    """Yield the comments of a block; `weights` say how much each of its sentences counts."""
    little = (weights < _PADDING).tolist()  # sentences
    for number, (start, end) in enumerate(pairwise(read.starts.tolist())):
        own = read.texts[start:end]
        padding = (text for text, flag in zip(own, little[start:end], strict=True) if flag)
        yield _ReadComment(texts[number], own, tuple(padding))
