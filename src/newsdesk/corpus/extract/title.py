"""The headline of an article, by agreement of what the page calls it: `og:title`, JSON-LD, `h1` and `title`.

Outlets append their name and sections to some of these but rarely to all, so a part behind a separator goes when the rest is
what another candidate says, or when the part is the outlet's name or host.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from newsdesk.corpus.extract.metadata import Metadata

_SEPARATOR = re.compile(r"\s[|\-–—·•»«:~]{1,3}\s|\s?[|｜│：]\s?")
_FOLDED = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″「」『』", '"'),
        **dict.fromkeys("‘’‚‛`´′", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200e\u200f\ufeff", None),
    }
)
_LETTERS = re.compile(r"[\W_]+")
_MOST = 500
_NAME = 4


def folded(text: str) -> str:
    """A title for comparison: NFKC, one kind of quotes and dashes, no case, single spaces.

    >>> folded("„Ja“ – sagt  er")
    '"ja" - sagt er'
    """
    if text.isascii():
        return " ".join(text.replace("`", "'").lower().split())
    text = unicodedata.normalize("NFKC", text).translate(_FOLDED).casefold()
    return " ".join(text.split())


def title(page: Metadata, headings: Sequence[str], host: str) -> str | None:
    """The headline of a page; `headings` are the texts of its `h1` elements."""
    claims = [
        page.first("og:title", "twitter:title", "dc.title", "title"),
        page.text("headline"),
        page.title,
    ]
    claims = [text[:_MOST] if text else None for text in claims]
    heading = _heading([text[:_MOST] for text in headings], [text for text in claims if text])
    texts = [text for text in (*claims, heading) if text]
    names = _names(page, host)
    og, headline, tag, h1 = (
        _stripped(text, texts, names) if text else None for text in (*claims, heading)
    )
    return _choice(h1, og, headline, tag)


def shown_title(claim: str | None, texts: Iterable[str]) -> list[str]:
    """The part of what `title` says that a page without `h1` shows as a line of its own; none if there is no such line.

    >>> shown_title("Bridge closed | Harbour Post", ["Home", "Bridge closed", "Harbour Post"])
    ['Bridge closed']
    """
    lines = {folded(text) for text in texts if len(text) <= _MOST}
    cuts = _cuts((claim or "")[:_MOST])
    return [rest for rest, part in cuts if len(rest) >= len(part) and folded(rest) in lines][:1]


def _choice(h1: str | None, og: str | None, headline: str | None, tag: str | None) -> str | None:
    """`og:title`, unless exactly one of `h1` and `title` agrees with the JSON-LD headline against the other."""
    if (
        headline
        and h1
        and tag
        and (folded(h1) == folded(headline)) != (folded(tag) == folded(headline))
    ):
        return headline
    return og or headline or h1 or tag


def _heading(headings: Sequence[str], claims: Sequence[str]) -> str | None:
    """The heading that another candidate repeats, else the only one."""
    others = [letters(text) for text in claims]
    for text in headings:
        key = letters(text)
        if key and any(key in other for other in others):
            return text
    return headings[0] if len(headings) == 1 else None


def _names(page: Metadata, host: str) -> set[str]:
    """The outlet's names, as letters and digits only."""
    names = [
        page.first("og:site_name", "application-name", "apple-mobile-web-app-title"),
        page.publisher,
        host,
    ]
    labels = host.split(".")
    names += [".".join(labels[-2:]), labels[-2] if len(labels) > 1 else None]
    return {letters(name) for name in names if name and letters(name)}


def letters(text: str) -> str:
    """The letters and digits of a text, folded."""
    return _LETTERS.sub("", folded(text))


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """Every way to cut a title in two at a separator: the rest and the part cut off, shortest part first."""
    places = [(match.start(), match.end()) for match in _SEPARATOR.finditer(text)]
    for start, end in reversed(places):
        yield text[:start].strip(), text[end:].strip()
    for start, end in places:
        yield text[end:].strip(), text[:start].strip()


def _stripped(text: str, candidates: Sequence[str], names: set[str]) -> str:
    """The title without the parts that name the outlet or its sections."""
    others = {folded(candidate) for candidate in candidates if candidate != text}
    for rest, _ in _cuts(text):
        if folded(rest) in others:
            return rest
    for rest, part in _cuts(text):
        if rest and _names_outlet(letters(part), names):
            return _stripped(rest, candidates, names)
    return text


def _names_outlet(part: str, names: set[str]) -> bool:
    """Whether a part of a title is an outlet's name, short for it, or it with little more."""
    return any(
        part == name
        or (len(part) >= _NAME and part in name)
        or (len(name) >= _NAME and name in part and len(part) < 2 * len(name) + 10)
        for name in names
    )
