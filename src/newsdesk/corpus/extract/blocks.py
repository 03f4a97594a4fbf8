"""The body of a page as blocks: runs of text that a browser would print as one paragraph, and the elements around them.

One walk over the tree, without recursion. Elements that never hold article text (`nav`, `figure`, `script` and the like) are
not entered. Elements whose class names sound like boilerplate are entered and marked: whether the mark counts is decided when
the text of the whole page is known (`container.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from newsdesk.corpus.extract.data import groups
from newsdesk.corpus.extract.page import Element

SKIPPED = frozenset(
    "script style noscript nav figure figcaption button select textarea iframe svg template video audio object canvas menu "
    "dialog input label option picture img head math map embed source track progress meter datalist frame frameset "
    "amp-img amp-ad amp-iframe amp-social-share amp-sidebar amp-carousel".split()
)
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rb rp rt ruby s samp small span strike strong "
    "sub sup time tt u var wbr nobr".split()
)
_MARKED_TAGS = frozenset("aside form footer".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))
_HIDDEN = re.compile(r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden")
_END = re.compile(r"[.!?…。！？।؟:;\"”»“’'）)」』]$")


@dataclass(slots=True)
class Block:
    """A run of text: how much of it is link text, the node it stands in, and the tag of that node."""

    text: str
    link: int
    node: int
    tag: str
    size: int
    links: int
    repeated: bool

    @property
    def link_share(self) -> float:
        """The share of the characters that are link text."""
        return min(1.0, self.link / len(self.text))

    @property
    def like_sentence(self) -> bool:
        """Whether the block ends as sentences do."""
        return _END.search(self.text) is not None

    @property
    def good(self) -> bool:
        """Whether the block reads like a paragraph of an article."""
        return (
            self.size >= 60
            and not self.repeated
            and self.link_share < 0.5
            and self.tag not in HEADINGS
        )


@dataclass(slots=True)
class Outline:
    """Blocks and block-level elements of a page; a node is a position in `parents`, `tags`, `names`, `marked` and `elements`."""

    parents: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@cache
def _boilerplate() -> re.Pattern[str]:
    names = groups("cues.txt")
    parts = "|".join(map(re.escape, names["class-parts"]))
    words = "|".join(map(re.escape, names["class-words"]))
    return re.compile(rf"{parts}|(?<![a-z])(?:{words})(?![a-z])")


def outline(body: Element) -> Outline:
    """Walk over a page's body."""
    return _Walk().walk(body)


class _Walk:
    """The state of one walk: the open node, the text since the last break, and how deep in links it is."""

    def __init__(self) -> None:
        self.page = Outline()
        self.node = -1
        self.parts: list[str] = []
        self.links = 0
        self.link_size = 0
        self.link_count = 0
        self.seen: set[str] = set()
        self.boilerplate = _boilerplate()

    def walk(self, body: Element) -> Outline:
        stack: list[tuple[Element, str]] = [(body, "")]
        while stack:
            element, closing = stack.pop()
            if closing:
                self._close(closing)
                self._add(element.tail)
                continue
            tag = element.tag
            if tag in SKIPPED or not isinstance(tag, str):
                self._add(element.tail)
            elif tag == "br" or tag == "hr":
                self._break()
                self._add(element.tail)
            else:
                self._open(element, tag)
                self._add(element.text)
                stack.append((element, tag))
                stack.extend((child, "") for child in reversed(element))
        self._flush()
        return self.page

    def _open(self, element: Element, tag: str) -> None:
        if tag in _INLINE:
            if tag == "a":
                self.links += 1
                self.link_count += 1
            return
        self._flush()
        page = self.page
        above = page.tags[self.node] if self.node >= 0 else ""
        page.parents.append(self.node)
        page.tags.append(above if above in HEADINGS else tag)
        page.elements.append(element)
        page.marked.append(self._mark(element, tag))
        self.node = len(page.parents) - 1

    def _close(self, tag: str) -> None:
        if tag in _INLINE:
            if tag == "a":
                self.links -= 1
            return
        self._flush()
        self.node = self.page.parents[self.node]

    def _mark(self, element: Element, tag: str) -> str:
        """The name under which an element sounds like boilerplate, or nothing."""
        get = element.get
        names = f"{get('class') or ''} {get('id') or ''} {get('role') or ''}"
        if len(names) > 2 and tag not in HEADINGS and self.boilerplate.search(names[:500].lower()):
            return f"{tag} {get('class')}"
        if get("hidden") is not None or get("aria-hidden") == "true":
            return f"hidden {tag} {get('class')}"
        style = get("style")
        if style is not None and _HIDDEN.search(style[:500]):
            return f"hidden {tag} {get('class')}"
        return tag if tag in _MARKED_TAGS else ""

    def _break(self) -> None:
        """A line break; the second in a row ends the paragraph."""
        for part in reversed(self.parts):
            if part == "\n":
                self._flush()
                return
            if not part.isspace():
                break
        self.parts.append("\n")

    def _add(self, text: str | None) -> None:
        if text:
            self.parts.append(text)
            if self.links:
                self.link_size += len(text.strip())

    def _flush(self) -> None:
        if not self.parts:
            return
        text = "".join(self.parts)
        self.parts = []
        link, self.link_size = self.link_size, 0
        count, self.link_count = self.link_count, 0
        if not text.isascii():
            text = text.translate(_INVISIBLE)
        text = " ".join(text.split())
        if text:
            size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
            node = self.node
            repeated = text in self.seen
            self.seen.add(text)
            self.page.blocks.append(Block(text, link, node, self.page.tags[node], size, count, repeated))
