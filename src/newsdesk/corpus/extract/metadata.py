"""What a page says about itself: JSON-LD, `meta` and `link` tags, the language of `html`; and its title without the name of the outlet.

JSON-LD comes as one object, a list, an `@graph` or nested; the article is the first object of an article type, or the one
whose headline is the page's `og:title` where there are several. Broken JSON is searched for the few keys that matter.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from newsdesk.corpus.extract.page import Element
from newsdesk.jsonl import json_value

_ARTICLE = re.compile(r"(?:Article|Posting|Report|Review|Story)$")
_KEYS = ("headline", "datePublished", "dateCreated", "dateModified", "description")
_BROKEN = re.compile(
    r'"(headline|datePublished|dateCreated|dateModified|description)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){1,2000})"'
)
_NAME = re.compile(r"(?=.*[^\W\d_])(?!.*(?:://|@)).{1,200}")
_MOST_BYLINES = 10
_READ = ("meta", "link", "title", "script", "time")
_NAMING = ("property", "name", "itemprop", "http-equiv")
_MOST_TIMES = 20
_MOST_OBJECTS = 5_000
_MOST_JSON = 2_000_000

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
_NAME_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the head of a page and its JSON-LD say."""

    meta: Mapping[str, str] = field(default_factory=dict)
    article: Mapping[str, Any] = field(default_factory=dict)
    publisher: str | None = None
    title: str | None = None
    canonical: str | None = None
    lang: str | None = None
    times: tuple[Element, ...] = ()

    def first(self, *names: str) -> str | None:
        """Return the first of these `meta` tags that is there and not empty."""
        return next((self.meta[name] for name in names if self.meta.get(name)), None)

    def text(self, key: str) -> str | None:
        """Return a text of the JSON-LD article, without markup."""
        return _plain(self.article.get(key))

    @property
    def descriptions(self) -> list[str]:
        """The page's summaries of itself, the longest first."""
        texts = {
            self.first("og:description") or "",
            self.first("description") or "",
            self.first("twitter:description") or "",
            self.text("description") or "",
        }
        return sorted(filter(None, texts), key=lambda text: (-len(text), text))

    @property
    def authors(self) -> list[str]:
        """Names of the authors: of JSON-LD, else of `meta`."""
        names = list(_names(self.article.get("author") or self.article.get("creator")))
        if not names:
            value = self.first(
                "author", "article:author", "parsely-author", "sailthru.author", "dc.creator", "byl"
            )
            names = [value] if value else []
        return _people(names)


def bylines(root: Element) -> list[str]:
    """Return names of the authors that the page shows as such."""
    tags = root.xpath("//*[@rel='author' or @itemprop='author']")
    return _people([_text(tag) for tag in tags[:_MOST_BYLINES]])


def _people(names: Iterable[str]) -> list[str]:
    """Return the distinct texts among these that may be names: no addresses and no numbers."""
    names = (" ".join(name.split()) for name in names)
    return list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))


def metadata(root: Element) -> Metadata:
    """Read what a page says about itself, in one pass over its tree."""
    tags: dict[str, list[Element]] = {name: [] for name in _READ}
    for tag in root.iter(*_READ):
        tags[tag.tag].append(tag)
    meta = _meta(tags["meta"])
    title = next((text for tag in tags["title"] if (text := _text(tag))), None)
    objects = list(_objects(tags["script"]))
    article = _article(objects, meta.get("og:title") or title)
    return Metadata(
        meta=meta,
        article=article,
        publisher=_publisher(article, objects),
        title=title,
        canonical=_canonical(tags["link"]),
        lang=root.get("lang") or root.get("xml:lang"),
        times=tuple(tags["time"][:_MOST_TIMES]),
    )


def _meta(tags: Sequence[Element]) -> dict[str, str]:
    """Return names and contents of `meta` tags; the first of a name wins."""
    meta: dict[str, str] = {}
    for tag in tags:
        values = dict(tag.items())
        name = next((values[key] for key in _NAMING if values.get(key)), "").strip().lower()
        content = " ".join(values.get("content", "").split())
        if name and content:
            meta.setdefault(name, content)
    return meta


def _text(tag: Element) -> str:
    return " ".join("".join(tag.itertext()).split())


def _canonical(tags: Sequence[Element]) -> str | None:
    for tag in tags:
        if "canonical" in (tag.get("rel") or "").lower().split() and tag.get("href"):
            return str(tag.get("href")).strip()
    return None


def _objects(scripts: Sequence[Element]) -> Iterator[dict[str, Any]]:
    """Yield all JSON-LD objects, in the order of the page; an object before those inside it."""
    count = 0
    for tag in scripts:
        if "ld+json" not in (tag.get("type") or "").lower() or not tag.text:
            continue
        stack: list[Any] = [_json(tag.text)]
        while stack and count < _MOST_OBJECTS:
            value = stack.pop()
            count += 1
            if isinstance(value, dict):
                yield value
                inner = [item for item in value.values() if isinstance(item, dict | list)]
                stack.extend(reversed(inner))
            elif isinstance(value, list):
                stack.extend(reversed(value))


def _json(text: str) -> Any:
    """Return the value of a JSON-LD script; of broken JSON the few keys that matter, or None."""
    text = text[:_MOST_JSON].strip()
    text = (
        text.removeprefix("<!--")
        .removesuffix("-->")
        .removeprefix("//<![CDATA[")
        .removesuffix("//]]>")
    )
    text = text.removeprefix("<![CDATA[").removesuffix("]]>").strip().removesuffix(";")
    try:
        return json_value(text, strict=False)
    except ValueError:
        pairs = reversed(_BROKEN.findall(text))  # the first of a key wins
        values = {key: value.replace('\\"', '"').replace("\\/", "/") for key, value in pairs}
        return {"@type": "Article", **values} if values else None


def _types(value: Mapping[str, Any]) -> list[str]:
    types = value.get("@type")
    return [
        name for name in (types if isinstance(types, list) else [types]) if isinstance(name, str)
    ]


def _article(objects: Sequence[dict[str, Any]], title: str | None) -> Mapping[str, Any]:
    """Return the article among JSON-LD objects by its headline, else its date; {} if there is none."""
    articles = [
        value
        for value in objects
        if any(_ARTICLE.search(name) for name in _types(value))
        and any(key in value for key in _KEYS)
    ]
    if len(articles) > 1 and title:
        for value in articles:
            headline = _plain(value.get("headline"))
            if headline and headline.casefold() in title.casefold():
                return value
    dated = [value for value in articles if "datePublished" in value]
    return (dated or articles or [{}])[0]


def _publisher(article: Mapping[str, Any], objects: Sequence[dict[str, Any]]) -> str | None:
    """Return the outlet's name: the article's publisher, else an organization or a web site."""
    for name in _names(article.get("publisher")):
        return name
    for value in objects:
        if any(kind.endswith(("Organization", "WebSite")) for kind in _types(value)):
            for name in _names(value):
                return name
    return None


def _names(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield names in a value that may be text, an object with a name, or a list of these."""
    if depth > 3:
        return
    if isinstance(value, list):
        for item in value[:50]:
            yield from _names(item, depth + 1)
    elif isinstance(value, dict):
        yield from _names(value.get("name"), depth + 1)
    elif name := _plain(value):
        yield name


def _plain(value: Any) -> str | None:
    """Return a text without markup and character references; None where there is none."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str):
        return None
    if "&" in value:
        value = html.unescape(value)
    if "<" in value:
        value = re.sub(r"<[^<>]{0,500}>", " ", value)
    return " ".join(value.split()) or None


def folded(text: str) -> str:
    """Return a title for comparison: NFKC, one kind of quotes and dashes, no case, single spaces.

    >>> folded("„Ja“ – sagt  er")
    '"ja" - sagt er'
    """
    if text.isascii():
        return " ".join(text.replace("`", "'").lower().split())
    text = unicodedata.normalize("NFKC", text).translate(_FOLDED).casefold()
    return " ".join(text.split())


def title(page: Metadata, headings: Sequence[str], host: str) -> str | None:
    """Return the headline of a page; `headings` are the texts of its `h1` elements."""
    claims = [
        page.first("og:title", "twitter:title", "dc.title", "title"),
        page.text("headline"),
        page.title,
    ]
    claims = [text[:_MOST] if text else None for text in claims]
    heading = _heading([text[:_MOST] for text in headings], [text for text in claims if text])
    texts = [text for text in (*claims, heading) if text]
    names = _outlet_names(page, host)
    og, headline, tag, h1 = (
        _stripped(text, texts, names) if text else None for text in (*claims, heading)
    )
    return _choice(h1, og, headline, tag)


def shown_title(claim: str | None, texts: Iterable[str]) -> list[str]:
    """Return the part of what `title` says that a page without `h1` shows as a line of its own.

    The list is empty if there is no such line.

    >>> shown_title("Bridge closed | Harbour Post", ["Home", "Bridge closed", "Harbour Post"])
    ['Bridge closed']
    """
    lines = {folded(text) for text in texts if len(text) <= _MOST}
    cuts = _cuts((claim or "")[:_MOST])
    return [rest for rest, part in cuts if len(rest) >= len(part) and folded(rest) in lines][:1]


def _choice(h1: str | None, og: str | None, headline: str | None, tag: str | None) -> str | None:
    """Return `og:title`, unless just one of `h1` and `title` agrees with the JSON-LD headline."""
    if (
        headline
        and h1
        and tag
        and (folded(h1) == folded(headline)) != (folded(tag) == folded(headline))
    ):
        return headline
    return og or headline or h1 or tag


def _heading(headings: Sequence[str], claims: Sequence[str]) -> str | None:
    """Return the heading that another candidate repeats, else the only one."""
    others = [letters(text) for text in claims]
    for text in headings:
        key = letters(text)
        if key and any(key in other for other in others):
            return text
    return headings[0] if len(headings) == 1 else None


def _outlet_names(page: Metadata, host: str) -> set[str]:
    """Return the outlet's names, as letters and digits only."""
    names = [
        page.first("og:site_name", "application-name", "apple-mobile-web-app-title"),
        page.publisher,
        host,
    ]
    labels = host.split(".")
    names += [".".join(labels[-2:]), labels[-2] if len(labels) > 1 else None]
    return {letters(name) for name in names if name and letters(name)}


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return _LETTERS.sub("", folded(text))


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """Yield every way to cut a title at a separator: the rest and the part, shortest part first."""
    places = [(match.start(), match.end()) for match in _SEPARATOR.finditer(text)]
    for start, end in reversed(places):
        yield text[:start].strip(), text[end:].strip()
    for start, end in places:
        yield text[end:].strip(), text[:start].strip()


def _stripped(text: str, candidates: Sequence[str], names: set[str]) -> str:
    """Return the title without the parts that name the outlet or its sections."""
    others = {folded(candidate) for candidate in candidates if candidate != text}
    for rest, _ in _cuts(text):
        if folded(rest) in others:
            return rest
    for rest, part in _cuts(text):
        if rest and _names_outlet(letters(part), names):
            return _stripped(rest, candidates, names)
    return text


def _names_outlet(part: str, names: set[str]) -> bool:
    """Return whether a part of a title is an outlet's name, short for it, or it with little more."""
    return any(
        part == name
        or (len(part) >= _NAME_LETTERS and part in name)
        or (len(name) >= _NAME_LETTERS and name in part and len(part) < 2 * len(name) + 10)
        for name in names
    )
