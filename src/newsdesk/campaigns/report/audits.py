"""The audit of the annotators in the report: findings with their numbers, and the result with and without each who looks careless."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from newsdesk.campaigns.agreement.leave_one_out import OwnAgreement
from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.control import Audit, audit, known_answers
from newsdesk.campaigns.report.content import campaign_verdict, results_content
from newsdesk.campaigns.report.standings import leading_question, standings_of
from newsdesk.campaigns.tasks import Task
from newsdesk.results.page import Section
from newsdesk.results.table import Cell, Ranged, ranged
from newsdesk.types import Judgment

_NOTE = (
    "The agreement is Cohen's kappa with all others (quadratic for grades, within a task for ranks), with a 95 % interval. Disagreeing is a finding only "
    "where it is less than half of what the others have among themselves and more than chance explains. A finding is a suggestion; excluding somebody is "
    "for people to decide."
)


def audits_of(
    campaign: Campaign, tasks: Iterable[Task], judgments: Iterable[Judgment]
) -> list[Audit]:
    """Audit the annotators of a campaign; `judgments` are all there are, controls and excluded annotators included."""
    return audit(judgments, known_answers(tasks), ranks=campaign.protocol.kind == "rank")


def audit_content(audits: Iterable[Audit]) -> list[dict[str, Any]]:
    """The audit of each annotator."""
    return [
        {
            "annotator": each.annotator,
            "tasks": each.tasks,
            "controls": each.controls,
            "correct": each.correct,
            "agreement": each.agreement,
            "kappa": each.own.kappa if each.own else None,
            "kappa_ci": _ends(each.own),
            "others_kappa": each.own.others if each.own else None,
            "p": each.own.p if each.own else None,
            "median_seconds": each.median_seconds,
            "careless": list(each.careless),
        }
        for each in audits
    ]


def without_content(
    campaign: Campaign, judgments: Sequence[Judgment], audits: Iterable[Audit], seed: int
) -> list[dict[str, Any]]:
    """For each annotator who looks careless and counts: the verdict and the leading results, with and without them."""
    counted = {judgment.annotator for judgment in judgments}
    flagged = [each.annotator for each in audits if each.careless and each.annotator in counted]
    if not flagged:
        return []
    results = _leading_results(campaign, judgments, seed)
    rows = []
    for name in flagged:
        rest = [judgment for judgment in judgments if judgment.annotator != name]
        other = _leading_results(campaign, rest, seed)
        found = {each["name"]: each for each in _measures(other)}
        measures = [
            {
                **each,
                "without": found[each["name"]]["value"] if each["name"] in found else None,
                "without_ci": found[each["name"]]["ci"] if each["name"] in found else None,
            }
            for each in _measures(results)
        ]
        verdict = campaign_verdict(other).sentence
        rows.append({"annotator": name, "verdict": verdict, "measures": measures})
    return rows


def _leading_results(
    campaign: Campaign, judgments: Sequence[Judgment], seed: int
) -> dict[str, Any]:
    """The results; of rankings by the leading question alone, which the verdict rests on."""
    first = leading_question([question.name for question in campaign.protocol.questions])
    if campaign.protocol.kind == "rank":
        judgments = [judgment for judgment in judgments if judgment.question == first]
    return results_content(campaign, judgments, standings_of(campaign, judgments, seed), seed)


def _measures(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Name, value and interval of each leading number: mean ranks, mean grades of systems, or estimates."""
    for question in results.get("questions") or ():
        return [
            {
                "name": f"mean rank of {each['system']}",
                "value": each["mean_rank"],
                "ci": each["mean_rank_ci"],
            }
            for each in question["systems"]
        ]
    rows = results.get("systems") or results.get("estimates") or ()
    return [{key: each[key] for key in ("name", "value", "ci")} for each in rows]


def audit_section(audits: Sequence[Audit], without: Sequence[Mapping[str, Any]]) -> Section:
    """The audit of each annotator: control questions, agreement, speed, repeated answers, findings; and results without who looks careless."""
    section = Section("Annotators")
    rows: list[tuple[Cell, ...]] = [
        (
            each.annotator,
            each.tasks,
            f"{each.correct} of {each.controls}" if each.controls else None,
            each.agreement,
            _kappa(each.own),
            each.own.others if each.own else None,
            each.median_seconds,
            each.fast_share,
            each.same_share,
            "; ".join(each.careless),
        )
        for each in audits
    ]
    columns = (
        "annotator",
        "tasks",
        "controls right",
        "with the majority",
        "agreement (kappa)",
        "of the others",
        "median seconds",
        "too fast",
        "same answers",
        "looks careless",
    )
    return without_tables(section.table(columns, rows).text(_NOTE), without)


def without_tables(section: Section, without: Iterable[Mapping[str, Any]]) -> Section:
    """Add a table for each annotator who looks careless: the leading results with all and without them."""
    for each in without:
        rows = [
            (row["name"], ranged(row["value"], row["ci"]), ranged(row["without"], row["without_ci"]))
            for row in each["measures"]
        ]  # fmt: skip
        name = each["annotator"]
        header = ("measure", "with all", f"without {name}")
        section.table(header, rows, f"Without {name}: {each['verdict']}")
    return section


def _kappa(own: OwnAgreement | None) -> Cell:
    if own is None:
        return None
    return Ranged(own.kappa, own.low, own.high) if math.isfinite(own.low) else own.kappa


def _ends(own: OwnAgreement | None) -> list[float] | None:
    return [own.low, own.high] if own is not None and math.isfinite(own.low) else None
