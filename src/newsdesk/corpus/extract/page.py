"""A page becomes one tree, parsed once with lxml, and its body blocks: runs of text that a browser would print as one paragraph.

The charset is the byte order mark's, else UTF-8 if the bytes are valid UTF-8 (whatever the page declares: a wrong declaration
is far more common than foreign bytes that happen to be valid UTF-8), else the one of the HTTP header or of the page's own
`meta`, else a guess. The parser is libxml2's, which recovers from any markup and stops at a depth of 2,048.

Blocks come from one walk over the tree, without recursion. Elements that never hold article text (`nav`, `figure`, `script` and the like) are
not entered. Elements whose class names sound like boilerplate are entered and marked: whether the mark counts is decided when
the text of the whole page is known (`container.py`).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeAlias

from newsdesk.errors import PageError
from newsdesk.packaged import sections
from newsdesk.registry import require

# lxml comes without types.
Element: TypeAlias = Any

MAX_BYTES = 10_000_000
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""charset\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_:.-]{2,40})""")
_HEAD_BYTES = 4_096
_GUESS_BYTES = 20_000
# What browsers read under these names holds more characters than the standards of these names.
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "iso-8859-9": "cp1254",
}
_WEB = re.compile(
    r"utf-(?:8|16).*|cp\d+|iso8859-\d+|koi8.*|mac.*|gb.*|big5.*|euc.*|shift_jis.*|iso2022.*|tis-620"
)
_CONTROLS = bytes(code for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A, 0x0C, 0x0D))
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")
_MOST_MARKUP = 1_000_000
_MOST_ELEMENTS = 20_000
_MAGIC = (
    b"%PDF-",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x7fELF",
    b"BM",
)
_MOST_CONTROLS = 0.05
# libxml2 compares every attribute with those before it, so that a tag with 10⁵ of them takes minutes.
_LONG = 10_000
_TAG = re.compile(rb"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>?""")
_MOST_ATTRIBUTES = 2_000


def parse(html: str | bytes, *, charset: str | None = None, max_bytes: int = MAX_BYTES) -> Element:
    """Return the tree of a page; a page that holds no HTML or is too large raises `PageError`."""
    etree = require("lxml.etree", extra="corpus", what="extracting articles")
    data = _utf8(html, charset, max_bytes)
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        root = etree.fromstring(_without_long_tags(data), parser)
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        raise PageError("the page holds no markup and no text", kind="empty")
    return root


def decode(data: bytes, charset: str | None = None) -> str:
    """Return the text of a page's bytes.

    >>> decode('<meta charset="latin-1">Zürich'.encode("cp1252"))
    '<meta charset="latin-1">Zürich'
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    match = _DECLARED.search(data[:_HEAD_BYTES])
    declared = match[1].decode("ascii") if match else None
    names = [codec for codec in map(_codec, (charset, declared)) if codec]
    # Of two names the one that is not UTF-8 is right, for the bytes are not; UTF-8 alone has a few broken bytes.
    names.sort(key=lambda codec: codec == "utf-8")
    return data.decode(names[0] if names else _guess(data), "replace")


def markup(root: Element) -> str:
    """Return the page as text again, for tools that parse it themselves.

    Empty where it may take them long.

    Scripts and styles are taken out of the tree, so ask for nothing in them afterwards.
    """
    etree = require("lxml.etree", extra="corpus", what="extracting articles")
    etree.strip_elements(root, "script", "style", "svg", with_tail=False)
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS:
        return ""
    data: str = etree.tostring(root, encoding="unicode", method="html")
    return data if len(data) <= _MOST_MARKUP else ""


def clean(text: str) -> str:
    """Return a text without control characters and lone surrogates, which files and databases refuse."""
    return _UNWANTED.sub("", text)


def _utf8(html: str | bytes, charset: str | None, max_bytes: int) -> bytes:
    """Return a page as UTF-8; one that is binary or too large raises `PageError`."""
    if len(html) > max_bytes:
        raise PageError(
            f"the page has {len(html):,} bytes, more than {max_bytes:,}; raise `max_bytes` to read it",
            kind="too-large",
        )
    if isinstance(html, bytes):
        _refuse_binary(html)
        html = decode(html, charset)
    return html.encode("utf-8", "replace").replace(b"\0", b"")


def _refuse_binary(data: bytes) -> None:
    """Raise `PageError` for data that begin like a known binary format or with many control bytes."""
    head = data[:_HEAD_BYTES]
    utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if head.startswith(_MAGIC) or (not utf16 and controls > _MOST_CONTROLS * len(head)):
        raise PageError(f"the page is binary data that begins with {head[:8]!r}", kind="binary")


def _codec(name: str | None) -> str | None:
    """Return Python's name for a charset of the web, or None if it knows none of that name."""
    name = (name or "").strip().lower()
    try:
        codec = codecs.lookup(_WIDER.get(name, name)).name
    except (LookupError, ValueError):
        return None
    return codec if _WEB.fullmatch(codec) else None


def _guess(data: bytes) -> str:
    normalizer = require("charset_normalizer", extra="corpus", what="guessing a charset")
    best = normalizer.from_bytes(data[:_GUESS_BYTES]).best()
    return best.encoding if best else "cp1252"


def _without_long_tags(data: bytes) -> bytes:
    """Return the page without the attributes of tags that have thousands of them."""
    pieces = data.split(b"<")
    long_pieces = [
        number for number, piece in enumerate(pieces) if len(piece) > _LONG and piece[:1].isalpha()
    ]
    for number in long_pieces:
        match = _TAG.match(pieces[number])
        words = match[0].split(None, _MOST_ATTRIBUTES) if match else []
        if match and len(words) > _MOST_ATTRIBUTES:
            pieces[number] = words[0] + b">" + pieces[number][match.end() :]
    return b"<".join(pieces) if long_pieces else data


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
    """A run of text in a node; `link` counts characters of link text, `size` the bytes of all text."""

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
        """Return the outline of a body; no recursion, which would end at Python's limit."""
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
        """Enter an element: a block-level one ends the block before it and becomes the open node."""
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
        """Leave an element; a block-level one ends its block."""
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
        self.page.blocks.append(
            Block(text, self.node, tag, size, link=link, links=links, good=good)
        )


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
    """Return whether class names sound like boilerplate; sites repeat theirs."""
    return _boilerplate().search(names.lower()) is not None


@cache
def _boilerplate() -> re.Pattern[str]:
    names = sections("corpus.extract", "cues.txt")
    parts = "|".join(map(re.escape, names["class-parts"]))
    words = "|".join(map(re.escape, names["class-words"]))
    return re.compile(rf"{parts}|(?<![a-z])(?:{words})(?![a-z])")
