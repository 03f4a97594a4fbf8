"""Summarizers on ever larger clusters: memory stays linear in sentences, and the largest WCEP cluster, of 8,411 articles, takes seconds."""

from __future__ import annotations

import tracemalloc
from functools import partial

from bench.summarizers import cpu, made_cluster
from newsdesk.summarizers import Prepared, prepare
from newsdesk.types import Cluster
from tests.summarizers.examples import EXTRACTIVE, ready

SIZES = (50, 100, 200, 400)  # articles of twenty sentences
GROWTH = 1.3  # at most so much more memory a sentence in the largest than in the smallest
LARGEST, LARGEST_S = 8_411, 60.0
# K-means holds a dense row per group, which is a fifth of the sentences, up to `max_candidates` of them.
NOT_LINEAR = ("submodular",)


def peak(name: str, cluster: Cluster) -> int:
    """Bytes at most, above those of the text."""
    method = ready(name)
    method.summarize(cluster)  # what is loaded once does not count
    tracemalloc.start()
    method.summarize(cluster)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def memory() -> list[str]:
    """Print each method's memory by size of the cluster."""
    clusters = [made_cluster(f"m{size}", size, 20, size) for size in SIZES]
    missed = []
    for name in EXTRACTIVE:
        peaks = [peak(name, cluster) for cluster in clusters]
        per = [each / (20 * size) for each, size in zip(peaks, SIZES, strict=True)]
        shown = ", ".join(f"{each / 1e6:.1f}" for each in peaks)
        growth = per[-1] / per[0]
        print(
            f"{name}: {shown} MB for {', '.join(str(20 * size) for size in SIZES)} sentences, "
            f"{growth:.2f} x a sentence"
        )
        if growth > GROWTH and name not in NOT_LINEAR:
            missed.append(f"{name} takes {growth:.2f} x the memory a sentence")
    return missed


def largest() -> list[str]:
    """Print what the largest cluster takes; words and vectors are made by the first method that needs them."""
    cluster = made_cluster("largest", LARGEST, 20, 1)
    found: list[Prepared] = []
    cutting = cpu(lambda: found.append(prepare(cluster)))
    sentences = len(found[0])
    print(f"{LARGEST:,} articles: {cutting:.1f} s to cut {sentences:,} sentences")
    missed = []
    for name in EXTRACTIVE:
        method = ready(name)
        took = cpu(partial(method.summarize, found[0]))
        print(f"{name}: {took:.1f} s for {LARGEST:,} articles (at most {LARGEST_S:.0f})")
        if took > LARGEST_S:
            missed.append(f"{name} takes {took:.0f} s for {LARGEST:,} articles")
    return missed


def main() -> None:
    missed = [*memory(), *largest()]
    if missed:
        raise SystemExit("; ".join(missed))


if __name__ == "__main__":
    main()
