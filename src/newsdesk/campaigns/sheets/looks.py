"""Cell styles of a workbook: readable widths, wrapped text, colour where there is something to fill in."""

from __future__ import annotations

from copy import copy
from typing import Any

# In characters. Of several the smallest is taken in which all texts fit into their rows.
WIDTHS: dict[str, tuple[int, ...]] = {
    "guidance": (14, 80, 60, 60),
    "task": (10,),
    "url": (24,),
    "context": (32, 44, 60),
    "letter": (7,),
    "text": (60, 76, 96, 120),
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
    """The style of each kind of cell, without and with the quote prefix, which keeps text as text when it is edited."""
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
