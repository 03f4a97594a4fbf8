"""What a sentence says otherwise than the source sentence it is aligned with: figures, dates, names, negations, and who did what.

A number, date, name or negation has to stand in the source, beside the words that it stands beside in the sentence. A negation of the source may not be
missing between words that were kept. Dates may be said otherwise: "Friday" for the third of May, if the article is of that week.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from newsdesk.summarizers.verify.claims import FACTS, ClaimWord

_REACH = 4  # words of the source within which a neighbour still stands beside a word
_SHORT_GAP = 4  # words left out, within which a negation belongs to what was kept
_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEK = 7


def conflicts(
    claim: Sequence[ClaimWord],
    source: Sequence[ClaimWord],
    places: Sequence[int | None],
    *,
    known: Collection[str] = (),
    dates: Collection[str] = (),
) -> list[str]:
    """Return what a sentence says otherwise than its source, in words; empty if nothing.

    `known` are keys of names that may stand in place of a pronoun, `dates` those of the days that the source speaks of in other words.
    """
    return [
        *_absent(claim, source, places, known, dates),
        *_displaced(claim, source, places),
        *_dropped(source, places),
    ]


def _absent(
    claim: Sequence[ClaimWord],
    source: Sequence[ClaimWord],
    places: Sequence[int | None],
    known: Collection[str],
    dates: Collection[str],
) -> Iterator[str]:
    """Yield the facts that the source does not have."""
    keys = {word.key for word in source}
    for at, (word, place) in enumerate(zip(claim, places, strict=True)):
        if place is not None or word.kind not in FACTS:
            continue
        if word.kind in ("date", "number") and word.key in dates:
            continue
        if word.kind == "name" and word.key in keys and _neighbour_is_name(claim, places, at):
            continue
        if word.kind == "name" and word.key in known and _for_pronoun(claim, source, places, at):
            continue
        what = {"negation": "the negation"}.get(word.kind, f"the {word.kind}")
        yield f"{what} “{word.text}” is not in the source there"


def _displaced(
    claim: Sequence[ClaimWord], source: Sequence[ClaimWord], places: Sequence[int | None]
) -> Iterator[str]:
    """Yield the facts that stand beside other words than in the source.

    The words of one name are moved together. A fact at an end of the sentence, from which words after it in the source were left out, stays where it is.
    """
    kept = [
        (at, place)
        for at, place in enumerate(places)
        if place is not None and claim[at].kind != "mark"
    ]
    for first, last in _groups(claim, kept):
        start, end = kept[first][1], kept[last][1]
        before = kept[first - 1][1] if first else None
        after = kept[last + 1][1] if last + 1 < len(kept) else None
        leaps_in = before is not None and start < before
        leaps_out = after is not None and after < end
        left = before is not None and 0 < start - before <= _REACH
        right = after is not None and 0 < after - end <= _REACH
        at_an_end = None in (before, after) and not leaps_in and not leaps_out
        if (left or right or at_an_end) and not (leaps_in and leaps_out):
            continue
        text = " ".join(claim[at].text for at, _ in kept[first : last + 1])
        yield f"“{text}” stands beside other words than in the source"


def _groups(
    claim: Sequence[ClaimWord], kept: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield where facts begin and end among the kept words: a name of several words is one."""
    number = 0
    while number < len(kept):
        kind = claim[kept[number][0]].kind
        last = number
        while (
            kind == "name"
            and last + 1 < len(kept)
            and claim[kept[last + 1][0]].kind == kind
            and kept[last + 1][1] == kept[last][1] + 1
        ):
            last += 1
        if kind in FACTS:
            yield number, last
        number = last + 1


def _dropped(source: Sequence[ClaimWord], places: Sequence[int | None]) -> Iterator[str]:
    """Yield the negations of the source that are missing between words that were kept."""
    kept = [place for place in places if place is not None]
    used = set(kept)
    for first, second in itertools.pairwise(kept):
        if not 1 < second - first <= _SHORT_GAP + 1:
            continue
        for at in range(first + 1, second):
            if source[at].kind == "negation" and at not in used:
                yield f"the source says “{source[at].text}” there"


def _neighbour_is_name(claim: Sequence[ClaimWord], places: Sequence[int | None], at: int) -> bool:
    """Return whether a word beside this one is a name that the source has."""
    return any(
        0 <= other < len(claim) and claim[other].kind == "name" and places[other] is not None
        for other in (at - 1, at + 1)
    )


def _for_pronoun(
    claim: Sequence[ClaimWord],
    source: Sequence[ClaimWord],
    places: Sequence[int | None],
    at: int,
) -> bool:
    """Return whether a pronoun of the source stands where a name of the sentence does."""
    before = next((places[i] for i in range(at - 1, -1, -1) if places[i] is not None), -1)
    after = next(
        (places[i] for i in range(at + 1, len(claim)) if places[i] is not None), len(source)
    )
    assert before is not None and after is not None
    return any(word.kind == "pronoun" for word in source[before + 1 : after])


def days_meant(text: str, date: str | None) -> frozenset[str]:
    """Return the keys of the days that a sentence of an article of this date speaks of in other words.

    >>> sorted(days_meant("He resigned on Friday.", "2019-05-05"))
    ['2019', '3', 'friday', 'may']
    """
    try:
        day = datetime.date.fromisoformat((date or "")[:10])
    except ValueError:
        return frozenset()
    lower = text.lower()
    days = (
        [day]
        if re.search(r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", lower)
        else []
    )
    if re.search(r"\b(?:yesterday|last night)\b", lower):
        days.append(day - datetime.timedelta(1))
    for back in range(_WEEK):
        other = day - datetime.timedelta(back)
        named = _DAYS[other.weekday()] in lower
        written = re.search(
            rf"\b{_MONTHS[other.month - 1][:3]}\w* {other.day}\b|\b{other.day} {_MONTHS[other.month - 1]}\b",
            lower,
        )
        if named or written:
            days.append(other)
    keys = (
        (_DAYS[each.weekday()], _MONTHS[each.month - 1], str(each.day), str(each.year))
        for each in days
    )
    return frozenset(key for group in keys for key in group)
