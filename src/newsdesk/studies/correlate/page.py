"""A study of correlations as one HTML page: verdict, scatter plots, intervals, gains of weights, disagreements, one whole instance, details."""

from __future__ import annotations

from collections.abc import Sequence

from newsdesk.metrics.systems import System
from newsdesk.pages.densities import density_scatter
from newsdesk.pages.page import Section, page
from newsdesk.pages.plots import intervals
from newsdesk.studies.correlate.correlations import Correlations
from newsdesk.studies.correlate.examples import (
    compared_metrics,
    disagreements,
    instance,
    scatter_points,
    shown_metrics,
    texts_of,
)
from newsdesk.studies.correlate.formats import cell, correlation_cells, shown_tests
from newsdesk.studies.correlate.study import Part
from newsdesk.studies.correlate.verdict import notes, verdict

LEAD = "How well metrics agree with people, over all outputs, within items and over systems."


def correlations_page(result: Correlations, systems: Sequence[System] = ()) -> str:
    """The whole page; with the texts (`systems`) also examples and one whole instance."""
    sections = [_first(result)]
    for part in result.parts:
        sections.append(_question(result, part))
        sections += _texts(part, systems)
    sections.append(_details(result))
    return page("Metrics against people", LEAD, sections)


def _first(result: Correlations) -> Section:
    section = Section("Verdict", verdict(result))
    for note in notes(result):
        section.text(note)
    return section


def _question(result: Correlations, part: Part) -> Section:
    study = part.study
    section = Section(f"Agreement on {study.question}")
    panels = {
        name: scatter_points(study, name, result.settings.seed)
        for name in shown_metrics(study.names)
    }
    section.figure(
        density_scatter(panels, f"human {study.question}", "metric, on the human scale"),
        "Each dot is an output; darker is denser; the line is the regression. Human scores have a little noise, so that equal ones do not hide each other.",
    )
    rows = [row for row in result.correlations if row.human == study.question]
    levels = {row.level for row in rows}
    for level, where in (("item", "within items"), ("pooled", "over all outputs")):
        if level not in levels:
            continue
        bars = [
            (row.metric, value.value, *(value.ci or (value.value, value.value)))
            for row in rows
            if row.level == level and (value := row.values["spearman"]).value is not None
        ]
        section.figure(intervals(bars, f"Spearman {where}"), f"Spearman {where}, 95 % intervals.")
    section.table(
        ("metric", "level", "Pearson", "Spearman", "Kendall", "n"),
        [tuple(correlation_cells(row)) for row in rows],
    )
    gains = [
        row for row in result.gains if row.human == study.question and row.coefficient == "spearman"
    ]
    if gains:
        section.table(
            ("weighted metric", "level", "gain in Spearman", "with shuffled weights", "difference"),
            [
                (
                    row.weighted,
                    row.level,
                    cell(row.gain, row.ci),
                    cell(row.shuffled, row.shuffled_ci),
                    cell(row.net, row.net_ci),
                )
                for row in gains
            ],
            "What weights gain over the plain metric; what shuffled weights gain too is not due to knowing the better reference",
        )
    return section


def _texts(part: Part, systems: Sequence[System]) -> list[Section]:
    """Disagreements between two metrics, and one whole instance."""
    study, texts = part.study, texts_of(systems)
    sections = []
    for first, second in compared_metrics(study.names):
        section = Section(f"Where {first} and {second} disagree")
        section.table(
            (
                "item",
                "system",
                "text",
                "human",
                f"{first}, human scale",
                first,
                f"{second}, human scale",
                second,
            ),
            [
                (
                    row.item,
                    row.system,
                    row.text,
                    row.human,
                    f"{row.first_normalized:.1f}",
                    f"{row.first_value:.2f}",
                    f"{row.second_normalized:.1f}",
                    f"{row.second_value:.2f}",
                )
                for row in disagreements(study, first, second, texts)
            ],
            "The largest differences, both metrics with the mean and variance of the human scores, clipped to their scale",
        )
        sections.append(section)
    if whole := instance(study, systems):
        section = Section(f"One whole item: {whole.item}")
        section.table(
            ("weight", "reference"), [(f"{each.score:.2f}", each.text) for each in whole.references]
        )
        section.table(
            (study.question, "system", "output"),
            [(f"{each.score:g}", each.source, each.text) for each in whole.outputs],
        )
        sections.append(section)
    return sections


def _details(result: Correlations) -> Section:
    section = Section("Details")
    if tests := shown_tests(result, most=40):
        section.table(
            ("first", "second", "human", "level", "difference", "p", "p corrected", "items to add"),
            [
                (
                    each.first,
                    each.second,
                    each.human,
                    each.level,
                    cell(each.difference, each.ci),
                    each.p,
                    each.p_corrected,
                    each.more_items,
                )
                for each in tests
            ],
            "Permutation tests between metrics (Spearman)",
        )
    if result.accuracies:
        section.table(
            ("metric", "human", "accuracy on pairs", "with ties calibrated", "epsilon", "n"),
            [
                (
                    each.metric,
                    each.human,
                    cell(each.accuracy, each.ci),
                    cell(each.calibrated, each.calibrated_ci),
                    f"{each.epsilon:.3g}",
                    each.n,
                )
                for each in result.accuracies
            ],
        )
    if result.close:
        section.table(
            ("metric", "human", "share of system pairs", "Kendall", "pairs"),
            [
                (each.metric, each.human, f"{each.share:.0%}", cell(each.tau, each.ci), each.n)
                for each in result.close
            ],
            "Kendall's tau over the pairs of systems that a metric puts nearest to each other",
        )
    return section.signatures(list(dict.fromkeys(row.signature for row in result.correlations)))
