"""The report's results by the kind of the protocol: grades, votes compared with likes, labels, or systems by rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.campaigns import aggregate, rankings
from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.report.standings import Standing, leading_question
from newsdesk.campaigns.skill import skill_of
from newsdesk.campaigns.strengths import Strengths
from newsdesk.feedback import DISLIKE_WEIGHT, feedback
from newsdesk.metrics.ranking import pearson, varies
from newsdesk.results.page import Section
from newsdesk.results.plots import heat_map, histograms, intervals, stacked, win_shares
from newsdesk.results.table import Cell, Ranged
from newsdesk.streams import stream
from newsdesk.types import Comment, Judgment, Value

Comments: TypeAlias = Mapping[tuple[str, str], Comment]

_PICKED = 5_000  # comments on each side of Figure 2 of Fujita et al. (2019)

_UNBALANCED = (
    "Not every two systems were ranked together equally often, so the systems are ordered by Bradley–Terry strength: "
    "a mean rank depends on whom a system was ranked with."
)


def result_section(
    campaign: Campaign,
    judgments: Sequence[Judgment],
    comments: Comments,
    standings: Sequence[Standing],
    seed: int,
) -> Section:
    """The results, by the kind of the protocol; `comments` (by article and comment id) are used to compare votes with likes."""
    kind = campaign.protocol.kind
    section = Section("What people said")
    if not judgments:
        return section.text("Nothing yet.")
    if kind == "scale":
        return _grades(section, campaign, judgments, seed)
    if kind == "select":
        return _votes(section, campaign, judgments, comments, seed)
    if kind == "label":
        labels = [str(value) for value in campaign.protocol.values]
        _estimates(section, aggregate.label_estimates(judgments, labels, seed=seed))
        return _skills(section, campaign, judgments)
    first = leading_question([standing.question.name for standing in standings])
    for standing in sorted(standings, key=lambda each: each.question.name != first):
        part = _ranked(standing)
        section = section.extend(part) if standing.question.name == first else section.fold(part)
    return section


def _estimates(section: Section, estimates: Sequence[aggregate.Estimate]) -> Section:
    rows = [
        (estimate.name, Ranged(estimate.value, estimate.low, estimate.high), estimate.n)
        for estimate in estimates
    ]
    return section.table(
        ("measure", "value", "n"),
        rows,
        "With 95 % intervals by bootstrap over items",
    )


def _skills(section: Section, campaign: Campaign, judgments: Sequence[Judgment]) -> Section:
    """Plain shares beside those of Dawid and Skene, and the skill of each annotator."""
    annotators, _, skill = skill_of(judgments)
    if len(annotators) < 3 or len(skill.labels) < 2:
        return section  # two annotators, or one label, say nothing about who is right
    plain = Counter(judgment.value for judgment in judgments)
    names = _answer_names(campaign)
    section.table(
        ("answer", "share of votes", "share by Dawid–Skene"),
        [
            (names.get(label, str(label)), plain[label] / len(judgments), float(share))
            for label, share in zip(skill.labels, skill.probabilities.mean(axis=0), strict=True)
        ],
        "Dawid and Skene (1979) weigh each vote by the skill of its annotator; where annotators are even, the two agree",
    )
    return section.fold(
        Section("How often each annotator is right, estimated").table(
            ("annotator", "right votes"),
            [(name, float(value)) for name, value in zip(annotators, skill.accuracy, strict=True)],
        )
    )


def _answer_names(campaign: Campaign) -> dict[Value, str]:
    """The answers to a form of ticks in words: what was ticked and what was not, or yes and no where it asks several things."""
    if campaign.protocol.kind != "select":
        return {}
    questions = campaign.protocol.questions
    if len(questions) > 1:
        return {True: "yes", False: "no"}
    return {True: questions[0].name, False: f"not {questions[0].name}"}


def _grades(
    section: Section, campaign: Campaign, judgments: Sequence[Judgment], seed: int
) -> Section:
    rows = aggregate.tallies(judgments)
    scale = [float(value) for value in campaign.protocol.values]
    edges = np.arange(min(scale) - 0.25, max(scale) + 0.5, 0.5)
    picture = histograms({"targets": [row.mean for row in rows]}, edges.tolist(), "mean grade")
    section.figure(picture, "Mean grade of each target.")
    if systems := aggregate.system_estimates(rows, seed=seed):
        bars = [(system.name, system.value, system.low, system.high) for system in systems]
        section.figure(intervals(bars, "mean grade"), "Mean grade of each system, 95 % intervals.")
        _estimates(section, systems)
    return _estimates(section, aggregate.grade_estimates(rows, top=max(scale), seed=seed))


def _votes(
    section: Section,
    campaign: Campaign,
    judgments: Sequence[Judgment],
    comments: Comments,
    seed: int,
) -> Section:
    rows = aggregate.tallies(judgments)
    _vote_picture(section, rows, comments, seed)
    _estimates(section, aggregate.vote_estimates(rows, seed=seed))
    return _skills(section, campaign, judgments)


def _vote_picture(
    section: Section, rows: Sequence[aggregate.Tally], comments: Comments, seed: int
) -> Section:
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
    return _votes_beside_likes(section, np.array(rated, dtype=float), edges, seed)


def _votes_beside_likes(
    section: Section, rated: Floats, edges: Sequence[float], seed: int
) -> Section:
    """Figure 2 of Fujita et al. (2019): C-scores of comments drawn at random and of those most liked; `rated` is comments × (votes, likes)."""
    votes, likes = rated.T
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


def _ranked(standing: Standing) -> Section:
    """Places, mean ranks, wins and strengths of the systems for one question."""
    name, systems, ranks = standing.question.name, standing.systems, standing.ranks
    means, strengths, duels = standing.means, standing.strengths, standing.duels
    test = standing.friedman
    verdict = (
        f"Friedman: χ² = {test.statistic:.2f}, p {_p(test.p)}"
        if test.p is not None
        else f"No Friedman test: {test.note}"
    )
    about = f"Bradley–Terry: {strengths.note}" if strengths.note else ""
    title = f"{name.capitalize()}: {standing.question.text}"
    section = Section(title, title)
    section.text(". ".join(each for each in (verdict, about) if each) + ".")
    if not duels.balanced:
        section.text(_UNBALANCED)
    keys = means.values if duels.balanced else [-value for value in strengths.values]
    order = np.argsort(keys, kind="stable")
    bars = [(systems[s], strengths.values[s], strengths.low[s], strengths.high[s]) for s in order]
    section.figure(
        intervals(bars, "log strength, higher is better"),
        f"{name}: Bradley–Terry strength with ties (Davidson), 95 % intervals over items.",
    )
    _pictures(section, name, [systems[s] for s in order], ranks[:, order], duels, order)
    header, rows = _places(systems, ranks, means, duels, strengths)
    return section.table(header, [rows[s] for s in order])


def _pictures(
    section: Section,
    name: str,
    systems: Sequence[str],
    ranks: Floats,
    duels: rankings.Duels,
    order: Ints,
) -> None:
    """Bars of the places of each system, and a heat map of pairwise wins; systems and rankings are in the order of the table."""
    counts = rankings.place_counts(ranks)
    used = 1 + int(np.flatnonzero(counts.any(axis=0))[-1])
    places = [(system, counts[s, :used].tolist()) for s, system in enumerate(systems)]
    parts = [_ordinal(place + 1) for place in range(used)]
    section.figure(stacked(places, parts, "rankings"), f"{name}: how often each place was given.")
    square = np.ix_(order, order)
    shares = win_shares(duels.wins[square].tolist(), duels.ties[square].tolist())
    section.figure(
        heat_map(systems, shares, "share of wins, left against top"),
        f"{name}: pairwise wins, ties counted as half.",
    )


def _places(
    systems: Sequence[str],
    ranks: Floats,
    means: rankings.MeanRanks,
    duels: rankings.Duels,
    strengths: Strengths,
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The header, and a row per system: n rankings, counts of places, mean rank with its interval, wins, ties, losses, strength."""
    counts = rankings.place_counts(ranks)
    places = counts[:, : 1 + int(np.flatnonzero(counts.any(axis=0))[-1])]
    won, tied, lost = duels.wins.sum(axis=1), duels.ties.sum(axis=1), duels.wins.sum(axis=0)
    ordinals = [_ordinal(place + 1) for place in range(places.shape[1])]
    header = (
        "system",
        "n",
        *ordinals,
        "mean rank",
        "wins",
        "ties",
        "losses",
        "strength",
    )
    rows: list[tuple[Cell, ...]] = [
        (
            system,
            means.rankings[s],
            *map(int, places[s]),
            Ranged(means.values[s], means.low[s], means.high[s]),
            int(won[s]),
            int(tied[s]),
            int(lost[s]),
            strengths.values[s],
        )
        for s, system in enumerate(systems)
    ]
    return header, rows


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def _ordinal(number: int) -> str:
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
