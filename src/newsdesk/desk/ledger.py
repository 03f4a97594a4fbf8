"""What a run of a desk brought: new articles by day, events opened, grown and closed, and articles that changed their event."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from newsdesk.files import atomic
from newsdesk.jsonl import json_line, json_value
from newsdesk.work import digest_of

Events = Mapping[str, str]  # article → event


def events_of(path: Path) -> dict[str, str]:
    """Return the event of each article that a file of explanations holds; nothing where there is none."""
    if not path.is_file():
        return {}
    rows = map(json_value, path.read_bytes().splitlines())
    return {row["article"]: row["cluster"] for row in rows}


def entry(
    number: int, before: Events, after: Events, days: Mapping[str, str], *, open_days: Sequence[str]
) -> dict[str, Any]:
    """Return the entry of a run: `days` has the day of each article, `open_days` those on which an event is still open.

    Articles of days before the latest day of the last run are late: they may change what was decided on their day and the days it reaches.
    """
    new = [name for name in after if name not in before]
    latest = max((days[name] for name in before if name in days), default="")
    members: dict[str, list[str]] = defaultdict(list)
    for name, event in after.items():
        members[event].append(name)
    known = set(before.values())
    return {
        "run": number,
        "new": dict(sorted(Counter(days[name] for name in new).items())),
        "late": sorted(name for name in new if days[name] < latest),
        "removed": sorted(name for name in before if name not in after),
        "opened": sorted(event for event in members if event not in known),
        "grown": sorted({after[name] for name in new} & known),
        "gone": sorted(known - set(members)),
        "moved": [
            {"article": name, "from": before[name], "to": after[name]}
            for name in sorted(before)
            if name in after and before[name] != after[name]
        ],
        "open": sum(any(days[name] in open_days for name in names) for names in members.values()),
        "state": digest_of(sorted(after.items())),
    }


def append(path: Path, before: Events, after: Events, days: Mapping[str, str], open_days: Sequence[str]) -> bool:  # fmt: skip
    """Append the entry of a run unless it brought nothing, or was written already before a kill; return whether it was."""
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
    state = digest_of(sorted(after.items()))
    if lines and json_value(lines[-1])["state"] == state:
        return False
    row = entry(len(lines) + 1, before, after, days, open_days=open_days)
    with atomic(path, overwrite=True) as stream:
        stream.writelines([*lines, json_line(row)])
    return True
