"""The text of comments that are stored as HTML: tags removed, paragraphs and line breaks as line breaks, entities decoded."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BREAKS = {"p", "br", "div", "li", "blockquote", "tr", "ul", "ol", "h1", "h2", "h3", "h4", "pre"}
_HIDDEN = {"script", "style", "template", "iframe", "object"}
_SPACE = re.compile(r"[ \t\r\f\v\u00a0]+")
_EMPTY_LINES = re.compile(r"\n\s*\n+")
_MARKUP = re.compile(
    r"</?(?:p|br|a|b|i|u|em|strong|div|span|li|ul|ol|blockquote|img|code|pre|h[1-6])(?:\s[^<>]*)?/?>"
    r"|&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[mn]dash|hellip|#\d{1,6}|#x[0-9a-f]{1,5});",
    re.IGNORECASE,
)


class _Text(HTMLParser):
    """Collects the text outside of hidden elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def has_markup(text: str) -> bool:
    """True if a text shows tags that comments are written with, or entities; a lone `<` is none.

    >>> has_markup("It&#39;s late"), has_markup("5 < 6 && a <3 for all")
    (True, False)
    """
    return ("<" in text or "&" in text) and _MARKUP.search(text) is not None


def text_of_html(html: str) -> str:
    """The text that a reader of an HTML fragment sees.

    >>> text_of_html("<p>Rail &amp; road:</p><p>both<br>matter</p>")
    'Rail & road:\\nboth\\nmatter'
    """
    if "<" not in html and "&" not in html:
        return html.strip()
    parser = _Text()
    parser.feed(html)
    parser.close()
    text = _SPACE.sub(" ", "".join(parser.parts))
    lines = (line.strip() for line in _EMPTY_LINES.sub("\n", text).split("\n"))
    return "\n".join(line for line in lines if line)
