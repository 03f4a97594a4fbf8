"""Counts and lists in messages: one item, two items; a, b and c."""

from __future__ import annotations

import re
from collections.abc import Sequence


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun in the singular or plural.

    >>> plural(1, "item"), plural(1200, "record"), plural(0, "summary", "summaries")
    ('1 item', '1,200 records', '0 summaries')
    """
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names as part of a sentence, at most so many of them.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], most=1)
    ('a', 'a, b and c', 'a and 2 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """Return a key that sorts names as people do: by words, and by the numbers in them.

    >>> sorted(["w10", "w2", "ann", "w1"], key=natural)
    ['ann', 'w1', 'w2', 'w10']
    """
    parts = re.findall(r"([^0-9]*)([0-9]*)", name)
    return tuple((text, int(digits or -1)) for text, digits in parts)


def excerpt(text: str, longest: int) -> str:
    """Return the beginning of a text, with an ellipsis if it is longer.

    >>> excerpt("The dam was opened", 9)
    'The dam…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
