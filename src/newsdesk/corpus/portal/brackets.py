"""Brackets in a text: pairs, whether they hold the label of a source, and templates of wikitext with the text that they show."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from newsdesk.corpus.portal.passage import one_line
from newsdesk.packaged import table

# name → the argument whose text the page shows.
_SHOWN = {
    **dict.fromkeys(("nowrap", "nobr", "small", "big", "abbr", "sic", "tooltip", "italic"), "1"),
    **dict.fromkeys(("country", "key press", "font"), "1"),
    **dict.fromkeys(("lang", "transl", "transliteration", "color", "langx", "lang-en"), "2"),
}
_LINKED = {"ill", "interlanguage link", "link-interwiki", "flag", "flagu", "flagcountry", "ill-wd"}
_LITERAL = {
    **dict.fromkeys(("snd", "spnd", "spaced ndash", "snds"), " – "),
    **dict.fromkeys(("ndash", "en dash", "–"), "–"),
    **dict.fromkeys(("mdash", "em dash", "—"), "—"),
    **dict.fromkeys(("nbsp", "space", "spaces"), " "),
    **dict.fromkeys(("'", "`"), "'"),
    **dict.fromkeys(("!", "pipe"), "|"),
    **dict.fromkeys(("euro", "eur", "€"), "€"),
    **dict.fromkeys(("gbp", "£"), "£"),
    **dict.fromkeys(("cny", "¥", "jpy"), "¥"),
    **dict.fromkeys(("us$", "usd", "currency"), "$"),
}
_UNITS = ("convert", "cvt")
_OUTLETS = ("work", "newspaper", "website", "magazine", "journal", "publisher", "agency", "via")

_CLOSING = {"(": ")", "[": "]", "（": "）", "【": "】"}
_BRACKET = re.compile("[" + re.escape("".join([*_CLOSING, *_CLOSING.values()])) + "]")
_MAX_WORDS = 6
_SCORE = re.compile(r"[\d\s–—:,.%+−-]*")
_REMARK = re.compile(
    r"(in [A-Z]\w+( and [A-Z]\w+)?|video|audio|live|live updates|pdf|subscription required|registration required|paywall(ed)?"
    r"|archived?( .*)?|(permanent )?dead link|citation needed|in [a-z]+ language|link)",
    re.IGNORECASE,
)
_JOIN = re.compile(r"[)\]）】]\s*[,;/&]?\s*[(\[（【]")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a template shows, and the article it links to, if it does."""

    nodes: tuple[Any, ...]
    target: str = ""


def template_text(template: Any) -> Shown | None:
    """Return what a template shows; None for one that shows nothing here or is not known."""
    name = _name(template)
    if name in _UNITS and template.has("1") and template.has("2"):
        return Shown((*_nodes(template, "1"), " ", *_nodes(template, "2")))
    if name in _LINKED and template.has("1"):
        shown_argument = "2" if name.startswith("flag") else "lt"
        argument = shown_argument if template.has(shown_argument) else "1"
        return Shown(_nodes(template, argument), _text(template, "1"))
    if name in _LITERAL:
        return Shown((_LITERAL[name], _text(template, "1")))
    if name in _SHOWN and template.has(_SHOWN[name]):
        return Shown(_nodes(template, _SHOWN[name]))
    return None


def cited_page(template: Any) -> tuple[str, str | None] | None:
    """Return the address and the outlet of a citation template; None for any other."""
    name = _name(template)
    if not (name.startswith(("cite ", "citation", "cite-")) or name in ("cite", "newsarticle")):
        return None
    url = _text(template, "url")
    if not url:
        return None
    outlet = next((text for name in _OUTLETS if (text := _text(template, name))), None)
    return url, outlet


def _name(template: Any) -> str:
    return one_line(str(template.name)).replace("_", " ").lower()


def _text(template: Any, name: str) -> str:
    return one_line(template.get(name).value.strip_code()) if template.has(name) else ""


def _nodes(template: Any, name: str) -> tuple[Any, ...]:
    return tuple(template.get(name).value.nodes)


@dataclass(frozen=True, slots=True)
class BracketPair:
    """Where a bracket opens, and where the one that closes it stands."""

    start: int
    end: int

    def __contains__(self, span: tuple[int, int]) -> bool:
        start, end = span
        return self.start < start and end <= self.end


def bracket_pairs(text: str) -> list[BracketPair]:
    """Return every pair of brackets, inner ones first; a bracket without its partner is no pair."""
    opened: list[tuple[str, int]] = []  # the closing bracket that is awaited, where it opened
    pairs = []
    for match in _BRACKET.finditer(text):
        character, place = match.group(), match.start()
        if character in _CLOSING:
            opened.append((_CLOSING[character], place))
        else:
            for depth, (closing, start) in reversed(list(enumerate(opened))):
                if closing == character:
                    pairs.append(BracketPair(start, place))
                    del opened[depth:]  # brackets inside that were never closed
                    break
    return pairs


def is_bracketed(text: str) -> bool:
    """Return whether a text stands in brackets, be it that one of the two is missing.

    >>> is_bracketed("(BBC)"), is_bracketed("(BBC"), is_bracketed("the (old) law")
    (True, True, False)
    """
    text = text.strip().rstrip(".,;:").rstrip()
    whole = bool(text) and text[0] in _CLOSING and text[-1] in _CLOSING.values()
    if whole:
        return True
    half = bool(text) and (text[0] in _CLOSING) != (text[-1] in _CLOSING.values())
    count = sum(text.count(bracket) for bracket in (*_CLOSING, *_CLOSING.values()))
    return half and count == 1 and len(text.split()) <= _MAX_WORDS


def label_of(text: str) -> str | None:
    """Return the name in a label; None if it has none but a number.

    >>> label_of(" (The  Guardian) "), label_of("(BBC) (Reuters)"), label_of("[1]"), label_of("(AP, via Yahoo")
    ('The Guardian', 'BBC, Reuters', None, 'AP, via Yahoo')
    """
    text = _JOIN.sub(", ", one_line(text)).strip(" .,;:|/–—-")
    edges = "".join([*_CLOSING, *_CLOSING.values()])
    while is_bracketed(text):
        text = text[text[0] in edges : len(text) - (text[-1] in edges)].strip(" ,;:|/–—-")
    return None if not text or text.isdigit() else text


def is_outlet(text: str, labels: Collection[str] = ()) -> bool:
    """Return whether a text names an outlet: a label of the page (casefolded), or a well-known one."""
    name = (label_of(text) or "").casefold()
    return name in labels or name in _outlets()


def is_remark(text: str) -> bool:
    """Return whether a text is a remark on a source rather than news, such as `in French` or `dead link`."""
    return _REMARK.fullmatch(label_of(text) or "") is not None


def reads_like_a_label(text: str) -> bool:
    """Return whether an unlinked bracket behind a sentence may be a source: few words, no score."""
    name = label_of(text) or ""
    if not name or len(name.split()) > _MAX_WORDS or _SCORE.fullmatch(name):
        return False
    return is_remark(name) or name[0].isupper() or not name.isascii()


@functools.cache
def _outlets() -> frozenset[str]:
    return frozenset(map(str.casefold, table("corpus.portal", "outlets.txt")))
