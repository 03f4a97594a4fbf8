"""Events from articles alone: `corpus cluster` against one-pass TF-IDF, HDBSCAN and Louvain on real articles, and its cost up to a million.

`python -m bench.clusters` measures quality; `python -m bench.clusters 100000 1000000` measures cost on simulated articles over 60 days.

Real articles: all shared WCEP and Multi-News articles, the articles of each cluster on one of twenty days that the seed draws, so that each has some sixty distractors of its day. The intervals are
a jackknife over events. The peers get what favours them: the one-pass threshold, HDBSCAN's cluster size and Louvain's resolution and edge threshold are the best of a grid on these very data, ours is the shipped one. The model that ships has seen
WCEP articles (not Multi-News); `held out` is the same fitted on half of the WCEP clusters and measured on the mix of the other half with Multi-News.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench._data import ABSENT, SHARED, wcep_clusters
from bench.align import POOL
from newsdesk import records
from newsdesk.arrays import Floats
from newsdesk.corpus.cluster.measured import adjusted_rand, b_cubed
from newsdesk.corpus.cluster.pairs import ready_pair_model
from newsdesk.simulate import world
from newsdesk.types import Article, Cluster
from training.fit_clusterer import Dated, clustered, fit, on_drawn_days, training_sets

DAYS, SEED, GROUPS = 20, 7, 40
LIMIT_CPU_S, LIMIT_MB, LIMIT_SLOPE = 900, 4096, 1.1
Labels = dict[str, str]


def multi_news() -> list[Cluster]:
    return list(records.read(SHARED / "multi_news" / "clusters.jsonl", Cluster))


def mixed(clusters: Sequence[Cluster], seed: int = SEED) -> tuple[Dated, dict[str, str]]:
    """The dated mix, and the text of each article by its id there."""
    data = on_drawn_days(clusters, seed, DAYS)
    by_event: dict[str, list[str]] = defaultdict(list)
    for cluster in clusters:
        by_event[cluster.id] = [f"{row.title or ''}\n{row.text}" for row in cluster.articles]
    taken: dict[str, int] = defaultdict(int)
    texts = {}
    for name, event in data.event.items():  # in the order in which the mix was made
        texts[name] = by_event[event][taken[event]]
        taken[event] += 1
    return data, texts


def tfidf(texts: Sequence[str]) -> Floats:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=1).fit_transform(
        texts
    )
    return vectors


Peer = Callable[[Sequence[str], Floats, float], list[int]]


def one_pass(texts: Sequence[str], vectors: Floats, threshold: float) -> list[int]:
    """Join the cluster with the nearest centroid, or open one (Allan et al. 1998)."""
    sums: list[Floats] = []
    labels = []
    for row in vectors.toarray():  # type: ignore[attr-defined]
        scores = [float(row @ each / np.linalg.norm(each)) for each in sums]
        best = int(np.argmax(scores)) if scores else -1
        if best >= 0 and scores[best] >= threshold:
            sums[best] = sums[best] + row
        else:
            best = len(sums)
            sums.append(row)
        labels.append(best)
    return labels


def hdbscan(texts: Sequence[str], vectors: Floats, epsilon: float) -> list[int]:
    """HDBSCAN on sentence vectors of the first 250 words; noise is an event of its own."""
    from sklearn.cluster import HDBSCAN

    from newsdesk.text.encoders import sentence_encoder

    rows = sentence_encoder("wordllama").encode([" ".join(text.split()[:250]) for text in texts])
    found = HDBSCAN(min_cluster_size=2, cluster_selection_epsilon=epsilon, metric="euclidean", copy=True).fit(rows).labels_  # fmt: skip
    return [int(label) if label >= 0 else -1 - place for place, label in enumerate(found)]


def louvain(texts: Sequence[str], vectors: Floats, threshold: float) -> list[int]:
    """Louvain communities of the graph of cosines from a threshold on."""
    import networkx as nx

    cosines = (vectors @ vectors.T).tocoo()  # type: ignore[attr-defined]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(texts)))
    edges = zip(cosines.row.tolist(), cosines.col.tolist(), cosines.data.tolist(), strict=True)
    graph.add_weighted_edges_from((i, j, w) for i, j, w in edges if i < j and w >= threshold)
    labels = [0] * len(texts)
    for number, community in enumerate(nx.community.louvain_communities(graph, seed=0)):
        for place in community:
            labels[place] = number
    return labels


PEERS: dict[str, tuple[Peer, tuple[float, ...]]] = {
    "one-pass TF-IDF": (one_pass, (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)),
    "HDBSCAN, wordllama": (hdbscan, (0.0, 0.4, 0.6, 0.7, 0.8)),
    "Louvain, TF-IDF": (louvain, (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)),
}


def of_peer(data: Dated, texts: dict[str, str], peer: Peer, setting: float) -> Labels:
    found: Labels = {}
    for day, terms in data.days.items():
        own = [texts[name] for name in terms.ids]
        labels = peer(own, tfidf(own), setting)
        found |= {name: f"{day}/{label}" for name, label in zip(terms.ids, labels, strict=True)}
    return found


def quality(data: Dated, found: Labels) -> tuple[float, float]:
    names = list(found)
    events = [data.event[name] for name in names]
    clusters = [found[name] for name in names]
    return b_cubed(events, clusters).f1, adjusted_rand(events, clusters)


def interval(data: Dated, ours: Labels, other: Labels | None = None) -> list[tuple[float, float]]:
    """95 % of both measures, or of the gain of ours over another: a jackknife that leaves out a group of events at a time."""
    events = sorted(set(data.event.values()))
    group = {event: place % GROUPS for place, event in enumerate(events)}
    rows = []
    for left_out in range(GROUPS):
        kept = [{name: each[name] for name in each if group[data.event[name]] != left_out} for each in (ours, other) if each]  # fmt: skip
        values = [np.array(quality(data, each)) for each in kept]
        rows.append(values[0] - (values[1] if other else 0))
    table = np.array(rows)
    spread = np.sqrt((GROUPS - 1) / GROUPS * ((table - table.mean(axis=0)) ** 2).sum(axis=0))
    whole = np.array(quality(data, ours)) - (np.array(quality(data, other)) if other else 0)
    return [(float(v - 1.96 * s), float(v + 1.96 * s)) for v, s in zip(whole, spread, strict=True)]


def real() -> None:
    clusters = [*wcep_clusters(), *multi_news()]
    data, texts = mixed(clusters)
    print(f"{len(data.event)} articles, {len(set(data.event.values()))} events, {DAYS} days")
    started = time.process_time()
    again = mixed(clusters)[0]
    ours = clustered(again, ready_pair_model())
    cost = time.process_time() - started
    _print("corpus cluster", data, ours, cost)
    for name, (peer, settings) in PEERS.items():
        tried = {}
        for setting in settings:
            started = time.process_time()
            found = of_peer(data, texts, peer, setting)
            tried[setting] = (found, time.process_time() - started)
        best = max(tried, key=lambda each: sum(quality(data, tried[each][0])))
        found, spent = tried[best]
        _print(f"{name} ({best:g})", data, found, spent)
        gains = interval(data, ours, found)
        difference = np.array(quality(data, ours)) - np.array(quality(data, found))
        print("   ours - this: " + ", ".join(f"{d:+.4f} [{low:+.4f}, {high:+.4f}]" for d, (low, high) in zip(difference, gains, strict=True)), flush=True)  # fmt: skip
    wcep = wcep_clusters()
    order = np.random.default_rng(0).permutation(len(wcep)).tolist()
    seen, unseen = ([wcep[each] for each in part] for part in (order[::2], order[1::2]))
    model = fit(training_sets(seen), "half of WCEP")
    data, _ = mixed([*unseen, *multi_news()])
    _print("held out: corpus cluster", data, clustered(data, model), 0.0)


def _print(name: str, data: Dated, found: Labels, cost: float) -> None:
    (f1, ari), ends = quality(data, found), interval(data, found)
    shown = [f"{v:.4f} [{low:.4f}, {high:.4f}]" for v, (low, high) in zip((f1, ari), ends, strict=True)]  # fmt: skip
    print(f"{name}: B3 F1 {shown[0]}, ARI {shown[1]}, {cost:.1f} CPU-s", flush=True)


_CLUSTER = """
import resource, sys
from newsdesk.cli.main import main
if __name__ == "__main__":
    code = main(["corpus", "cluster", *sys.argv[1:]])
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(each.ru_utime + each.ru_stime for each in used), max(each.ru_maxrss for each in used) / 1024)
    sys.exit(code)
"""


def generate(folder: Path, articles: int, days: int = 60) -> None:
    """Articles over so many days as Parquet by date; one in two reports an event of its day, as three outlets would, the others are shuffled sentences with own names."""
    from datetime import date, timedelta

    simulated = world(seed=13, preset="base", events=2_000, comments=0)
    pool = [each for number in range(2_000) for a in simulated.newsroom.cluster(number).articles for each in a.text.split(". ")][:POOL]  # fmt: skip
    rng = np.random.default_rng(13)
    syllables = [a + b for a in "ba ke lo mi nu ra so ti vu za da fe go hi ju".split() for b in "ren lin mor tas vik dor nel sim gar pol".split()]  # fmt: skip
    per_day, number = articles // days, 0
    for day in range(days):
        rows: list[Article] = []
        date_ = (date(2031, 1, 1) + timedelta(days=day)).isoformat()
        while len(rows) < per_day:
            names = ["".join(syllables[i] for i in rng.integers(0, len(syllables), 2)).title() for _ in range(6)]  # fmt: skip
            facts = [pool[i] for i in rng.integers(0, len(pool), 12)]
            for _ in range(int(rng.integers(1, 4))):
                some = [f"{facts[i]} of {names[i % 6]} and {names[(i + 1) % 6]}" for i in rng.permutation(12)[:8]]  # fmt: skip
                rest = [pool[i] for i in rng.integers(0, len(pool), 14)]
                text = ". ".join([*some, *rest])
                rows.append(Article(f"a{number:08d}", text, f"{names[0]} {facts[0][:60]}", date=date_))  # fmt: skip
                number += 1
        part = folder / f"date={date_}"
        part.mkdir(parents=True)
        records.write(part / "part-0.parquet", rows[:per_day])


def cost(sizes: Sequence[int]) -> None:
    import subprocess

    spent = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="newsdesk-bench-") as temporary:
            folder = Path(temporary)
            generate(folder / "articles", size)
            command = [sys.executable, "-c", _CLUSTER, str(folder / "articles"), "-o", str(folder / "clusters.jsonl")]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            cpu, peak = map(float, done.stdout.split()[-2:])
            events = sum(1 for _ in (folder / "clusters.jsonl").open())
        spent.append(cpu)
        print(f"{size:,} articles: {cpu:.0f} CPU-s, {peak:.0f} MB, {events:,} events", flush=True)
        if size == 1_000_000 and (cpu > LIMIT_CPU_S or peak > LIMIT_MB):
            raise SystemExit(f"above {LIMIT_CPU_S} CPU-s or {LIMIT_MB} MB")
    if len(sizes) > 1:
        slope = np.polyfit(np.log(sizes), np.log(spent), 1)[0]
        print(f"slope {slope:.3f}")
        if slope > LIMIT_SLOPE:
            raise SystemExit(f"slope above {LIMIT_SLOPE}")


def main(sizes: Sequence[int] = ()) -> None:
    """Measure quality on real articles, or cost at the sizes that are named."""
    if sizes:
        cost(sizes)
    elif SHARED.is_dir():
        real()
    else:
        print(ABSENT)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]])
