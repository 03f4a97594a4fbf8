"""Portal pages in HTML, read into days and blocks.

Three layouts are known: `table.vevent` with `td.description` (2004–2017), `div.vevent` with `role=heading` (2018–) and today's
`<p><b>Category</b></p>` inside `div.description`. The reader does not ask which one it has: a day is an element called `description`
(or `vevent` without one), its date is looked for in and before it, and every way to write a heading is read everywhere, because pages
mix them. A page without such elements is read as one text in which headings name the days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from newsdesk.corpus.portal.passage import (
    Block,
    Bullet,
    Day,
    Heading,
    Node,
    Paragraph,
    Passage,
    PassageBuilder,
    cited_notes,
    classes_of,
    day_in,
    day_of,
    is_day_heading,
    mark_citation,
    mark_link,
    one_line,
    year_in,
)
from newsdesk.errors import DataError
from newsdesk.registry import require

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption"}
_LISTS = {"ul", "ol", "dl", "menu", "dir"}
_ITEMS = {"li", "dd"}
_BOLD = {"b", "strong"}
_BLOCKS = _HEADINGS | _LISTS | _ITEMS
_BLOCKS |= set(
    "p div section article center table tbody thead tr td th blockquote hr main header details summary".split()
)
_SKIPPED_TAGS = frozenset(
    "style script noscript template figure img svg audio video button input select form nav footer head link meta map iframe"
    " math".split()
)
_SKIPPED_CLASSES = frozenset(
    "noprint editlink navbar navbox mw-editsection toc thumb gallery tright floatright sidebar side-box infobox wikitable"
    " metadata ambox mbox-small error mw-ext-cite-error Inline-Template sortkey reflist references mw-references-wrap"
    " catlinks printfooter sistersitebox portal-bar mw-jump-link calendar current-events-navbar current-events-nav"
    " current-events-more current-events-title current-events-heading current-events-calendar"
    " current-events-sidebar-header".split()
)
_HIDDEN = re.compile(r"(^|[;\s])display\s*:\s*none", re.IGNORECASE)
_MAX_DEPTH = 100


def read_html(text: str, *, name: str) -> list[Day]:
    """Return the days of a page; a date is None where nothing on the page says it."""
    parser = require("selectolax.lexbor", extra="corpus", what="reading portal pages")
    root = parser.LexborHTMLParser(text).root
    if root is None:
        raise DataError("the page is empty", file=name)
    notes = cited_notes(root)
    titles = _titles(root)
    day_elements = _day_elements(root)
    if not day_elements:
        return _days_by_headings(root, titles, notes)
    page_day = next((day for title in titles if (day := day_in(title))), None)
    return [
        Day(
            date or (page_day if len(day_elements) == 1 else None),
            tuple(_PageReader(notes).blocks(element)),
        )
        for element, date in day_elements
    ]


def _titles(root: Node) -> list[str]:
    """Return what the page calls itself."""
    elements = [*root.css("title"), *root.css("h1"), *root.css("#firstHeading")]
    return [one_line(element.text()) for element in elements]


def _day_elements(root: Node) -> list[tuple[Node, str | None]]:
    """Return the elements that hold a day's bullets, each with its date."""
    places: list[tuple[Node, str | None]] = []
    announced: str | None = (
        None  # by an anchor before the day, as `Current events header` writes it
    )
    inside: set[int] = set()
    for node in root.traverse(include_text=False):
        if node.tag.startswith(("-", "!")):
            continue
        if day := day_in(node.attributes.get("id") or ""):
            announced = day
        classes = classes_of(node)
        is_day = "description" in classes or "current-events-content" in classes
        is_day = is_day or ("vevent" in classes and not _has_description(node))
        if is_day and not any(ancestor.mem_id in inside for ancestor in _ancestors(node)):
            inside.add(node.mem_id)
            places.append((node, _date_of(node, announced)))
            announced = None
    return places


def _has_description(node: Node) -> bool:
    return node.css_first(".description, .current-events-content") is not None


def _ancestors(node: Node) -> Iterator[Node]:
    while (node := node.parent) is not None:
        yield node


def _date_of(node: Node, announced: str | None) -> str | None:
    """Return the date of a day's element: of its marks, its id, its title, or an anchor before it."""
    container = next(
        (element for element in (node, *_ancestors(node)) if "vevent" in classes_of(element)),
        None,
    )
    if container is None:
        return announced
    for selector in (".bday", ".dtstart", ".published"):
        for element in container.css(selector):
            if day := day_in(element.attributes.get("title") or "") or day_in(element.text()):
                return day
    texts = [container.attributes.get("id") or ""]
    texts += [
        element.text() for element in container.css(".summary, .current-events-title, caption, th")
    ]
    return next((day for text in texts if (day := day_in(one_line(text)))), announced)


def _days_by_headings(root: Node, titles: list[str], notes: dict[str, list[str]]) -> list[Day]:
    """Read a page without marked days: headings that are a date begin one."""
    content = root.css_first(".mw-parser-output") or root.css_first("#mw-content-text")
    content = content or root.css_first("#bodyContent") or root.css_first("body") or root
    years = [year for title in titles if (year := year_in(title))]
    date = next((day for title in titles if (day := day_in(title))), None)
    days: list[Day] = []
    blocks: list[Block] = []
    for block in _PageReader(notes).blocks(content):
        text = block.text if isinstance(block, Heading) else ""
        if isinstance(block, Paragraph) and not block.passage.sources:
            text = one_line(block.passage.text)
        if text and is_day_heading(text, years):
            days.append(Day(date, tuple(blocks)))
            date, blocks = day_of(text, years), []
        else:
            blocks.append(block)
    days.append(Day(date, tuple(blocks)))
    return [day for day in days if any(isinstance(block, Bullet) for block in day.blocks)]


class _PageReader:
    """Walks an element: blocks outside, flat text with links inside."""

    def __init__(self, notes: dict[str, list[str]]) -> None:
        self._notes = notes

    def blocks(self, element: Node, depth: int = 0) -> Iterator[Block]:
        """Yield the blocks of an element, in reading order; inline nodes between blocks are a paragraph."""
        if depth > _MAX_DEPTH:
            raise DataError(f"elements are nested deeper than {_MAX_DEPTH} levels")
        inline: list[Node] = []
        for node in element.iter(include_text=True):
            if _is_skipped(node):
                continue
            if not _holds_blocks(node):
                inline.append(node)
                continue
            yield from self._paragraph(inline)
            inline = []
            yield from self._block(node, depth + 1)
        yield from self._paragraph(inline)

    def _block(self, node: Node, depth: int) -> Iterator[Block]:
        """Yield the blocks of a node by its kind: heading, bullet, paragraph, or container of blocks."""
        if _is_heading(node):
            yield Heading(one_line(self._passage([node]).text))
        elif node.tag in _ITEMS:
            yield self._bullet(node, depth)
        elif node.tag == "p":
            yield from self._paragraph(list(node.iter(include_text=True)))
        else:
            yield from self.blocks(node, depth)

    def _bullet(self, node: Node, depth: int) -> Bullet:
        """Return a list item; lists in it are its children, whatever inline element they hide in."""
        lists: list[Node] = []
        passage = self._passage(list(node.iter(include_text=True)), lists)
        children = [block for part in lists for block in self.blocks(part, depth)]
        return Bullet(passage, tuple(children))

    def _paragraph(self, nodes: list[Node]) -> Iterator[Paragraph]:
        if nodes:
            passage = self._passage(nodes)
            if not passage.is_blank():
                yield Paragraph(passage, bold=_all_bold(nodes))

    def _passage(self, nodes: list[Node], lists: list[Node] | None = None) -> Passage:
        """Return the text and links of nodes; lists among them are appended to `lists` where given."""
        builder = PassageBuilder()
        for node in nodes:
            self._inline(node, builder, lists)
        return builder.passage()

    def _inline(
        self, node: Node, builder: PassageBuilder, lists: list[Node] | None, depth: int = 0
    ) -> None:
        """Add the text and links of a node to the builder; lists are appended to `lists` where given."""
        if depth > _MAX_DEPTH:
            raise DataError(f"elements are nested deeper than {_MAX_DEPTH} levels")
        if node.tag == "-text":
            builder.add(node.text_content or "")
        elif "reference" in classes_of(node):
            self._footnote(node, builder)
        elif node.tag == "cite" and "citation" in classes_of(node):
            mark_citation(node, builder)
        elif _is_skipped(node):
            return
        elif node.tag in _LISTS and lists is not None:
            lists.append(node)
            builder.add(" ")
        elif node.tag == "br" or node.tag == "hr":
            builder.add("\n")
        else:
            apart = node.tag in _BLOCKS
            builder.add(" " if apart else "")
            start = builder.length
            for child in node.iter(include_text=True):
                self._inline(child, builder, lists, depth + 1)
            if node.tag == "a":
                mark_link(node, builder, start)
            builder.add(" " if apart else "")

    def _footnote(self, node: Node, builder: PassageBuilder) -> None:
        """Read a `[1]` that leads to a footnote: the page cited there is a source."""
        for link in node.css("a"):
            key = (link.attributes.get("href") or "").partition("#")[2]
            for url in self._notes.get(key, []):
                builder.mark(builder.length, "source", url, bare=True)


def _is_heading(node: Node) -> bool:
    marked = node.tag in _HEADINGS or node.attributes.get("role") == "heading"
    return marked or "current-events-content-heading" in classes_of(node)


def _is_skipped(node: Node) -> bool:
    """Return whether a node is no text of the page: comments, navigation, boxes, what is hidden.

    The mark of a footnote is kept however it is styled, because it leads to a source.
    """
    if node.tag == "-text":
        return False
    if node.tag.startswith(("-", "!")) or node.tag in _SKIPPED_TAGS:
        return True
    classes = classes_of(node)
    if "reference" in classes:
        return False
    hidden = _HIDDEN.search(node.attributes.get("style") or "") is not None
    return hidden or not classes.isdisjoint(_SKIPPED_CLASSES)


def _holds_blocks(node: Node) -> bool:
    """Return whether a node is a block or an inline element around one."""
    if node.tag == "-text":
        return False
    return node.tag in _BLOCKS or node.css_first("ul, ol, dl, p, h2, h3, h4, h5, li") is not None


def _all_bold(nodes: list[Node]) -> bool:
    """Return whether all text of some nodes stands in bold; a colon may stand outside."""
    has_bold = False
    for node in nodes:
        if node.tag == "-text":
            if (node.text_content or "").strip(" \t\n:\u00a0"):
                return False
        elif node.tag in _BOLD:
            has_bold = has_bold or bool(one_line(node.text()))
        elif not _is_skipped(node) and one_line(node.text()):
            if not _all_bold(list(node.iter(include_text=True))):
                return False
            has_bold = True
    return has_bold
