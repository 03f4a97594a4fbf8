"""Portal pages in wikitext, read into days and blocks.

A day is the `content` of `{{Current events|year=…|month=…|day=…|content=…}}`, what stands between the `top=yes` and `bottom=yes`
forms of that template, or what follows `{{Current events header|2005|01|08}}`. Lines are read as MediaWiki reads them: `*` nests
bullets, `;`, `'''…'''` and `==…==` write headings, letters right behind a link belong to its phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from newsdesk.corpus.portal.brackets import cited_page, template_text
from newsdesk.corpus.portal.passage import (
    Block,
    Bullet,
    Day,
    Heading,
    Paragraph,
    Passage,
    PassageBuilder,
    day_in,
    day_of,
    is_day_heading,
    one_line,
)
from newsdesk.registry import require

Node = Any  # a node of mwparserfromhell
_DAY_TEMPLATE = re.compile(r"\{\{\s*current[ _]events([ _]header)?\s*\|", re.IGNORECASE)
_DROPPED_LINK = re.compile(r"(file|image|media|category):", re.IGNORECASE)
_NO_ARTICLE = re.compile(
    r"(special|help|portal|template|wikipedia|wp|talk|user|draft|mediawiki)(_talk|\stalk)?:",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"[a-z]+")
_LIST_MARKS = "*#:;"
_MAX_DEPTH = 100


def fill_named_footnotes(code: Any) -> None:
    """Give every empty footnote the text of the first one with its group and name."""
    footnotes = list(_named(code))
    texts: dict[tuple[str, str], str] = {}
    for key, tag in footnotes:
        if tag.contents and str(tag.contents).strip():
            texts.setdefault(key, str(tag.contents))
    for key, tag in footnotes:
        if key in texts and not (tag.contents and str(tag.contents).strip()):
            tag.contents = texts[key]
            tag.self_closing = False


def _named(code: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the footnotes that have a name, with group and name, wherever they stand."""
    for tag in code.filter_tags(recursive=True):
        if str(tag.tag).strip().lower() == "ref" and tag.has("name"):
            group = str(tag.get("group").value).strip() if tag.has("group") else ""
            yield (group, str(tag.get("name").value).strip()), tag


def is_wikitext(text: str) -> bool:
    """Return whether a page is wikitext: the day template, or bullets and links but no HTML list."""
    if _DAY_TEMPLATE.search(text):
        return True
    bullets = re.search(r"^\s*[*;]+\s*\S", text, re.MULTILINE) is not None
    return bullets and re.search(r"<(li|ul|html|div|p)\b", text, re.IGNORECASE) is None


def read_wikitext(text: str) -> list[Day]:
    """Return the days of a page; a date is None where nothing on the page says it."""
    parser = require("mwparserfromhell", extra="corpus", what="reading portal wikitext")
    code = parser.parse(text)
    fill_named_footnotes(code)
    reader = _LineReader(parser)
    for node in code.nodes:
        if _is_day_template(node):
            reader.start_day(_template_date(node))
            if node.has("content"):
                reader.read(parser.parse(str(node.get("content").value)).nodes)
                reader.start_day(None)
            elif _is_set(node, "bottom"):
                reader.start_day(None)
        else:
            reader.read([node])
    return reader.days()


def _is_day_template(node: Node) -> bool:
    name = getattr(node, "name", None)
    if name is None or not hasattr(node, "params"):
        return False
    return one_line(str(name)).replace("_", " ").lower() in (
        "current events",
        "current events header",
    )


def _is_set(template: Node, name: str) -> bool:
    return template.has(name) and bool(str(template.get(name).value).strip())


def _template_date(template: Node) -> str | None:
    """Return the day that a template names, in named or numbered arguments."""
    parts = []
    for name, place in (("year", "1"), ("month", "2"), ("day", "3")):
        key = name if template.has(name) else place
        parts.append(str(template.get(key).value).strip() if template.has(key) else "")
    if all(part.isdigit() for part in parts):
        year, month, day = parts
        return day_in(f"{year}-{int(month):02d}-{int(day):02d}")
    return day_in(" ".join(parts))


@dataclass(slots=True)
class _Line:
    """One line of wikitext: its list marks, and its nodes."""

    marks: str = ""
    nodes: list[Node] = field(default_factory=list)
    heading: bool = False


class _LineReader:
    """Collects lines into blocks and blocks into days."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser
        self._days: list[tuple[str | None, list[_Line]]] = [(None, [_Line()])]

    def start_day(self, date: str | None) -> None:
        """Begin a day; what is read next belongs to it."""
        self._days.append((date, [_Line()]))

    def read(self, nodes: Iterable[Node]) -> None:
        """Read nodes: texts are cut at line ends, list marks at the start say how deep a line is."""
        _, lines = self._days[-1]
        for node in nodes:
            if type(node).__name__ == "Text":
                first, *rest = str(node.value).split("\n")
                self._add_text(lines, first)
                for text in rest:
                    lines.append(_Line())
                    self._add_text(lines, text)
            elif type(node).__name__ == "Heading":
                lines += [_Line(nodes=list(node.title.nodes), heading=True), _Line()]
            elif getattr(node, "wiki_markup", None) in tuple(_LIST_MARKS):
                self._add_mark(lines, node.wiki_markup)
            elif type(node).__name__ != "Comment":
                lines[-1].nodes.append(node)

    def _add_text(self, lines: list[_Line], text: str) -> None:
        """Add a text without line ends to the last line."""
        line = lines[-1]
        if not line.nodes and not line.marks and text.lstrip().startswith(("*", ";", "#")):
            # A blank before the asterisk, which MediaWiki would print as preformatted text: editors meant a bullet.
            marked = text.lstrip()
            text = marked.lstrip(_LIST_MARKS)
            line.marks = marked.removesuffix(text)
        if text:
            line.nodes.append(self._parser.nodes.Text(text))

    def _add_mark(self, lines: list[_Line], mark: str) -> None:
        """Add a list mark to the last line: to its marks at the start, else to its text."""
        line = lines[-1]
        if not any(str(node).strip() for node in line.nodes):
            line.marks += mark
        elif mark == ":" and line.marks.endswith(";"):
            lines.append(_Line(marks=line.marks[:-1] + ":"))
        else:
            line.nodes.append(self._parser.nodes.Text(mark))

    def days(self) -> list[Day]:
        """Return the days that hold any bullet; without templates, headings that are a date begin one."""
        days = []
        for date, lines in self._days:
            for date_of_part, part in _parts(date, lines):
                blocks = tuple(_blocks(part))
                if any(not isinstance(block, Heading) for block in blocks):
                    days.append(Day(date_of_part, blocks))
        return days


def _parts(date: str | None, lines: list[_Line]) -> Iterator[tuple[str | None, list[_Line]]]:
    """Yield the parts of a dated or undated run of lines, each with its date.

    Lines without a date are cut at headings that are one.
    """
    if date is not None:
        yield date, lines
        return
    part: list[_Line] = []
    for line in lines:
        text = one_line(_passage(line.nodes).text)
        if (line.heading or line.marks == ";") and is_day_heading(text, ()):
            yield date, part
            date, part = day_of(text, ()), []
        else:
            part.append(line)
    yield date, part


def _blocks(lines: Iterable[_Line]) -> Iterator[Block]:
    """Yield the blocks of lines: a run of lines with list marks is a tree of bullets."""
    run: list[tuple[str, Passage]] = []
    for line in lines:
        passage = _passage(line.nodes)
        if line.marks and not line.marks.endswith(";"):
            run.append((line.marks, passage))
            continue
        yield from _tree(run, 0)
        run = []
        if passage.is_blank():
            continue
        if line.heading or line.marks:
            yield Heading(one_line(passage.text))
        elif one_line(passage.text) != "|}":
            yield Paragraph(passage, bold=_all_bold(line.nodes))
    yield from _tree(run, 0)


def _tree(run: list[tuple[str, Passage]], depth: int) -> list[Bullet]:
    """Return lines with list marks as nested bullets; one that skips levels hangs on the one above."""
    bullets: list[Bullet] = []
    marks_of_line = [marks for marks, _ in run]
    place = 0
    while place < len(run):
        marks, passage = run[place]
        end = place + 1
        while end < len(run) and len(marks_of_line[end]) > len(marks):
            end += 1
        children = _tree(run[place + 1 : end], depth + 1) if depth < _MAX_DEPTH else []
        bullets.append(Bullet(passage, tuple(children)))
        place = end
    return bullets


def _passage(nodes: Iterable[Node]) -> Passage:
    builder = PassageBuilder()
    _inline(list(nodes), builder)
    return builder.passage()


def _inline(nodes: list[Node], builder: PassageBuilder) -> None:
    """Add the text and links of nodes to the builder."""
    trail = ""  # letters behind a link, which belong to its phrase and not to the next text
    for place, node in enumerate(nodes):
        kind = type(node).__name__
        if kind == "Text":
            builder.add(str(node.value).removeprefix(trail))
        elif kind == "str":
            builder.add(node)
        elif kind == "HTMLEntity":
            builder.add(node.normalize())
        elif kind == "ExternalLink":
            _external(node, builder)
        elif kind == "Template":
            _template(node, builder)
        elif kind == "Tag":
            _tag(node, builder)
        trail = ""
        if kind == "Wikilink":
            following = str(nodes[place + 1].value) if _is_text(nodes, place + 1) else ""
            match = _TRAIL.match(following)
            trail = match.group() if match else ""
            _wikilink(node, trail, builder)


def _is_text(nodes: list[Node], place: int) -> bool:
    return place < len(nodes) and type(nodes[place]).__name__ == "Text"


def _wikilink(node: Node, trail: str, builder: PassageBuilder) -> None:
    """Add a link to an article as an entity; `trail` are the letters right behind it."""
    title = one_line(node.title.strip_code()).replace("_", " ")
    if _DROPPED_LINK.match(title):
        return
    start = builder.length
    if node.text is None:
        builder.add(title.removeprefix(":") + trail)
    else:
        _inline(list(node.text.nodes), builder)
        builder.add(trail)
    target = one_line(title.removeprefix(":").partition("#")[0])
    if target and not _NO_ARTICLE.match(target):
        builder.mark(
            start, "entity", target[0].upper() + target[1:] if ":" not in target else target
        )


def _external(node: Node, builder: PassageBuilder) -> None:
    """Add a link to a page as a source; `bare` if it shows no text of its own."""
    url = str(node.url).strip()
    if url.startswith("//"):
        url = f"https:{url}"
    start = builder.length
    if node.title is None or not str(node.title).strip():
        builder.add("[1]" if node.brackets else url)
        builder.mark(start, "source", url, bare=True)
        return
    _inline(list(node.title.nodes), builder)
    builder.mark(start, "source", url)


def _template(node: Node, builder: PassageBuilder) -> None:
    """Add what a template shows; a citation is a source without text."""
    page = cited_page(node)
    if page is not None:
        url, outlet = page
        builder.mark(builder.length, "source", url, label=outlet, bare=True)
        return
    shown = template_text(node)
    if shown is not None:
        start = builder.length
        _inline(list(shown.nodes), builder)
        if shown.target:
            builder.mark(start, "entity", shown.target)


def _tag(node: Node, builder: PassageBuilder) -> None:
    """Add the contents of a tag; a footnote is a source, a break a line end."""
    name = str(node.tag).strip().lower()
    if name == "ref":
        _footnote(node, builder)
    elif name in ("br", "hr"):
        builder.add("\n")
    elif name not in ("gallery", "imagemap", "references", "math", "style") and node.contents:
        _inline(list(node.contents.nodes), builder)


def _footnote(node: Node, builder: PassageBuilder) -> None:
    """Add the page that a footnote cites as a source; its label is the outlet that the citation names."""
    if not node.contents:
        return
    for template in node.contents.filter_templates(recursive=False):
        page = cited_page(template)
        if page is not None:
            url, outlet = page
            builder.mark(builder.length, "source", url, label=outlet, bare=True)
            return
    for link in node.contents.filter_external_links(recursive=False):
        builder.mark(builder.length, "source", str(link.url), bare=True)
        return


def _all_bold(nodes: list[Node]) -> bool:
    """Return whether all text of some nodes is bold; a colon may stand outside."""
    bold = False
    for node in nodes:
        if type(node).__name__ == "Tag" and str(node.tag).strip().lower() in ("b", "strong"):
            bold = True
        elif str(node).strip(" :\t"):
            return False
    return bold
