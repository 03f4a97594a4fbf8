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
from newsdesk.results.correlations import CorrelationsResult
from newsdesk.results.page import Cell, Section
from newsdesk.results.plots import intervals
from newsdesk.results.systems import ComparisonResult
from newsdesk.results.table import Ranged, ranged
from newsdesk.studies.compare import CompareSettings, compare_inputs
from newsdesk.studies.correlate.correlations import correlate
from newsdesk.studies.correlate.inputs import CorrelateFiles, CorrelateInputs, read_inputs
from newsdesk.studies.correlate.study import CorrelateSettings
from newsdesk.studies.match import match_picture, match_section
from newsdesk.studies.report import read_report
from newsdesk.summarizers import (
    Prepared,
    Summarizer,
    SummaryEvaluation,
    evaluate_outputs,
    prepare,
    summarizer,
)
from newsdesk.summarizers.evaluate import MethodScores
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
_SHOWN = {"expected-rouge", "lead"}
_DRAWN = {
    *("oracle-multi", "expected-rouge", "submodular+abs", "lead"),
    *("bertreg", "centroid", "textrank", "random"),
}
_TRACED = ("expected-rouge", "centroid")
_IN_A_ROW = 3  # rejected sentences shown of a consecutive run
_SAMPLES = 2_000


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
    section.summary = "The numbers of the field's tools, with intervals and signatures."
    matched = systems[2]
    section.extend(match_picture(matched, matched.ids[0]))
    details = Section("The scores of this item, and graded comments as references")
    details.include(match_section(matched, matched.ids[0], rows[matched.name]))
    weighted, signatures = _weighted(comments, references)
    details.include(weighted)
    section.fold(details.signatures([score.signature for score in rows["lead"]] + signatures))
    return section.command(
        "newsdesk score outputs.jsonl --references references.jsonl --ci",
        "On your own outputs, or on two files of plain lines:",
    )


def _weighted(
    comments: Sequence[Output], references: Sequence[References]
) -> tuple[Section, list[str]]:
    """Return three kinds of comments scored against graded references, and the signatures."""
    section = Section(
        "Graded comments as references: who follows a poor comment earns less",
        "Each kind is a real comment of its thread, held out of the references; weights are the mean grade, 1 worth 0 and 5 worth 1.",
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
    return section, [score.signature for score in weighted["best"]]


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
        f"Each of the {len(clusters)} events in at most 40 words. Oracles know the editor's summary and show how far extraction could go. TSR and BertReg are shown "
        "on events that they did not learn from. expected-rouge is our own method.",
    )
    _scores(section, evaluation)
    first, second = clusters[0], clusters[3]
    section.include(_side_by_side(first, evaluation, outputs, _SHOWN))
    details = Section("All methods: scores, summaries of two events, traces and signatures")
    details.include(_all_scores(evaluation))
    methods = {output.system for output in outputs}
    others = methods - _SHOWN
    details.include(_side_by_side(first, evaluation, outputs, others, "by the other methods"))
    details.include(_side_by_side(second, evaluation, outputs, methods))
    for name in _TRACED:
        details.include(_trace(summarizer(name), prepared[first.id]))
    section.fold(details.signatures([summarizer(name).signature for name in _METHODS]))
    return section.command(
        "newsdesk summarize clusters.jsonl --method expected-rouge --max-words 40 -o summaries.jsonl",
        "On your own clusters of articles:",
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
    """Append the summary of the stage, and ROUGE-1 F of some methods as a picture."""
    rows = _best_first(evaluation)
    best = next(row for row in rows if not row.system.startswith("oracle"))
    section.summary = f"of the methods, {best.system} comes nearest to the editor (ROUGE-1 F {best.scores['R1-F'].value:.2f})."
    section.text(_against_lead(evaluation, best.system))
    drawn = [
        (row.system, score.value, *(score.ci or (score.value, score.value)))
        for row in rows
        for score in [row.scores["R1-F"]]
        if row.system in _DRAWN
    ]
    section.figure(
        intervals(drawn, "ROUGE-1 F"),
        "Mean ROUGE-1 F over the events with 95 % intervals by bootstrap; all methods are in the details.",
    )


def _best_first(evaluation: SummaryEvaluation) -> list[MethodScores]:
    return sorted(evaluation.rows, key=lambda row: -row.scores["R1-F"].value)


def _all_scores(evaluation: SummaryEvaluation) -> Section:
    """Return all scores, and what our method gains over each."""
    rows = _best_first(evaluation)
    gains = {
        row.system: evaluation.difference("expected-rouge", row.system, "R1-F")
        for row in rows
        if row.system != "expected-rouge"
    }
    table = Section("All scores, and what expected-rouge gains over each method")
    return table.table(
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


def _against_lead(evaluation: SummaryEvaluation, best: str) -> str:
    """Return what the best method gains over the first sentences, and whether that is more than chance."""
    gain = evaluation.difference(best, "lead", "R1-F")
    if best != "expected-rouge":
        return f"{best} is ahead of expected-rouge, our own method, on these events."
    certain = "more than chance" if gain.low > 0 else "no more than chance can give"
    return (
        f"Over the first sentences (lead) it gains {gain.difference:+.3f} [{gain.low:.3f}, {gain.high:.3f}] ROUGE-1 F, {certain} on a dozen invented events. "
        "On real news see docs/results.md."
    )


def _side_by_side(
    cluster: Cluster,
    evaluation: SummaryEvaluation,
    outputs: Sequence[Output],
    methods: Set[str],
    which: str = "",
) -> Section:
    """Return the editor's summary of an event and that of each of these methods, best first."""
    index = evaluation.ids.index(cluster.id)
    cells = [_side("the editor", "", cluster.summary or "", "first")]
    for row in sorted(evaluation.rows, key=lambda row: -(row.scores["R1-F"].items or ())[index]):
        if row.system in methods:
            text = next(o.text for o in outputs if (o.id, o.system) == (cluster.id, row.system))
            cells.append(_side(row.system, f"{(row.scores['R1-F'].items or ())[index]:.3f}", text))
    part = Section(" ".join(filter(None, (f"{cluster.date}: {cluster.articles[0].title}", which))))
    return part.figure(
        f'<div class="sides">{"".join(cells)}</div>',
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
    section.verdict(dataclasses.replace(by_metric.verdict, command="")).figure(
        _agreement(metrics),
        "Which metric agrees: Spearman correlation with the ranks within events, 95 % intervals.",
    )
    details = Section("What people prefer, and every metric against them")
    details.verdict(by_people.verdict).extend(by_people.section)
    section.fold(details.extend(by_metric.section).command(by_metric.verdict.command))
    section.summary = by_people.verdict.sentence
    return section.command(
        "newsdesk study compare outputs.jsonl --references references.jsonl --judgments judgments.jsonl -o verdict.html",
        "On your own systems and judgments:",
    )


def _compared(inputs: CorrelateInputs) -> ComparisonResult:
    texts = dataclasses.replace(inputs, metrics=[])  # scored anew from the texts, which gives tests
    return compare_inputs(texts, CompareSettings(samples=_SAMPLES))


def _correlated(inputs: CorrelateInputs) -> CorrelationsResult:
    settings = CorrelateSettings(samples=_SAMPLES)
    return correlate(inputs.human, inputs.metrics, systems=inputs.systems, settings=settings)


def _agreement(metrics: CorrelationsResult) -> str:
    rows = [
        (row.metric, *row.point)
        for row in metrics.correlations
        if row.level == "item" and row.point
    ]
    return intervals(sorted(rows, key=lambda row: -row[1]), "Spearman, within events")
