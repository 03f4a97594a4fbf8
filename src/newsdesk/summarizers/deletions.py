"""The checker of shortened sentences: a text passes only if it is its source with words deleted, and none that a reader would miss.

A shortened sentence passes if its words are those of the source in the same order with some left out; if every quotation is there unchanged; if no negation,
no modal and no attribution was left out (`guarded_en.txt`); if no name was cut in two; and if it ends with a final mark where the source does. Whoever
wrote it, rules or a network, the same check is run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from newsdesk.packaged import table

_WORD = re.compile(r"\w+(?:[.'’-]\w+)*|n['’]t|['’]\w+", re.IGNORECASE)
_MARK = re.compile('["“”]')
_SINGLE = re.compile(r"(?<!\w)[‘'][^‘’']*[’'](?!\w)")
_NAMES = ("May", "Will")
_FINAL = re.compile(r"[.!?…。！？][\"'”’)\]]*\s*$")
_DATE_NAME = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|But|And|However|Meanwhile|Moreover|Furthermore|In|On|Also|Additionally|Nevertheless|Nonetheless|Still|Indeed|Of|Finally|Overall|Thus|Therefore|Similarly|Likewise|Ultimately|Notably"
)


def refusal(text: str, source: str, *, dateline: int = 0) -> str:
    """Why a text is no permitted deletion of its source; empty if it is one. Before the character `dateline` anything may go.

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
    """Where quotations stand, marks included; one that is not opened begins with the text, one that is not closed ends with it.

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
    return any(start < span[1] and span[0] < end for start, end in spans)


def _closes(text: str, at: int) -> bool:
    """True if a mark can only be a closing one."""
    return text[at] == "”" or (
        at > 0 and not text[at - 1].isspace() and text[at - 1] not in "([—–-"
    )


def _quotations(text: str) -> list[str]:
    return [text[start:end] for start, end in quoted_spans(text)]


def guarded(text: str) -> bool:
    """True if a text holds a negation, a modal or an attribution; May and Will with a capital are names."""
    return any(
        word not in _NAMES
        and (
            word.lower() in _guarded()
            or word.lower().endswith(("n't", "n’t", "'ll", "’ll", "'d", "’d"))
        )
        for word in (match[0] for match in _WORD.finditer(text))
    )


def _aligned(ours: Sequence[str], theirs: Sequence[str], open_: Sequence[bool]) -> set[int] | None:
    """The places of our words in the source, as late as possible for the first and then in order; None if they are no subsequence."""
    places: list[int] = []
    at = len(theirs) - 1
    for number in range(len(ours) - 1, -1, -1):
        word = ours[number]
        while at >= 0 and not (open_[at] and _same(word, theirs[at], first=number == 0)):
            at -= 1
        if at < 0:
            return None
        places.append(at)
        at -= 1
    return set(places)


def _same(word: str, other: str, *, first: bool) -> bool:
    return word == other or (first and word == other[:1].upper() + other[1:])


def _cut_name(
    source: str, matches: Sequence[re.Match[str]], left_out: set[int], dateline: int
) -> str:
    """A reason if a run of capitalized words lost some of its words and kept others."""
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
