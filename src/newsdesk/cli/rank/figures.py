"""What the ranking commands share: depths in, figures with their intervals out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli.table import with_ends

if TYPE_CHECKING:
    from newsdesk.rankers.evaluate import Evaluation, Measured

_SETTINGS = re.compile(r"\(.*\)", re.DOTALL)


def depths_of(text: str) -> list[int]:
    """The depths of a list such as 1,5,10."""
    try:
        ks = [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list like 1,5,10", param_hint="--k") from None
    if min(ks) < 1 or len(set(ks)) != len(ks):
        raise click.BadParameter(f"{text!r} repeats a depth or has one below 1", param_hint="--k")
    return ks


def as_json(found: Evaluation) -> dict[str, Any]:
    """Every figure of every system, the tests between every two, and the ceiling."""
    systems = [
        {
            "system": name,
            **{figure: each.value for figure, each in measured.items()},
            "n": found.n,
            "ci": {figure: each.ci for figure, each in measured.items()},
            "signature": found.signature,
        }
        for name, measured in found.systems.items()
    ]
    comparisons = [asdict(each) for each in found.comparisons]
    return {"systems": systems, "comparisons": comparisons, "ceiling": found.ceiling}


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names without their settings, where no two of them are confused by it.

    >>> short_names(["svr(cost=1)/deep", "svr(cost=1)/shallow", "ranksvm(cost=1)", "ranksvm(cost=2)"])["svr(cost=1)/deep"]
    'svr/deep'
    """
    bare = {name: _SETTINGS.sub("", name) for name in names}
    counts = Counter(bare.values())
    return {name: short if counts[short] == 1 else name for name, short in bare.items()}


def cell(measured: Measured) -> str | None:
    """A figure with its interval, or nothing."""
    return None if measured.value is None else number(measured.value, measured.ci)


def number(value: float | None, ci: tuple[float, float] | None) -> str | None:
    """A number with its interval, or nothing."""
    if value is None or ci is None:
        return None
    return with_ends(value, ci)
