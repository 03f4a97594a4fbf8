"""Sheets through LibreOffice and back: opened, saved and converted, every answer returns, in all protocols."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns.sheets import (
    Filled,
    Sheet,
    check,
    read_csv,
    read_workbook,
    sealed,
    write_workbook,
)
from tests.campaigns.office import CSV, NoOfficeError, convert
from tests.campaigns.sheet_files import KINDS, fill, sheet

TEXTS = (
    "'quoted' at the start",
    "=1+1 is not a formula",
    "One sentence.\nAnother one.",
    "The first.</s> The second.",
    "2031-03-05",
    "_x0041_ and 😀 and עברית",
    "-2",
    "tab\tand carriage\r\nreturn",
)
# What is written beside the texts of a task, one after the other.
VALUES: dict[str, tuple[object, ...]] = {
    "grade": (4,),
    "constructive": ("yes",),
    "relate": ("related",),
    "rank": (1.5, 3, 1.5, "4."),
    "pairwise": (2, 1),
    "best-worst": ("best", "", "", "worst"),
    "da": (70,),
    "multi-label": ("yes",),
    "spans": ("none",),
    "likert": (3,),
}


def blank(form: str) -> Sheet:
    size = len(VALUES[form])
    texts = [list(TEXTS[n : n + size]) for n in range(0, len(TEXTS), size)]
    context = (("title", "A title, “quoted”"), ("url", "https://example.org/?a=b&c=d"))
    return sheet(form, texts, context)


def answers(form: str) -> dict[tuple[int, int, str], object]:
    names = [question.name for question in blank(form).protocol.questions]
    filled = {
        (task, place, name): value
        for task in range(len(blank(form).rows))
        for place, value in enumerate(VALUES[form])
        for name in names
    }
    alone = len(names) == len(VALUES[form]) == 1
    return {**filled, (3, 0, names[0]): "cannot-judge"} if alone else filled


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The filled-in sheets of all protocols, in folders by how they were saved."""
    root = tmp_path_factory.mktemp("office")
    folders = {name: root / name for name in ("sent", "ods", "xlsx", "csv", "again")}
    for folder in folders.values():
        folder.mkdir()
    for form in KINDS:
        write_workbook(folders["sent"] / f"{form}.xlsx", blank(form))
        fill(folders["sent"] / f"{form}.xlsx", blank(form), answers(form))
    sent = sorted(folders["sent"].iterdir())
    try:
        convert(sent, "ods", folders["ods"])
        convert(sorted(folders["ods"].iterdir()), "xlsx:Calc MS Excel 2007 XML", folders["xlsx"])
        convert(sent, CSV, folders["csv"])
        convert(sent, "xlsx:Calc MS Excel 2007 XML", folders["again"])
    except NoOfficeError as reason:
        pytest.skip(f"NOTHING IS TESTED WITH LIBREOFFICE: {reason}")
    return folders


@pytest.mark.parametrize("form", KINDS)
@pytest.mark.parametrize(
    ("folder", "read"),
    [("xlsx", read_workbook), ("again", read_workbook), ("csv", read_csv)],
    ids=["xlsx to ods to xlsx", "saved again", "xlsx to csv"],
)
def test_every_answer_comes_back_from_libreoffice(
    saved: dict[str, Path], form: str, folder: str, read: Callable[[Path], Filled]
) -> None:
    ((path),) = saved[folder].glob(f"{form}*")
    expected = check(read_workbook(saved["sent"] / f"{form}.xlsx"), blank(form))
    returned = check(read(path), blank(form))
    assert (expected.faults, returned.faults) == ((), ())
    assert sealed(read(path), blank(form))
    assert len(expected.answers) == len(TEXTS) // len(VALUES[form])
    assert [(e.task, e.answers, e.revisions) for e in returned.answers] == [
        (e.task, e.answers, e.revisions) for e in expected.answers
    ]


def test_an_open_document_is_refused_by_what_it_is(saved: dict[str, Path]) -> None:
    with pytest.raises(Exception, match=r"an OpenDocument file \(\.ods\)"):
        read_workbook(saved["ods"] / "grade.ods")


@pytest.mark.parametrize("form", KINDS)
def test_rows_are_as_high_as_their_text_after_libreoffice(
    saved: dict[str, Path], form: str
) -> None:
    page = openpyxl.load_workbook(saved["again"] / f"{form}.xlsx")["Answers"]
    names = [str(cell.value).split("\n")[0] for cell in page[1]]
    place = names.index("text")
    for row in range(2, page.max_row + 1):
        lines = str(page.cell(row, place + 1).value).count("\n") + 1
        assert (page.row_dimensions[row].height or 0) >= 14 * lines
