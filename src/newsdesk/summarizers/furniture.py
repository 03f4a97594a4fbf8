"""Which sentences of a page are not part of its story: calls to the reader, remarks of the page about itself, credits, captions, editors' notes.

Text that is extracted from web pages keeps some of them, and they look like sentences. No publisher is named: the forms in `data/furniture_en.txt` are those of any page. What a page says to its
reader is an imperative or a second person with a word of the web ("Sign up for …", "your browser"); what it says about itself has "this story" or "this page"; credits
and captions have formulas of their own ("contributed to this report", "in this photo", "second from left"). Words inside quotation marks are spoken by
somebody and are not looked at. For Chinese and Japanese there is a list of phrases.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from newsdesk.packaged import sections, table

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
_SPEAKER = re.compile(r"^\W*[A-Z][\w.'’-]*(?:,? [A-Z][\w.'’-]+){0,3} ?: ")
_TALK = re.compile(r"\b(?:I|you|[Yy]our|[Ww]e|my|me|Did|Do|What|How|Yes|Yeah|Well|Okay)\b")
_PHRASE = "a phrase of page furniture"


def furniture(text: str, *, latin: bool = True) -> str:
    """What a sentence is if it is not part of the story; empty if nothing speaks against it.

    >>> furniture("Sign up for our newsletter.")
    'the page speaks to its reader'
    """
    if not latin:
        return _PHRASE if _phrases("boilerplate_cjk.txt").search(text) else ""
    told = _QUOTED.sub('""', text)
    for kind, forms in _forms().items():
        if any(finds(told) for finds in forms):
            return kind
    if (label := _SPEAKER.match(told)) and _TALK.search(told, label.end()):
        return "a transcript"
    plain = " ".join(told.lower().split())
    return (
        _PHRASE if any(each in plain for each in table("summarizers", "boilerplate_en.txt")) else ""
    )


@cache
def _forms() -> dict[str, list[Callable[[str], object]]]:
    """The forms of each kind, with the words that they share filled in; those of a beginning are not searched for anywhere else, which takes a third of the time."""
    parts = dict(sections("summarizers", "furniture_en.txt"))
    words: dict[str, str] = {}
    for line in parts.pop("words"):
        name, _, form = line.partition(" = ")
        words[name] = _filled(form, words)
    return {
        kind: [_finder(_filled(line, words)) for line in lines] for kind, lines in parts.items()
    }


def _finder(form: str) -> Callable[[str], object]:
    pattern = re.compile(form)
    return pattern.match if form.startswith("^") else pattern.search


def _filled(form: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        form = form.replace(f"{{{name}}}", value)
    return form


@cache
def _phrases(name: str) -> re.Pattern[str]:
    phrases = (re.escape(each).replace(r"\ ", r"\s+") for each in table("summarizers", name))
    return re.compile("|".join(phrases), re.IGNORECASE)
