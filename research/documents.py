"""What the choice of important documents (`documents=5`) brings and costs, with intervals: `python -m research.documents`.

Real clusters: the shared Multi-News (220 words) and WCEP (40 tokens; those of several articles, and those of one). Each cluster is summarized as it is, and with two articles of other clusters added, behind its own
and at random places, with and without the setting. Simulated clusters (`wcep`, `documents=10`): Figure 2 of Gholipour Ghalandari et al. (2020), ROUGE-1 F as articles are added to those cited, with and without.
The floors: as they are, clusters lose nothing (the interval ends above -.005), and of what added articles cost behind the cluster's own at least half is saved.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

import numpy as np

from bench._data import ABSENT, SHARED, multi_news, wcep_clusters
from newsdesk import simulate
from newsdesk.arrays import Floats
from newsdesk.studies.curve import curve
from newsdesk.summarizers import Summarizer, evaluate_outputs, prepare, summarizer
from newsdesk.summarizers.evaluate import Counted
from newsdesk.types import Cluster, Output, Reference, References

METHODS = ("centroid", "textrank", "submodular", "lead-interleaved", "expected-rouge")
CURVE = ("centroid", "submodular", "expected-rouge")
DOCUMENTS, ADDED = 5, 2
CURVE_DOCUMENTS = 10
LEAST, SAVED = -0.005, 0.5
Interval = tuple[float, float, float]


def mixed(clusters: Sequence[Cluster], others: Sequence[Cluster], *, behind: bool) -> list[Cluster]:
    """Return each cluster with two articles of other clusters: behind its own, or at random places."""
    result = []
    for cluster in clusters:
        lot = hashlib.sha256(f"mix 0 {cluster.id}".encode()).hexdigest()
        rng = np.random.default_rng(int(lot[:8], 16))
        strangers: dict[str, object] = {}
        articles = list(cluster.articles)
        while len(strangers) < ADDED:
            other = others[int(rng.integers(len(others)))]
            article = other.articles[int(rng.integers(len(other.articles)))]
            if other.id != cluster.id and article.id not in strangers and article.text.strip():
                strangers[article.id] = article
                articles.append(article)
        if not behind:
            articles = [articles[at] for at in rng.permutation(len(articles)).tolist()]
        result.append(dataclasses.replace(cluster, articles=tuple(articles)))
    return result


def scored(clusters: Sequence[Cluster], methods: Sequence[Summarizer]) -> dict[str, Floats]:
    """Return R1-F of every cluster by each method."""
    unit: Counted = "tokens" if methods[0].unit == "tokens" else "words"
    outputs = []
    for cluster in clusters:
        prepared = prepare(cluster)
        outputs += [Output(cluster.id, str(m.spec), m.summarize(prepared).text) for m in methods]
    references = [References(each.id, (Reference(each.summary or ""),)) for each in clusters]
    table = evaluate_outputs(
        outputs, references, max_words=methods[0].max_words, unit=unit, samples=10
    )
    return {row.system: np.array(row.scores["R1-F"].items) for row in table.rows}


def mean(differences: Floats) -> Interval:
    """Return the mean and its 95 % interval by bootstrap over clusters."""
    rng = np.random.default_rng(0)
    size = len(differences)
    means = differences[rng.integers(0, size, (10_000, size))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(differences.mean()), float(low), float(high)


def cell(values: Interval) -> str:
    return "{:+.4f} [{:+.4f}, {:+.4f}]".format(*values)


def compared(
    name: str, clusters: Sequence[Cluster], others: Sequence[Cluster], max_words: int, unit: Counted
) -> list[str]:
    """Print one corpus and return what missed its floor."""
    settings = {"max_words": max_words, "unit": unit}
    plain = [summarizer(each, **settings) for each in METHODS]
    chosen = [summarizer(each, documents=DOCUMENTS, **settings) for each in METHODS]
    own, kept = scored(clusters, plain), scored(clusters, chosen)
    columns = [(kept, chosen)]
    for behind in (True, False):
        mixture = mixed(clusters, others, behind=behind)
        columns += [(scored(mixture, plain), plain), (scored(mixture, chosen), chosen)]
    print(f"\n### {name}: {len(clusters)} clusters, {max_words} {unit}\n")
    print(f"| method | R1-F | with documents={DOCUMENTS} | two strangers behind | … with it | two strangers anywhere | … with it |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    missed = []
    for at, method in enumerate(plain):
        base = own[str(method.spec)]
        cells = [mean(values[str(methods[at].spec)] - base) for values, methods in columns]
        print(f"| {method.name} | {base.mean():.4f} | {' | '.join(map(cell, cells))} |")
        if cells[0][1] <= LEAST:
            missed.append(f"{name}: {method.name} loses {cell(cells[0])} as it is")
        if cells[2][0] < SAVED * min(cells[1][0], 0.0):
            missed.append(f"{name}: {method.name} saves less than half: {cell(cells[2])}")
    return missed


def figure() -> None:
    """Print the curve of simulated clusters with and without the setting."""
    clusters = list(simulate.world(seed=11, preset="wcep", events=60, comments=1).clusters())
    methods = [spec for name in CURVE for spec in (name, f"{name}(documents={CURVE_DOCUMENTS})")]
    result = curve(clusters, methods, samples=1_000)
    print(
        f"\n### Figure 2, simulated clusters (preset wcep): {result.clusters} clusters, 40 words\n"
    )
    print(result.text())


def main() -> None:
    missed: list[str] = []
    if SHARED.is_dir():
        news, wcep = multi_news(), wcep_clusters()
        several = [each for each in wcep if len(each.articles) > 1]
        single = [each for each in wcep if len(each.articles) == 1]
        missed += compared("Multi-News", news, news, 220, "words")
        missed += compared("WCEP, several articles", several, wcep, 40, "tokens")
        missed += compared("WCEP, one article", single, wcep, 40, "tokens")
    else:
        print(ABSENT)
    figure()
    if missed:
        raise SystemExit("; ".join(missed))


if __name__ == "__main__":
    main()
