"""Shortening of an English sentence by deletion only: what goes is a whole modifier, and what stays is said in the source's own words.

Rules without a parser, in the manner of Knight and Marcu's (2002) and Clarke and Lapata's (2008) compression but by hand: datelines, weekdays, parentheses, "-ing" and relative
clauses, appositions, "including …", pairs of dashes, leading conjunctions, "in a statement", "also", and a headline that was glued to the first sentence. No rule looks
inside quotation marks, and none may delete a negation, a modal, an attribution or a part of a name (`deletions` checks all of it again).
Each rule names a span; spans that overlap an earlier one are dropped, and a shortened sentence that fails the check stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from newsdesk.summarizers.datelines import dateline_end, headline_end
from newsdesk.summarizers.deletion_rules import MASK, RULES
from newsdesk.summarizers.deletions import guarded, quoted_spans, refusal

VERSION = 2  # of the rules: raised whenever one changes what is deleted
_FEWEST_WORDS = 7
_SHORTEST = 0.4  # of the words of the source


@dataclass(frozen=True, slots=True)
class Deletion:
    """A span of the source that goes, and the rule that says so."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True)
class Shortened:
    """A sentence as it is printed, its source, and the rules that were applied; none where it stays as it stands."""

    text: str
    source: str
    rules: tuple[str, ...] = ()


def shorten(source: str, *, first: bool = False, title: str = "") -> Shortened:
    """Delete what the rules allow; `first` says that the sentence opens its article, `title` is the article's.

    >>> shorten("The council, which met on Monday, voted to close the old harbour bridge (built in 1912).").text
    'The council voted to close the old harbour bridge.'
    """
    deletions: list[Deletion] = []
    for deletion in sorted(_proposed(source, first=first, title=title), key=_by_start):
        if not deletions or deletion.start >= deletions[-1].end:
            trial = [*deletions, deletion]
            if not refusal(_applied(source, trial), source, dateline=_of_opening(trial)):
                deletions = trial
    text = _applied(source, deletions)
    words, before = len(text.split()), len(source.split())
    if not deletions or words < _FEWEST_WORDS or words < _SHORTEST * before:
        return Shortened(source, source)
    return Shortened(text, source, tuple(each.rule for each in deletions))


def _of_opening(deletions: list[Deletion]) -> int:
    """Up to which character the source may be deleted without a check of names: its dateline or headline."""
    return max(
        (deletion.end for deletion in deletions if deletion.rule in ("dateline", "headline")),
        default=0,
    )


def _by_start(deletion: Deletion) -> tuple[int, int]:
    return deletion.start, -deletion.end


def _proposed(source: str, *, first: bool, title: str) -> Iterator[Deletion]:
    masked = source
    for start, end in quoted_spans(source):
        masked = f"{masked[:start]}{MASK * (end - start)}{masked[end:]}"
    headline = headline_end(source, title) if first else 0
    opening = headline + dateline_end(masked[headline:], first=first)
    if opening:
        yield Deletion(0, opening, "headline" if headline else "dateline")
    for name, rule in RULES.items():
        for start, end in rule(masked):
            if start >= opening and not guarded(masked[start:end]):
                yield Deletion(start, end, name)


def _applied(source: str, deletions: list[Deletion]) -> str:
    """The source without the spans; the first letter is a capital."""
    at, parts = 0, []
    for deletion in deletions:
        parts.append(source[at : deletion.start])
        at = deletion.end
        if parts[-1][-1:].isalnum() and source[at : at + 1].isalnum():
            parts.append(" ")
    text = re.sub(r"\s+([.,;:!?])", r"\1", " ".join("".join([*parts, source[at:]]).split()))
    if not source.endswith(".."):
        text = re.sub(r"\.\.$", ".", text)  # "Fletcher Jr., whose fund is bankrupt."
    return text[:1].upper() + text[1:] if deletions and deletions[0].start == 0 else text
