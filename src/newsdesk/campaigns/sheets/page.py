"""One worksheet of a workbook that is written row by row: cells, links, heights and how it prints.

Text is always written as text: openpyxl takes what begins with "=" for a formula and `#N/A` for an error unless the cell's type is set
explicitly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from newsdesk.campaigns.sheets.cells import link
from newsdesk.campaigns.sheets.looks import looks

_LINKS = 65_530  # Excel refuses more on one sheet
_QUOTED = ("=", "+", "-", "@", "'")
_A4 = 9
_PAGE = (780.0, 530.0)  # points of landscape A4 inside its margins


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
        """The letter of a column, counted from 0."""
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
        """Print on landscape A4, scaled so that `width` and the `tallest` task, in points, fit on a page; the header is on each."""
        sheet = self.sheet
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.paperSize = _A4
        room = min(_PAGE[0] / max(width, 1), _PAGE[1] / max(tallest, 1))
        sheet.page_setup.scale = max(10, min(100, int(100 * room)))
        margin = self.openpyxl.worksheet.page.PageMargins
        sheet.page_margins = margin(
            left=0.4, right=0.4, top=0.4, bottom=0.4, header=0.2, footer=0.2
        )

    def break_page(self) -> None:
        """Begin a new printed page after the last row."""
        self.sheet.row_breaks.append(self.openpyxl.worksheet.pagebreak.Break(id=self.rows))
