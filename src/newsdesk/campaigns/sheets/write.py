"""Write an annotator's sheet as a workbook or a CSV file.

A workbook has three sheets: the guidance, the answers to fill in, and the articles that the answers link to. Output is deterministic: no clock,
no user or host name, a fixed date in the archive.
"""

from __future__ import annotations

import csv
import datetime
import io
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from newsdesk.campaigns.protocols import CHOICES
from newsdesk.campaigns.sheets.guidance import GuidanceRow, entries, level_rows, written
from newsdesk.campaigns.sheets.layout import (
    LIMIT,
    URL,
    Line,
    Sheet,
    SheetColumn,
    columns,
    fit,
    guard,
    is_cut,
    lines,
    plain,
    seal,
)
from newsdesk.campaigns.sheets.page import (
    ARTICLES,
    READ,
    TITLE_HEIGHT,
    WIDTHS,
    Page,
    article_rows,
    fitting_width,
    height,
    points,
    write_articles,
)
from newsdesk.campaigns.spans import NOTHING
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic
from newsdesk.registry import require
from newsdesk.types import CANNOT_JUDGE

GUIDANCE = "Guidance"
ANSWERS = "Answers"
MAX_BYTES = 256 * 1024 * 1024  # of a workbook, unpacked; what is larger is not read back
_DAY = datetime.datetime(1980, 1, 1)  # the first one that an archive can hold
_VALIDATED = {"slider": "custom", "spans": "textLength"}  # other than by a list
_LONGEST_ESCAPE = 7  # characters of `_xHHHH_`


def write_workbook(path: str | os.PathLike[str], sheet: Sheet, *, overwrite: bool = True) -> None:
    """Write the sheet as an .xlsx file: guidance first, then the answers to fill in."""
    data = workbook_bytes(sheet)
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(data)


def write_csv(path: str | os.PathLike[str], sheet: Sheet, *, overwrite: bool = True) -> None:
    """Write the sheet's answers as CSV, UTF-8 with a mark, in the columns of the workbook.

    What a spreadsheet program could take for a formula, a number or a date has an apostrophe before it.
    """
    sheet_columns = columns(sheet)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(guard(plain(_header(sheet, column, brief=True))) for column in sheet_columns)
    for line in lines(sheet):
        rows.writerow(
            value if column.role == "answer" else guard(fit(str(value), line.key, plain))
            for column, value in zip(sheet_columns, _values(sheet_columns, line), strict=True)
        )
    with atomic(path, overwrite=overwrite) as stream:
        stream.write(text.getvalue().encode("utf-8-sig"))


def head(sheet: Sheet) -> str:
    """Return the header of the first column, which says whose sheet it is, and seals that."""
    return f"task\ncampaign: {sheet.campaign}\nannotator: {sheet.annotator}\nseal: {seal(sheet)}"


def workbook_bytes(sheet: Sheet) -> bytes:
    """Return the workbook as the bytes of an .xlsx file."""
    openpyxl = require("openpyxl", extra="campaigns", what="writing workbooks")
    book = openpyxl.Workbook(write_only=True)
    book.properties = openpyxl.packaging.core.DocumentProperties(
        creator=None, created=_DAY, modified=_DAY
    )
    guidance = entries(sheet)
    _write_guidance(Page(openpyxl, book, GUIDANCE), guidance)
    answers = Page(openpyxl, book, ANSWERS)
    places = article_rows(sheet)
    _write_answers(answers, sheet, guidance, places)
    if places:
        write_articles(Page(openpyxl, book, ARTICLES), sheet)
    book.active = book.sheetnames.index(ANSWERS)
    loose = io.BytesIO()
    # Workbook.save would set the time of day.
    openpyxl.writer.excel.ExcelWriter(book, zipfile.ZipFile(loose, "w")).save()
    return _packed(loose, sheet)


def _packed(loose: io.BytesIO, sheet: Sheet) -> bytes:
    """Recompress the archive with a fixed date on every part."""
    result = io.BytesIO()
    with zipfile.ZipFile(loose) as parts, zipfile.ZipFile(result, "w") as archive:
        if sum(part.file_size for part in parts.infolist()) > MAX_BYTES:
            raise ArgumentError(
                f"the workbook of {sheet.annotator!r} would unpack to more than {MAX_BYTES // 2**20} MiB; "
                "give one annotator fewer tasks"
            )
        for part in parts.infolist():
            info = zipfile.ZipInfo(part.filename, _DAY.timetuple()[:6])
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, parts.read(part), zipfile.ZIP_DEFLATED, 6)
    return result.getvalue()


def _write_guidance(page: Page, rows: Sequence[GuidanceRow]) -> None:
    """Write the sheet of guidance, each row as high as its wrapped texts need."""
    widths = WIDTHS["guidance"]
    page.set_widths(widths)
    for entry in rows:
        texts = [fit(cell, GUIDANCE) if isinstance(cell, str) else cell for cell in entry.cells]
        wrapped = [] if entry.look in ("title", "heading") else texts
        needed = height((str(text), width) for text, width in zip(wrapped, widths, strict=False))
        row_height = max(needed, TITLE_HEIGHT) if entry.look == "title" else needed
        page.append([page.cell(text, entry.look) for text in texts], row_height)
    page.print_on(sum(map(points, widths)), tallest=0)


def _write_answers(
    page: Page, sheet: Sheet, guidance: list[GuidanceRow], places: Mapping[str, int]
) -> None:
    """Write the sheet of answers: header, a row per line, page breaks between tasks, drop-down lists.

    `places` has the row of each article on its sheet, by its text.
    """
    sheet_columns = columns(sheet)
    rows = list(lines(sheet))
    contents = [_values(sheet_columns, line) for line in rows]  # rows × columns
    widths = [_width(sheet, column, contents, place) for place, column in enumerate(sheet_columns)]
    page.sheet.freeze_panes = "B2"
    page.sheet.print_title_rows = "1:1"
    page.set_widths(widths)
    page.hide(len(sheet_columns) - 1)
    header = [fit(_header(sheet, column), ANSWERS) for column in sheet_columns]
    # The last column is hidden and has no height.
    header_height = height(list(zip(header, widths, strict=True))[:-1])
    page.append([page.cell(name, "header") for name in header], header_height)
    tallest = 0.0  # task, in points
    bundled = sheet.layout == "rows" and any(len(row.order) > 1 for row in sheet.rows)
    for _, group in groupby(zip(rows, contents, strict=True), key=lambda entry: entry[0].number):
        if page.rows > 1 and bundled:
            page.break_page()
        total = 0.0
        for line, values in group:
            cells = list(_cells(page, sheet_columns, line, values, places))
            filled = [
                (str(value), width) for value, width in zip(values, widths, strict=True) if value
            ]
            row_height = height(filled[:-1])
            page.append(cells, row_height)
            total += row_height
        tallest = max(tallest, total)
    page.print_on(sum(map(points, widths[:-1])), header_height + tallest)
    for validation in _validations(page, sheet, sheet_columns, guidance):
        page.sheet.data_validations.append(validation)


def _values(sheet_columns: Sequence[SheetColumn], line: Line) -> list[str | float]:
    """Return the content of the cells of a row."""
    shown = [each for each in sheet_columns if each.role in ("context", "letter", "text")]
    texts = iter(line.texts(shown, line.separator))
    values: list[str | float] = []
    for column in sheet_columns:
        if column.role == "task":
            values.append(line.key)
        elif column.role == "answer":
            answer = written(line.answer(column), line.marked)
            values.append("" if answer is None else answer)
        elif column.role == "article":
            values.append(READ if line.row.article else "")
        elif column.role == "revision":
            values.append(line.revision(sheet_columns))
        else:
            values.append(next(texts))
    return values


def _width(
    sheet: Sheet, column: SheetColumn, contents: Sequence[Sequence[str | float]], place: int
) -> int:
    """Return the width of the column at a place, in characters; `contents` is rows × columns."""
    if column.role == "answer" and sheet.protocol.kind != "rank":
        return WIDTHS["question"][0]
    side_by_side = column.role == "text" and column.place is not None
    kind = "outputs" if side_by_side else URL if column.source == URL else column.role
    widths = WIDTHS[kind]
    if len(widths) == 1:
        return widths[0]
    return fitting_width((str(row[place]) for row in contents), widths)


def _header(sheet: Sheet, column: SheetColumn, *, brief: bool = False) -> str:
    """Return a column's name, and below it the question and the levels or the ends of the ranks.

    They stay visible while scrolling. With `brief`, and where a question has a column for every
    output, only the ends of ranks, whose meaning no cell shows, stand below the name: programs look
    columns of a CSV file up by their names.
    """
    if column.role == "task":
        return head(sheet)
    if column.role != "answer":
        return column.name
    brief = brief or column.place is not None
    question = next(
        question for question in sheet.protocol.questions if question.name == column.source
    )
    levels = [f"{level.value} = {level.brief}" for level in sheet.protocol.levels]
    ends = sheet.protocol.scale_ends(*(len(row.order) for row in sheet.rows))
    parts = [column.name, ends] if brief else [column.name, question.text, ends, *levels]
    return "\n".join(filter(None, parts))


def _cells(
    page: Page,
    sheet_columns: Sequence[SheetColumn],
    line: Line,
    values: Sequence[str | float],
    places: Mapping[str, int],
) -> Iterator[Any]:
    """Yield the cells of a row with their looks and links; `places` has the row of each article."""
    band = "shaded" if line.number % 2 == 0 else "plain"
    twins = line.row.twins if line.ranked else {}
    for column, value in zip(sheet_columns, values, strict=True):
        if column.role == "answer":
            yield page.cell(None if value == "" else value, "answer")
            continue
        look = {"task": "key", "letter": "letter", "revision": "key"}.get(column.role, band)
        if column.role == "text" and (column.place if line.place is None else line.place) in twins:
            look = "twin"
        cell = page.cell(fit(str(value), line.key), look)
        if column.role == "context" and column.source == URL:
            page.link(cell, str(value))
        if column.role == "article" and line.row.article:
            page.refer(cell, ARTICLES, places[line.row.article])
        yield cell


def cut_texts(sheet: Sheet) -> int:
    """Return the number of texts of a sheet that are longer than a cell, and were cut."""
    texts = (
        text
        for row in sheet.rows
        for text in (*(each.text for each in row.shown), *(text for _, text in row.task.context))
    )
    # To encode every text is slow.
    if not any(_LONGEST_ESCAPE * len(text) > LIMIT for text in texts):
        return 0
    sheet_columns = columns(sheet)
    return sum(
        is_cut(fit(text, line.key))
        for line in lines(sheet)
        for text in map(str, _values(sheet_columns, line))
        if _LONGEST_ESCAPE * len(text) > LIMIT
    )


def _validations(
    page: Page, sheet: Sheet, sheet_columns: Sequence[SheetColumn], guidance: list[GuidanceRow]
) -> Iterator[Any]:
    """Yield the drop-down lists: one per question, and in rankings per number of outputs."""
    # Of each row the number of outputs of its task, 0 where nothing is ranked.
    sizes = [len(line.row.order) if line.ranked else 0 for line in lines(sheet)]
    for question in sheet.protocol.questions:
        asked = [
            (page.letter(place), column.place or 0)
            for place, column in enumerate(sheet_columns)
            if column.role == "answer" and column.source == question.name
        ]
        for size in sorted(set(sizes)):
            ranges = [
                f"{letter}{low}:{letter}{high}"
                for letter, output in asked
                for low, high in _runs(sizes, size)
                if output < max(size, 1)
            ]
            options, wanted = _options(sheet, size, guidance, ranges[0].partition(":")[0])
            yield page.openpyxl.worksheet.datavalidation.DataValidation(
                type=_VALIDATED.get(sheet.protocol.kind, "list"),
                operator="greaterThan" if sheet.protocol.kind == "spans" else None,
                formula1=options,
                sqref=" ".join(ranges),
                allow_blank=True,
                showErrorMessage=True,
                errorTitle="Not an answer",
                error=f"{wanted} Choose from the list."[:255],
                showInputMessage=True,
                promptTitle=_plain(question.name)[:32],
                prompt=_plain(f"{question.text} {wanted}")[:255],
            )


def _runs(sizes: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of every run of tasks of this size; the header is row 1."""
    for same, run in groupby(enumerate(sizes, 2), key=lambda entry: entry[1] == size):
        if same:
            rows = [row for row, _ in run]
            yield rows[0], rows[-1]


def _options(
    sheet: Sheet, size: int, guidance: list[GuidanceRow], first_cell: str
) -> tuple[str, str]:
    """Return the formula of a drop-down list or of what is valid, and a sentence on what a valid answer is.

    `size` is the number of outputs to rank; `guidance` has the rows of levels.
    """
    kind = sheet.protocol.kind
    if kind == "slider":
        low, high = sheet.protocol.ends
        whole = f"AND(ISNUMBER({first_cell}),{first_cell}>={low},{first_cell}<={high},INT({first_cell})={first_cell})"
        return (
            f'OR({whole},{first_cell}="{CANNOT_JUDGE}")',
            f"A whole number from {low} to {high}, or {CANNOT_JUDGE}.",
        )
    if kind == "spans":  # what stands in a text no formula checks
        return "0", f"Passages from the text, each on a line of its own, or {NOTHING}."
    if kind == "best-worst":
        return (
            f'"{",".join(CHOICES)},{CANNOT_JUDGE}"',
            "Best in one row of the task, worst in another; the others are neither.",
        )
    if kind == "rank":
        ranks = ",".join(str(rank) for rank in range(1, size + 1))
        return (
            f'"{ranks},{CANNOT_JUDGE}"',
            f"A rank from 1 (best) to {size} (worst); equal ranks are allowed.",
        )
    if kind == "select":
        return (
            f'"yes,no,{CANNOT_JUDGE}"',
            "Yes or no; what stays empty in a task you answered counts as no.",
        )
    # Levels may hold commas and quotation marks, which a list in place cannot.
    first, last = level_rows(guidance)
    return f"{GUIDANCE}!$A${first}:$A${last}", f"One of the levels on the sheet “{GUIDANCE}”."


def _plain(text: str) -> str:
    return "".join(each for each in text if each.isprintable())
