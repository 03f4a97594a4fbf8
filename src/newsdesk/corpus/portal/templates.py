"""Templates that stand in portal wikitext: which text they show, and which page a citation cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from newsdesk.corpus.portal.passage import one_line

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


@dataclass(frozen=True, slots=True)
class Shown:
    """What a template shows, and the article it links to, if it does."""

    nodes: tuple[Any, ...]
    target: str = ""


def template_text(template: Any) -> Shown | None:
    """What a template shows; None for one that shows nothing here, such as `{{dead link}}`, or that is not known."""
    name = _name(template)
    if name in _UNITS and template.has("1") and template.has("2"):
        return Shown((*_nodes(template, "1"), " ", *_nodes(template, "2")))
    if name in _LINKED and template.has("1"):
        other = "2" if name.startswith("flag") else "lt"
        shown = other if template.has(other) else "1"
        return Shown(_nodes(template, shown), _text(template, "1"))
    if name in _LITERAL:
        return Shown((_LITERAL[name], _text(template, "1")))
    if name in _SHOWN and template.has(_SHOWN[name]):
        return Shown(_nodes(template, _SHOWN[name]))
    return None


def cited_page(template: Any) -> tuple[str, str | None] | None:
    """The address and the outlet of a citation template; None for any other."""
    name = _name(template)
    if not (name.startswith(("cite ", "citation", "cite-")) or name in ("cite", "newsarticle")):
        return None
    url = _text(template, "url")
    if not url:
        return None
    outlet = next((text for each in _OUTLETS if (text := _text(template, each))), None)
    return url, outlet


def _name(template: Any) -> str:
    return one_line(str(template.name)).replace("_", " ").lower()


def _text(template: Any, name: str) -> str:
    return one_line(template.get(name).value.strip_code()) if template.has(name) else ""


def _nodes(template: Any, name: str) -> tuple[Any, ...]:
    return tuple(template.get(name).value.nodes)
