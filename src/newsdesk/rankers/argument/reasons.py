"""What a comment's score is made of: parts that sum to it, each with a label and the words that show it.

The parts are length, wording (each sign of `signs.txt`), likeness to what judges liked (the vector), neighbours in the thread, and the discount of sentences that look
like padding, each against its mean in the thread, length and the score itself against the median, which a few very short comments do not move. A part is told where its label is true of the comment: a sign that the comment has more of than usual, a level whose columns agree
(where words are shorter on the mean and yet more of them are long, neither label would be true), never the absence of one sign, which a lexicon cannot vouch for: all that a comment has less of than usual is one part. A sign whose words are not to be found is not told.
Of these at most three are reasons, the largest first: each has at least a tenth of all that sets the comment apart, and none contradicts a larger one about the same thing.
Where their sum is on the other side than the score, all else together is a reason, so that reasons agree with the place. Base and rest complete the sum. A reason quotes the comment where words show it.

Where the article has a body, the sentence nearest to the comment is shown as the point it replies to; this has no effect on the score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Bools, Floats
from newsdesk.languages import has_spaces
from newsdesk.packaged import sections
from newsdesk.rankers.argument.counts import (
    ADDRESS,
    CAPITALS,
    MISPLACED,
    NEIGHBOURS,
    POINTED,
    STRETCHED,
    SignColumn,
    columns,
    lexicon,
    shouted,
    unit_spans,
    units_of,
)
from newsdesk.rankers.argument.features import ArgumentFeatures
from newsdesk.rankers.argument.reading import CommentReader, Sentences, Talk
from newsdesk.rankers.argument.weights import Platt, ScoreParts, Weights
from newsdesk.rankers.insults import insults
from newsdesk.rankers.ranker import LEAST_SHARE, MOST_REASONS, Explained, Reason, standings
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread
from newsdesk.wording import excerpt, plural
from newsdesk.work.progress import OnProgress, Progress, silent

_NEAR = 0.35  # cosine from which a sentence of the article is a comment's point
_MOST_WORDS = 5  # listed with a sign
# Columns of one level disagree if one of them works against their sum by more than this share of it.
_AGAINST = 0.1
# A sentence that counts less than this is listed as padding.
_PADDING = 0.5
_INSULT = "insult"  # the column
_BASE, _REST = "a usual comment of the thread", "all else together"
_SEVERAL = "many small things together"
# What is said of signs that a comment has less of than usual, by what they do to a score.
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
    talk = Talk.of(thread, features.reader)
    article = _ArticleBody.of(features.reader, thread)
    blocks: list[ScoreParts] = []
    comments: list[_ReadComment] = []
    points: list[str] = []
    vectors: list[NDArray[np.float16]] = []
    # What an explanation needs is kept of each block: the vectors of a long thread would fill the memory.
    for read, sentence_weights, rows in features.weighed_blocks(talk):
        blocks.append(weights.parts(rows))
        comments += _read(talk.texts[len(comments) :], read, sentence_weights)
        points += article.points(rows.vectors)
        vectors.append(rows.vectors.astype(np.float16))
        progress(Progress("weighing comments", len(comments), len(thread.comments)))
    parts = ScoreParts.joined(blocks)
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
    return Dissected(explained, parts.left - parts.left.mean(), np.vstack(vectors))


@dataclass(frozen=True, slots=True)
class _ReadComment:
    """The text of a comment, its sentences as they were counted, and those of them that count little."""

    text: str
    sentences: tuple[str, ...]
    padding: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a score, what it is about, the columns behind it, whether its label is true, and whether it is a rate."""

    reason: Reason
    about: str
    names: frozenset[str] = frozenset()
    true: bool = True
    rate: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Effects:
    """The effects on the log-odds of all comments of a thread, against their mean in it; length against the median.

    Of each column, of the vector, of length before the discount, and of the discount. A thread of one comment is compared with the training comments.
    """

    scores: Floats  # comments
    signs: Floats  # comments × columns
    present: Bools  # comments × columns: the comment has some of it
    likeness: Floats  # comments
    length: Floats  # comments
    discount: Floats  # comments

    @classmethod
    def of(cls, parts: ScoreParts, penalties: Floats) -> _Effects:
        """Compare the parts of each score, less the penalties for insults, with their mean in the thread."""
        # A column is compared as far as the comment's wording is trusted, or a short comment would be told to have more of what it has less of.
        trust = parts.trust[:, None]  # comments × 1
        mean = (parts.signs / np.maximum(trust, 1e-9)).mean(axis=0)  # columns
        several = float(len(parts.scores) > 1)
        discount = parts.left - parts.whole  # comments
        # A penalty is told as what the words of the column do, of which it is the larger part.
        insulting = np.array([column.name == _INSULT for column in columns()])  # columns
        lowered = np.outer(penalties - several * penalties.mean(), insulting)  # comments × columns
        return cls(
            scores=parts.scores - penalties,
            signs=parts.signs - several * trust * mean - lowered,
            present=parts.present | np.outer(penalties > 0, insulting),
            likeness=parts.likeness - several * parts.likeness.mean(),
            length=parts.whole - np.median(parts.whole),
            discount=discount - several * discount.mean(),
        )

    def reasons(
        self, row: int, read: _ReadComment, reader: CommentReader, most: int, least: float
    ) -> list[Reason]:
        """Return base, reasons and rest of one comment."""
        parts = [
            *_signs(self.signs[row], self.present[row]),
            *self._others(row, read.text, reader.lang),
        ]
        base, score = float(np.median(self.scores)), float(self.scores[row])
        left_over = score - base - sum(part.reason.effect for part in parts)
        # All that sets the comment apart, what no part accounts for included.
        total = sum(abs(part.reason.effect) for part in parts) + abs(left_over)
        reasons: list[Reason] = []
        sides: dict[str, bool] = {}  # what was told → whether it raised the score
        for part in sorted(parts, key=lambda part: (-abs(part.reason.effect), part.reason.text)):
            effect = part.reason.effect
            share = abs(effect) / (total or 1.0)
            if len(reasons) == most or not effect or share < least:
                break
            opposed = sides.get(part.about, effect > 0) != (effect > 0)
            if part.true and not opposed and (shown := _shown(part, read, reader)):
                reasons.append(replace(shown, share=round(share, 3)))
                sides[part.about] = effect > 0
        lead = score - base
        if sum(reason.effect for reason in reasons) * lead < 0:
            # What decided is spread over many small parts: told apart they would explain the contrary of the place.
            reasons = reasons[: most - 1]
            several = lead - sum(reason.effect for reason in reasons)
            share = round(abs(several) / total, 3)
            reasons.append(Reason("several", _SEVERAL, (), several, share))
            reasons.sort(key=lambda reason: -abs(reason.effect))
        rest = lead - sum(reason.effect for reason in reasons)
        return [Reason("base", _BASE, (), base), *reasons, Reason("rest", _REST, (), rest)]

    def _others(self, row: int, text: str, lang: str) -> list[_Part]:
        """Return the parts that are no columns: length, discount and likeness."""
        length, discount = float(self.length[row]), float(self.discount[row])
        likeness = float(self.likeness[row])
        like = "reads like what judges liked" if likeness > 0 else "reads unlike what judges liked"
        return [
            _Part(Reason("length", _size(text, lang, long=length > 0), (), length), "length"),
            _Part(Reason("discount", _LESSENED, (), discount), "padding", true=discount < 0),
            _Part(Reason("likeness", like, (), likeness), "nearness"),
        ]


def _size(text: str, lang: str, *, long: bool) -> str:
    """Return what is told of the length of a comment."""
    words = text.split()
    size = plural(len(words), "word") if has_spaces(lang) else plural(len("".join(words)), "character")  # fmt: skip
    return f"{'long' if long else 'short'} for this thread ({size})"


def _signs(effects: Floats, present: Bools) -> Iterator[_Part]:
    """Yield the effects of columns, those that share a label in one.

    Rates that a comment has less of than usual are two: all that would have raised it, and all that would have lowered it.
    """
    # Labels → columns with their effects, and whether the comment has any.
    by_labels: dict[tuple[str, ...], list[tuple[SignColumn, float, bool]]] = {}
    for column, effect, some in zip(columns(), effects.tolist(), present.tolist(), strict=True):
        by_labels.setdefault(column.labels, []).append((column, effect, some))
    lacking = {1: 0.0, -1: 0.0}  # sign of columns → their effect
    for members in by_labels.values():
        total = sum(effect for _, effect, _ in members)
        column, _, _ = members[0]
        if column.is_rate and total * column.sign <= 0:
            lacking[column.sign] += total
            continue
        if column.is_rate:
            true = any(some for _, _, some in members)
        else:
            # The largest effect whose sign is opposite to the total's: a column against the total belies the label.
            against = max(-effect * np.sign(total) for _, effect, _ in members)
            true = bool(against <= _AGAINST * abs(total))
        part = "neighbours" if column.name in NEIGHBOURS else "wording"
        names = frozenset(member.name for member, _, _ in members)
        reason = Reason(part, column.label(total), (), total)
        yield _Part(reason, column.about, names, true, column.is_rate)
    for sign, effect in lacking.items():
        yield _Part(Reason("wording", _LACKING[sign], (), effect), "lacking")


# What shows a sign that is no phrase, in the text as it stands.
_SHOWN_BY = {
    "exclamation": re.compile(r"[!！](?!=)"),
    "question mark": re.compile(r"[?？]"),
    "doubled marks": re.compile(r"[!！?？]{2,}"),
    "digits": re.compile(r"(?<![A-Za-z\d])\d[\d.,]*"),
    "percent": re.compile(r"\d[\d.,]*\s?[%％]"),
    "money": re.compile(r"[$€£¥￥]\s?\d[\d.,]*|\d[\d.,]*\s?[$€£¥￥]"),
    "year": re.compile(r"\b(?:19|20)\d\d\b"),
    "small i": re.compile(r"\bi\b"),
    "small starts": re.compile(r"\A\W*[^\W\d_]+"),
    "stretched words": STRETCHED,
}
# A quotation would show nothing of these.
_UNQUOTED = frozenset(("comma", "colon", "ellipsis"))
# A comment that ends like this does not leave out its last mark, even if it was split in the wrong place.
_ENDED = re.compile(rf"(?:[.!?…。！？～~]|{ADDRESS.pattern})\W*$")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MOST_PADDING = 60  # characters of a sentence that counts little


def _shown(part: _Part, read: _ReadComment, reader: CommentReader) -> Reason | None:
    """Return the reason of a part with the words that show it, the first of them quoted as they stand.

    None where nothing shows what the label says.
    """
    reason, names = part.reason, part.names
    if reason.part == "discount" and read.padding:
        return replace(reason, text=_PADDED, quote=excerpt(read.padding[0], _MOST_PADDING))
    if "full stop" in names and reason.effect < 0 and _ENDED.search(read.text):
        return None
    if not part.rate or not names.isdisjoint(_UNQUOTED):
        return reason
    words: list[str] = []
    quote = ""
    for sentence in read.sentences:
        for start, end in sorted(set(_evidence(sentence, names, reader))):
            # Quoted from the text where it has the sentence as read: a name may have been split in two.
            at = max(read.text.find(sentence), 0)
            whole = read.text if read.text.startswith(sentence, at) else sentence
            quote = quote or _cut(whole, at + start, at + end, reader.lang)
            words.append(sentence[start:end].lower())
    if not words:
        return None
    if not _WORD.search(quote):  # a mark alone says nothing, nor does a number
        quote = ""
    return replace(reason, words=tuple(dict.fromkeys(words))[:_MOST_WORDS], quote=quote)


def _evidence(
    sentence: str, names: AbstractSet[str], reader: CommentReader
) -> Iterator[tuple[int, int]]:
    """Yield where a sentence shows one of the columns `names`."""
    listed = lexicon(reader.lang)
    if not names.isdisjoint(listed.kinds):
        spans = unit_spans(sentence, reader.lang)
        for hit in listed.hits(units_of(sentence, reader.lang)):
            if listed.kinds[hit.kind] in names:
                yield spans[hit.start][0], spans[hit.end - 1][1]
    if _INSULT in names:
        for word in insults(sentence, reader.lang).words:
            if (start := sentence.find(word)) >= 0:  # one in disguise is not there as it is read
                yield start, start + len(word)
    for name in names & _SHOWN_BY.keys():
        for match in _SHOWN_BY[name].finditer(sentence):
            # Small letters begin a sentence only where the first letter is one.
            if name != "small starts" or match[0].lstrip("'\"“‘(-")[:1].islower():
                yield match.span()
    if "capitals" in names:
        for match in CAPITALS.finditer(sentence):
            if shouted(match[0], reader.rarity.small):
                yield match.span()
    if "missing space" in names and has_spaces(reader.lang):
        yield from (match.span() for match in MISPLACED.finditer(_masked(sentence)))
    if "careless spelling" in names and reader.lang == "en":
        careless = frozenset(sections("rankers", "care-en.txt")["careless"])
        for match in _WORD.finditer(sentence):
            if match[0].lower().replace("’", "'") in careless:
                yield match.span()


def _masked(text: str) -> str:
    """Return a text of the same length without the marks of addresses and abbreviations."""
    for pattern in (ADDRESS, POINTED):
        text = pattern.sub(lambda match: "x" * len(match[0]), text)
    return text


# A quotation goes on to the next mark, by at most so many words, or characters without spaces.
_MARK_BEHIND = re.compile(r"[.,;:!?…)\]\"”]+$")
_OPENING = '(["“'
_BEFORE, _BEHIND, _MOST_CHARACTERS = 5, 4, 28
_MARK_UNSPACED = re.compile(r"[，。、！？；：…,!?;:（）()「」『』“”\"\s]")


def _cut(text: str, start: int, end: int, lang: str) -> str:
    """Return a place of a text with the whole words around it, up to the nearest marks.

    >>> _cut("It is wrong, see entry 4417 of the register. Look!", 35, 43, "en")
    'see entry 4417 of the register'
    """
    # No further than the line.
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    text = text[first:] if last < 0 else text[first:last]
    start, end = start - first, end - first
    if not has_spaces(lang):
        return _cut_unspaced(text, start, end)
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    words = text[start:end].split()
    for word in reversed(text[:start].split()[-_BEFORE:]):
        if _MARK_BEHIND.search(word) or words[0][0] in _OPENING:
            break
        words.insert(0, word)
    for word in text[end:].split()[:_BEHIND]:
        if _MARK_BEHIND.search(words[-1]) or word[0] in _OPENING:
            break
        words.append(word)
    return " ".join(words).strip(f" ,;:.{_OPENING}”)]")


def _cut_unspaced(text: str, start: int, end: int) -> str:
    """Return the clause of a place in a text without spaces; of a long one the characters around."""
    marks = [match.start() for match in _MARK_UNSPACED.finditer(text)]
    first = max((mark + 1 for mark in marks if mark < start), default=0)
    last = min((mark for mark in marks if mark >= end), default=len(text))
    # A question or an exclamation is quoted with its mark.
    if _MARK_UNSPACED.fullmatch(text[start:end]):
        last = end
    if last - first <= _MOST_CHARACTERS:
        return text[first:last].strip()
    left = max(first, start - _MOST_CHARACTERS // 2)
    right = min(last, max(end, left + _MOST_CHARACTERS))
    return f"{'…' if left > first else ''}{text[left:right].strip()}{'…' if right < last else ''}"


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
