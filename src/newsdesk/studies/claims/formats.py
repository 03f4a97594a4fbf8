"""Checked claims as JSON, and as one line of text per claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from newsdesk.results.numbers import number_text
from newsdesk.studies.claims.check import Answer, Checked
from newsdesk.studies.claims.claim import ClaimsFile
from newsdesk.wording import plural

_ANSWERS: tuple[Answer, ...] = ("reproduced", "drifted", "not obtainable")


def claims_json(checked: Sequence[Checked]) -> dict[str, Any]:
    """Every number with its answer, and how many there are of each; simulated ones are counted apart."""
    rows = [
        {
            "paper": each.paper,
            "id": each.claim.id,
            "where": each.claim.where,
            "what": each.claim.what,
            "row": each.number.row,
            "column": each.number.column,
            "claimed": each.number.value,
            "obtained": each.obtained,
            "drift": each.drift,
            "tolerance": each.claim.tolerance,
            "answer": each.answer,
            "reason": each.reason,
            "simulated": each.claim.simulated,
            "counterpart": each.claim.counterpart,
            "command": each.command,
            "data": dict(each.hashes),
            "fails": each.fails,
        }
        for each in checked
    ]
    return {"claims": rows, **counts([each for each in checked if not each.claim.simulated]),
            "simulated": counts([each for each in checked if each.claim.simulated])}  # fmt: skip


def counts(checked: Iterable[Checked]) -> dict[str, int]:
    """How many numbers have each answer."""
    tally = Counter(each.answer for each in checked)
    return {name.replace(" ", "_"): tally[name] for name in _ANSWERS}


def claim_rows(checked: Sequence[Checked]) -> list[tuple[str, str, int, str]]:
    """One row per claim: its id, where it stands, how many numbers it has, and what came of them."""
    groups: dict[tuple[str, str], list[Checked]] = {}
    for each in checked:
        groups.setdefault((each.paper, each.claim.id), []).append(each)
    return [
        (name, _where(group[0]), len(group), _told(group)) for (_, name), group in groups.items()
    ]


def _where(checked: Checked) -> str:
    return f"{checked.claim.where} (simulated)" if checked.claim.simulated else checked.claim.where


def _told(group: Sequence[Checked]) -> str:
    """What came of the numbers of one claim, in a few words; of those that drifted the one that drifted most."""
    parts = []
    tally = Counter(each.answer for each in group)
    if tally["reproduced"]:
        parts.append("reproduced" if len(group) == 1 else f"{tally['reproduced']} reproduced")
    drifted = [each for each in group if each.answer == "drifted"]
    if drifted:
        most = max(drifted, key=lambda each: abs(each.drift or 0.0))
        name = " ".join(filter(None, (most.number.row, most.number.column)))
        drift = _signed(most.drift or 0.0)
        many = f"{len(drifted)} drifted, most {name} by {drift}" if name else f"drifted by {drift}"
        parts.append(
            f"{many} ({number_text(most.number.value)} claimed, {number_text(most.obtained or 0.0)} obtained)"
        )
    missing = [each for each in group if each.answer == "not obtainable"]
    if missing:
        reasons = "; ".join(dict.fromkeys(each.reason for each in missing))
        parts.append(f"not obtainable: {reasons}")
        if counterpart := missing[0].claim.counterpart:
            parts.append(f"simulated counterpart: {counterpart}")
    return "; ".join(parts)


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "−") + number_text(abs(value))


def notes(files: Sequence[ClaimsFile]) -> list[str]:
    """What each claims file says about itself, such as which tables of the paper hold no results."""
    return [f"{file.paper}: {file.note}" for file in files if file.note]


def summary(checked: Sequence[Checked]) -> str:
    """How many numbers were reproduced, drifted or not obtainable, in one sentence."""
    real = [each for each in checked if not each.claim.simulated]
    simulated = [each for each in checked if each.claim.simulated]
    parts = []
    for name, group in (("", real), ("simulated ", simulated)):
        if group:
            tally = counts(group)
            answers = ", ".join(f"{count} {key.replace('_', ' ')}" for key, count in tally.items())
            parts.append(f"{plural(len(group), f'{name}number')}: {answers}")
    return "; ".join(parts)
