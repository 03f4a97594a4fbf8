"""The sections of a campaign's report: results by the kind of the protocol, agreement, progress, annotators and the datasheet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from newsdesk.arrays import Floats, best_first
from newsdesk.campaigns import aggregate
from newsdesk.campaigns.campaign import Campaign, Status
from newsdesk.campaigns.report.evidence import OPEN, Evidence
from newsdesk.campaigns.report.result import (
    AgreementRow,
    CampaignResults,
    CriterionResult,
    DatasheetEntry,
    EstimateRow,
    ModelResult,
    ResultsWithout,
)
from newsdesk.feedback import DISLIKE_WEIGHT, feedback
from newsdesk.metrics.ranking import pearson, varies
from newsdesk.results.page import Section
from newsdesk.results.plots import histograms, intervals
from newsdesk.results.standings import (
    RankStanding,
    SystemStanding,
    places_figure,
    places_used,
    strengths_figure,
    wins_figure,
)
from newsdesk.results.table import ranged
from newsdesk.stats.agreement import band
from newsdesk.streams import stream
from newsdesk.types import Comment, Judgment
from newsdesk.wording import plural

Comments: TypeAlias = Mapping[tuple[str, str], Comment]

_PICKED = 5_000  # comments on each side of Figure 2 of Fujita et al. (2019)
_FEW = 40  # items, below which intervals are said to be narrow
_UNBALANCED = (
    "Not every two systems were ranked together equally often, so the systems are ordered by Bradley–Terry strength: "
    "a mean rank depends on whom a system was ranked with."
)
_MODELS = (
    "What was given is what people said: take it for how many would say so. The model's estimate is what is so if each target has one right answer that annotators "
    "find with different skill: take it for which answer is right. The steps between the two are in the last column. 95 % intervals over items."
)
AUDIT_HEADER = (
    "annotator",
    "tasks",
    "controls right",
    "with the majority",
    "agreement (kappa)",
    "of the others",
    "agreement without them",
    "median seconds",
    "drift",
    "straight lines",
)
_NOTE = (
    "The agreement is Cohen's kappa with all others (quadratic for grades, within a task for ranks), with a 95 % interval. Disagreeing is a finding only "
    "where it is less than half of what the others have among themselves and more than chance explains. Agreement without them is that of all others (alpha; for ranks tau-b). Drift is how their distance to "
    "the others changed from the first to the second half of their answers (for labels: their agreement), known where answers have times. Straight lines are tasks of three answers or more that are all alike. A finding is a suggestion; excluding somebody is "
    "for people to decide."
)


def result_section(
    campaign: Campaign,
    judgments: Sequence[Judgment],
    comments: Comments,
    results: CampaignResults,
    seed: int,
) -> Section:
    """Show the results; `comments` (by article and comment id) are used to compare votes with likes."""
    section = Section("What people said")
    if not judgments:
        return section.text("Nothing yet.")
    for standing in sorted(results.questions or (), key=lambda each: each is not results.leading):
        part = _ranked(standing)
        section = section.extend(part) if standing is results.leading else section.fold(part)
    for criterion in results.criteria or ():
        criterion_part(section, criterion)
    if results.kind == "scale" and not results.criteria:
        scale = [float(value) for value in campaign.protocol.values]
        edges = np.arange(min(scale) - 0.25, max(scale) + 0.5, 0.5)
        means = [row.mean for row in aggregate.tallies(judgments)]
        picture = histograms({"targets": means}, edges.tolist(), "mean grade")
        section.figure(picture, "Mean grade of each target.")
    if results.kind == "select" and not results.criteria:
        _vote_picture(section, aggregate.tallies(judgments), comments, seed)
    caption = "With 95 % intervals by bootstrap over items"
    estimates_part(section, results, caption, systems_caption=caption)
    return section


def models_section(models: Sequence[ModelResult]) -> Section:
    """Show what people said beside what is so if annotators differ in skill, why the two differ, and the annotators."""
    section = Section("Who is right")
    if not models:
        return section.text("Three annotators or more, whose answers differ, are needed to tell.")
    section.text(_MODELS)
    for model in models:
        rows = [
            (
                row.answer,
                row.votes,
                row.targets,
                row.majority,
                ranged(row.model, row.model_ci),
                row.why,
            )
            for row in model.answers
        ]
        header = (
            "answer",
            "as given",
            "over targets",
            "by majority",
            "by the model",
            "why they differ",
        )
        section.table(header, rows, f"{model.question}: {model.method}")
        right = any(row.accuracy is not None for row in model.annotators)
        columns = ("right votes",) if right else ("mildness (bias)", "noise")
        people = [
            (row.annotator, ranged(row.accuracy, row.accuracy_ci))
            if right
            else (row.annotator, ranged(row.bias, row.bias_ci), ranged(row.noise, row.noise_ci))
            for row in model.annotators
        ]
        title = (
            "How often each annotator is right"
            if right
            else "How mild and how noisy each annotator is"
        )
        section.fold(
            Section(f"{title}, estimated ({model.question})").table(("annotator", *columns), people)
        )
    return section


def criterion_part(section: Section, criterion: CriterionResult) -> Section:
    """Append the result of one question: systems by its measure, choices, and estimates over all targets."""
    name = criterion.question
    caption = f"{name}: {criterion.text} With 95 % intervals by bootstrap over items"
    if criterion.systems:
        bars = [system.shown.bar for system in criterion.systems]
        section.figure(
            intervals(bars, criterion.measure),
            f"{name}: {criterion.measure} of each system, 95 % intervals.",
        )
    if criterion.choices:
        section.table(
            ("system or text", "shown", "best", "worst", "best less worst", "strength"),
            [
                (
                    row.system,
                    row.n,
                    row.best,
                    row.worst,
                    ranged(row.score, row.score_ci),
                    ranged(row.strength, row.strength_ci),
                )
                for row in criterion.choices
            ],
            caption,
        )
    elif criterion.raw:
        raw = {row.name: row for row in criterion.raw}
        section.table(
            ("system", criterion.measure, "score as given", "n"),
            [
                (row.name, ranged(row.value, row.ci), ranged(given.value, given.ci) if given else None, row.n)
                for row in criterion.systems
                for given in [raw.get(row.name)]
            ],
            caption,
        )  # fmt: skip
    elif criterion.systems:
        rows = [(row.name, ranged(row.value, row.ci), row.n) for row in criterion.systems]
        section.table(("system", criterion.measure, "n"), rows, caption)
    if criterion.estimates:
        _estimates(section, criterion.estimates, caption)
    return (
        section.text(f"{criterion.note[:1].upper()}{criterion.note[1:]}.")
        if criterion.note
        else section
    )


def estimates_part(
    section: Section, results: CampaignResults, caption: str, *, systems_caption: str = ""
) -> Section:
    """Append a picture and a table of systems by mean grade, if there are any, and a table of estimates."""
    if results.systems:
        bars = [system.shown.bar for system in results.systems]
        section.figure(intervals(bars, "mean grade"), "Mean grade of each system, 95 % intervals.")
        _estimates(section, results.systems, systems_caption)
    if results.estimates:
        _estimates(section, results.estimates, caption)
    return section


def _estimates(section: Section, rows: Sequence[EstimateRow], caption: str) -> None:
    cells = [(row.name, ranged(row.value, row.ci), row.n) for row in rows]
    section.table(("measure", "value", "n"), cells, caption)


def _vote_picture(
    section: Section, rows: Sequence[aggregate.Tally], comments: Comments, seed: int
) -> Section:
    """Append the distribution of C-scores, beside likes where comments have them."""
    most = max(len(row.values) for row in rows)
    edges = [score - 0.5 for score in range(most + 2)]  # a bar for each score, 0 to most
    rated = [
        (row.yes, likes)
        for row in rows
        if (comment := comments.get((row.item, row.target))) is not None
        and (likes := feedback(comment)) is not None
    ]
    if not rated:
        picture = histograms({"comments": [row.yes for row in rows]}, edges, "C-score")
        return section.figure(
            picture, "C-scores: how many voters called each comment constructive."
        )
    return _votes_beside_likes(section, np.array(rated, dtype=float), edges, seed)


def _votes_beside_likes(
    section: Section, rated: Floats, edges: Sequence[float], seed: int
) -> Section:
    """Append Figure 2 of Fujita et al. (2019): C-scores of comments at random and of the most liked."""
    votes, likes = rated.T  # rated: comments × (votes, likes)
    # With few comments the two halves would be the same ones: compare at most half with all.
    picked = min(_PICKED, max(1, len(rated) // 2))
    liked = votes[best_first(likes)[:picked]]
    drawn = votes[stream("report: random comments", seed).permutation(len(rated))[:picked]]
    picture = histograms(
        {"drawn at random": drawn.tolist(), "most liked": liked.tolist()}, edges, "C-score"
    )
    correlation = (
        f"r = {pearson(votes, likes):.4f}"
        if varies(votes) and varies(likes)
        else "none, as one of them is constant"
    )
    return section.figure(
        picture,
        f"C-scores of {len(liked):,} comments drawn at random and of the {len(liked):,} with the highest likes − {DISLIKE_WEIGHT:g} × dislikes. "
        f"Correlation of the two over {len(rated):,} comments: {correlation}.",
    )


def _ranked(standing: RankStanding) -> Section:
    """Show places, mean ranks, wins and strengths of the systems for one question."""
    name, test = standing.question, standing.friedman
    verdict = (
        f"Friedman: χ² = {test.statistic:.2f}, p {_p(test.p)}"
        if test.p is not None
        else f"No Friedman test: {test.note}"
    )
    caveat = f"Bradley–Terry: {standing.note}" if standing.note else ""
    title = f"{name.capitalize()}: {standing.text}"
    section = Section(title, title)
    section.text(". ".join(each for each in (verdict, caveat) if each) + ".")
    balanced = standing.duels.balanced
    if not balanced:
        section.text(_UNBALANCED)
    systems = sorted(standing.systems, key=_mean_rank if balanced else _weakness)
    strengths_figure(section, name, systems, "with ties (Davidson)")
    labels = [_ordinal(place + 1) for place in range(places_used(systems))]
    places_figure(section, systems, labels, f"{name}: how often each place was given.")
    wins_figure(
        section,
        standing.duels,
        [system.system for system in systems],
        f"{name}: pairwise wins, ties counted as half.",
    )
    return section.table(
        ("system", "n", *labels, "mean rank", "wins", "ties", "losses", "strength"),
        [
            (
                each.system,
                each.n,
                *each.places[: len(labels)],
                ranged(each.mean_rank, each.mean_rank_ci),
                each.wins,
                each.ties,
                each.losses,
                each.strength,
            )
            for each in systems
        ],
    )


def _mean_rank(system: SystemStanding) -> float:
    return math.inf if system.mean_rank is None else system.mean_rank


def _weakness(system: SystemStanding) -> float:
    return math.inf if system.strength is None else -system.strength


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def progress_section(campaign: Campaign, status: Status) -> Section:
    """Show the protocol, and the progress of each annotator, who appears by a hashed id."""
    form = campaign.protocol
    section = Section(
        f"Campaign {campaign.name}",
        f"{form.title} Protocol {form.name} {form.version}, {plural(campaign.per_item, 'annotator')} per item, seed {campaign.seed}.",
    )
    counts = {
        "tasks": status.tasks,
        "slots": status.slots,
        "done": status.done,
        "claimed": status.claimed,
        "open": status.open,
        "judgments": status.judgments,
        "corrections": status.corrections,
        "cannot judge": status.withdrawn,
        "conflicts": status.conflicts,
    }
    section.table(tuple(counts), [tuple(counts.values())])
    return section.table(
        ("annotator", "done", "of", "excluded"),
        [
            (annotator.id, annotator.done, annotator.slots, annotator.reason or "")
            for annotator in sorted(status.annotators, key=lambda annotator: annotator.id)
        ],
    )


def agreement_section(rows: Sequence[AgreementRow]) -> Section:
    """Show the agreement of the annotators per question, with intervals over items and notes."""
    section = Section("How far annotators agree")
    if not rows:
        return section.text("Nothing yet.")
    section.table(
        ("measure", "value", "low", "high", "Landis–Koch", "items", "note"),
        [
            (row.measure, row.value, *(row.ci or (None, None)), _band(row), row.items, row.note)
            for row in rows
        ],
    )
    if min(row.items for row in rows) < _FEW:
        section.text(
            "Of 20 items with a fifth of the judgments missing, the 95 % intervals of alpha and kappa contain the true value in 92 to 96 % of "
            "simulated campaigns: read them as a little too narrow."
        )
    return section.text("The bands of Landis and Koch are a habit of naming, not a test.")


def _band(row: AgreementRow) -> str:
    """Return the Landis-Koch band of a kappa or alpha; other measures have none."""
    if row.value is None or row.measure.startswith(("Kendall", "tau", "split", "ICC")):
        return ""
    return band(row.value)


def audit_section(evidence: Evidence) -> Section:
    """Show the audit of each annotator, and the results without who looks careless."""
    rows = [
        (*row.cells, each.fast_share, each.same_share, "; ".join(each.careless))
        for row, each in zip(evidence.audit_rows, evidence.audits, strict=True)
    ]
    header = (*AUDIT_HEADER, "too fast", "same answers", "looks careless")
    section = Section("Annotators").table(header, rows).text(_NOTE)
    if evidence.unsealed:
        numbers = ", ".join(map(str, evidence.unsealed))
        section.text(f"Imported from sheets without a seal, which do not prove whose answers they hold: import {numbers}.")  # fmt: skip
    return without_tables(section, evidence.without)


def without_tables(section: Section, without: Sequence[ResultsWithout]) -> Section:
    """Add a table for each annotator who looks careless: the leading results with all and without them."""
    for each in without:
        rows = [
            (row.name, ranged(row.value, row.ci), ranged(row.without, row.without_ci))
            for row in each.measures
        ]
        header = ("measure", "with all", f"without {each.annotator}")
        section.table(header, rows, f"Without {each.annotator}: {each.verdict}")
    return section


def datasheet_section(entries: Sequence[DatasheetEntry]) -> Section:
    """Show the datasheet."""
    section = Section("Datasheet of the human evaluation")
    section.text(f"Filled from the campaign; “{OPEN}” marks what only its authors know.")
    return section.table(
        ("topic", "question", "answer"),
        [(each.topic, each.question, each.answer) for each in entries],
    )
