"""Threads as data of an experiment: their comments as the references of metrics, and a hash that names them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from newsdesk.metrics.weights import Weighting
from newsdesk.types import Reference, References, Thread


def references_of(threads: Sequence[Thread]) -> list[References]:
    """The comments of each article, weighted by their scores on the scale from the lowest to the highest, or by 1 if any has no score."""
    scores = [comment.score for thread in threads for comment in thread.comments]
    known = [score for score in scores if score is not None]
    weights = iter(Weighting("minmax")(known).tolist()) if len(known) == len(scores) else None
    return [
        References(
            thread.article.id,
            tuple(
                Reference(comment.text, next(weights) if weights else 1.0)
                for comment in thread.comments
            ),
            thread.article.lang,
        )
        for thread in threads
    ]


def threads_digest(*parts: Iterable[Thread]) -> str:
    """A hash of all threads of the parts of a corpus, in twelve digits."""
    digest = hashlib.sha256()
    for part in parts:
        for thread in part:
            digest.update(f"{thread.article!r}{thread.comments!r}".encode("utf-8", "surrogatepass"))
        digest.update(b"|")
    return digest.hexdigest()[:12]
