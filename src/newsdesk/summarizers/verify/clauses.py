"""Clauses of a sentence: cut at commas, semicolons, colons and dashes, and before what begins a clause, never into very small pieces."""

from __future__ import annotations

import re

from newsdesk.languages import has_spaces

_BORDER = re.compile(
    r"(?<=[,;:])\s+|\s+(?=[–—-]\s)|\s+(?=(?:and|but|while|although|because|after|before|when|who|which|where|whereas|as)\s)"
)
_WIDE_BORDER = re.compile(r"(?<=[，；：、,;])")
_LEAST_WORDS = 4
_LEAST_CHARACTERS = 6


def clauses(sentence: str, lang: str) -> list[str]:
    """Return the clauses of a sentence in order; joined they are the sentence but for white space between them.

    >>> clauses("The dam broke on Friday, and two villages were flooded, police said.", "en")
    ['The dam broke on Friday,', 'and two villages were flooded, police said.']
    """
    spaced = has_spaces(lang)
    parts = [part for part in (_BORDER if spaced else _WIDE_BORDER).split(sentence) if part]
    glue = " " if spaced else ""
    joined: list[str] = []
    for part in parts:
        if joined and (_is_small(part, spaced=spaced) or _is_small(joined[-1], spaced=spaced)):
            joined[-1] = f"{joined[-1]}{glue}{part}"
        else:
            joined.append(part)
    return joined


def _is_small(text: str, *, spaced: bool) -> bool:
    return len(text.split()) < _LEAST_WORDS if spaced else len(text) < _LEAST_CHARACTERS
