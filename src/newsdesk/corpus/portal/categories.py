"""Headings of the portal as categories: spelling variants become the portal's own ten names, anything else stays as written.

Nothing on the portal enforces its headings, so the list is a convention: an unknown heading is a category of its own.
"""

from __future__ import annotations

import difflib
import functools
import re

from newsdesk.corpus.portal.passage import one_line
from newsdesk.packaged import table

UNCATEGORIZED = "Uncategorized"

_CLOSE = 0.88  # "Business and econony" is .95 from its name, "Science and technology" .45 from the nearest other
_EDGES = " \t:;.–—-=*•'\"#"
_EDIT = re.compile(r"\[\s*edit[^\]]*\]\s*$", re.IGNORECASE)


def category_name(heading: str) -> str:
    """The category that a heading stands for.

    >>> category_name("Politics and election"), category_name("LAW & CRIME:"), category_name("Obituaries")
    ('Politics and elections', 'Law and crime', 'Obituaries')
    """
    known = known_category(heading)
    if known is not None:
        return known
    text = _cleaned(heading)
    return text.capitalize() if text.isupper() and " " in text else text


@functools.lru_cache(maxsize=4096)
def known_category(heading: str) -> str | None:
    """One of the portal's own names, if the heading is a way to write it."""
    key = _key(heading)
    names = _names()
    if key in names:
        return names[key]
    if not key or len(key.split()) > 6:
        return None
    close = difflib.get_close_matches(key, names, n=1, cutoff=_CLOSE)
    return names[close[0]] if close else None


def _cleaned(heading: str) -> str:
    return _EDIT.sub("", one_line(heading)).strip(_EDGES)


def _key(heading: str) -> str:
    text = _cleaned(heading).casefold().replace("&", " and ")
    return " ".join(re.sub(r"[^\w]+", " ", text).split())


@functools.cache
def _names() -> dict[str, str]:
    """Every known way to write a heading, normalized, with the portal's name; a line of the table is `name: variant, variant`."""
    names = {}
    for line in table("corpus.portal", "categories.txt"):
        name, _, variants = line.partition(":")
        for spelling in (name, *variants.split(",")):
            names[_key(spelling)] = name
    names.pop("", None)
    return names
