"""Marks of sentence borders before annotators: a sheet shows line breaks in their place and comes back whole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from newsdesk.campaigns.sheets import check, read_workbook, write_workbook
from tests.campaigns.sheet_files import KINDS, fill, sheet

MARKED = "<s>He was 88 .</s>Best died . </S>"
SHOWN = "He was 88 .\nBest died ."
VALUES = {
    "rank": 1, "grade": 4, "constructive": "yes", "relate": "related", "da": 70, "pairwise": 2, "multi-label": "no",
    "spans": "none", "likert": 5,
}  # fmt: skip


@pytest.mark.parametrize("form", KINDS)
def test_a_sheet_shows_line_breaks_for_marks_and_comes_back(form: str, tmp_path: Path) -> None:
    sent = sheet(form, [[MARKED, "Nobody died."]], (("reference", MARKED),))
    sent = replace(sent, rows=tuple(replace(row, article=MARKED) for row in sent.rows))
    path = tmp_path / "sheet.xlsx"
    write_workbook(path, sent)
    pages = openpyxl.load_workbook(path)
    cells = [str(cell.value) for page in pages for row in page for cell in row]
    assert cells.count(SHOWN) == 3  # the text, and the reference beside each of the two texts
    assert {"He was 88 .", "Best died ."} <= {str(row[0].value) for row in pages["Articles"]}
    assert not [cell for cell in cells if "s>" in cell.lower()]
    questions = [each.name for each in sent.protocol.questions]
    chosen = ("best", "worst")
    answers = {
        (0, place, name): VALUES.get(form, chosen[place]) for place in (0, 1) for name in questions
    }
    fill(path, sent, answers)
    checked = check(read_workbook(path), sent)
    assert not checked.faults
    assert [len(each.answers) for each in checked.answers] == [len(answers)]
