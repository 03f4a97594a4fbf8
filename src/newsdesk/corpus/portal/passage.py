"""What the portal parsers share: a page as days, a day as blocks, a block as text with links.

HTML and wikitext are read into these values, and everything after (stories, summaries, sources, accounts) is written once over
them. A `Passage` is flat text with spans, because source labels are often cut across tags: in `(<a>BBC</a>)`, `<a>(BBC</a>)` and
`<a>(BBC)</a>` the label is the same five characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

# Characters without width that editors paste in unseen; they would make equal summaries unequal.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffc]")

Kind = Literal["entity", "source", "note"]

Node = Any  # a node of selectolax, which has no public type for elements and texts alike
_NAMESPACE = re.compile(
    r"(file|image|media|category|special|help|portal|template|wikipedia|wp|talk|user|draft|module|mediawiki|project)(_talk|\stalk)?:",
    re.IGNORECASE,
)
_WIKI_HOST = re.compile(
    r"(^|\.)(wikipedia|wikimedia|wiktionary|wikinews|wikidata|wikisource|wikivoyage|wikiquote|wikibooks|wikiversity)\.org$"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A linked stretch of a passage.

    An entity, a source, or a note such as `[dead link]` that is no text at all.

    `bare` marks a source whose text is a number or its own address; `label` is set where the markup names the outlet.
    """

    start: int
    end: int
    kind: Kind
    target: str = ""
    label: str | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """Text and the links in it, by position."""

    text: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def sources(self) -> tuple[Span, ...]:
        """The links that cite a source page."""
        return tuple(span for span in self.spans if span.kind == "source")

    def is_blank(self) -> bool:
        """Return whether there is neither text nor a source."""
        return not self.text.strip() and not self.sources


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that names a category or a day, by its markup."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text outside of bullets; `bold` when all of it is, which is how categories are often written."""

    passage: Passage
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Bullet:
    """A bullet and those nested below it."""

    passage: Passage
    children: tuple[Block, ...] = ()

    @property
    def bullets(self) -> tuple[Bullet, ...]:
        """The nested bullets, without headings and paragraphs."""
        return tuple(child for child in self.children if isinstance(child, Bullet))


Block: TypeAlias = Heading | Paragraph | Bullet


@dataclass(frozen=True, slots=True)
class Day:
    """The blocks of one day; the date is None where the page does not say it."""

    date: str | None
    blocks: tuple[Block, ...]


class PassageBuilder:
    """Collects text and spans in reading order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._spans: list[Span] = []
        self.length = 0

    def add(self, text: str) -> None:
        """Append text; characters without width are left out."""
        text = _INVISIBLE.sub("", text)
        self._parts.append(text)
        self.length += len(text)

    def mark(
        self,
        start: int,
        kind: Kind,
        target: str = "",
        *,
        label: str | None = None,
        bare: bool = False,
    ) -> None:
        """Mark what was added since `start` as a link."""
        self._spans.append(Span(start, self.length, kind, target, label, bare))

    def passage(self) -> Passage:
        """Return what was collected, spans in reading order."""
        spans = sorted(self._spans, key=lambda span: span.start)
        return Passage("".join(self._parts), tuple(spans))


def one_line(text: str) -> str:
    """Text with every run of white space as one blank, and none at the ends.

    >>> one_line(" Law and\\u00a0crime \\n")
    'Law and crime'
    """
    return " ".join(_INVISIBLE.sub("", text).split())


def joined(passages: Sequence[Passage]) -> Passage:
    """Several passages as one, with a blank between them."""
    builder = PassageBuilder()
    spans: list[Span] = []
    for passage in passages:
        if builder.length:
            builder.add(" ")
        shift = builder.length
        builder.add(passage.text)
        spans += [
            Span(
                span.start + shift, span.end + shift, span.kind, span.target, span.label, span.bare
            )
            for span in passage.spans
        ]
    return Passage(builder.passage().text, tuple(spans))


def classes_of(node: Node) -> set[str]:
    """Return the classes of an element; none of a text or comment."""
    if node.tag.startswith(("-", "!")):
        return set()
    return set((node.attributes.get("class") or "").split())


def cited_notes(root: Node) -> dict[str, list[str]]:
    """Return the page that each footnote cites, by the footnote's id."""
    notes = {}
    for element in root.css("li[id]"):
        key = element.attributes.get("id") or ""
        if not key.startswith("cite_note"):
            continue
        notes[key] = cited_pages(element)
    return notes


def external_address(link: Node) -> str | None:
    """Return the address of a link that leads to another site's page; None for links inside of the wikis."""
    href = (link.attributes.get("href") or "").strip()
    if href.startswith("//"):
        href = f"https:{href}"
    classes = classes_of(link)
    try:
        parts = urlsplit(href)
        query = parse_qs(parts.query)
    except ValueError:  # such as `http://[broken`
        return href if "external" in classes else None
    if parts.scheme.lower() not in ("http", "https", "ftp"):
        return None
    wiki = _WIKI_HOST.search(parts.netloc.lower()) is not None
    if wiki and ("action" in query or "redlink" in query):
        return None
    if "extiw" in classes or "new" in classes or (wiki and "external" not in classes):
        return None
    return href


def cited_pages(element: Node) -> list[str]:
    """Return the page that a footnote or citation cites: the original rather than an archived copy.

    At most one.
    """
    urls = [url for link in element.css("a") if (url := external_address(link)) is not None]
    originals = [url for url in urls if "web.archive.org" not in url]
    return (originals or urls)[:1]


def mark_link(link: Node, builder: PassageBuilder, start: int) -> None:
    """Mark what a link added to a passage since `start`, as a source or an entity."""
    text = (link.text() or "").strip()
    url = external_address(link)
    if url is not None:
        bare = "autonumber" in classes_of(link) or text.startswith(("http://", "https://", "www."))
        builder.mark(
            start, "source", url, bare=bare or re.fullmatch(r"\[?\d+\]?", text) is not None
        )
    elif target := _target(link):
        builder.mark(start, "entity", target)


def mark_citation(element: Node, builder: PassageBuilder) -> None:
    """Add the page of a citation that stands in the text as a source.

    Its outlet is what the citation prints in italics.
    """
    outlets = [one_line(each.text()) for each in element.css("i, em")]
    for url in cited_pages(element):
        label = next((outlet for outlet in outlets if outlet), None)
        builder.mark(builder.length, "source", url, label=label, bare=True)


def _target(link: Node) -> str | None:
    """Return the title of the article that a link leads to.

    None for files, categories and other pages that are no articles.
    """
    href = link.attributes.get("href") or ""
    if not href or href.startswith("#"):
        return None
    title = one_line(link.attributes.get("title") or "").removesuffix(" (page does not exist)")
    if not title:
        parts = urlsplit(href)
        page = parse_qs(parts.query).get("title", [parts.path.partition("/wiki/")[2]])[0]
        title = one_line(unquote(page).replace("_", " "))
    if not title or _NAMESPACE.match(title):
        return None
    return title
