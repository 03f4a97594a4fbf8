"""Summarizers against the published recipes written out plainly, in one run on one cluster of 100 articles × 20 sentences.

Both sides start from the text of the articles and use our sentence splitter. The plain side does as the released code: NLTK's words,
scikit-learn's TF-IDF, the dense similarity matrix, networkx's PageRank, mini-batch k-means, ROUGE recomputed for every candidate. Both
must choose the same sentences (Submodular apart, whose released grouping is unseeded). CPU time of one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from nltk.tokenize.destructive import NLTKWordTokenizer
from sklearn.metrics.pairwise import cosine_similarity

from newsdesk.summarizers import summarizer
from newsdesk.types import Cluster, ClusterArticle
from tests.summarizers import plain
from tests.summarizers.examples import EXTRACTIVE, ready

FLOORS = {"textrank": 100, "centroid": 10, "oracle-multi": 20, "submodular": 5}
MOST_S = {
    name: {
        "submodular": 1.0,
        "tsr": 0.25,
        "bertreg": 0.25,
        "lexrank": 0.5,
        "mmr": 0.1,
        "kl": 0.1,
        "expected-rouge": 0.075,  # 1.5 times what its first form took
    }.get(name, 0.05)
    for name in EXTRACTIVE
}
CORPUS, CORPUS_ARTICLES, CORPUS_S = 1_000, 64, 60.0
_REPEATS = 5


def made_cluster(name: str, articles: int, sentences: int, seed: int) -> Cluster:
    """Sentences of Zipfian words; each article repeats some of the event's own."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([_word(number) for number in range(6_000)])
    odds = 1 / np.arange(1, len(vocabulary) + 1)
    odds /= odds.sum()
    count = articles * sentences
    lengths = np.clip(rng.normal(22, 7, count).astype(int), 4, 50)
    drawn = vocabulary[rng.choice(len(vocabulary), lengths.sum(), p=odds)]
    event = vocabulary[rng.choice(np.arange(500, 6_000), 12, replace=False)]
    texts = []
    for words in np.split(drawn, np.cumsum(lengths)[:-1]):
        on_topic = rng.random(len(words)) < 0.15
        words[on_topic] = rng.choice(event, int(on_topic.sum()))
        texts.append(" ".join(words).capitalize() + ".")
    parts = [texts[start : start + sentences] for start in range(0, count, sentences)]
    found = tuple(ClusterArticle(f"{name}/{at}", "\n".join(each)) for at, each in enumerate(parts))
    summary = " ".join([*event, *vocabulary[:12]]).capitalize() + "."
    return Cluster(name, found, summary=summary)


def _word(number: int) -> str:
    """A word of letters, so that every tokenizer leaves it whole."""
    letters = "bcdfglmnprst"
    return "".join(letters[number // 12**place % 12] + "aeio"[number % 4] for place in range(4))


def cpu(job: Callable[[], object], repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        started = time.process_time()
        job()
        times.append(time.process_time() - started)
    return min(times)


def networkx_pagerank(similarity: plain.Matrix) -> plain.Matrix:
    import networkx

    found = networkx.pagerank(networkx.from_numpy_array(similarity))
    return np.array([found[node] for node in range(len(similarity))])


def plain_submodular(cluster: Cluster, words: plain.Words) -> list[str]:
    """The released recipe, with the double loop over sentences left to numpy where it used Python's sum."""
    from sklearn.cluster import MiniBatchKMeans

    found = plain.distinct(plain.cut(cluster, words))
    rows = plain.vectors(found)
    groups = round(0.2 * len(found))
    labels = MiniBatchKMeans(groups, init_size=3 * groups, random_state=0).fit_predict(rows)
    similarity = cosine_similarity(rows)
    sums = similarity.sum(axis=0)
    selected: list[int] = []
    length = 0
    while True:
        best, best_value = -1, -1.0
        for i, sentence in enumerate(found):
            if i in selected or len(sentence.tokens) < 7 or length + sentence.words > 40:
                continue
            chosen = [*selected, i]
            covered = np.minimum(similarity[:, chosen].sum(axis=1), 5 / len(found) * sums).sum()
            by_group: dict[int, float] = {}
            for j in chosen:
                by_group[labels[j]] = by_group.get(labels[j], 0.0) + sums[j] / len(found)
            value = covered + 6 * sum(each**0.5 for each in by_group.values())
            if value > best_value:
                best, best_value = i, float(value)
        if best < 0:
            return [found[i].text for i in selected]
        selected.append(best)
        length += found[best].words


def ratios(cluster: Cluster) -> list[str]:
    """Print each ratio and say which are below their floor."""
    words = NLTKWordTokenizer().tokenize
    peers: dict[str, Callable[[], Sequence[str]]] = {
        "textrank": lambda: plain.textrank(cluster, words, networkx_pagerank),
        "centroid": lambda: plain.centroid(cluster, words),
        "oracle-multi": lambda: plain.oracle_multi(cluster, words),
        "submodular": lambda: plain_submodular(cluster, words),
    }
    missed = []
    for name, peer in peers.items():
        method = summarizer(name)
        started = time.process_time()
        chosen = peer()
        theirs = time.process_time() - started
        ours = cpu(partial(method.summarize, cluster), _REPEATS)
        same = [each.text for each in method.summarize(cluster).sentences] == list(chosen)
        note = "the same sentences" if same else "other sentences"
        print(
            f"{name}: {theirs / ours:.0f} x the plain recipe (at least {FLOORS[name]}), "
            f"{1000 * ours:.1f} ms against {theirs:.2f} s; {note}"
        )
        if theirs / ours < FLOORS[name]:
            missed.append(f"{name} is {theirs / ours:.1f} x")
        if not same and name != "submodular":
            missed.append(f"{name} chose other sentences than the plain recipe")
    return missed


def times(cluster: Cluster) -> list[str]:
    """Print what each method takes from text."""
    missed = []
    for name, most in MOST_S.items():
        method = ready(name)
        took = cpu(partial(method.summarize, cluster), _REPEATS)
        print(f"{name}: {1000 * took:.1f} ms a cluster from text (at most {1000 * most:.0f})")
        if took > most:
            missed.append(f"{name} takes {1000 * took:.0f} ms")
    return missed


def corpus() -> list[str]:
    """Print what a thousand clusters take by Centroid, each made before its turn and not counted."""
    method = summarizer("centroid")
    took = 0.0
    for number in range(CORPUS):
        cluster = made_cluster(f"c{number}", CORPUS_ARTICLES, 20, number)
        took += cpu(partial(method.summarize, cluster))
    print(
        f"centroid: {took:.1f} s for {CORPUS:,} clusters of {CORPUS_ARTICLES} articles from text "
        f"(at most {CORPUS_S:.0f})"
    )
    return [] if took < CORPUS_S else [f"{CORPUS:,} clusters take {took:.0f} s"]


def main() -> None:
    cluster = made_cluster("bench", 100, 20, 0)
    missed = [*ratios(cluster), *times(cluster), *corpus()]
    if missed:
        raise SystemExit("; ".join(missed))


if __name__ == "__main__":
    main()
