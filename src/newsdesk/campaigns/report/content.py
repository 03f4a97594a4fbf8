"""The report of a campaign as values for JSON, and its verdict in one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.campaigns import aggregate, rankings
from newsdesk.campaigns.campaign import Campaign, Status
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.report.panel import agreements
from newsdesk.campaigns.report.standings import Standing, leading_question
from newsdesk.results.numbers import number_text, p_text
from newsdesk.results.page import Verdict
from newsdesk.types import Judgment
from newsdesk.wording import plural

_LEVEL = 0.05


def protocol_content(form: Protocol) -> dict[str, Any]:
    """The form: its questions, values and guidance."""
    return {
        "name": form.name,
        "version": form.version,
        "kind": form.kind,
        "title": form.title,
        "questions": [
            {"name": question.name, "text": question.text} for question in form.questions
        ],
        "values": list(form.values),
        "guidance": list(form.guidance),
    }


def progress_content(campaign: Campaign, status: Status) -> dict[str, Any]:
    """Counts of slots and judgments, and how many annotators there are and were excluded."""
    return {
        "tasks": status.tasks,
        "slots": status.slots,
        "done": status.done,
        "judgments": status.judgments,
        "corrections": status.corrections,
        "cannot_judge": status.withdrawn,
        "conflicts": status.conflicts,
        "per_item": campaign.per_item,
        "seed": campaign.seed,
        "annotators": len(status.annotators),
        "excluded": sum(annotator.reason is not None for annotator in status.annotators),
    }


def results_content(
    campaign: Campaign, judgments: Sequence[Judgment], standings: Sequence[Standing], seed: int
) -> dict[str, Any]:
    """The results by the kind of the protocol: rankings by question, or estimates with intervals and systems by mean grade."""
    form = campaign.protocol
    if not judgments:
        return {"kind": form.kind}
    if form.kind == "rank":
        return {"kind": form.kind, "questions": [_ranked(standing) for standing in standings]}
    if form.kind == "label":
        labels = [str(value) for value in form.values]
        estimates = aggregate.label_estimates(judgments, labels, seed=seed)
        return {"kind": form.kind, "estimates": [_estimate(estimate) for estimate in estimates]}
    rows = aggregate.tallies(judgments)
    if form.kind == "select":
        estimates = aggregate.vote_estimates(rows, seed=seed)
        systems: Sequence[aggregate.Estimate] = ()
    else:
        top = max(float(value) for value in form.values)
        estimates = aggregate.grade_estimates(rows, top=top, seed=seed)
        systems = aggregate.system_estimates(rows, seed=seed)
    return {
        "kind": form.kind,
        "estimates": [_estimate(estimate) for estimate in estimates],
        "systems": [_estimate(system) for system in systems],
    }


def _estimate(each: aggregate.Estimate) -> dict[str, Any]:
    return {"name": each.name, "value": _number(each.value), "ci": _ends(each.low, each.high), "n": each.n}  # fmt: skip


def _number(value: float | None) -> float | None:
    """A number that JSON can hold; None where there is none."""
    return None if value is None or not math.isfinite(value) else value


def _ends(low: float | None, high: float | None) -> list[float] | None:
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return None
    return [low, high]


def _ranked(standing: Standing) -> dict[str, Any]:
    means, strengths, duels = standing.means, standing.strengths, standing.duels
    test = standing.friedman
    places = rankings.place_counts(standing.ranks)
    return {
        "question": standing.question.name,
        "text": standing.question.text,
        "friedman": {"statistic": test.statistic, "p": test.p, "note": test.note},
        "systems": [
            {
                "system": system,
                "n": means.rankings[s],
                "places": places[s].tolist(),
                "mean_rank": _number(means.values[s]),
                "mean_rank_ci": _ends(means.low[s], means.high[s]),
                "strength": _number(strengths.values[s]),
                "strength_ci": _ends(strengths.low[s], strengths.high[s]),
                "wins": int(duels.wins[s].sum()),
                "ties": int(duels.ties[s].sum()),
                "losses": int(duels.wins[:, s].sum()),
            }
            for s, system in enumerate(standing.systems)
        ],
        "duels": {
            "systems": list(standing.systems),
            "wins": duels.wins.tolist(),
            "ties": duels.ties.tolist(),
        },
        "note": strengths.note,
    }


def agreement_content(
    campaign: Campaign, judgments: Sequence[Judgment], seed: int
) -> list[dict[str, Any]]:
    """Every measure of agreement with its interval, by question."""
    if not judgments:
        return []
    return [
        {
            "question": question.name,
            "measure": agreement.name,
            "value": _number(agreement.value),
            "ci": _ends(agreement.low, agreement.high),
            "items": agreement.items,
            "note": agreement.note,
        }
        for question in campaign.protocol.questions
        for agreement in agreements(
            campaign.protocol,
            question.name,
            [j for j in judgments if j.question == question.name],
            seed,
        )
    ]


def campaign_verdict(results: Mapping[str, Any]) -> Verdict:
    """The verdict of a campaign: the system that people rank or grade highest, else the first estimate."""
    if questions := results.get("questions"):
        first = leading_question([question["question"] for question in questions])
        return _rank_verdict(
            next(question for question in questions if question["question"] == first)
        )
    if systems := results.get("systems"):
        best = max(systems, key=lambda each: float(each["value"]))
        sentence = f"People give {best['name']} the highest mean grade of {len(systems)} systems."
        return _of_estimate(sentence, best, f"mean grade of {best['name']}")
    if estimates := results.get("estimates"):
        first = estimates[0]
        sentence = f"Over {plural(first['n'], 'judged target')} the {first['name']} is {number_text(first['value'])}."
        return _of_estimate(sentence, first, first["name"])
    return Verdict("There are no judgments yet.")


def _of_estimate(sentence: str, each: Mapping[str, Any], label: str) -> Verdict:
    ends = each["ci"]
    return Verdict(sentence, each["value"], (ends[0], ends[1]) if ends else None, label)


def _rank_verdict(question: Mapping[str, Any]) -> Verdict:
    ranked = [each for each in question["systems"] if each["strength"] is not None]
    if not ranked:
        return Verdict(f"No order of systems: {question['note']}.")
    best = max(ranked, key=lambda each: float(each["strength"]))
    p = question["friedman"]["p"]
    if p is None:
        surely = f"no test of the differences: {question['friedman']['note']}"
    elif p < _LEVEL:
        surely = f"the systems differ (Friedman, p {p_text(p)})"
    else:
        surely = f"the systems cannot be told apart (Friedman, p {p_text(p)})"
    sentence = f"People rank {best['system']} highest by “{question['question']}”; {surely}."
    ends = best["mean_rank_ci"]
    label = f"mean rank of {best['system']}, 1 is best"
    return Verdict(sentence, best["mean_rank"], (ends[0], ends[1]) if ends else None, label)
