"""The body of a page as blocks: runs of text that a browser would print as one paragraph, and the elements around them.

One walk over the tree, without recursion. Elements that never hold article text (`nav`, `figure`, `script` and the like) are
not entered. Elements whose class names sound like boilerplate are entered and marked: whether the mark counts is decided when
the text of the whole page is known (`container.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache

from newsdesk.corpus.extract.page import Element
from newsdesk.packaged import sections

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
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]+")
_HIDDEN = re.compile(r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden")
_NAMING = frozenset(("class", "id", "role"))
_DIGITS = re.compile(r"\d+")
_MOST_NAMES = 500
_GOOD_SIZE = 60
_GOOD_LINKS = 0.5
_END = re.compile(r"[.!?…。！？।؟:;\"”»“’'）)」』]$")


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text and the node it stands in.

    `link` counts characters of link text, `size` the bytes of all text.
    """

    text: str
    node: int
    tag: str
    size: int
    link: int
    links: int
    good: bool  # reads like a paragraph of an article

    @property
    def link_share(self) -> float:
        """The share of the characters that are link text."""
        return min(1.0, self.link / len(self.text))

    @property
    def like_sentence(self) -> bool:
        """Whether the block ends as sentences do."""
        return _END.search(self.text) is not None


@dataclass(slots=True)
class Outline:
    """Blocks and block-level elements of a page, in its order.

    A node is a position in the four lists of elements.

    `tags` says `h2` for what stands inside an `h2`; `marks` names the class under which an element sounds like boilerplate.
    """

    parents: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def outline(body: Element) -> Outline:
    """Return the blocks of text of a page's body, in document order."""
    return _BlockWalk().walk(body)


class _BlockWalk:
    """The state of one walk: the open node, the text since the last break, and the links in it."""

    def __init__(self) -> None:
        self.page = Outline()
        self.node = -1
        self.parts: list[str] = []
        self.open_links = 0
        self.link_size = 0
        self.links = 0
        self.seen: set[str] = set()

    def walk(self, body: Element) -> Outline:
        # A stack of open elements and of iterators over their children; recursion would end at Python's limit.
        self._open(body, str(body.tag))
        self._add(body.text)
        stack = [(body, str(body.tag), iter(body))]
        while stack:
            element, tag, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._close(tag)
                if stack:
                    self._add(element.tail)
                continue
            tag = child.tag
            if tag in SKIPPED:
                self._add(child.tail)
            elif tag == "br":
                self._break()
                self._add(child.tail)
            else:
                self._open(child, tag)
                self._add(child.text)
                stack.append((child, tag, iter(child)))
        return self.page

    def _open(self, element: Element, tag: str) -> None:
        if tag in _INLINE:
            if tag == "a":
                self.open_links += 1
                self.links += 1
            return
        if self.parts:
            self._flush()
        page = self.page
        above = page.tags[self.node] if self.node >= 0 else ""
        page.parents.append(self.node)
        page.tags.append(above if above in HEADINGS else tag)
        page.elements.append(element)
        page.marks.append(_mark(element, tag))
        self.node = len(page.parents) - 1

    def _close(self, tag: str) -> None:
        if tag in _INLINE:
            if tag == "a":
                self.open_links -= 1
            return
        if self.parts:
            self._flush()
        self.node = self.page.parents[self.node]

    def _break(self) -> None:
        """Read a line break; the second in a row ends the paragraph."""
        for part in reversed(self.parts):
            if part == "\n":
                self._flush()
                return
            if not part.isspace():
                break
        self.parts.append("\n")

    def _add(self, text: str | None) -> None:
        # White space at the start of a block would only be stripped again.
        if text and (self.parts or not text.isspace()):
            self.parts.append(text)
            if self.open_links:
                self.link_size += len(text.strip())

    def _flush(self) -> None:
        """Make a block of the text since the last break."""
        text = "".join(self.parts)
        link, links = self.link_size, self.links
        self.parts, self.link_size, self.links = [], 0, 0
        is_ascii = text.isascii()
        if not is_ascii:
            text = _INVISIBLE.sub("", text)
        text = " ".join(text.split())
        if not text:
            return
        size = len(text) if is_ascii else len(text.encode("utf-8", "replace"))
        tag = self.page.tags[self.node]
        good = (
            size >= _GOOD_SIZE
            and link < _GOOD_LINKS * len(text)
            and tag not in HEADINGS
            and text not in self.seen
        )
        self.seen.add(text)
        self.page.blocks.append(Block(text, self.node, tag, size, link, links, good))


def _mark(element: Element, tag: str) -> str:
    """Return the name under which an element sounds like boilerplate, or nothing.

    Without digits, which number elements of one kind.

    A heading is not marked: outlets call the headings of an article by the strangest names.
    """
    names = ""
    is_hidden = False
    for name, value in element.items():
        if name in _NAMING:
            names += f"{value} "
        elif name == "hidden" or (name == "aria-hidden" and value == "true"):
            is_hidden = True
        elif name == "style":
            is_hidden = is_hidden or _HIDDEN.search(value[:_MOST_NAMES]) is not None
    if is_hidden:
        return f"hidden {tag} {_kind(element)}"
    if names and tag not in HEADINGS and _is_boilerplate(names[:_MOST_NAMES]):
        return f"{tag} {_kind(element)}"
    return tag if tag in _MARKED_TAGS else ""


def _kind(element: Element) -> str:
    return _DIGITS.sub("", element.get("class") or "")


@lru_cache(maxsize=16_384)
def _is_boilerplate(names: str) -> bool:
    """Return whether class names sound like boilerplate.

    Sites repeat theirs, so the answers are remembered.
    """
    return _boilerplate().search(names.lower()) is not None


@cache
def _boilerplate() -> re.Pattern[str]:
    names = sections("corpus.extract", "cues.txt")
    parts = "|".join(map(re.escape, names["class-parts"]))
    words = "|".join(map(re.escape, names["class-words"]))
    return re.compile(rf"{parts}|(?<![a-z])(?:{words})(?![a-z])")
