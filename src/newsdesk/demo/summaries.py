"""The demo's stage on summarizers: the sample's events summarized by every method, with scores and two traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from html import escape
from itertools import groupby
from pathlib import Path

from newsdesk import records, samples
from newsdesk.pages.page import Cell, Section
from newsdesk.pages.plots import intervals
from newsdesk.pages.table import Ranged
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers import (
    Evaluation,
    Prepared,
    Summarizer,
    evaluate_outputs,
    prepare,
    summarizer,
)
from newsdesk.summarizers.regression import BertReg, Tsr
from newsdesk.types import Cluster, Output, Reference, References

_METHODS = (
    "oracle-multi",
    "oracle-single",
    "oracle-lead",
    "expected-rouge",
    "submodular",
    "submodular+abs",
    "centroid",
    "textrank",
    "lexrank",
    "mmr",
    "kl",
    "lead",
    "lead-interleaved",
    "random-lead",
    "random",
)
_SHOWN = {"expected-rouge", "submodular+abs", "centroid", "lead", "random"}
_TRACED = ("expected-rouge", "centroid")
_IN_A_ROW = 3  # rejected sentences shown of a consecutive run
_SAMPLES = 2_000
_STYLE = """
<style>
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: .9rem 1.4rem; }
.sides div { border-top: 2px solid var(--line); padding-top: .4rem; }
.sides .editor { border-top-color: var(--accent); }
.sides b { font: 600 .85rem system-ui, sans-serif; }
.sides i { float: right; font: normal .85rem system-ui, sans-serif; color: var(--soft); }
.sides p { margin: .2rem 0 0; line-height: 1.45; }
</style>
"""


def run(folder: Path) -> Section:
    """Summarize every event by every method, score the summaries, and show two events and two traces."""
    clusters = samples.clusters()
    prepared = {cluster.id: prepare(cluster) for cluster in clusters}
    outputs = [
        *(
            Output(cluster.id, name, summarizer(name).summarize(prepared[cluster.id]).text)
            for name in _METHODS
            for cluster in clusters
        ),
        *_learned(clusters, prepared),
    ]
    references = [References(each.id, (Reference(each.summary or ""),)) for each in clusters]
    path = folder / "outputs.jsonl"
    count = records.write(path, outputs)
    records.write_manifest(
        folder / "manifest.json", [(path, count)], spec="demo: summaries", seed=0
    )
    evaluation = evaluate_outputs(outputs, references, samples=_SAMPLES)
    section = Section(
        "Events summarized",
        f"Each of the {len(clusters)} events in at most 40 words. Oracles know the editor's summary and show how far extraction could go. TSR and BertReg learn "
        "from half of the events at a time and are shown on the other half; expected-rouge, our own method, has no fitted weights. All take "
        "whole sentences but submodular+abs, which shortens the sentences of a longer extract by deletion.",
    )
    _scores(section, evaluation)
    first, second = clusters[0], clusters[3]
    section.include(_side_by_side(first, evaluation, outputs, _SHOWN))
    section.fold(
        _side_by_side(first, evaluation, outputs, set(SUMMARIZERS) - _SHOWN, "by the other methods")
    )
    section.fold(_side_by_side(second, evaluation, outputs, set(SUMMARIZERS)))
    for name in _TRACED:
        section.fold(_trace(summarizer(name), prepared[first.id]))
    section.signatures([summarizer(name).signature for name in _METHODS])
    return section.command(
        "newsdesk summarize newsroom/clusters.jsonl --method expected-rouge --trace trace.jsonl -o out.jsonl"
    )


def _learned(clusters: Sequence[Cluster], prepared: Mapping[str, Prepared]) -> list[Output]:
    """Two-fold cross-validation of the trained methods: fitted on every second event, applied to the others."""
    outputs = []
    for kind in (Tsr, BertReg):
        for half in (0, 1):
            fitted = kind(encoder="lsa(dimensions=16)").fit(clusters[half::2])
            outputs += [
                Output(cluster.id, kind.name, fitted.summarize(prepared[cluster.id]).text)
                for cluster in clusters[1 - half :: 2]
            ]
    return outputs


def _scores(section: Section, evaluation: Evaluation) -> None:
    """The picture of ROUGE-1 F by method; all scores, and what our method gains over each, folded."""
    rows = sorted(evaluation.rows, key=lambda row: -row.scores["R1-F"].value)
    best = next(row for row in rows if not row.system.startswith("oracle"))
    section.summary = f"Of all methods that do not know the editor's summary, {best.system} comes nearest to it (ROUGE-1 F {best.scores['R1-F'].value:.3f})."
    section.figure(
        intervals(
            [
                (row.system, score.value, *(score.ci or (score.value, score.value)))
                for row in rows
                for score in [row.scores["R1-F"]]
            ],
            "ROUGE-1 F",
        ),
        "Mean ROUGE-1 F over the events with 95 % intervals by bootstrap.",
    )
    gains = {
        row.system: evaluation.difference("expected-rouge", row.system, "R1-F")
        for row in rows
        if row.system != "expected-rouge"
    }
    table = Section("All scores, and what expected-rouge gains over each method")
    table.table(
        ("method", "R1-F", "R2-F", "RL-F", "R1-R", "expected-rouge minus this, R1-F"),
        [
            (
                row.system,
                *(row.scores[measure].value for measure in ("R1-F", "R2-F", "RL-F", "R1-R")),
                Ranged(gain.difference, gain.low, gain.high)
                if (gain := gains.get(row.system))
                else None,
            )
            for row in rows
        ],
        "A dozen invented events: differences say how the tool shows them, not how news is",
    )
    section.fold(table)


def _side_by_side(
    cluster: Cluster,
    evaluation: Evaluation,
    outputs: Sequence[Output],
    methods: Set[str],
    which: str = "",
) -> Section:
    """The editor's summary of an event and that of each of these methods, best first."""
    place = evaluation.ids.index(cluster.id)
    cells = [_side("the editor", "", cluster.summary or "", "editor")]
    for row in sorted(evaluation.rows, key=lambda row: -(row.scores["R1-F"].items or ())[place]):
        if row.system in methods:
            text = next(o.text for o in outputs if (o.id, o.system) == (cluster.id, row.system))
            cells.append(_side(row.system, f"{(row.scores['R1-F'].items or ())[place]:.3f}", text))
    part = Section(" ".join(filter(None, (f"{cluster.date}: {cluster.articles[0].title}", which))))
    return part.figure(
        f'{_STYLE}<div class="sides">{"".join(cells)}</div>',
        f"From {len(cluster.articles)} articles, best first. Numbers are ROUGE-1 F against the editor.",
    )


def _side(name: str, score: str, text: str, kind: str = "") -> str:
    return f'<div class="{kind}"><i>{score}</i><b>{escape(name)}</b><p>{escape(text)}</p></div>'


def _trace(method: Summarizer, prepared: Prepared) -> Section:
    """The trace of a method: candidates in order with their outcomes; of consecutive rejections only the first few."""
    rows: list[tuple[Cell, ...]] = []
    for taken, run in groupby(method.summarize(prepared).trace, key=lambda each: each.taken):
        candidates = list(run)
        shown = candidates if taken else candidates[:_IN_A_ROW]
        rows += [
            (
                each.outcome,
                each.score,
                each.sentence.article.rpartition("/")[2],
                each.sentence.text,
                each.detail,
            )
            for each in shown
        ]
        if more := len(candidates) - len(shown):
            rows.append(("…", None, "", f"and {more} more left out", ""))
    section = Section(f"How {method.name} came to its summary of {prepared.cluster.id}")
    return section.table(("", "score", "article", "sentence", "why"), rows)
