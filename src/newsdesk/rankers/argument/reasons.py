"""Reasons for a comment's score in words: what it does, the words that show it, and the change in log-odds against not doing it.

Each kind of phrase that a comment uses is a reason, for or against as the model learned it; so are a few visible marks (numbers, links,
exclamations), its neighbours in the thread, and padding that was removed. Where the article has a body, the sentence nearest to
the comment is shown as the point it replies to; this is informative only and has no effect on the score.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.languages import has_spaces
from newsdesk.rankers.argument.features import Features
from newsdesk.rankers.argument.lexicon import lexicon
from newsdesk.rankers.argument.reading import Read, Reader, Talk
from newsdesk.rankers.argument.weights import Platt, Weights
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread

PHRASES = {
    "reason": "gives a reason",
    "contrast": "weighs one thing against another",
    "condition": "names a condition",
    "example": "gives an example",
    "addition": "adds point to point",
    "hedge": "hedges",
    "certainty": "claims certainty",
    "absolute": "speaks in absolutes",
    "proposal": "makes a proposal",
    "source": "names a source",
    "experience": "tells of own experience",
    "first": "speaks of itself",
    "plural": "says we",
    "second": "addresses somebody",
    "third": "speaks of others",
    "agree": "agrees or praises",
    "disagree": "disagrees",
    "question": "asks",
    "insult": "insults",
    "sarcasm": "mocks",
    "quantity": "cites a quantity",
    "time": "places it in time",
    "comparison": "compares",
    "value": "names what is at stake",
    "negation": "denies",
    "politics": "names parties",
    "reply": "speaks of the article or its readers",
}
SEEN = {
    "exclamation": "exclaims",
    "capitals": "shouts in capitals",
    "link": "links to a page",
    "digits": "cites a number",
    "percent": "cites a percentage",
    "money": "cites a sum of money",
    "ellipsis": "trails off",
    "doubled marks": "doubles its marks",
    "quotation": "quotes",
    "small i": "writes I with a small letter",
    "stretched words": "stretches words",
    "careless spelling": "spells carelessly",
}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_NEAR = 0.35
_MOST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """What a comment does, the words that show it, and its effect on the log-odds."""

    text: str
    words: tuple[str, ...]
    effect: float


@dataclass(frozen=True, slots=True)
class Explained:
    """A comment's score and probability, its reasons by descending effect, and the sentences removed as padding."""

    article: str
    comment: str
    score: float
    probability: float
    reasons: tuple[Reason, ...]
    padding: tuple[str, ...]


def explain(
    features: Features, weights: Weights, platt: Platt, thread: Thread, most: int = 6
) -> list[Explained]:
    """The reasons for each comment of a thread, at most `most` per comment."""
    if not thread.comments:
        return []
    talk = Talk.of(thread, features.reader)
    comments = features.of_talk(talk)
    effects = weights.effects(comments.rows)
    # A phrase or mark is compared with its absence; neighbours with the mean.
    done = effects - weights.effects(np.zeros_like(comments.rows))
    scores = weights.scores(comments)
    probability = platt(scores)
    points = _points(features.reader, thread, comments.vectors)
    explained = []
    for place, comment in enumerate(thread.comments):
        reasons = [
            *_phrases(features.lang, comments.reads[place], done[place]),
            *_marks(features.columns, comments.rows[place], done[place]),
            *_neighbours(features.columns, comments.rows[place], effects[place], weights.mean),
        ]
        reasons.sort(key=lambda reason: (-abs(reason.effect), reason.text))
        explained.append(
            Explained(
                article=thread.article.id,
                comment=comment.id,
                score=float(scores[place]),
                probability=float(probability[place]),
                reasons=(*reasons[:most], *points[place]),
                padding=_left_out(talk.reads[place], comments.reads[place]),
            )
        )
    return explained


def write_reasons(
    path: str | os.PathLike[str], explained: Iterable[Explained], *, overwrite: bool = False
) -> None:
    """Write a line of JSON per comment, atomically; `-` is standard output."""
    with atomic(path, overwrite=overwrite) as stream:
        for each in explained:
            stream.write(json_line(asdict(each)))


def _phrases(lang: str, read: Read, effects: Floats) -> Iterator[Reason]:
    joint = " " if has_spaces(lang) else ""
    words: dict[int, list[str]] = {}
    for piece in read.pieces:
        for hit in piece.hits:
            words.setdefault(hit.kind, []).append(joint.join(piece.units[hit.start : hit.end]))
    kinds = lexicon(lang).kinds
    for kind, used in words.items():
        shown = tuple(dict.fromkeys(used))[:_MOST_WORDS]
        yield Reason(PHRASES[kinds[kind]], shown, round(float(effects[kind]), 4))


def _marks(columns: Sequence[str], row: Floats, effects: Floats) -> Iterator[Reason]:
    for column, name in enumerate(columns):
        if name in SEEN and row[column] > 0:
            yield Reason(SEEN[name], (), round(float(effects[column]), 4))


def _neighbours(
    columns: Sequence[str], row: Floats, effects: Floats, mean: Floats
) -> Iterator[Reason]:
    nearest = columns.index("nearest comment")
    if not row[nearest]:
        return
    # The three measures are correlated, so they make one reason.
    effect = round(float(effects[nearest : nearest + 3].sum()), 4)
    close = row[nearest] >= mean[nearest]
    text = "speaks to what others say" if close else "stands apart from the other comments"
    yield Reason(text, (), effect)


def _points(reader: Reader, thread: Thread, vectors: Floats) -> list[tuple[Reason, ...]]:
    body = sentences(thread.article.text, reader.lang) if thread.article.text else []
    if not body or not reader.vectors.dimensions:
        return [()] * len(vectors)
    near = vectors @ reader.vectors.encode(body).T
    best = np.argmax(near, axis=1).tolist()
    return [
        (_point(place, body),) if near[row, place] >= _NEAR else ()
        for row, place in enumerate(best)
    ]


def _point(place: int, body: Sequence[str]) -> Reason:
    which = _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"
    return Reason(f"replies to the article's {which} point", (body[place],), 0.0)


def _left_out(read: Read, cleaned: Read) -> tuple[str, ...]:
    stayed = {id(piece) for piece in cleaned.pieces}
    return tuple(piece.text for piece in read.pieces if id(piece) not in stayed)
