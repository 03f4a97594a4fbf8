"""True sentences made false by rule: another number, name, date, a negation more or less, two names that change places."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_NUMBER = re.compile(
    r"(?<![\w.,-])\d{1,3}(?:,\d{3})*(?![\w,.-]?\d)(?!\w)|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b"
)
_DATES = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "January February April June July August September October November December".split(),
)
_DATE = re.compile("|".join(rf"\b{name}\b" for names in _DATES for name in names))
_VERB = re.compile(
    r"\b(?:is|was|were|are|has|had|have|will|can|could|would|should)\b(?! n[o']t|n't| never)"
)
_NOT = re.compile(r" not\b| never\b|(?<=[a-z])n['’]t\b")
_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-zé]+(?: [A-Z][a-zé]+)*)(?=[ .,])")


def another_number(text: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Change a number; in words or digits as it was."""
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return None
    match = draw.choice(matches)
    if match[0][0].isdigit():
        value = int(match[0].replace(",", ""))
        other = (
            f"{value + draw.choice([1, 2, 5, 10, 40]):,}"
            if "," in match[0]
            else str(value + draw.choice([1, 2, 5, 10, 40]))
        )
    else:
        other = draw.choice(
            [
                word
                for word in ("two", "three", "seven", "nine", "twelve", "thirty")
                if word != match[0]
            ]
        )
    return text[: match.start()] + other + text[match.end() :]


def another_date(text: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Change a weekday or a month."""
    matches = list(_DATE.finditer(text))
    if not matches:
        return None
    match = draw.choice(matches)
    group = next(group for group in _DATES if match[0] in group)
    return (
        text[: match.start()]
        + draw.choice([name for name in group if name != match[0]])
        + text[match.end() :]
    )


def another_name(text: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Put another name of the same cluster in place of a name."""
    matches = [match for match in _NAME.finditer(text) if not _DATE.search(match[0])]
    if not matches:
        return None
    match = draw.choice(matches)
    others = [name for name in names if not set(name.split()) & set(text.split())]
    return text[: match.start()] + draw.choice(others) + text[match.end() :] if others else None


def negated(text: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Remove a negation, or put one behind an auxiliary verb."""
    if match := _NOT.search(text):
        return text[: match.start()] + text[match.end() :]
    matches = list(_VERB.finditer(text))
    if not matches:
        return None
    match = draw.choice(matches)
    return text[: match.end()] + " not" + text[match.end() :]


def swapped(text: str, names: Sequence[str], draw: random.Random) -> str | None:
    """Let two names change places."""
    matches = [match for match in _NAME.finditer(text) if not _DATE.search(match[0])]
    pairs = [
        (a, b)
        for a in matches
        for b in matches
        if a.end() < b.start() and a[0] not in b[0] and b[0] not in a[0]
    ]
    if not pairs:
        return None
    first, second = draw.choice(pairs)
    between = text[first.end() : second.start()]
    if re.fullmatch(r",? (?:and |or )?", between):  # a list says the same in any order
        return None
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


KINDS: dict[str, Callable[[str, Sequence[str], random.Random], str | None]] = {
    "number": another_number,
    "name": another_name,
    "date": another_date,
    "negation": negated,
    "roles": swapped,
}


def names_of(texts: Sequence[str]) -> list[str]:
    """Return the names of texts, as they are written."""
    return sorted(
        {match[0] for text in texts for match in _NAME.finditer(text) if not _DATE.search(match[0])}
    )
