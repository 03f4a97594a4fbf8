"""One worksheet of a workbook that is written row by row: cells, links, heights and how it prints.

Text is always written as text: openpyxl takes what begins with "=" for a formula and `#N/A` for an error unless the cell's type is set
explicitly.

Cell styles of a workbook: readable widths, wrapped text, colour where there is something to fill in.

Heights of rows and widths of columns, computed from the text.

LibreOffice shows a row without an explicit height as one line, and Excel computes heights only when a cell is edited. A row cannot exceed 409
points, so a column of long texts is made wider until they fit. Characters are counted in columns of a terminal: an ideograph takes two.

The sheet of articles: what the judged texts are about, to read beside the task that links to it.

An article is a row with its title and a row for every paragraph, so that no length exceeds a row or a cell. An article of several tasks is there once.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from newsdesk.campaigns.sheets.layout import Sheet, fit, link
from newsdesk.text.normalize import lined

# In characters. Of several the smallest is taken in which all texts fit into their rows.
WIDTHS: dict[str, tuple[int, ...]] = {
    "guidance": (14, 80, 60, 60),
    "task": (10,),
    "url": (24,),
    "context": (32, 44, 60),
    "letter": (7,),
    "text": (60, 76, 96, 120),
    "outputs": (44, 60, 76, 96),  # side by side
    "answer": (14,),
    "question": (34,),
    "article": (9,),
    "revision": (8,),
}
TITLE_HEIGHT = 24.0
_INK, _PALE, _BLUE = "FF1F2933", "FF7B8794", "FF1155CC"
_FILLS = {"header": "FFE4E9EF", "shaded": "FFF3F5F8", "answer": "FFFFF6D9"}
_FONTS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "size": 15},
    "heading": {"bold": True, "size": 12},
    "header": {"bold": True},
    "key": {"size": 8, "color": _PALE},
    "letter": {"bold": True, "size": 12},
    "twin": {"italic": True, "color": _PALE},
    "link": {"underline": "single", "color": _BLUE},
}
_NAMES = (
    "title",
    "heading",
    "plain",
    "level",
    "header",
    "key",
    "letter",
    "shaded",
    "twin",
    "link",
    "answer",
)


def looks(openpyxl: Any, cell: Any) -> dict[tuple[str, bool], Any]:
    """Return the style by kind of cell, and whether it has the prefix that keeps text as text.

    `cell` is any cell of the sheet: it gets every style in turn.
    """
    styles = openpyxl.styles
    line = styles.Side(style="thin", color="FFCBD2D9")
    styles_of = {}
    for name in _NAMES:
        cell._style = styles.cell_style.StyleArray()
        cell.font = styles.Font(
            name="Calibri", **{"size": 11, "color": _INK, **_FONTS.get(name, {})}
        )
        cell.alignment = styles.Alignment(
            vertical="top",
            wrap_text=name not in ("title", "heading"),
            horizontal="center" if name in ("answer", "letter") else None,
        )
        cell.protection = styles.Protection(locked=name != "answer")
        if name in _FILLS:
            cell.fill = styles.PatternFill("solid", fgColor=_FILLS[name])
        if name not in ("title", "heading"):
            cell.border = styles.Border(bottom=line, left=line, right=line)
        styles_of[name, False] = copy(cell._style)
        cell.quotePrefix = True
        styles_of[name, True] = copy(cell._style)
    return styles_of


HIGHEST = 409.0  # points; Excel's limit
_LINE = 15.0  # points of a line of 11-point text
_MARGIN = 4.0
# Lines break between words, so that they hold fewer characters than the width.
_WASTE = 1.12


def units(text: str) -> int:
    """Return the width of a line of text in characters; wide characters count twice.

    >>> units("news"), units("新闻")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def line_count(text: str, width: int) -> int:
    """Return how many lines a text takes in a column of this width."""
    wrapped = (math.ceil(units(line) * _WASTE / width) for line in text.split("\n"))
    return sum(max(1, count) for count in wrapped)


def height(cells: Iterable[tuple[str, int]]) -> float:
    """Return the height of a row in points, from the texts of its cells and the widths of their columns.

    >>> height([("short", 40), ("x" * 100, 40)])
    49.0
    """
    most = max((line_count(text, width) for text, width in cells if text), default=1)
    return min(HIGHEST, most * _LINE + _MARGIN)


def fitting_width(texts: Iterable[str], widths: Sequence[int]) -> int:
    """Return the smallest of these widths in which every text fits into a row, or the largest."""
    listed = [text for text in texts if text]
    for width in widths:
        if all(line_count(text, width) * _LINE + _MARGIN <= HIGHEST for text in listed):
            return width
    return widths[-1]


def points(width: int) -> float:
    """Return the width of a column in points, at most, from its width in characters.

    A character is as wide as a digit of the font that is there: 5.3 points of Calibri, 6.8 of what stands in for it on Linux.
    """
    return 7.0 * width + 5.0


_LINKS = 65_530  # Excel refuses more on one sheet
_QUOTED = ("=", "+", "-", "@", "'")
_A4 = 9
_PAGE_WIDTH, _PAGE_HEIGHT = 780.0, 530.0  # points of landscape A4 inside its margins


class Page:
    """A worksheet that is written row by row, and a factory of its cells."""

    def __init__(self, openpyxl: Any, book: Any, title: str) -> None:
        self.openpyxl = openpyxl
        self.sheet = book.create_sheet(title)
        self._cell: Callable[[Any], Any] = openpyxl.cell.WriteOnlyCell
        self._looks = looks(openpyxl, self._cell(self.sheet))
        self._links = 0
        self.rows = 0
        protection = self.sheet.protection
        protection.sheet = True
        protection.formatColumns = protection.formatRows = False  # these may be changed

    def cell(self, value: str | float | None, look: str) -> Any:
        """Create a cell; text stays text whatever it begins with."""
        cell = self._cell(self.sheet)
        quoted = isinstance(value, str) and value.startswith(_QUOTED)
        cell._style = self._looks[look, quoted]
        if value != "":
            cell.value = value
        if isinstance(value, str):
            cell.data_type = "s"
        return cell

    def link(self, cell: Any, url: str) -> None:
        """Add a hyperlink to a cell if its URL is safe to open."""
        target = link(url) if self._links < _LINKS else None
        if target is not None:
            cell.hyperlink = target
            cell._style = self._looks["link", False]
            self._links += 1

    def letter(self, column: int) -> str:
        """Return the letter of a column, counted from 0."""
        return str(self.openpyxl.utils.get_column_letter(column + 1))

    def refer(self, cell: Any, title: str, row: int) -> None:
        """Make a cell a link to a row of another sheet of the workbook."""
        link_class = self.openpyxl.worksheet.hyperlink.Hyperlink
        if self._links < _LINKS:
            cell.hyperlink = link_class(ref="", location=f"'{title}'!A{row}")
            cell._style = self._looks["link", False]
            self._links += 1

    def set_widths(self, widths: Sequence[int]) -> None:
        """Set the widths of the columns in characters, from the left."""
        for place, width in enumerate(widths):
            self.sheet.column_dimensions[self.letter(place)].width = width

    def hide(self, column: int) -> None:
        """Hide a column, counted from 0."""
        self.sheet.column_dimensions[self.letter(column)].hidden = True

    def append(self, cells: Sequence[Any], high: float) -> None:
        """Append a row of this height in points."""
        self.rows += 1
        self.sheet.row_dimensions[self.rows].height = high
        self.sheet.append(cells)

    def print_on(self, width: float, tallest: float) -> None:
        """Print on landscape A4, scaled so that `width` and the `tallest` task, in points, fit on a page."""
        sheet = self.sheet
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.paperSize = _A4
        fit_scale = min(_PAGE_WIDTH / max(width, 1), _PAGE_HEIGHT / max(tallest, 1))
        sheet.page_setup.scale = max(10, min(100, int(100 * fit_scale)))  # percent
        margin = self.openpyxl.worksheet.page.PageMargins
        sheet.page_margins = margin(
            left=0.4, right=0.4, top=0.4, bottom=0.4, header=0.2, footer=0.2
        )

    def break_page(self) -> None:
        """Begin a new printed page after the last row."""
        self.sheet.row_breaks.append(self.openpyxl.worksheet.pagebreak.Break(id=self.rows))


ARTICLES = "Articles"
READ = "read it"
_WIDTH = 110
_NUMBERS_SHOWN = 20  # of the tasks about an article
_LONGEST = 2_000  # characters of a row, which then has about 21 lines


def article_rows(sheet: Sheet) -> dict[str, int]:
    """Return by the text of each article the row, from 1, at which it begins."""
    places: dict[str, int] = {}
    row = 1
    for article in dict.fromkeys(task.article for task in sheet.rows if task.article):
        places[article] = row
        row += 2 + len(list(_paragraphs(article)))  # its title, and the numbers of its tasks
    return places


def write_articles(page: Page, sheet: Sheet) -> None:
    """Write each article: its title, its paragraphs, and a row with the numbers of its tasks."""
    page.set_widths([_WIDTH])
    for article in article_rows(sheet):
        tasks = {
            number: row.task for number, row in enumerate(sheet.rows, 1) if row.article == article
        }
        first, *_ = tasks.values()
        title = next((text for label, text in first.context if label == "title"), "Article")
        page.append([page.cell(fit(title, ARTICLES), "heading")], height([(title, _WIDTH)]))
        for paragraph in _paragraphs(article):
            page.append(
                [page.cell(fit(paragraph, ARTICLES), "plain")], height([(paragraph, _WIDTH)])
            )
        numbers = ", ".join(map(str, list(tasks)[:_NUMBERS_SHOWN]))
        ellipsis = " …" if len(tasks) > _NUMBERS_SHOWN else ""
        page.append([page.cell(f"of task {numbers}{ellipsis}", "key")], height([("", _WIDTH)]))
    page.print_on(points(_WIDTH), 0)


def _paragraphs(article: str) -> Iterator[str]:
    """Yield the lines of an article; one that is too long for a row goes on in the next."""
    for line in lined(article).splitlines() or [""]:
        text = line.strip()
        while len(text) > _LONGEST:
            end = text.rfind(" ", _LONGEST // 2, _LONGEST) + 1 or _LONGEST
            yield text[:end].strip()
            text = text[end:]
        if text:
            yield text
