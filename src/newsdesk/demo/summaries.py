"""The demo's stages on summarizers: every method with its scores and traces, and which one people and metrics prefer.

The sample's events are summarized; summaries and comments are scored, plain and weighted, with intervals and one match picture; the last stage, `verdicts`, compares the ranked summarizers and correlates metrics with the ranks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence, Set
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from newsdesk import records, samples
from newsdesk.files import write_text
from newsdesk.jsonl import json_text
from newsdesk.metrics.systems import join, score_system, with_partners
from newsdesk.registry import SUMMARIZERS
from newsdesk.results.correlations import CorrelationsResult
from newsdesk.results.page import Cell, Section
from newsdesk.results.plots import intervals
from newsdesk.results.systems import ComparisonResult
from newsdesk.results.table import Ranged, ranged
from newsdesk.studies.compare import CompareSettings, compare_inputs
from newsdesk.studies.correlate.correlations import correlate
from newsdesk.studies.correlate.inputs import CorrelateFiles, CorrelateInputs, read_inputs
from newsdesk.studies.correlate.study import CorrelateSettings
from newsdesk.studies.match import match_section
from newsdesk.studies.report import read_report
from newsdesk.summarizers import (
    Prepared,
    Summarizer,
    SummaryEvaluation,
    evaluate_outputs,
    prepare,
    summarizer,
)
from newsdesk.summarizers.regression import BertReg, Tsr
from newsdesk.types import Cluster, Output, Reference, References

_PLAIN = ("rouge-1", "rouge-2", "rouge-l", "meteor", "chrf")
_PAIRS = with_partners(["w-meteor", "w-rouge-l", "w-cider", "w-bleu-1"])

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


def scores_stage(folder: Path) -> Section:
    """Score the summaries against the editors', and three kinds of comments against graded ones."""
    summaries = [References(event.id, (Reference(event.summary),)) for event in samples.events()]
    comments, references = _comments()
    files: dict[str, Sequence[Any]] = {
        "summary-references.jsonl": summaries,
        "comments.jsonl": comments,
        "comment-references.jsonl": references,
    }
    written = [(folder / name, records.write(folder / name, rows)) for name, rows in files.items()]
    records.write_manifest(folder / "manifest.json", written, spec="demo: scores", seed=0)
    section = Section(
        "Scores with signatures",
        "Four summarizers against the editors' summaries, with 95 % intervals by bootstrap over the twelve events.",
    )
    systems = join(samples.outputs(), summaries, lang="en")
    rows = {one.name: list(score_system(one, _PLAIN, samples=2_000)) for one in systems}
    section.table(
        ("system", *_PLAIN),
        [
            (name, *(ranged(score.value, score.ci) for score in scores))
            for name, scores in rows.items()
        ],
    )
    section.text(
        "Graded comments as references: a candidate that follows a poor comment earns less. Each kind is a real comment of its "
        "thread, held out of the references; weights are the mean grade, 1 worth 0 and 5 worth 1."
    )
    graded = join(comments, references, lang="en")
    weighted = {one.name: list(score_system(one, _PAIRS)) for one in graded}
    section.table(
        ("comment", *_PAIRS),
        [
            (name, *(ranged(score.value, score.ci) for score in scores))
            for name, scores in weighted.items()
        ],
    )
    signatures = dict.fromkeys(score.signature for score in (*rows["lead"], *weighted["best"]))
    section.signatures(list(signatures))
    section.summary = "The same numbers as the field's tools, each with an interval and a signature, plain and weighted by quality."
    matched = systems[2]
    section.include(match_section(matched, matched.ids[0], rows[matched.name]))
    return section.command(
        "newsdesk score newsroom/outputs.jsonl --references newsroom/clusters.jsonl --metrics rouge-1,rouge-2,rouge-l,meteor,chrf --ci"
    )


def _comments() -> tuple[list[Output], list[References]]:
    """Take the best, the most liked and the longest comment as candidates, all others as references."""
    outputs, references = [], []
    for thread, graded in zip(samples.threads("en"), samples.references("en"), strict=True):
        chosen = {
            "best": max(thread.comments, key=lambda comment: (comment.score or 0, comment.id)),
            "most liked": max(
                thread.comments, key=lambda comment: (comment.likes or 0, comment.id)
            ),
            "longest": max(thread.comments, key=lambda comment: (len(comment.text), comment.id)),
        }
        taken = {comment.id for comment in chosen.values()}
        outputs += [
            Output(thread.article.id, name, comment.text) for name, comment in chosen.items()
        ]
        weighted_references = tuple(
            reference
            for comment, reference in zip(thread.comments, graded.references, strict=True)
            if comment.id not in taken
        )
        references.append(References(thread.article.id, weighted_references, lang="en"))
    return outputs, references


def summaries_stage(folder: Path) -> Section:
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
    references = [
        References(cluster.id, (Reference(cluster.summary or ""),)) for cluster in clusters
    ]
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
    """Cross-validate the trained methods: fitted on every second event, applied to the others."""
    outputs = []
    for kind in (Tsr, BertReg):
        for half in (0, 1):
            fitted = kind(encoder="lsa(dimensions=16)").fit(clusters[half::2])
            outputs += [
                Output(cluster.id, kind.name, fitted.summarize(prepared[cluster.id]).text)
                for cluster in clusters[1 - half :: 2]
            ]
    return outputs


def _scores(section: Section, evaluation: SummaryEvaluation) -> None:
    """Draw ROUGE-1 F by method; fold all scores, and what our method gains over each."""
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
    evaluation: SummaryEvaluation,
    outputs: Sequence[Output],
    methods: Set[str],
    which: str = "",
) -> Section:
    """Return the editor's summary of an event and that of each of these methods, best first."""
    index = evaluation.ids.index(cluster.id)
    cells = [_side("the editor", "", cluster.summary or "", "editor")]
    for row in sorted(evaluation.rows, key=lambda row: -(row.scores["R1-F"].items or ())[index]):
        if row.system in methods:
            text = next(o.text for o in outputs if (o.id, o.system) == (cluster.id, row.system))
            cells.append(_side(row.system, f"{(row.scores['R1-F'].items or ())[index]:.3f}", text))
    part = Section(" ".join(filter(None, (f"{cluster.date}: {cluster.articles[0].title}", which))))
    return part.figure(
        f'{_STYLE}<div class="sides">{"".join(cells)}</div>',
        f"From {len(cluster.articles)} articles, best first. Numbers are ROUGE-1 F against the editor.",
    )


def _side(name: str, score: str, text: str, kind: str = "") -> str:
    return f'<div class="{kind}"><i>{score}</i><b>{escape(name)}</b><p>{escape(text)}</p></div>'


def _trace(method: Summarizer, prepared: Prepared) -> Section:
    """Return the trace of a method: candidates in order with their outcomes.

    Of consecutive rejections only the first few are shown.
    """
    rows: list[tuple[Cell, ...]] = []
    trace = method.summarize(prepared).trace
    for taken, run in groupby(trace, key=lambda candidate: candidate.taken):
        candidates = list(run)
        shown = candidates if taken else candidates[:_IN_A_ROW]
        rows += [
            (
                candidate.outcome,
                candidate.score,
                candidate.sentence.article.rpartition("/")[2],
                candidate.sentence.text,
                candidate.detail,
            )
            for candidate in shown
        ]
        if more := len(candidates) - len(shown):
            rows.append(("…", None, "", f"and {more} more left out", ""))
    section = Section(f"How {method.name} came to its summary of {prepared.cluster.id}")
    return section.table(("", "score", "article", "sentence", "why"), rows)


_METRICS = "rouge-1,rouge-2,rouge-l,meteor,chrf,bleu-4"
_QUESTION = "overall"
_SCRIPT = f"""\
# What the demo did here, as commands; run them in the folder of the demo.
newsdesk study compare newsroom/outputs.jsonl --references newsroom/clusters.jsonl --judgments newsroom/judgments-rank.jsonl --protocol rank --questions {_QUESTION} --metrics {_METRICS} --samples {_SAMPLES} --json -o verdicts/systems.json
newsdesk study correlate newsroom/outputs.jsonl --references newsroom/clusters.jsonl --judgments newsroom/judgments-rank.jsonl --protocol rank --questions {_QUESTION} --metrics {_METRICS} --samples {_SAMPLES} --json -o verdicts/metrics.json
newsdesk study report verdicts -o verdicts/report.html
"""


def verdicts_stage(folder: Path) -> Section:
    """Compare the ranked summarizers, correlate metrics with the ranks, and write results and report."""
    newsroom = folder.parent / "newsroom"
    files = CorrelateFiles(
        outputs=[str(newsroom / "outputs.jsonl")],
        references=str(newsroom / "clusters.jsonl"),
        judgments=str(newsroom / "judgments-rank.jsonl"),
        protocol="rank",
    )
    inputs = read_inputs(files, metrics=_METRICS, questions=[_QUESTION])
    systems = _compared(inputs)
    metrics = _correlated(inputs)
    write_text(folder / "study.sh", _SCRIPT, overwrite=True)
    for name, result in (("systems.json", systems), ("metrics.json", metrics)):
        write_text(folder / name, json_text(result.as_json()) + "\n", overwrite=True)
    report = read_report([folder])
    page = report.html("Four summarizers, six metrics, three judges")
    write_text(folder / "report.html", page, overwrite=True)
    section = Section(
        "Which difference is real",
        "Three people ranked four summarizers on the twelve events. Is the best one really better, and which metric would have said so?",
    )
    by_people, by_metric = report.chapters
    section.verdict(by_people.verdict).figure(
        _strengths(systems),
        "What people prefer: Bradley–Terry strength with ties, 95 % intervals over events.",
    )
    section.fold(by_people.section)
    section.verdict(by_metric.verdict).figure(
        _agreement(metrics),
        "Which metric agrees: Spearman correlation with the ranks within events, 95 % intervals.",
    )
    section.fold(by_metric.section)
    section.summary = by_people.verdict.sentence
    return section


def _compared(inputs: CorrelateInputs) -> ComparisonResult:
    texts = dataclasses.replace(inputs, metrics=[])  # scored anew from the texts, which gives tests
    return compare_inputs(texts, CompareSettings(samples=_SAMPLES))


def _correlated(inputs: CorrelateInputs) -> CorrelationsResult:
    settings = CorrelateSettings(samples=_SAMPLES)
    return correlate(inputs.human, inputs.metrics, systems=inputs.systems, settings=settings)


def _strengths(systems: ComparisonResult) -> str:
    rows = [row.bar for row in systems.ranks[0].systems]
    return intervals(sorted(rows, key=lambda row: -row[1]), "log strength, higher is better")


def _agreement(metrics: CorrelationsResult) -> str:
    rows = [
        (row.metric, *row.point)
        for row in metrics.correlations
        if row.level == "item" and row.point
    ]
    return intervals(sorted(rows, key=lambda row: -row[1]), "Spearman, within events")
