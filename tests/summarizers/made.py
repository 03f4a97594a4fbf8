"""Clusters for tests: built from plain texts, drawn by hypothesis, and real."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from newsdesk import records
from newsdesk.types import Cluster, ClusterArticle

# Stop words, words that share nothing, words with case, digits and clitics.
WORDS = "the of a was storm Storm flood river town town's rescue 27 mayor said didn't U.S. boats".split()


def cluster_of(*texts: str, summary: str | None = None, **fields: str) -> Cluster:
    articles = tuple(ClusterArticle(f"c/{n}", text, **fields) for n, text in enumerate(texts, 1))  # type: ignore[arg-type]
    return Cluster("c", articles, summary=summary)


def sentence(*words: str) -> str:
    text = " ".join(words)
    return text[:1].upper() + text[1:] + "."


_SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(lambda w: sentence(*w))
_TEXT = st.lists(_SENTENCE, max_size=6).map("\n\n".join)
CLUSTERS = st.builds(
    lambda texts, summary: cluster_of(*texts, summary=summary),
    st.lists(_TEXT, max_size=5),
    _SENTENCE,
)


def real_clusters(shared: Path, *, every: int = 1) -> list[Cluster]:
    """The shared WCEP clusters: those of several articles, and every so many of one."""
    found = list(records.read(shared / "wcep_real" / "clusters_train.jsonl", Cluster))
    several = [cluster for cluster in found if len(cluster.articles) > 1]
    return several + [cluster for cluster in found if len(cluster.articles) == 1][::every]
