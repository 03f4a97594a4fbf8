"""Table 5 on everything at hand: the shared WCEP and Multi-News clusters, MultiLing, Opinosis, the sample and a simulated world, as Markdown.

`research/results/summaries.md` holds what this prints; the limit counts tokens as in the paper, and words where the corpus has its own protocol; words after the command choose corpora by name. The floor is the order that every corpus must show: on the mean
oracle-multi above oracle-single above every method. Corpora of the shared folder are left out where it is absent.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench._data import (
    ABSENT,
    SHARED,
    Items,
    multi_news,
    multiling,
    opinosis,
    wcep_clusters,
)
from newsdesk import samples, simulate
from newsdesk.registry import SUMMARIZERS
from newsdesk.studies.table5 import shortfalls, table5, with_encoder
from newsdesk.summarizers import Summarizer, SummaryEvaluation, summarizer
from newsdesk.summarizers.evaluate import Counted, shown_name
from newsdesk.summarizers.trained import Cache, TrainedSummarizer
from newsdesk.types import Cluster, References

TRAINED = ("tsr", "bertreg")
SEEDS = 10


@dataclass(frozen=True)
class Corpus:
    """Clusters with what is needed to evaluate on them."""

    name: str
    clusters: list[Cluster]
    max_words: int = 40
    unit: Counted = "tokens"
    references: list[References] | None = None
    train: list[Cluster] = field(default_factory=list)


def with_references(
    name: str, items: Items, max_words: int, train: Sequence[Cluster] = ()
) -> Corpus:
    """Return a corpus with references of its own; without `train` trained methods are cross-validated."""
    clusters, references = (list(column) for column in zip(*items, strict=True))
    return Corpus(name, clusters, max_words, "words", references, list(train))


def corpora() -> Iterator[Corpus]:
    yield Corpus("the sample newsroom", samples.clusters())
    world = simulate.world(seed=7, preset="base", events=100, comments=1)
    yield Corpus("a simulated world", list(world.clusters()))
    if not SHARED.is_dir():
        print(ABSENT)
        return
    wcep = wcep_clusters()
    yield with_references("MultiLing 2011", multiling(), 250, train=wcep)
    yield with_references("Opinosis", opinosis(), 25)
    yield Corpus("Multi-News, the shared part", multi_news(), 220, "words")
    yield Corpus("WCEP, the shared part", wcep)


def methods_for(corpus: Corpus, cache: Cache) -> list[str | Summarizer]:
    """All methods; the trained ones fitted on the training clusters, or cross-validated."""
    methods: list[str | Summarizer] = []
    for name in with_encoder(SUMMARIZERS):
        one = summarizer(name, max_words=corpus.max_words, unit=corpus.unit)
        if isinstance(one, TrainedSummarizer) and not one.trained and corpus.train:
            methods.append(one.fit(corpus.train, cache=cache))
        else:
            methods.append(name)
    return methods


def show(corpus: Corpus, evaluation: SummaryEvaluation) -> None:
    """Print a corpus as a section of the results page."""
    of = f"{len(evaluation.ids)} clusters" if len(evaluation.ids) > 1 else "one cluster"
    print(f"\n### {corpus.name}: {of}, {corpus.max_words} {corpus.unit}\n")
    lines = evaluation.markdown().splitlines()
    settings = (f"(max_words={corpus.max_words})",)
    table = [functools.reduce(_without, settings, line) for line in lines]
    # The paper's values are of its own data: beside other than WCEP clusters they would say nothing.
    shown = [each for each in table if "WCEP" in corpus.name or "… in the" not in each]
    if len(evaluation.ids) == 1:  # the bootstrap of one cluster is that cluster
        shown = [re.sub(r" \[[^]]*\]", "", each) for each in shown]
    print("\n".join(each for each in shown if each.startswith("|")))
    if len(evaluation.ids) > 1:
        print("\nR1-F minus that of centroid, p corrected by Holm:\n")
        print("| method | difference | p |\n|---|---|---|")
        baseline = next(row.system for row in evaluation.rows if row.system.startswith("centroid"))
        for system, by_measure in evaluation.against(baseline).items():
            each = by_measure["R1-F"]
            ends = f"[{each.low:+.3f}, {each.high:+.3f}]"
            print(
                f"| {shown_name(system.partition('(')[0])} | {each.difference:+.3f} {ends} | {each.p_corrected:.4f} |"
            )
    print("\n<details><summary>Signatures</summary>\n")
    print("\n".join(line for line in lines if line.startswith("- ")))
    print("\n</details>\n")


def _without(line: str, part: str) -> str:
    return line.replace(part, "")


def over_seeds(corpus: Corpus) -> None:
    """Print mean and deviation of the random methods over seeds."""
    for name in ("random", "random-lead"):
        evaluation = table5(
            corpus.clusters,
            [f"{name}(seed={seed})" for seed in range(SEEDS)],
            references=corpus.references,
            max_words=corpus.max_words,
            unit=corpus.unit,
            samples=10,
        )
        values = [row.scores["R1-F"].value for row in evaluation.rows]
        print(f"- {name} over {SEEDS} seeds: R1-F {np.mean(values):.3f} ± {np.std(values):.3f}.")


def greed(corpus: Corpus, evaluation: SummaryEvaluation) -> None:
    """Print in how many clusters greed missed a better choice, and how often that choice lacks the sentence greed began with."""
    above = {
        name.partition("(")[0]: items
        for name, items in next(iter(shortfalls(evaluation).values())).items()
        if items
    }
    ids = {item for items in above.values() for item in items}
    counts = ", ".join(f"{name} {len(items)}" for name, items in above.items()) or "none"
    print(f"- Above oracle-multi in R1-F: {len(ids)} of {len(evaluation.ids)} clusters ({counts}).")
    limit = {"max_words": corpus.max_words, "unit": corpus.unit}
    oracle = summarizer("oracle-multi", **limit)
    known = lacking = 0
    for cluster in (each for each in corpus.clusters if each.id in ids):
        first = oracle.summarize(cluster).sentences[0].text
        rivals = [
            summarizer(name, **limit).summarize(cluster)
            for name, items in above.items()
            if name not in TRAINED and cluster.id in items
        ]
        known += bool(rivals)
        lacking += any(first not in [each.text for each in one.sentences] for one in rivals)
    if known:
        print(
            f"- In {lacking} of {known} of them an untrained method left out greed's first choice."
        )


def missed(name: str, evaluation: SummaryEvaluation) -> list[str]:
    """Where the order that must be there is not."""
    means = {row.system.partition("(")[0]: row.scores["R1-F"].value for row in evaluation.rows}
    multi, single = means.pop("oracle-multi"), means.pop("oracle-single")
    faults = []
    if not multi >= single:
        faults.append(f"{name}: oracle-single {single:.3f} above oracle-multi {multi:.3f}")
    faults += [
        f"{name}: {each} {value:.3f} above oracle-single {single:.3f}"
        for each, value in means.items()
        if value > single
    ]
    return faults


def main(chosen: Sequence[str] = ()) -> None:
    cache = Cache()
    faults: list[str] = []
    for corpus in corpora():
        if chosen and not any(each in corpus.name for each in chosen):
            continue
        evaluation = table5(
            corpus.clusters,
            methods_for(corpus, cache),
            references=corpus.references,
            max_words=corpus.max_words,
            unit=corpus.unit,
            cache=cache,
        )
        show(corpus, evaluation)
        over_seeds(corpus)
        greed(corpus, evaluation)
        sys.stdout.flush()
        faults += missed(corpus.name, evaluation)
    if faults:
        raise SystemExit("; ".join(faults))


if __name__ == "__main__":
    main(sys.argv[1:])
