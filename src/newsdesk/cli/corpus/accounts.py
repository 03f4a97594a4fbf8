"""Accounts of the corpus steps as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsdesk.cli.table import Cell
    from newsdesk.corpus.tally import Tally


def tally_rows(unit: str, tally: Tally) -> list[list[Cell]]:
    """Read, kept and dropped of a step, a line for each reason; notes are counts that are no losses."""
    rows: list[list[Cell]] = [[unit, "read", tally.read], ["", "kept", tally.kept]]
    rows += [["", f"dropped: {reason}", n] for reason, n in sorted(tally.dropped.items())]
    rows += [["", f"note: {what}", n] for what, n in sorted(tally.notes.items())]
    return rows
