"""Shortening of an English sentence by deletion only: what goes is a whole modifier, and what stays is said in the source's own words.

Rules without a parser, in the manner of Knight and Marcu's (2002) and Clarke and Lapata's (2008) compression but by hand: datelines, weekdays, parentheses, "-ing" and relative
clauses, appositions, "including …", pairs of dashes, leading conjunctions, "in a statement", "also", and a headline that was glued to the first sentence. No rule looks
inside quotation marks, and none may delete a negation, a modal, an attribution or a part of a name (the checker below tries all of it again).
Each rule names a span; spans that overlap an earlier one are dropped, and a shortened sentence that fails the check stays as it was.

The checker of shortened sentences: a text passes only if it is its source with words deleted, and none that a reader would miss.

A shortened sentence passes if its words are those of the source in the same order with some left out; if every quotation is there unchanged; if no negation,
no modal and no attribution was left out (`guarded_en.txt`); if no name was cut in two; and if it ends with a final mark where the source does. Whoever
wrote it, rules or a network, the same check is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from newsdesk.packaged import table
from newsdesk.summarizers.deletion_rules import MASK, RULES
from newsdesk.summarizers.readable import dateline_end, headline_end

_WORD = re.compile(r"\w+(?:[.'’-]\w+)*|n['’]t|['’]\w+", re.IGNORECASE)
_MARK = re.compile('["“”]')
_SINGLE = re.compile(r"(?<!\w)[‘'][^‘’']*[’'](?!\w)")
_NAMES = ("May", "Will")
_FINAL = re.compile(r"[.!?…。！？][\"'”’)\]]*\s*$")
_DATE_NAME = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|But|And|However|Meanwhile|Moreover|Furthermore|In|On|Also|Additionally|Nevertheless|Nonetheless|Still|Indeed|Of|Finally|Overall|Thus|Therefore|Similarly|Likewise|Ultimately|Notably"
)


def refusal(text: str, source: str, *, dateline: int = 0) -> str:
    """Return why a text is no permitted deletion of its source; empty if it is one.

    Before the character `dateline` anything may go.

    >>> refusal("The bridge fell.", "The bridge nearly fell.")
    ''
    >>> refusal("The mayor resigned.", "The mayor said he never resigned.")
    'it lacks "said" of its source'
    """
    ours = [match[0] for match in _WORD.finditer(text)]
    matches = list(_WORD.finditer(source))
    theirs = [match[0] for match in matches]
    places = _aligned(ours, theirs, [match.start() >= dateline for match in matches])
    if places is None:
        return "its words are not those of its source in order"
    if _quotations(text) != _quotations(source[dateline:]):
        return "a quotation was changed"
    if _FINAL.search(source) and not _FINAL.search(text):
        return "it lacks the final mark of its source"
    left_out = [at for at in range(len(theirs)) if at not in places]
    for at in left_out:
        if matches[at].start() >= dateline and guarded(theirs[at]):
            return f'it lacks "{theirs[at]}" of its source'
    return _cut_name(source, matches, set(left_out), dateline)


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return where quotations stand, marks included.

    One that is not opened begins with the text, one that is not closed ends with it.

    >>> quoted_spans('Go," he said, "now.')
    [(0, 4), (14, 19)]
    """
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for match in _MARK.finditer(text):
        at = match.start()
        if opened is None and _closes(text, at):
            spans = [(0, at + 1)]
        elif opened is None:
            opened = at
        elif text[at] != "“":
            spans.append((opened, at + 1))
            opened = None
    if opened is not None:
        spans.append((opened, len(text)))
    single = (match.span() for match in _SINGLE.finditer(text))
    return sorted([*spans, *(each for each in single if not _within(each, spans))])


def _within(span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    """Return True if a span overlaps one of the others."""
    own_start, own_end = span
    return any(start < own_end and own_start < end for start, end in spans)


def _closes(text: str, at: int) -> bool:
    """Return True if a mark can only be a closing one."""
    return text[at] == "”" or (
        at > 0 and not text[at - 1].isspace() and text[at - 1] not in "([—–-"
    )


def _quotations(text: str) -> list[str]:
    return [text[start:end] for start, end in quoted_spans(text)]


def guarded(text: str) -> bool:
    """Return True if a text holds a negation, a modal or an attribution.

    May and Will with a capital are names.
    """
    return any(
        word not in _NAMES
        and (
            word.lower() in _guarded()
            or word.lower().endswith(("n't", "n’t", "'ll", "’ll", "'d", "’d"))
        )
        for word in (match[0] for match in _WORD.finditer(text))
    )


def _aligned(ours: Sequence[str], theirs: Sequence[str], usable: Sequence[bool]) -> set[int] | None:
    """Return the places of our words among those of the source, each as late as possible.

    Only usable words of the source count. None if ours are no subsequence of them.
    """
    places: list[int] = []
    at = len(theirs) - 1
    for number in range(len(ours) - 1, -1, -1):
        word = ours[number]
        while at >= 0 and not (usable[at] and _same(word, theirs[at], first=number == 0)):
            at -= 1
        if at < 0:
            return None
        places.append(at)
        at -= 1
    return set(places)


def _same(word: str, other: str, *, first: bool) -> bool:
    """Return True if words are equal; the first of a text may have got a capital."""
    return word == other or (first and word == other[:1].upper() + other[1:])


def _cut_name(
    source: str, matches: Sequence[re.Match[str]], left_out: set[int], dateline: int
) -> str:
    """Return a reason if a run of capitalized words lost some of its words and kept others; else "".

    `matches` are the words of the source, `left_out` the numbers of those that were deleted.
    """
    for at in range(1, len(matches)):
        before, after = matches[at - 1], matches[at]
        if before.start() < dateline or (at - 1 in left_out) == (at in left_out):
            continue
        adjacent = source[before.end() : after.start()] == " "
        if adjacent and all(each[0][:1].isupper() for each in (before, after)):
            name = f"{before[0]} {after[0]}"
            if not any(_DATE_NAME.fullmatch(each[0]) for each in (before, after)):
                return f"it cuts the name {name!r}"
    return ""


@cache
def _guarded() -> frozenset[str]:
    return frozenset(table("summarizers", "guarded_en.txt"))


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
    """A sentence as it is printed, its source, and the rules that were applied.

    None where it stays as it stands.
    """

    text: str
    source: str
    rules: tuple[str, ...] = ()


def shorten(source: str, *, first: bool = False, title: str = "") -> Shortened:
    """Delete what the rules allow.

    `first` says that the sentence opens its article, `title` is the article's.

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
    """Return up to which character the source may be deleted unchecked: its dateline or headline."""
    return max(
        (deletion.end for deletion in deletions if deletion.rule in ("dateline", "headline")),
        default=0,
    )


def _by_start(deletion: Deletion) -> tuple[int, int]:
    return deletion.start, -deletion.end


def _proposed(source: str, *, first: bool, title: str) -> Iterator[Deletion]:
    """Yield what the rules would delete: a headline or dateline first, nothing with a guarded word."""
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
    """Return the source without the spans; its first letter is a capital if the beginning went."""
    end, parts = 0, []
    for deletion in deletions:
        parts.append(source[end : deletion.start])
        end = deletion.end
        if parts[-1][-1:].isalnum() and source[end : end + 1].isalnum():
            parts.append(" ")
    spaced = " ".join("".join([*parts, source[end:]]).split())
    text = re.sub(r"\s+([.,;:!?])", r"\1", spaced)
    if not source.endswith(".."):
        text = re.sub(r"\.\.$", ".", text)  # "Fletcher Jr., whose fund is bankrupt."
    return text[:1].upper() + text[1:] if deletions and deletions[0].start == 0 else text
