"""The accounts of corpus steps as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsdesk.cli.table import Cell, table

if TYPE_CHECKING:
    from newsdesk.corpus.tally import StepTally


def accounts_table(*tallies: tuple[str, StepTally]) -> str:
    """Read, kept and dropped of each step, a line for each reason; notes are counts that are no losses."""
    rows: list[list[Cell]] = []
    for unit, tally in tallies:
        rows += [[unit, "read", tally.read], ["", "kept", tally.kept]]
        rows += [["", f"dropped: {reason}", n] for reason, n in sorted(tally.dropped.items())]
        rows += [["", f"note: {what}", n] for what, n in sorted(tally.notes.items())]
    return table(["unit", "account", "count"], rows)
