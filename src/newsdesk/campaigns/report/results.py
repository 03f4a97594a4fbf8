"""The report of a campaign: how far it is, what people said, how far they agree, who may have been careless, which system is best."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import best_first
from newsdesk.campaigns import aggregate, rankings
from newsdesk.campaigns.agreement import Agreement, band, with_interval
from newsdesk.campaigns.campaign import Campaign, Status
from newsdesk.campaigns.agreement.coincidences import Alpha, RotatingKappa
from newsdesk.campaigns.agreement.concordance import KendallW, SplitHalf, TauB
from newsdesk.campaigns.control import audit, known_answers
from newsdesk.campaigns.agreement.pair_votes import PairAlpha, Votes
from newsdesk.campaigns.tasks import Task
from newsdesk.feedback import DISLIKE_WEIGHT, feedback
from newsdesk.metrics.ranking import pearson, varies
from newsdesk.pages.page import Section
from newsdesk.pages.plots import histograms, intervals
from newsdesk.streams import stream
from newsdesk.types import Comment, Judgment

Comments: TypeAlias = Mapping[tuple[str, str], Comment]

_PICKED = 5_000  # comments on each side of paper 002's Figure 2


def progress_section(campaign: Campaign, status: Status) -> Section:
    """What is asked, and how far each annotator is. Annotators appear by their hashed ids."""
    form = campaign.protocol
    section = Section(
        f"Campaign {campaign.name}",
        f"{form.title} Protocol {form.name} {form.version}, {campaign.per_item} annotators per item, seed {campaign.seed}.",
    )
    section.table(
        ("tasks", "slots", "done", "claimed", "open", "judgments", "corrections"),
        [
            (
                status.tasks,
                status.slots,
                status.done,
                status.claimed,
                status.open,
                status.judgments,
                status.corrections,
            )
        ],
    )
    return section.table(
        ("annotator", "done", "of", "excluded"),
        [(each.id, each.done, each.slots, each.reason or "") for each in status.annotators],
    )


def result_section(
    campaign: Campaign, judgments: Sequence[Judgment], comments: Comments, seed: int
) -> Section:
    """What people said, by the kind of the protocol; `comments` by article and comment id, to compare votes with likes."""
    kind = campaign.protocol.kind
    section = Section("What people said")
    if not judgments:
        return section.text("Nothing yet.")
    if kind == "scale":
        return _grades(section, campaign, judgments, seed)
    if kind == "select":
        return _votes(section, judgments, comments, seed)
    if kind == "label":
        labels = [str(value) for value in campaign.protocol.values]
        return _figures(section, aggregate.label_figures(judgments, labels, seed=seed))
    return _ranks(section, campaign, judgments, seed)


def _figures(section: Section, figures: Sequence[aggregate.Figure]) -> Section:
    rows = [(each.name, each.value, each.low, each.high, each.n) for each in figures]
    return section.table(
        ("figure", "value", "low", "high", "n"), rows, "With 95 % intervals by bootstrap over items"
    )


def _grades(
    section: Section, campaign: Campaign, judgments: Sequence[Judgment], seed: int
) -> Section:
    rows = aggregate.tallies(judgments)
    scale = [float(value) for value in campaign.protocol.values]
    _figures(section, aggregate.grade_figures(rows, top=max(scale), seed=seed))
    if systems := aggregate.system_figures(rows, seed=seed):
        bars = [(each.name, each.value, each.low, each.high) for each in systems]
        section.figure(intervals(bars, "mean grade"), "Mean grade of each system, 95 % intervals.")
        _figures(section, systems)
    edges = np.arange(min(scale) - 0.25, max(scale) + 0.5, 0.5)
    picture = histograms({"targets": [row.mean for row in rows]}, edges.tolist(), "mean grade")
    return section.figure(picture, "Mean grade of each target.")


def _votes(
    section: Section, judgments: Sequence[Judgment], comments: Comments, seed: int
) -> Section:
    rows = aggregate.tallies(judgments)
    _figures(section, aggregate.vote_figures(rows, seed=seed))
    most = max(len(row.values) for row in rows)
    edges = [place - 0.5 for place in range(most + 2)]
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
    votes, likes = np.array(rated, dtype=float).T
    # With few comments the two halves would be the same ones: compare at most half with all.
    picked = min(_PICKED, max(1, len(rated) // 2))
    liked = votes[best_first(likes)[:picked]]
    drawn = votes[stream("report: random comments", seed).permutation(len(rated))[:picked]]
    picture = histograms(
        {"drawn at random": drawn.tolist(), "most liked": liked.tolist()},
        edges,
        "C-score",
    )
    told = (
        f"r = {pearson(votes, likes):.4f}"
        if varies(votes) and varies(likes)
        else "none, as one of them is constant"
    )
    return section.figure(
        picture,
        f"C-scores of {len(liked):,} comments drawn at random and of the {len(liked):,} with the highest likes − {DISLIKE_WEIGHT:g} × dislikes. "
        f"Correlation of the two over {len(rated):,} comments: {told}.",
    )


def _ranks(
    section: Section, campaign: Campaign, judgments: Sequence[Judgment], seed: int
) -> Section:
    for question in campaign.protocol.questions:
        asked = [judgment for judgment in judgments if judgment.question == question.name]
        if asked:
            _ranked(section, question.name, question.text, asked, seed)
    return section


def _ranked(
    section: Section, name: str, text: str, judgments: Sequence[Judgment], seed: int
) -> None:
    """Places, mean ranks, wins and strengths of the systems for one question."""
    systems, ranks, items = rank_table(judgments)
    means = rankings.mean_ranks(ranks, items, seed=seed)
    strengths = rankings.bradley_terry(ranks, items, seed=seed)
    counts = rankings.place_counts(ranks)
    places = counts[:, : 1 + int(np.flatnonzero(counts.any(axis=0))[-1])]
    duels = rankings.duels(ranks)
    wins, ties = duels.wins.sum(axis=1), duels.ties.sum(axis=1)
    losses = duels.wins.sum(axis=0)
    order = np.argsort(means.values, kind="stable")
    test = rankings.friedman(ranks, items)
    found = (
        f"Friedman: χ² = {test.statistic:.2f}, p {_p(test.p)}"
        if test.p is not None
        else f"No Friedman test: {test.note}"
    )
    about = f"Bradley–Terry: {strengths.note}" if strengths.note else ""
    section.text(f"{name.capitalize()}: {text}")
    section.text(". ".join(each for each in (found, about) if each) + ".")
    section.table(
        (
            "system",
            *(_ordinal(n + 1) for n in range(places.shape[1])),
            "mean rank",
            "low",
            "high",
            "wins",
            "ties",
            "losses",
        ),
        [
            (
                systems[s],
                *map(int, places[s]),
                means.values[s],
                means.low[s],
                means.high[s],
                int(wins[s]),
                int(ties[s]),
                int(losses[s]),
            )
            for s in order
        ],
    )
    rows = [(systems[s], strengths.values[s], strengths.low[s], strengths.high[s]) for s in order]
    section.figure(
        intervals(rows, "log strength, higher is better"),
        f"{name}: Bradley–Terry strength with ties (Davidson), 95 % intervals over items.",
    )


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def rank_table(judgments: Sequence[Judgment]) -> tuple[list[str], NDArray[np.float64], list[str]]:
    """Systems, rankings × systems (nan where not ranked), and the item of each ranking."""
    systems = list(dict.fromkeys(judgment.target for judgment in judgments))
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for judgment in judgments:
        rows.setdefault((judgment.item, judgment.annotator), {})[judgment.target] = float(
            judgment.value
        )
    table = np.array([[row.get(system, np.nan) for system in systems] for row in rows.values()])
    return systems, table, [item for item, _ in rows]


def agreement_section(campaign: Campaign, judgments: Sequence[Judgment], seed: int) -> Section:
    """How far annotators agree, with intervals over items and what to make of them."""
    section = Section("How far annotators agree")
    if not judgments:
        return section.text("Nothing yet.")
    rows = []
    for found in _agreements(campaign, judgments, seed):
        known = found.value is not None and not found.name.startswith(("Kendall", "tau", "split"))
        word = band(found.value) if known and found.value is not None else ""
        rows.append((found.name, found.value, found.low, found.high, word, found.items, found.note))
    section.table(("figure", "value", "low", "high", "Landis–Koch", "items", "note"), rows)
    return section.text("The bands of Landis and Koch are a habit of naming, not a test.")


def _agreements(campaign: Campaign, judgments: Sequence[Judgment], seed: int) -> list[Agreement]:
    kind = campaign.protocol.kind
    labels = campaign.protocol.values
    found = []
    for question in campaign.protocol.questions:
        asked = [judgment for judgment in judgments if judgment.question == question.name]
        if kind == "rank":
            ranks = rank_cube(asked)
            figures: list[Any] = [KendallW(), TauB()]
            made = [with_interval(figure, ranks, seed=seed) for figure in figures]
            found += [_renamed(each, f"{each.name}, {question.name}") for each in made]
            continue
        values = value_matrix(asked)
        if kind == "scale":
            figures = [
                *(RotatingKappa(weights, labels) for weights in (None, "linear", "quadratic")),
                Alpha("ordinal"),
                Alpha("interval"),
                SplitHalf("pearson", "half"),
            ]
        else:
            figures = [Alpha("nominal")]
        found += [with_interval(figure, values, seed=seed) for figure in figures]
        if kind == "select":
            found.append(with_interval(PairAlpha(), _vote_columns(asked), seed=seed))
    return found


def _renamed(agreement: Agreement, name: str) -> Agreement:
    return dataclasses.replace(agreement, name=name)


def audit_section(tasks: Sequence[Task], judgments: Sequence[Judgment]) -> Section:
    """What each annotator did with control questions, time and habit; a finding is a suggestion, excluding somebody a decision."""
    section = Section("Annotators")
    rows = [
        (
            each.annotator,
            each.tasks,
            f"{each.correct} of {each.controls}" if each.controls else None,
            each.agreeing / each.compared if each.compared else None,
            each.median_seconds,
            each.fast_share,
            each.same_share,
            "; ".join(each.careless),
        )
        for each in audit(judgments, known_answers(tasks))
    ]
    columns = (
        "annotator",
        "tasks",
        "controls right",
        "with the majority",
        "median seconds",
        "too fast",
        "same answers",
        "looks careless",
    )
    section.table(columns, rows)
    return section.text(
        "Disagreeing with others is shown and is never a reason. A finding is a suggestion; excluding somebody is for people to decide."
    )


def value_matrix(judgments: Sequence[Judgment]) -> NDArray[Any]:
    """Annotators × targets, None or nan where an annotator did not judge a target."""
    people = {
        name: place for place, name in enumerate(dict.fromkeys(j.annotator for j in judgments))
    }
    targets = {
        key: place for place, key in enumerate(dict.fromkeys((j.item, j.target) for j in judgments))
    }
    textual = any(isinstance(judgment.value, str) for judgment in judgments)
    shape = (len(people), len(targets))
    matrix: NDArray[Any] = np.full(
        shape, None if textual else np.nan, dtype=object if textual else float
    )
    for judgment in judgments:
        value = judgment.value if textual else float(judgment.value)
        matrix[people[judgment.annotator], targets[judgment.item, judgment.target]] = value
    return matrix


def rank_cube(judgments: Sequence[Judgment]) -> NDArray[np.float64]:
    """Annotators × items × systems, nan where there is no rank."""
    people, items, systems = (
        {
            name: place
            for place, name in enumerate(dict.fromkeys(getattr(j, part) for j in judgments))
        }
        for part in ("annotator", "item", "target")
    )
    cube = np.full((len(people), len(items), len(systems)), np.nan)
    for j in judgments:
        cube[people[j.annotator], items[j.item], systems[j.target]] = float(j.value)
    return cube


def _vote_columns(judgments: Sequence[Judgment]) -> Votes:
    def column(part: str) -> list[Any]:
        return [getattr(judgment, part) for judgment in judgments]

    votes = [bool(judgment.value) for judgment in judgments]
    return Votes(column("task"), column("target"), column("annotator"), votes, column("item"))
