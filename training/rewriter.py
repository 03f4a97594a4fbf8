"""The copier of `submodular+abs`: fitted, and measured on held-out data beside its own extract and the lead.

Halves are by the sha256 of the cluster's id, as for our own summarizer; a fifth of the training half is held out to choose the epoch on. `python -m
training.rewriter FOLDER` fits it into a folder (about five minutes); without a folder the one in the package is measured. The floor:
R1-F above that of Submodular on the held-out half, and at most 50 times the CPU time of Submodular.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Sequence

from bench._data import (
    ABSENT,
    SHARED,
    Items,
    in_fitted_half,
    multiling,
    opinosis,
    wcep_clusters,
    with_summary,
)
from newsdesk import samples, simulate
from newsdesk.summarizers import (
    Summarizer,
    SummaryEvaluation,
    evaluate_outputs,
    prepare,
    summarizer,
)
from newsdesk.summarizers.abstractive import SubmodularAbs
from newsdesk.types import Cluster, Output

OTHERS = ("submodular", "lead", "expected-rouge")
MEASURES = ("R1-F", "R2-F", "RL-F", "R1-R")
NAME = "submodular+abs"
COPIER = f"{NAME}(model='copier')"


def in_dev(cluster: Cluster) -> bool:
    return int(hashlib.sha256(f"dev {cluster.id}".encode()).hexdigest(), 16) % 5 == 0


def fit(folder: str) -> None:
    """Fit the copier on one half, and save it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    half = [cluster for cluster in wcep_clusters() if in_fitted_half(cluster)]
    train = [each for each in half if not in_dev(each)]
    dev = [each for each in half if in_dev(each)]
    fitted = SubmodularAbs().fit(train, dev)
    fitted.save(folder)
    print(
        f"{len(train)} clusters to learn from, {len(dev)} to choose the epoch on; {fitted.summary}"
    )


def compared(items: Items, max_words: int) -> tuple[SummaryEvaluation, dict[str, float]]:
    """The scores of all methods, and the CPU seconds of each."""
    methods: dict[str, Summarizer] = {
        name: summarizer(COPIER if name == NAME else name, max_words=max_words)
        for name in (NAME, *OTHERS)
    }
    seconds = dict.fromkeys(methods, 0.0)
    outputs = []
    for cluster, _ in items:
        prepared = prepare(cluster)
        for name, method in methods.items():
            started = time.process_time()
            outputs.append(Output(cluster.id, name, method.summarize(prepared).text))
            seconds[name] += time.process_time() - started
    references = [references for _, references in items]
    return evaluate_outputs(outputs, references, max_words=max_words), seconds


def show(title: str, items: Items, max_words: int) -> tuple[SummaryEvaluation, dict[str, float]]:
    evaluation, seconds = compared(items, max_words)
    print(f"\n{title}: {len(items)} clusters, {max_words} words")
    for row in evaluation.rows:
        values = "  ".join(f"{name} {row.scores[name].value:.3f}" for name in MEASURES)
        print(f"  {row.system:<15} {values}  {1000 * seconds[row.system] / len(items):.1f} ms")
    for name in OTHERS:
        gain = evaluation.difference(NAME, name, "R1-F")
        print(f"  minus {name:<14} {gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]")
    return evaluation, seconds


def main(arguments: Sequence[str] = ()) -> None:
    if not SHARED.is_dir():
        print(ABSENT)
        return
    if arguments:
        fit(arguments[0])
        return
    print(summarizer(COPIER).summarize(samples.clusters()[0]).signature)
    rest = [cluster for cluster in wcep_clusters() if not in_fitted_half(cluster)]
    evaluation, seconds = show("WCEP, the half left alone", with_summary(rest), 40)
    show("the sample newsroom", with_summary(samples.clusters()), 40)
    world = simulate.world(seed=32, preset="base", events=80, comments=0)
    show("a simulated world", with_summary(world.clusters()), 40)
    show("Opinosis", opinosis(), 25)
    show("MultiLing", multiling(), 250)
    faults = []
    if evaluation.difference(NAME, "submodular", "R1-F").low <= 0:
        faults.append("not above submodular on the half left alone")
    if seconds[NAME] > 50 * seconds["submodular"]:
        faults.append("more than 50 times as slow as submodular")
    if faults:
        raise SystemExit("; ".join(faults))


if __name__ == "__main__":
    main(sys.argv[1:])
