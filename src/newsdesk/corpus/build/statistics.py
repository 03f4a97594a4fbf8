"""The statistics step of a build: the tables of all clusters and of each variant, and the cited sources that are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.build.settings import TruncateTable
from newsdesk.corpus.stats import cluster_stats, link_rot
from newsdesk.corpus.stats_page import stats_page
from newsdesk.corpus.truncate import truncate, variant_name
from newsdesk.files import write_text
from newsdesk.types import Cluster, Event

STATS = "stats.json"
STATS_PAGE = "stats.html"


def write_statistics(
    folder: Path, clusters: Path, events: Path, sizes: TruncateTable, seed: int
) -> None:
    """Write the statistics as JSON and as a page."""
    stats = [
        cluster_stats(
            "total" if size is None else variant_name("clusters", size, sizes.by),
            _clusters(clusters, size, sizes, seed),
            seed=seed,
        )
        for size in (None, *sizes.sizes)
    ]
    rot = link_rot(records.read(events, Event), records.read(clusters, Cluster))
    values = {
        "stats": [asdict(each) for each in stats],
        "link_rot": [asdict(each) for each in rot],
    }
    write_text(folder / STATS, json.dumps(values, ensure_ascii=False) + "\n")
    write_text(folder / STATS_PAGE, stats_page(stats, rot))


def _clusters(path: Path, size: int | None, sizes: TruncateTable, seed: int) -> Iterator[Cluster]:
    for cluster in records.read(path, Cluster):
        yield cluster if size is None else truncate(cluster, size, by=sizes.by, seed=seed)
