"""A page becomes one tree: its bytes are decoded, freed of what no page needs, and parsed once with lxml.

The charset is the byte order mark's, else UTF-8 if the bytes are valid UTF-8 (whatever the page declares: a wrong declaration
is far more common than foreign bytes that happen to be valid UTF-8), else the one of the HTTP header or of the page's own
`meta`, else a guess. The parser is libxml2's, which recovers from any markup and stops at a depth of 2,048.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, TypeAlias

from newsdesk.errors import PageError
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
    head = data[:_HEAD_BYTES]
    utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if head.startswith(_MAGIC) or (not utf16 and controls > _MOST_CONTROLS * len(head)):
        raise PageError(f"the page is binary data that begins with {head[:8]!r}", kind="binary")


def _codec(name: str | None) -> str | None:
    """Python's name for a charset of the web, or None if it knows none of that name."""
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
    long = [n for n, piece in enumerate(pieces) if len(piece) > _LONG and piece[:1].isalpha()]
    for n in long:
        match = _TAG.match(pieces[n])
        words = match[0].split(None, _MOST_ATTRIBUTES) if match else []
        if match and len(words) > _MOST_ATTRIBUTES:
            pieces[n] = words[0] + b">" + pieces[n][match.end() :]
    return b"<".join(pieces) if long else data
