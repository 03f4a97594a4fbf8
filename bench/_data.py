"""The shared real data as records of newsdesk: one reader for each set that benches, the gate and tests measure on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.types import Article, Cluster, Comment, Reference, References, Thread

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
ABSENT = "the real data (../shared/data beside the project) is not on this machine"


def rows(name: str, shared: Path = SHARED) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    with (shared / name).open("rb") as lines:
        yield from map(json.loads, lines)


def wcep(shared: Path = SHARED) -> list[tuple[Cluster, References]]:
    """WCEP clusters, each with the editors' summary as its reference."""
    clusters = records.read(shared / "wcep_real" / "clusters_train.jsonl", Cluster)
    return [(each, References(each.id, (Reference(each.summary or ""),))) for each in clusters]


def c3(shared: Path = SHARED) -> list[Thread]:
    """The threads of C3 with their votes."""
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
    """The topics of each debate of UKPConvArg; in this data a low rank is the more convincing."""
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
