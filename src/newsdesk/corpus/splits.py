"""Data sets of clusters (Gholipour Ghalandari et al. 2020, section 3): cut to a number of articles, and split by date.

WCEP-100 and WCEP-10 hold at most so many articles a cluster. Cited ones come first; the rest is sampled, or taken by probability as later papers did. A
cluster's sample depends on its id and the seed alone, and a smaller one is part of a larger one. What is retained keeps its order. A split (80, 10
and 10 per cent) has no date in two parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Literal, get_args

from newsdesk import records
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import make_folder
from newsdesk.streams import stream
from newsdesk.types import Cluster

WHOLE = "all"
PARTS = ("train", "val", "test")
SHARES = (0.8, 0.1, 0.1)
By = Literal["sample", "probability"]


def truncate(cluster: Cluster, size: int, *, by: By = "sample", seed: int = 0) -> Cluster:
    """Return a cluster of at most `size` articles."""
    if size < 1:
        raise ArgumentError(f"size is {size}; a cluster has at least one article")
    if by not in get_args(By):
        raise ArgumentError(f"by is {by!r}, not one of: {', '.join(get_args(By))}")
    articles = cluster.articles
    if len(articles) <= size:
        return cluster
    cited = [place for place, article in enumerate(articles) if article.origin == "cited"]
    others = [place for place, article in enumerate(articles) if article.origin != "cited"]
    if by == "sample":
        order = stream(f"truncate {cluster.id}", seed).permutation(len(others)).tolist()
        others = [others[number] for number in order]
    else:
        others.sort(key=lambda place: -round(articles[place].probability or 0.0, 9))
    retained = [*cited, *others][:size]
    return replace(cluster, articles=tuple(articles[place] for place in sorted(retained)))


def variant_name(name: str, size: int, by: By) -> str:
    """Return what a truncated data set is called.

    >>> variant_name("wcep", 100, "sample"), variant_name("wcep", 10, "probability")
    ('wcep-100', 'wcep-10-by-probability')
    """
    return f"{name}-{size}" if by == "sample" else f"{name}-{size}-by-probability"


@dataclass(frozen=True, slots=True)
class DateSplit:
    """Which part each day belongs to, and how many clusters each part has."""

    part_of_day: Mapping[str, str]
    clusters: Mapping[str, int]

    def part_of(self, cluster: Cluster) -> str:
        """Return the part (train, val or test) that a cluster belongs to, by its day."""
        day = day_of(cluster)
        if day not in self.part_of_day:
            raise ArgumentError(
                f"cluster {cluster.id!r} is of {day}, a day the split does not know"
            )
        return self.part_of_day[day]


def day_of(cluster: Cluster) -> str:
    """Return the day of a cluster, which a chronological split needs."""
    if cluster.date is None:
        raise DataError(f"cluster {cluster.id!r} has no `date`; a chronological split needs one")
    return cluster.date


def split_days(days: Iterable[str], shares: Sequence[float] = SHARES) -> DateSplit:
    """Cut the days of clusters, one each, where the parts come closest to their shares.

    Every part gets at least one day.

    >>> split_days(["2019-01-01"] * 8 + ["2019-01-02", "2019-01-03"]).clusters
    {'train': 8, 'val': 1, 'test': 1}
    """
    if len(shares) != len(PARTS) or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ArgumentError(f"shares are {tuple(shares)}, not three positive numbers that add to 1")
    counts = sorted(Counter(days).items())
    if len(counts) < len(PARTS):
        raise ArgumentError(
            f"clusters of {len(counts)} dates cannot be split into {len(PARTS)} parts without sharing a date"
        )
    ends = _ends([count for _, count in counts], shares)
    part_of_day, sizes = {}, dict.fromkeys(PARTS, 0)
    for place, (day, count) in enumerate(counts):
        part = PARTS[sum(place >= end for end in ends)]  # behind as many ends
        part_of_day[day] = part
        sizes[part] += count
    return DateSplit(part_of_day, sizes)


def _ends(counts: Sequence[int], shares: Sequence[float]) -> tuple[int, int]:
    """Return after how many days the first and the second part end; of equally close cuts the earlier."""
    before = [0, *accumulate(counts)]  # clusters before each day, and all at the end
    total, days = before[-1], len(counts)

    def closest(target: float, low: int, high: int) -> int:
        return min(range(low, high + 1), key=lambda end: (round(abs(before[end] - target), 9), end))

    train, val, _ = shares
    first = closest(train * total, 1, days - 2)
    second = closest((train + val) * total, first + 1, days - 1)
    return first, second


def selected(
    clusters: Iterable[Cluster],
    *,
    split: DateSplit | None = None,
    part: str = "",
    size: int | None = None,
    by: By = "sample",
    seed: int = 0,
) -> Iterator[Cluster]:
    """Yield the clusters of one part of a split (all without one), cut to a size if there is one."""
    for cluster in clusters:
        if split is None or split.part_of(cluster) == part:
            yield cluster if size is None else truncate(cluster, size, by=by, seed=seed)


def write_parts(
    folder: Path,
    clusters: str | Path,
    split: DateSplit | None,
    *,
    size: int | None = None,
    by: By = "sample",
    seed: int = 0,
    overwrite: bool = True,
) -> dict[str, int]:
    """Write a file for each part of a split, or one for all; return their numbers of clusters by name."""
    make_folder(folder)
    files: dict[str, int] = {}
    for part in PARTS if split else (WHOLE,):
        source = records.read(clusters, Cluster)
        rows = selected(source, split=split, part=part, size=size, by=by, seed=seed)
        files[f"{part}.jsonl"] = records.write(folder / f"{part}.jsonl", rows, overwrite=overwrite)
    return files


def write_data_sets(
    folder: Path,
    clusters: Path,
    shares: Sequence[float],
    sizes: Sequence[int],
    by: By,
    seed: int,
) -> tuple[StepTally, dict[str, int]]:
    """Write `clusters/`, `clusters-10/`, … with a file for each part; return the accounts and files.

    Clusters of fewer than three dates cannot be split: the variants then have one file, `all.jsonl`, and the accounts say so.
    """
    days = [day_of(cluster) for cluster in records.read(clusters, Cluster)]
    accounts = Accounts("split")
    split = None
    if len(set(days)) < len(PARTS):
        accounts.drop("fewer than three dates", len(days))
    else:
        split = split_days(days, shares)
        accounts.keep(len(days))
    files: dict[str, int] = {}
    for size in (None, *sizes):
        name = "clusters" if size is None else variant_name("clusters", size, by)
        parts = write_parts(folder / name, clusters, split, size=size, by=by, seed=seed)
        files |= {f"{name}/{file}": count for file, count in parts.items()}
    return accounts.tally(), files
