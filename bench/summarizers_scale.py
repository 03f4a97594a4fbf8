"""Summarizers at scale: memory linear in the sentences of a cluster, the largest WCEP cluster in seconds, fits whose memory does not grow.

A fit runs in a process of its own, on clusters that are drawn while it reads them; its highest memory is printed for 100,000 and for
a million sentences (`python -m bench.summarizers_scale fit tsr 100000` is one of them).
"""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from functools import partial

import numpy as np

from bench.summarizers import cpu, made_cluster
from newsdesk.summarizers import Prepared, prepare
from newsdesk.summarizers.regression import BertReg, Tsr
from newsdesk.types import Cluster, ClusterArticle
from tests.growth import peak_kib
from tests.summarizers.examples import EXTRACTIVE, ready

SIZES = (50, 100, 200, 400)  # articles of twenty sentences
GROWTH = 1.3  # at most so much more memory a sentence in the largest than in the smallest
LARGEST, LARGEST_S = 8_411, 60.0
# K-means holds a dense row per group, which is a fifth of the sentences, up to `max_candidates` of them.
NOT_LINEAR = ("submodular",)
# Fits: a million sentences take at most so many times the memory of 100,000, and at most so many megabytes.
FIT_SENTENCES = (100_000, 1_000_000)
FIT_GROWTH, FIT_MB = 1.5, 1_000
ARTICLES, SENTENCES, WORDS = 40, 25, 18  # of a cluster, an article, a sentence
VOCABULARY = 2_000_000  # Zipf's law over so many words: the vocabulary grows with the text


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


def drawn_clusters(sentences: int) -> Iterator[Cluster]:
    """Yield clusters of a thousand sentences, one at a time; the summary is the beginning of the first article."""
    rng = np.random.default_rng(sentences)
    odds = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    for number in range(sentences // (ARTICLES * SENTENCES)):
        shape = (ARTICLES, SENTENCES, WORDS)
        words = np.searchsorted(odds, rng.random(shape) * odds[-1])
        texts = [
            " ".join(f"W{' w'.join(map(str, sentence))}." for sentence in article)
            for article in words.tolist()
        ]
        articles = tuple(
            ClusterArticle(f"{number}/{at}", text, lang="en") for at, text in enumerate(texts)
        )
        yield Cluster(str(number), articles, summary=texts[0][:200])


def fit(name: str, sentences: int) -> None:
    """Fit a method and print the highest memory of this process in megabytes."""
    methods = {"tsr": Tsr(), "bertreg": BertReg(encoder="wordllama", epochs=1)}
    fitted = methods[name].fit(drawn_clusters(sentences))
    print(f"{fitted.summary}\n{peak_kib() // 1024}")


def fits() -> list[str]:
    """Print the memory of fits by number of sentences."""
    missed = []
    for name in ("tsr", "bertreg"):
        peaks = []
        for sentences in FIT_SENTENCES:
            words = [sys.executable, "-m", "bench.summarizers_scale", "fit", name, str(sentences)]
            said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            peaks.append(int(said.splitlines()[-1]))
        growth = peaks[1] / peaks[0]
        print(
            f"{name}: a fit on {FIT_SENTENCES[0]:,} and {FIT_SENTENCES[1]:,} sentences takes {peaks[0]} and "
            f"{peaks[1]} MB, {growth:.2f} x (at most {FIT_GROWTH} x and {FIT_MB} MB)"
        )
        if growth > FIT_GROWTH or peaks[1] > FIT_MB:
            missed.append(f"fitting {name} takes {peaks[1]} MB, {growth:.2f} x")
    return missed


def main() -> None:
    missed = [*memory(), *largest(), *fits()]
    if missed:
        raise SystemExit("; ".join(missed))


if __name__ == "__main__":
    if sys.argv[1:2] == ["fit"]:
        fit(sys.argv[2], int(sys.argv[3]))
    else:
        main()
