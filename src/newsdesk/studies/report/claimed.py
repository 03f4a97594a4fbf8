"""The chapter of `newsdesk study claims --json`: which numbers of a paper were reproduced, drifted or could not be obtained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from newsdesk.results.page import Section, Verdict
from newsdesk.results.plots import stacked
from newsdesk.studies.report.chapter import Chapter, Content
from newsdesk.wording import plural

_ANSWERS = ("reproduced", "drifted", "not obtainable")


def claims_chapter(content: Content) -> Chapter:
    """Checked claims: a verdict on the numbers that can be obtained, a bar per claim, tables of drifted and other numbers, commands and hashes."""
    rows = content["claims"]
    section = Section("Claims", f"{plural(len(rows), 'number')} of {_papers(rows)}.")
    groups = _groups(rows)
    bars = [
        (name, [float(sum(row["answer"] == answer for row in group)) for answer in _ANSWERS])
        for name, group in groups.items()
    ]
    section.figure(stacked(bars, _ANSWERS, "numbers"), "What came of the numbers of each claim.")
    drifted = [row for row in rows if row["answer"] == "drifted"]
    if drifted:
        section.include(_numbers(Section("Drifted"), drifted))
    missing = [(name, group) for name, group in groups.items() if _missing(group)]
    if missing:
        section.include(
            Section("Not obtainable").table(
                ("claim", "numbers", "why", "simulated counterpart"),
                [
                    (name, len(_missing(group)), _reasons(group), group[0]["counterpart"] or None)
                    for name, group in missing
                ],
            )
        )
    section.fold(_numbers(Section("Every number"), rows)).fold(_commands(groups))
    return Chapter(_verdict(rows), section)


def _verdict(rows: Sequence[Mapping[str, Any]]) -> Verdict:
    real = [row for row in rows if not row["simulated"]]
    parts = [_counted(real, "number")] if real else []
    if len(real) < len(rows):
        parts.append(_counted([row for row in rows if row["simulated"]], "simulated number"))
    reproduced = sum(row["answer"] == "reproduced" for row in rows)
    checked = sum(row["answer"] != "not obtainable" for row in rows)
    value = reproduced / checked if checked else None
    label = f"of {plural(checked, 'number')} that could be checked, reproduced"
    return Verdict("; ".join(parts) + ".", value, None, label)


def _counted(rows: Sequence[Mapping[str, Any]], noun: str) -> str:
    counts = [(sum(row["answer"] == answer for row in rows), answer) for answer in _ANSWERS]
    answers = ", ".join(f"{count} {answer}" for count, answer in counts if count)
    return f"Of {plural(len(rows), noun)}: {answers}"


def _papers(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(row["paper"] for row in rows))


def _groups(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        name = f"{row['where']} (simulated)" if row["simulated"] else row["where"]
        groups.setdefault(f"{row['id']}: {name}", []).append(row)
    return groups


def _missing(group: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [row for row in group if row["answer"] == "not obtainable"]


def _reasons(group: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(dict.fromkeys(row["reason"] for row in _missing(group)))


def _numbers(section: Section, rows: Sequence[Mapping[str, Any]]) -> Section:
    return section.table(
        ("claim", "number", "claimed", "obtained", "drift", "answer"),
        [
            (
                row["id"],
                " ".join(filter(None, (row["row"], row["column"]))) or row["what"],
                _digits(row["claimed"]),
                _digits(row["obtained"]),
                _digits(row["drift"]),
                row["answer"],
            )
            for row in rows
        ],
    )


def _digits(value: float | None) -> str | None:
    """A number of a paper with the digits it has: tables of several papers share no scale."""
    return None if value is None else f"{value:.5g}"


def _commands(groups: Mapping[str, Sequence[Mapping[str, Any]]]) -> Section:
    section = Section("Commands and data hashes")
    for name, group in groups.items():
        commands = list(dict.fromkeys(row["command"] for row in group if row["command"]))
        hashes = {key: text for row in group for key, text in row["data"].items()}
        if commands:
            section.text(name).command("\n".join(commands))
            section.signatures([f"{key} sha256:{text}" for key, text in hashes.items()])
    return section
