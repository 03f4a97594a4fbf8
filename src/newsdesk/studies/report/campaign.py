"""The chapters of `newsdesk campaign report --json` and `campaign status --json`: what people said, how far they agree, and the datasheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.campaigns.report.audits import without_tables
from newsdesk.campaigns.report.content import campaign_verdict
from newsdesk.campaigns.report.datasheet import datasheet_section
from newsdesk.results.numbers import p_text
from newsdesk.results.page import Section, Verdict
from newsdesk.results.plots import bars, heat_map, intervals, stacked, win_shares
from newsdesk.results.table import ranged
from newsdesk.studies.report.chapter import Chapter, Content, ends_of
from newsdesk.wording import plural


def campaign_chapter(content: Content) -> Chapter:
    """A campaign: verdict, pictures of its results, tables, agreement, and its datasheet."""
    progress, results = content["progress"], content["results"]
    section = Section(
        f"Campaign {content['campaign']}",
        f"{content['protocol']['title']} {plural(progress['judgments'], 'judgment')} by {plural(progress['annotators'], 'annotator')}.",
    )
    for question in results.get("questions") or ():
        _ranks(section, question)
    if systems := results.get("systems"):
        section.figure(intervals([_bar(system) for system in systems], "mean grade"), "Mean grade of each system, 95 % intervals.")  # fmt: skip
        section.table(*_estimates(systems))
    if estimates := results.get("estimates"):
        section.table(*_estimates(estimates), "With 95 % intervals over items")
    section.include(_agreement(content["agreement"])).fold(_annotators(content))
    entries = [(each["topic"], each["question"], each["answer"]) for each in content["datasheet"]]
    section.fold(datasheet_section(entries))
    return Chapter(campaign_verdict(results), section)


def status_chapter(content: Content) -> Chapter:
    """The progress of a campaign."""
    done = f"{content['done']:,} of {plural(content['slots'], 'slot')}"
    sentence = f"Campaign {content['campaign']}: {done} done, {plural(content['judgments'], 'judgment')}; `campaign report --json` has the results."
    section = Section(f"Progress of campaign {content['campaign']}")
    if content["annotators"]:
        section.figure(
            bars([(each["id"], each["done"]) for each in content["annotators"]], "tasks done"),
            "Tasks that each annotator has done.",
        )
    section.table(
        ("annotator", "done", "of", "excluded"),
        [(each["id"], each["done"], each["slots"], each["reason"]) for each in content["annotators"]],
    )  # fmt: skip
    return Chapter(Verdict(sentence), section)


def _ranks(section: Section, question: Mapping[str, Any]) -> None:
    """Strengths, places, pairwise wins and the table of one question."""
    name = question["question"]
    known = [each for each in question["systems"] if each["strength"] is not None]
    systems = sorted(known, key=lambda each: -each["strength"])
    points = [(system["system"], system["strength"], *(system["strength_ci"] or [system["strength"]] * 2)) for system in systems]  # fmt: skip
    if points:
        section.figure(
            intervals(points, "log strength, higher is better"),
            f"{name}: Bradley–Terry strength with ties, 95 % intervals over items.",
        )
    used = max((place + 1 for system in systems for place, count in enumerate(system["places"]) if count), default=0)  # fmt: skip
    if used:
        places = [(system["system"], system["places"][:used]) for system in systems]
        parts = [f"place {place + 1}" for place in range(used)]
        section.figure(
            stacked(places, parts, "rankings"), f"{name}: how often each place was given."
        )
    duels = question["duels"]
    section.figure(
        heat_map(duels["systems"], win_shares(duels["wins"], duels["ties"]), "share of wins, left against top"),
        f"{name}: pairwise wins, ties counted as half.",
    )  # fmt: skip
    test = question["friedman"]
    caption = name if test["p"] is None else f"{name}: Friedman χ² = {test['statistic']:.2f}, p {p_text(test['p'])}"  # fmt: skip
    section.table(
        ("system", "n", "mean rank", "wins", "ties", "losses", "strength"),
        [
            (
                each["system"],
                each["n"],
                ranged(each["mean_rank"], each["mean_rank_ci"]),
                each["wins"],
                each["ties"],
                each["losses"],
                ranged(each["strength"], each["strength_ci"]),
            )
            for each in (systems or question["systems"])
        ],
        caption,
    )


def _bar(each: Mapping[str, Any]) -> tuple[str, float, float, float]:
    return (each["name"], each["value"], *(ends_of(each["ci"]) or (each["value"],) * 2))


def _estimates(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    return ("measure", "value", "n"), [
        (row["name"], ranged(row["value"], row["ci"]), row["n"]) for row in rows
    ]


def _agreement(rows: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("How far annotators agree")
    if not rows:
        return section.text("Nothing yet.")
    return section.table(
        ("measure", "value", "items", "note"),
        [(row["measure"], ranged(row["value"], row["ci"]), row["items"], row["note"] or None) for row in rows],
    )  # fmt: skip


def _annotators(content: Content) -> Section:
    section = Section("Audit of the annotators")
    rows = content["annotators"]
    if not rows:
        return section
    section.table(
        ("annotator", "tasks", "controls right", "with the majority", "agreement (kappa)", "of the others", "median seconds", "looks careless"),
        [
            (
                row["annotator"],
                row["tasks"],
                f"{row['correct']} of {row['controls']}" if row["controls"] else None,
                row["agreement"],
                ranged(row.get("kappa"), row.get("kappa_ci")),
                row.get("others_kappa"),
                row["median_seconds"],
                "; ".join(row["careless"]) or None,
            )
            for row in rows
        ],
    )  # fmt: skip
    # A report of an earlier version has no kappas, and no results without anybody.
    return without_tables(section, content.get("without") or ())
