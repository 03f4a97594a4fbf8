"""Update summaries: what a cluster says that an earlier summary of the same story did not.

Beyond the papers. For each cluster dated after a day, the summaries of the clusters of its story up to that day are taken as read: uses of a word or bigram that
they have already are worth nothing any more, and `expected-rouge` looks for the sentences of highest expected gain among the rest. A sentence that
repeats a known one, or that an earlier article of the story has word for word, is left out; where nothing is left, the update is empty. A cluster whose story has no
earlier cluster gets its ordinary summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from newsdesk.errors import ArgumentError
from newsdesk.summarizers.expected_rouge import ExpectedRouge
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.types import Cluster


def updates(
    method: Summarizer, clusters: Iterable[Cluster], since: str
) -> Iterator[tuple[Cluster, Summarizer]]:
    """The clusters dated after `since`, each with the method that knows the earlier summaries of its story; undated clusters are left out."""
    if not isinstance(method, ExpectedRouge):
        raise ArgumentError(f"--after needs the method expected-rouge, not {method.name}")
    try:
        day = date.fromisoformat(since).isoformat()
    except ValueError:
        raise ArgumentError(f"--after is {since!r}, not a day such as 2019-05-01") from None
    known: dict[str, list[str]] = {}
    printed: dict[str, set[str]] = {}
    later: list[Cluster] = []
    for cluster in clusters:
        if cluster.date is None:
            continue
        if cluster.date > day:
            later.append(cluster)
        elif cluster.story:
            prepared = method.prepared(cluster)
            text = method.summarize(prepared).text
            for story in cluster.story:
                known.setdefault(story, []).append(text)
                printed.setdefault(story, set()).update(prepared.texts)
    for cluster in later:
        texts = (text for story in cluster.story for text in known.get(story, ()))
        sentences = frozenset().union(*(printed.get(story, ()) for story in cluster.story))
        yield cluster, method.after(tuple(dict.fromkeys(texts)), sentences)
