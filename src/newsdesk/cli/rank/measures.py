"""Shared by the ranking commands: parsing of cutoffs, formatting of measures with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from newsdesk.cli.table import with_ends

if TYPE_CHECKING:
    from newsdesk.rankers.evaluation.evaluate import MeasuredRanker


def depths_of(text: str) -> list[int]:
    """Parse a list of cutoffs k such as 1,5,10."""
    try:
        ks = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list like 1,5,10", param_hint="--k") from None
    if min(ks) < 1 or len(set(ks)) != len(ks):
        raise click.BadParameter(f"{text!r} repeats a depth or has one below 1", param_hint="--k")
    return ks


def cell(measured: MeasuredRanker) -> str | None:
    """A measure with its interval as text; None where it has no value."""
    return None if measured.value is None else number(measured.value, measured.ci)


def number(value: float | None, ci: tuple[float, float] | None) -> str | None:
    """A number with its interval as text; None where either is missing."""
    if value is None or ci is None:
        return None
    return with_ends(value, ci)
