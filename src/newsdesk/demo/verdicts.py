"""The demo's last stage: which of the sample's summarizers people prefer, and which metric agrees with them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from newsdesk.files import write_text
from newsdesk.jsonl import json_text
from newsdesk.results.correlations import CorrelationsResult
from newsdesk.results.page import Section
from newsdesk.results.plots import intervals
from newsdesk.results.systems import ComparisonResult
from newsdesk.studies.compare import CompareSettings, compare_inputs
from newsdesk.studies.correlate.correlations import correlate
from newsdesk.studies.correlate.inputs import CorrelateFiles, CorrelateInputs, read_inputs
from newsdesk.studies.correlate.study import CorrelateSettings
from newsdesk.studies.report import read_report

_METRICS = "rouge-1,rouge-2,rouge-l,meteor,chrf,bleu-4"
_QUESTION = "overall"
_SAMPLES = 2_000
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
