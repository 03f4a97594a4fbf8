"""The chapter of `newsdesk study compare --json`: systems by metrics and people, with groups that cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.pages.numbers import p_text
from newsdesk.pages.page import Section, Verdict
from newsdesk.pages.plots import heat_map, intervals, win_shares
from newsdesk.pages.table import Cell, PValue, ranged
from newsdesk.studies.report.chapter import Chapter, Content, ends_of
from newsdesk.wording import plural

_PICTURED = 3


def systems_chapter(content: Content) -> Chapter:
    """Systems compared: the sentence of the study, intervals by measure, a heat map of wins, the table with groups, and tests folded."""
    systems = content["systems"]
    kinds = {name: value["kind"] for row in systems for name, value in row["measures"].items()}
    measures = sorted(kinds, key=lambda name: kinds[name] != "human")  # people first
    section = Section(
        "Systems", f"{plural(len(systems), 'system')} by {plural(len(measures), 'measure')}."
    )
    more = Section("Pictures of more measures")
    for place, measure in enumerate(measures):
        bars = [_bar(row, measure) for row in systems if measure in row["measures"]]
        target = section if place < _PICTURED else more
        target.figure(intervals(bars, measure), f"{measure}, with 95 % intervals over items.")
    section.fold(more)
    for study in content.get("ranks") or ():
        _ranks(section, study)
    section.table(
        ("system", *measures, "words"),
        [
            (row["system"], *(_cell(row, measure) for measure in measures), row.get("words"))
            for row in systems
        ],
    )
    section.table(
        ("system", *measures),
        [(row["system"], *(_groups(row, measure) for measure in measures)) for row in systems],
        "Groups: systems that share a letter cannot be told apart by that measure",
    )
    section.fold(_parts(systems)).fold(_tests(content["comparisons"]))
    section.fold(_lengths(content.get("lengths") or ()))
    signatures = [each["signature"] for row in systems for each in row["measures"].values()]
    return Chapter(_verdict(content, systems, measures), section.signatures(signatures))


def _verdict(
    content: Content, systems: Sequence[Mapping[str, Any]], measures: Sequence[str]
) -> Verdict:
    human = [
        name
        for name in measures
        if any(row["measures"].get(name, {}).get("kind") == "human" for row in systems)
    ]
    measure = "overall" if "overall" in human else (human or list(measures))[0]
    rows = [row for row in systems if measure in row["measures"]]
    best = max(rows, key=lambda row: float(row["measures"][measure]["value"]))
    value = best["measures"][measure]
    return Verdict(
        content["verdict"], value["value"], ends_of(value["ci"]), f"{measure} of {best['system']}"
    )


def _bar(row: Mapping[str, Any], measure: str) -> tuple[str, float, float, float]:
    value = row["measures"][measure]
    ends = ends_of(value["ci"]) or (value["value"], value["value"])
    return (row["system"], value["value"], *ends)


def _cell(row: Mapping[str, Any], measure: str) -> Cell:
    value = row["measures"].get(measure)
    return None if value is None else ranged(value["value"], value["ci"])


def _groups(row: Mapping[str, Any], measure: str) -> Cell:
    value = row["measures"].get(measure)
    return None if value is None else value.get("groups") or None


def _ranks(section: Section, study: Mapping[str, Any]) -> None:
    """Bradley-Terry strengths, a heat map of pairwise wins, and mean ranks of one question."""
    question = study["human"]
    bars = [(each["system"], each["strength"], *each["strength_ci"]) for each in study["systems"]]
    section.figure(
        intervals(bars, "log strength, higher is better"),
        f"{question}: Bradley–Terry strength with ties, 95 % intervals over items.",
    )
    duels = study["duels"]
    shares = win_shares(duels["wins"], duels["ties"])
    section.figure(
        heat_map(duels["systems"], shares, "share of wins, left against top"),
        f"{question}: pairwise wins, ties counted as half.",
    )
    test = study["friedman"]
    told = f"Friedman: χ² = {test['statistic']:.2f}, p {p_text(test['p'])}." if test["p"] is not None else study["note"]  # fmt: skip
    fold = Section(f"Mean ranks, {question}", told)
    section.fold(
        fold.table(
            ("system", "mean rank", "strength", "group"),
            [
                (
                    each["system"],
                    ranged(each["mean_rank"], each["mean_rank_ci"]),
                    ranged(each["strength"], each["strength_ci"]),
                    each["groups"],
                )
                for each in study["systems"]
            ],
        )
    )


def _parts(systems: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("Precision, recall and F")
    rows = [
        (row["system"], measure, value["parts"])
        for row in systems
        for measure, value in row["measures"].items()
        if value.get("parts")
    ]
    names = list(dict.fromkeys(name for *_, parts in rows for name in parts))
    if not rows:
        return section
    return section.table(
        ("system", "measure", *names),
        [(system, measure, *(parts.get(n) for n in names)) for system, measure, parts in rows],
    )


def _tests(tests: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("Tests between every two systems")
    if not tests:
        return section
    return section.table(
        ("measure", "first", "second", "difference", "p corrected", "win/tie/loss", "at equal length"),
        [
            (
                each["measure"],
                each["first"],
                each["second"],
                ranged(each["difference"], each["ci"]),
                PValue(each["p_corrected"]),
                "/".join(str(each[name]) for name in ("wins", "ties", "losses")),
                ranged(each.get("equal_length"), each.get("equal_length_ci")),
            )
            for each in tests
        ],
    )  # fmt: skip


def _lengths(lengths: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("What length alone does")
    if not lengths:
        return section
    return section.table(
        ("measure", "change when an output doubles in length"),
        [(each["measure"], ranged(each["per_doubling"], each["ci"])) for each in lengths],
    )
