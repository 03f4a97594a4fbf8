"""What the portal parsers share: a page as days, a day as blocks, a block as text with links, and dates as the portal writes them.

HTML and wikitext are read into these values, and everything after (stories, summaries, sources, accounts) is written once over
them. A `Passage` is flat text with spans, because source labels are often cut across tags: in `(<a>BBC</a>)`, `<a>(BBC</a>)` and
`<a>(BBC)</a>` the label is the same five characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePath
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_NUMBER = {name: number for number, name in enumerate(_MONTHS, 1)} | {
    name[:3]: number for number, name in enumerate(_MONTHS, 1)
}
_MONTH = "(" + "|".join([*_MONTHS, *(f"{name[:3]}(?![a-z])" for name in _MONTHS), "sept"]) + r")\.?"
_GAP = r"[\s_,.\-]+"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_YEAR = r"((?:19|20|21)\d{2})(?!\d)"
# Each pattern with the order of its groups; None stands for a year that the page says elsewhere.
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<!\d)(?<![a-z]){pattern}", re.IGNORECASE), order)
    for pattern, order in (
        (rf"{_YEAR}-(\d{{2}})-(\d{{2}})(?!\d)", "ymd"),
        (rf"{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}", "yMd"),
        (rf"{_MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}", "Mdy"),
        (rf"{_DAY}{_GAP}(?:of{_GAP})?{_MONTH}{_GAP}{_YEAR}", "dMy"),
        (rf"{_YEAR}[_./](\d{{1,2}})[_./](\d{{1,2}})(?!\d)", "ymd"),
        (r"((?:19|20|21)\d{2})(\d{2})(\d{2})(?!\d)", "ymd"),
    )
)
_WITHOUT_YEAR = (
    (re.compile(rf"(?<![a-z\d]){_MONTH}{_GAP}{_DAY}(?![\s,]*\d{{4}})", re.IGNORECASE), "Md"),
    (re.compile(rf"(?<![a-z\d]){_DAY}{_GAP}(?:of{_GAP})?{_MONTH}(?![a-z])", re.IGNORECASE), "dM"),
)
_MONTH_PAGE = (
    re.compile(rf"(?<![a-z\d]){_MONTH}[\s_]+{_YEAR}", re.IGNORECASE),
    re.compile(rf"(?<!\d){_YEAR}[\s_\-]+{_MONTH}(?![a-z])", re.IGNORECASE),
)


def day_in(text: str) -> str | None:
    """Return the first whole day that a text names.

    >>> day_in("Current events of September 1, 2015 (Tuesday)"), day_in("2015_September_1"), day_in("2015-02-30")
    ('2015-09-01', '2015-09-01', None)
    """
    for pattern, order in _PATTERNS:
        for match in pattern.finditer(text):
            if day := _day(dict(zip(order, match.groups(), strict=True))):
                return day
    return None


def day_of(text: str, years: Iterable[str]) -> str | None:
    """Return the day that a heading such as `September 1` names on a page of one of these years."""
    if day := day_in(text):
        return day
    for pattern, order in _WITHOUT_YEAR:
        for match in pattern.finditer(text):
            for year in years:
                if day := _day({"y": year, **dict(zip(order, match.groups(), strict=True))}):
                    return day
    return None


def is_day_heading(text: str, years: Iterable[str]) -> bool:
    """Return whether a heading is a day and little else, such as `Saturday, 3 January 2004`."""
    return len(text.split()) <= 8 and day_of(text, years) is not None


def year_in(text: str) -> str | None:
    """Return the year of a month page's title, such as `January 2004`."""
    for pattern in _MONTH_PAGE:
        if match := pattern.search(text):
            return next(group for group in match.groups() if group.isdigit())
    return None


def day_of_file(name: str) -> str | None:
    """Return the day that a file's name says."""
    return day_in(PurePath(name).name)


def _day(parts: dict[str, str]) -> str | None:
    """Return a day from `y`, `d` and a month `m` (number) or `M` (name); None if there is no such."""
    month = int(parts["m"]) if "m" in parts else _NUMBER[parts["M"].lower()[:3]]
    try:
        return date(int(parts["y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return None


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
    """Return a text with every run of white space as one blank, and none at the ends.

    >>> one_line(" Law and\\u00a0crime \\n")
    'Law and crime'
    """
    return " ".join(_INVISIBLE.sub("", text).split())


def joined(passages: Sequence[Passage]) -> Passage:
    """Return several passages as one, with a blank between them."""
    builder = PassageBuilder()
    spans: list[Span] = []
    for passage in passages:
        if builder.length:
            builder.add(" ")
        shift = builder.length
        builder.add(passage.text)
        spans += [
            replace(span, start=span.start + shift, end=span.end + shift) for span in passage.spans
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
    """Return the page that a footnote cites, at most one: the original rather than an archived copy."""
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
    """Mark the page of a citation in the text as a source; its outlet is printed in italics."""
    outlets = [one_line(tag.text()) for tag in element.css("i, em")]
    for url in cited_pages(element):
        label = next((outlet for outlet in outlets if outlet), None)
        builder.mark(builder.length, "source", url, label=label, bare=True)


def _target(link: Node) -> str | None:
    """Return the title of the article that a link leads to; None for files, categories and the like."""
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
