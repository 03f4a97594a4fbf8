"""Sheets to write, annotators who fill them in, and programs that save them in their own way."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import openpyxl

from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.sheets import Sheet, SheetRow
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.registry import PROTOCOLS

KINDS = tuple(PROTOCOLS)
# Of several texts in a task one or more are compared.
COMPARED = ("rank", "pairwise", "best-worst")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
# (task in the sheet from 0, place in the order shown, question) → what the annotator writes there
CellAnswers = Mapping[tuple[int, int, str], object]


def sheet(
    form: str,
    texts: Sequence[Sequence[str]],
    context: Sequence[tuple[str, str]] = (("title", "The ferry"),),
    *,
    annotator: str = "P03",
    campaign: str = "reviews",
) -> Sheet:
    """One task for each sequence of texts, shown last one first."""
    rows = []
    for number, each in enumerate(texts):
        targets = tuple(Target(f"system-{place}", text) for place, text in enumerate(each))
        task = Task(f"secret-{number}", f"item-{number}", targets, tuple(context))
        rows.append(SheetRow(task, tuple(target.id for target in reversed(targets))))
    return Sheet(campaign, annotator, protocol(form), tuple(rows), b"key")


def rankings(tasks: int = 3) -> Sheet:
    """Four outputs each, with a link and a reference."""
    texts = [[f"Output {n} of task {task}. It ended." for n in range(4)] for task in range(tasks)]
    return sheet(
        "rank", texts, (("url", "https://example.org/1"), ("reference", "It did. It ended."))
    )


def cell_of(sheet: Sheet, at: tuple[int, int, str]) -> tuple[int, str]:
    """Row and column name of an answer, found without the code under test."""
    task, place, question = at
    return 2 + sum(len(row.order) for row in sheet.rows[:task]) + place, question


def fill(path: Path, sheet: Sheet, answers: CellAnswers) -> None:
    """Open a workbook, write answers, save it."""
    write_cells(path, {cell_of(sheet, at): value for at, value in answers.items()})


def write_cells(path: Path, cells: Mapping[tuple[int, str], object]) -> None:
    """Write values by row and column name, as a program does that minds no locks."""
    book = openpyxl.load_workbook(path)
    page = book["Answers"]
    places = {str(cell.value).split("\n")[0]: cell.column for cell in page[1]}
    for (row, name), value in cells.items():
        page.cell(row, places[name]).value = value
    book.save(path)


def fill_csv(path: Path, sheet: Sheet, answers: CellAnswers, *, delimiter: str = ",") -> None:
    """The same with CSV, saved with the delimiter of another country."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        records = list(csv.reader(stream))
    places = {name.split("\n")[0]: place for place, name in enumerate(records[0])}
    for at, value in answers.items():
        row, name = cell_of(sheet, at)
        records[row - 1][places[name]] = str(value)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(records)


def parts(data: bytes) -> dict[str, bytes]:
    """The files inside a workbook."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repack(path: Path, changed: Mapping[str, bytes]) -> None:
    """Put other files into a workbook."""
    every = parts(path.read_bytes()) | dict(changed)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in every.items():
            archive.writestr(name, data)


def elements(data: bytes, name: str) -> Iterator[ET.Element]:
    """All elements of this name in the worksheets of a workbook."""
    for part, content in parts(data).items():
        if part.startswith("xl/worksheets/sheet"):
            yield from ET.fromstring(content).iter(f"{{{MAIN}}}{name}")


def save_as_excel_does(path: Path) -> None:
    """Move the text of all cells into a table of shared strings, as Excel does when it saves a file."""
    every = parts(path.read_bytes())
    strings: list[str] = []
    for name, content in every.items():
        if not name.startswith("xl/worksheets/sheet"):
            continue
        root = ET.fromstring(content)
        for cell in root.iter(f"{{{MAIN}}}c"):
            if cell.get("t") == "inlineStr":
                strings.append("".join(text.text or "" for text in cell.iter(f"{{{MAIN}}}t")))
                for child in list(cell):
                    cell.remove(child)
                cell.set("t", "s")
                ET.SubElement(cell, f"{{{MAIN}}}v").text = str(len(strings) - 1)
        every[name] = ET.tostring(root)
    table = ET.Element(f"{{{MAIN}}}sst")
    for string in strings:
        text = ET.SubElement(ET.SubElement(table, f"{{{MAIN}}}si"), f"{{{MAIN}}}t")
        text.text = string
    every["xl/sharedStrings.xml"] = ET.tostring(table)
    every["[Content_Types].xml"] = every["[Content_Types].xml"].replace(
        b"</Types>",
        b'<Override PartName="/xl/sharedStrings.xml" ContentType='
        b'"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
    )
    repack(path, every)
