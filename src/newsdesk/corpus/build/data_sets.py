"""The last steps of a build: data sets (all clusters and each variant, split by date) and their statistics."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.build.settings import SplitTable, TruncateTable
from newsdesk.corpus.splits import PARTS, day_of, selected, split_days, variant_name
from newsdesk.corpus.stats import cluster_stats, link_rot, stats_page
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.files import make_folder, write_text
from newsdesk.types import Cluster, Event

WHOLE = "all"
STATS = "stats.json"
STATS_PAGE = "stats.html"


def write_statistics(
    folder: Path, clusters: Path, events: Path, sizes: TruncateTable, seed: int
) -> None:
    """Write the statistics as JSON and as a page."""
    stats = [
        cluster_stats(
            "total" if size is None else variant_name("clusters", size, sizes.by),
            selected(records.read(clusters, Cluster), size=size, by=sizes.by, seed=seed),
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


def write_data_sets(
    folder: Path, clusters: Path, shares: SplitTable, sizes: TruncateTable, seed: int
) -> tuple[StepTally, dict[str, int]]:
    """Write `clusters/`, `clusters-10/`, … with a file for each part.

    The accounts of the clusters, and the files.

    Clusters of fewer than three dates cannot be split: the variants then have one file, `all.jsonl`, and the accounts say so.
    """
    days = [day_of(cluster) for cluster in records.read(clusters, Cluster)]
    accounts = Accounts("split")
    split = None
    if len(set(days)) < len(PARTS):
        accounts.drop("fewer than three dates", len(days))
    else:
        split = split_days(days, (shares.train, shares.val, shares.test))
        accounts.keep(len(days))
    files: dict[str, int] = {}
    for size in (None, *sizes.sizes):
        name = "clusters" if size is None else variant_name("clusters", size, sizes.by)
        make_folder(folder / name)
        for part in PARTS if split else (WHOLE,):
            rows = selected(
                records.read(clusters, Cluster),
                split=split,
                part=part,
                size=size,
                by=sizes.by,
                seed=seed,
            )
            files[f"{name}/{part}.jsonl"] = records.write(folder / name / f"{part}.jsonl", rows)
    return accounts.tally(), files
