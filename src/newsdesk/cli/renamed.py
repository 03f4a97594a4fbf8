"""Accept options under the names that they had before, for one version, with a line on stderr that names the new one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import click

# Old name → new name → the commands that had the old one.
RENAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "--by": {"--keep": ("corpus truncate",)},
    "--comments": {"--per-article": ("study plan",)},
    "--concurrency": {"--jobs": ("corpus archive",)},
    "--count": {"--top": ("rank audit", "study next")},
    "--data": {"--data-file": ("study claims",)},
    "--date": {"--day": ("corpus events",)},
    "--dev": {"--dev-share": ("comment compare",)},
    "--events": {"--cited-by": ("corpus dedup", "corpus stats")},
    "--format": {
        "--output-format": ("score",),
        "--input-format": (
            *("campaign gains", "campaign new", "campaign report", "comment compare"),
            *("comment fit", "comment suggest", "corpus comments", "corpus stats", "rank apply"),
            *("rank audit", "rank compare", "rank eval", "rank explain", "rank fit", "rank game"),
            *("rank vectors", "records check", "records convert", "study next", "study plan"),
        ),
    },
    "-k": {"--top": ("study plan",)},
    "--k": {"--top": ("study plan",)},
    "--map": {"--weights": ("campaign weights",)},
    "--model": {"--fitted": ("summarize",)},
    "--models": {"--model-dir": ("corpus forget",)},
    "--most": {"--top": ("rank explain",)},
    "--number": {"--top": ("comment suggest",)},
    "--per-item": {"--item-scores": ("score",)},
    "--processes": {"--jobs": ("serve",)},
    "--question": {"--questions": ("study compare", "study correlate")},
    "--since": {"--after": ("summarize",)},
    "--test": {"--significance": ("score",), "--test-share": ("comment compare",)},
    "--workers": {"--jobs": ("corpus articles", "corpus build", "corpus rebuild")},
}


def renamed(command: str, words: Sequence[str]) -> list[str]:
    """Return the words of a command line with the new names of options, and say which were old."""
    names = {
        old: new
        for old, uses in RENAMED.items()
        for new, commands in uses.items()
        if command in commands
    }
    values = list(itertools.dropwhile(lambda word: word != "--", words))
    return [*_translated(words[: len(words) - len(values)], names), *values]


def _translated(words: Sequence[str], names: dict[str, str]) -> Iterator[str]:
    for word in words:
        old, equals, value = word.partition("=")
        if old not in names and word[:1] == "-" != word[1:2]:  # a value may follow one letter
            old, equals, value = word[:2], "=", word[2:]
        if old not in names:
            yield word
            continue
        click.echo(
            f"note: {old} is now {names[old]}; the old name goes in the next version", err=True
        )
        yield f"{names[old]}{equals}{value}"
