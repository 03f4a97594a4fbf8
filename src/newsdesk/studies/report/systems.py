"""The chapter of `newsdesk study compare --json`: systems by metrics and people, with groups that cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.results.numbers import p_text
from newsdesk.results.page import Section, Verdict
from newsdesk.results.plots import heat_map, intervals, stacked, win_shares
from newsdesk.results.table import Cell, PValue, ranged
from newsdesk.studies.report.chapter import Chapter, Content, ends_of
from newsdesk.wording import plural

_PICTURED = 3  # measures with a picture that is not folded
_MOST_TESTS = 400  # rows of the table of tests
_FEW = 12  # systems beyond which only the first measure has one


def systems_chapter(content: Content) -> Chapter:
    """Systems compared: the sentence of the study, intervals by measure, a heat map of wins, the table with groups, and tests folded."""
    rows = content["systems"]
    kinds = {name: value["kind"] for row in rows for name, value in row["measures"].items()}
    measures = sorted(kinds, key=lambda name: kinds[name] != "human")  # people first
    primary = _primary(kinds, measures)
    systems = sorted(rows, key=lambda row: -_value(row, primary))
    section = Section("Systems", _lead(systems, measures, primary))
    more = Section("Pictures of more measures")
    for place, measure in enumerate(measures):
        bars = [_bar(row, measure) for row in systems if measure in row["measures"]]
        target = section if place < (_PICTURED if len(systems) <= _FEW else 1) else more
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
    groups = Section("Groups of systems that cannot be told apart").table(
        ("system", *measures),
        [(row["system"], *(_groups(row, measure) for measure in measures)) for row in systems],
        "Systems that share a letter cannot be told apart by that measure",
    )
    section.fold(groups) if len(systems) > _FEW else section.extend(groups)
    section.fold(_parts(systems)).fold(
        _tests(content["comparisons"], systems[0]["system"], primary)
    )
    section.fold(_lengths(content.get("lengths") or ()))
    signatures = [each["signature"] for row in systems for each in row["measures"].values()]
    return Chapter(_verdict(content, systems[0], primary), section.signatures(signatures))


def _primary(kinds: Mapping[str, str], measures: Sequence[str]) -> str:
    """The measure that the verdict goes by: `overall`, else the first human question, else the first metric."""
    return "overall" if kinds.get("overall") == "human" else measures[0]


def _value(row: Mapping[str, Any], measure: str) -> float:
    return float(row["measures"][measure]["value"]) if measure in row["measures"] else -math.inf


def _lead(systems: Sequence[Mapping[str, Any]], measures: Sequence[str], primary: str) -> str:
    items = max(value["n"] for row in systems for value in row["measures"].values())
    return f"{plural(len(systems), 'system')} by {plural(len(measures), 'measure')} on up to {plural(items, 'item')}, best first by {primary}. A dot is the mean over items, a line its 95 % interval: where the mean of other items of this kind would lie."


def _verdict(content: Content, best: Mapping[str, Any], primary: str) -> Verdict:
    value = best["measures"][primary]
    label = f"{primary} of {best['system']}"
    return Verdict(content["verdict"], value["value"], ends_of(value["ci"]), label)


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
    names = [each["system"] for each in study["systems"]]
    if all(each.get("places") for each in study["systems"]):
        used = max(len(each["places"]) for each in study["systems"])
        section.figure(
            stacked(
                [(each["system"], each["places"]) for each in study["systems"]],
                [f"place {place + 1}" for place in range(used)],
                "rankings",
            ),
            f"{question}: how often each system came first, second, … (the strongest colour is first).",
        )
    duels = study["duels"]
    order = [duels["systems"].index(name) for name in names]
    wins, ties = (
        [[duels[kind][row][column] for column in order] for row in order]
        for kind in ("wins", "ties")
    )
    section.figure(
        heat_map(names, win_shares(wins, ties), "share of wins, left against top"),
        f"{question}: pairwise wins, ties counted as half; best first. Read a row: green where it wins more often than it loses.",
    )
    test = study["friedman"]
    friedman = f"Friedman: χ² = {test['statistic']:.2f}, p {p_text(test['p'])}." if test["p"] is not None else study["note"]  # fmt: skip
    fold = Section(f"Mean ranks, {question}", friedman)
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


def _tests(tests: Sequence[Mapping[str, Any]], best: str, primary: str) -> Section:
    """Tests between systems; of many, those of the measure of the verdict and those against the best system."""
    shown = [
        test
        for test in tests
        if len(tests) <= _MOST_TESTS
        or test["measure"] == primary
        or best in (test["first"], test["second"])
    ]
    title = "Tests between every two systems"
    if len(shown) < len(tests):
        title += f": those by {primary} and those against {best} (the JSON has all {len(tests):,})"
    section = Section(title)
    if not shown:
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
            for each in shown
        ],
    )  # fmt: skip


def _lengths(lengths: Sequence[Mapping[str, Any]]) -> Section:
    section = Section("What length alone does")
    if not lengths:
        return section
    return section.table(
        ("measure", "change when an output doubles in length"),
        [(length["measure"], ranged(length["per_doubling"], length["ci"])) for length in lengths],
    )
