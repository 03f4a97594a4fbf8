"""Checked claims as a result: JSON, one line of text per claim, and the chapter of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from newsdesk.results.page import Chapter, Section, Verdict
from newsdesk.results.part import ResultPart, json_of
from newsdesk.results.plots import stacked
from newsdesk.results.table import number_text
from newsdesk.studies.claims.claim import ClaimsFile
from newsdesk.wording import plural

Answer: TypeAlias = Literal["reproduced", "drifted", "not obtainable"]

_ANSWERS: tuple[Answer, ...] = get_args(Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedNumber(ResultPart):
    """The answer to one claimed number.

    `fails` says whether a check that must pass, in continuous integration, did not.
    """

    paper: str
    id: str
    where: str
    what: str
    row: str
    column: str
    claimed: float
    obtained: float | None = None
    drift: float | None = None
    tolerance: float
    answer: Answer
    reason: str = ""
    simulated: bool
    counterpart: str
    command: str = ""
    data: Mapping[str, str]
    fails: bool

    @property
    def cell_name(self) -> str:
        """The row and the column of the number in its table; empty for a single number."""
        return " ".join(filter(None, (self.row, self.column)))

    @property
    def stands(self) -> str:
        """Where the claim stands in its paper."""
        return f"{self.where} (simulated)" if self.simulated else self.where


@dataclass(frozen=True, slots=True)
class ClaimsResult(ResultPart):
    """What `newsdesk study claims --json` prints, but for the counts."""

    claims: tuple[CheckedNumber, ...]


def claims_json(checked: Sequence[CheckedNumber]) -> dict[str, Any]:
    """Return every number with its answer, and how many there are of each.

    Simulated ones are counted apart.
    """
    real, simulated = _by_origin(checked)
    return {**json_of(ClaimsResult(tuple(checked))), **_counts(real), "simulated": _counts(simulated)}  # fmt: skip


def _by_origin(
    checked: Iterable[CheckedNumber],
) -> tuple[list[CheckedNumber], list[CheckedNumber]]:
    """Return the numbers that were obtained from real data, and the simulated ones."""
    listed = list(checked)
    return [number for number in listed if not number.simulated], [number for number in listed if number.simulated]  # fmt: skip


def _counts(checked: Iterable[CheckedNumber]) -> dict[str, int]:
    tally = Counter(number.answer for number in checked)
    return {name.replace(" ", "_"): tally[name] for name in _ANSWERS}


def claim_rows(checked: Sequence[CheckedNumber]) -> list[tuple[str, str, int, str]]:
    """Return one row per claim: its id, where it stands, how many numbers it has, and what came of them."""
    groups: dict[tuple[str, str], list[CheckedNumber]] = {}
    for number in checked:
        groups.setdefault((number.paper, number.id), []).append(number)
    return [
        (name, group[0].stands, len(group), _outcome(group)) for (_, name), group in groups.items()
    ]


def _outcome(group: Sequence[CheckedNumber]) -> str:
    """Say what came of the numbers of one claim; of those that drifted the one that drifted most."""
    parts = []
    reproduced, drifted, missing = _split(group)
    if reproduced:
        parts.append("reproduced" if len(group) == 1 else f"{len(reproduced)} reproduced")
    if drifted:
        most = max(drifted, key=lambda number: abs(number.drift or 0.0))
        name, drift = most.cell_name, most.drift or 0.0
        signed = ("+" if drift >= 0 else "−") + number_text(abs(drift))
        drift_text = (
            f"{len(drifted)} drifted, most {name} by {signed}" if name else f"drifted by {signed}"
        )
        parts.append(
            f"{drift_text} ({number_text(most.claimed)} claimed, {number_text(most.obtained or 0.0)} obtained)"
        )
    if missing:
        parts.append(f"not obtainable: {_reasons(missing)}")
        if counterpart := missing[0].counterpart:
            parts.append(f"simulated counterpart: {counterpart}")
    return "; ".join(parts)


def _split(checked: Sequence[CheckedNumber]) -> list[list[CheckedNumber]]:
    """Return the numbers that were reproduced, that drifted and that could not be obtained."""
    return [[number for number in checked if number.answer == answer] for answer in _ANSWERS]


def _reasons(missing: Iterable[CheckedNumber]) -> str:
    return "; ".join(dict.fromkeys(number.reason for number in missing))


def notes(files: Sequence[ClaimsFile]) -> list[str]:
    """Return what each claims file says about itself, such as which tables of the paper hold no results."""
    return [f"{file.paper}: {file.note}" for file in files if file.note]


def summary(checked: Sequence[CheckedNumber]) -> str:
    """Say how many numbers were reproduced, drifted or not obtainable, in one sentence."""
    parts = []
    for name, group in zip(("", "simulated "), _by_origin(checked), strict=True):
        if group:
            tally = zip(_ANSWERS, _split(group), strict=True)
            answers = ", ".join(f"{len(numbers)} {answer}" for answer, numbers in tally)
            parts.append(f"{plural(len(group), f'{name}number')}: {answers}")
    return "; ".join(parts)


def claims_chapter(content: Mapping[str, Any]) -> Chapter:
    """Show checked claims: a verdict, a bar per claim, tables of numbers, commands and hashes."""
    rows = ClaimsResult.decode(content).claims
    papers = ", ".join(dict.fromkeys(row.paper for row in rows))
    section = Section("Claims", f"{plural(len(rows), 'number')} of {papers}.")
    groups: dict[str, list[CheckedNumber]] = {}
    for row in rows:
        groups.setdefault(f"{row.id}: {row.stands}", []).append(row)
    bars = [(name, [float(len(part)) for part in _split(group)]) for name, group in groups.items()]
    section.figure(stacked(bars, _ANSWERS, "numbers"), "What came of the numbers of each claim.")
    _, drifted, missing = _split(rows)
    if drifted:
        section.include(_numbers(Section("Drifted"), drifted))
    if missing:
        section.include(
            Section("Not obtainable").table(
                ("claim", "numbers", "why", "simulated counterpart"),
                [
                    (name, len(absent), _reasons(absent), group[0].counterpart or None)
                    for name, group in groups.items()
                    if (absent := _split(group)[2])
                ],
            )
        )
    section.fold(_numbers(Section("Every number"), rows)).fold(_commands(groups))
    return Chapter(_verdict(rows), section)


def _verdict(rows: Sequence[CheckedNumber]) -> Verdict:
    """Return the share of reproduced numbers among those obtained, and a sentence with all counts."""
    parts = []
    for noun, group in zip(("number", "simulated number"), _by_origin(rows), strict=True):
        if group:
            tally = zip(_ANSWERS, _split(group), strict=True)
            answers = ", ".join(f"{len(part)} {answer}" for answer, part in tally if part)
            parts.append(f"Of {plural(len(group), noun)}: {answers}")
    reproduced, drifted, _ = map(len, _split(rows))
    checked = reproduced + drifted
    label = f"of {plural(checked, 'number')} that could be checked, reproduced"
    return Verdict("; ".join(parts) + ".", reproduced / checked if checked else None, None, label)


def _numbers(section: Section, rows: Sequence[CheckedNumber]) -> Section:
    """Append the numbers with the digits they have: tables of several papers share no scale."""
    return section.table(
        ("claim", "number", "claimed", "obtained", "drift", "answer"),
        [
            (
                row.id,
                row.cell_name or row.what,
                *(
                    None if value is None else f"{value:.5g}"
                    for value in (row.claimed, row.obtained, row.drift)
                ),
                row.answer,
            )
            for row in rows
        ],
    )


def _commands(groups: Mapping[str, Sequence[CheckedNumber]]) -> Section:
    section = Section("Commands and data hashes")
    for name, group in groups.items():
        commands = list(dict.fromkeys(row.command for row in group if row.command))
        hashes = {key: text for row in group for key, text in row.data.items()}
        if commands:
            section.text(name).command("\n".join(commands))
            section.signatures([f"{key} sha256:{text}" for key, text in hashes.items()])
    return section
