"""Threads as data of an experiment: their comments as the references of metrics, and a hash that names them.

Scores from 0 to 1 (shares of votes) are weights as they are. Any other scale needs a mapping, which the caller names: where a scale begins
and ends cannot be seen from the scores that occur. Once some comments have a score, those without one are no references: a weight
made up for them would change every weighted metric.

Articles to comment on, from a file of articles or of threads, whose comments are not looked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk import records
from newsdesk.errors import ArgumentError, DataError
from newsdesk.metrics.weights import Weighting
from newsdesk.records import Reader
from newsdesk.types import Article, Cluster, Reference, References, Thread
from newsdesk.wording import plural


def articles_of(record: object, file: str) -> tuple[Article, ...]:
    """Return the articles of a record: itself, that of a thread or those of a cluster."""
    if isinstance(record, Article):
        return (record,)
    if isinstance(record, Thread):
        return (record.article,)
    if isinstance(record, Cluster):
        return record.articles
    raise DataError("holds no articles or threads", file=file)


def open_articles(
    path: str, kind: str | None, read_threads: Callable[[str], Reader[Thread]]
) -> Reader[Any]:
    """Open a file of articles, threads or clusters, as `kind` names it or its first line shows.

    `read_threads` opens threads, which may be in the formats of others; on standard input these are recognized only if `kind` is `thread`.
    """
    if kind == "thread":
        return read_threads(path)
    reader = records.read_named(path, kind)
    if reader.kind is Thread and path != "-":
        reader.close()
        return read_threads(path)
    return reader


AS_THEY_ARE = "scores"  # the mapping, for signatures
UNSCORED = "none"


@dataclass(frozen=True, slots=True)
class CommentReferences:
    """The comments of each article as weighted references.

    With the mapping from scores to weights, and what the reader should know.
    """

    references: tuple[References, ...]
    weighting: str
    notes: tuple[str, ...] = ()


def references_of(
    threads: Sequence[Thread], weighting: Weighting | None = None
) -> CommentReferences:
    """Return the scored comments of each article, weighted by their scores.

    If none has a score, all comments with weight 1.
    """
    comments = [comment for thread in threads for comment in thread.comments]
    scored = [comment for comment in comments if comment.score is not None]
    if not scored:
        note = (
            "no comment has a score: every weight is 1, and weighted metrics equal the plain ones"
        )
        return CommentReferences(
            tuple(_references(threads, [1.0] * len(comments))), UNSCORED, (note,)
        )
    kept = [
        Thread(thread.article, tuple(c for c in thread.comments if c.score is not None))
        for thread in threads
    ]
    notes = []
    if left := len(comments) - len(scored):
        notes.append(
            f"{plural(left, 'comment')} of {len(comments)} without a score left out of the references"
        )
    whole = [thread for thread in kept if thread.comments]
    if left := len(threads) - len(whole):
        notes.append(f"{plural(left, 'article')} without a scored comment left out of the metrics")
    weights, used = _weights(whole, weighting)
    return CommentReferences(tuple(_references(whole, weights)), used, tuple(notes))


def are_shares(threads: Iterable[Thread]) -> bool:
    """Return True if every score lies between 0 and 1."""
    scores = (comment.score for thread in threads for comment in thread.comments)
    return all(0 <= score <= 1 for score in scores if score is not None)


def _weights(threads: Sequence[Thread], weighting: Weighting | None) -> tuple[list[float], str]:
    """Return the weight of every comment, and the mapping for signatures."""
    rows = [
        (float(comment.score or 0.0), number)
        for number, thread in enumerate(threads)
        for comment in thread.comments
    ]
    scores, items = [score for score, _ in rows], [number for _, number in rows]
    if weighting is not None:
        return weighting(scores, items).tolist(), weighting.signature
    if not are_shares(threads):
        raise ArgumentError(
            f"the scores of the comments go from {min(scores):g} to {max(scores):g}, not from 0 to 1; say how they become weights:"
            " --weights minmax[LOW,HIGH] with the ends of the scale, max or itemmax"
        )
    return scores, AS_THEY_ARE


def _references(threads: Iterable[Thread], weights: Iterable[float]) -> Iterable[References]:
    each = iter(weights)
    for thread in threads:
        weighted = tuple(Reference(comment.text, next(each)) for comment in thread.comments)
        yield References(thread.article.id, weighted, thread.article.lang)


def threads_digest(*parts: Iterable[Thread]) -> str:
    """Return a hash of all threads of the parts of a corpus, in twelve digits."""
    digest = hashlib.sha256()
    for part in parts:
        for thread in part:
            digest.update(f"{thread.article!r}{thread.comments!r}".encode("utf-8", "surrogatepass"))
        digest.update(b"|")
    return digest.hexdigest()[:12]
