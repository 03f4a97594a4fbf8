"""Read the shared real data as records of newsdesk: one reader for each set that benches, the gate, training, research and tests use."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.types import (
    Article,
    Cluster,
    ClusterArticle,
    Comment,
    Reference,
    References,
    Thread,
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
ABSENT = "the real data (../shared/data beside the project) is not on this machine"
Items = list[tuple[Cluster, References]]
_DAY = re.compile(r"\w+day, \w+ \d+, \d{4}")


def rows(name: str, shared: Path = SHARED) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file."""
    with (shared / name).open("rb") as lines:
        yield from map(json.loads, lines)


def wcep_clusters(shared: Path = SHARED) -> list[Cluster]:
    """Return the WCEP clusters."""
    return list(records.read(shared / "wcep_real" / "clusters_train.jsonl", Cluster))


def wcep(shared: Path = SHARED) -> Items:
    """Return the WCEP clusters, each with the editors' summary as its reference."""
    return with_summary(wcep_clusters(shared))


def with_summary(clusters: Iterable[Cluster]) -> Items:
    """Pair each cluster with its own summary as the only reference."""
    return [
        (cluster, References(cluster.id, (Reference(cluster.summary or ""),)))
        for cluster in clusters
    ]


def in_fitted_half(cluster: Cluster) -> bool:
    """Say whether a cluster belongs to the half of WCEP, by the sha256 of its id, that weights may be fitted on."""
    return int(hashlib.sha256(f"half {cluster.id}".encode()).hexdigest(), 16) % 2 == 0


def multi_news(shared: Path = SHARED) -> list[Cluster]:
    """Return the clusters of Multi-News."""
    return list(records.read(shared / "multi_news" / "clusters.jsonl", Cluster))


def multiling(shared: Path = SHARED) -> Items:
    """Return the one cluster of MultiLing 2011: ten documents and three references of about 250 words."""
    (row,) = rows("multiling2011/clusters.jsonl", shared)
    articles = []
    for document in row["documents"]:
        title, *paragraphs = document["text"]
        text = "\n\n".join(part for part in paragraphs if not _DAY.fullmatch(part.strip()))
        articles.append(ClusterArticle(document["filename"], text, title=title))
    references = tuple(Reference(" ".join(summary["text"])) for summary in row["references"])
    return [(Cluster(row["cluster"], tuple(articles)), References(row["cluster"], references))]


def opinosis(shared: Path = SHARED) -> Items:
    """Return the topics of Opinosis: review sentences, each an article of its own, and references of some 18 words."""
    items = []
    for row in rows("opinosis/topics.jsonl", shared):
        name = row["topic"]
        articles = (
            ClusterArticle(f"{name}/{n}", text) for n, text in enumerate(row["sentences"], 1)
        )
        references = tuple(map(Reference, row["gold"]))
        items.append((Cluster(name, tuple(articles)), References(name, references)))
    return items


def c3(shared: Path = SHARED) -> list[Thread]:
    """Return the threads of C3 with their votes."""
    return [
        Thread(
            Article(row["article_id"], "", lang="en"),
            tuple(
                Comment(each["id"], each["text"], yes=each["votes_yes"], votes=each["votes"])
                for each in row["comments"]
            ),
        )
        for row in rows("c3/c3_threads.jsonl", shared)
    ]


def debates(shared: Path = SHARED) -> dict[str, list[Thread]]:
    """Return the topics of each debate of UKPConvArg; in this data a low rank is the more convincing."""
    topics: dict[tuple[str, str], list[Comment]] = {}
    for row in rows("ukpconvarg/ranking.jsonl", shared):
        text = row["text"].replace("<br/>", "\n")
        arguments = topics.setdefault((row["debate"], row["topic"]), [])
        arguments.append(Comment(row["id"], text, score=-row["rank"]))
    by_debate: dict[str, list[Thread]] = {}
    for (debate, topic), comments in topics.items():
        article = Article(topic, "", lang="en")
        by_debate.setdefault(debate, []).append(Thread(article, tuple(comments)))
    return by_debate
