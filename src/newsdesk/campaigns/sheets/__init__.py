"""Sheets: workbooks or CSV files that annotators fill in and return.

    write_workbook("P03.xlsx", sheet)             one annotator's tasks, blinded, with the guidance
    filled = read_workbook("P03.xlsx")            filled.campaign and filled.annotator say whose it is
    returned = check(filled, sheet)               answers by target again, and every fault with its row and column

A file never holds the key: `sheet`, which comes from the store, is what turns letters back into targets.
"""

from newsdesk.campaigns.sheets.check import Returned, SheetFault, TaskAnswers, check
from newsdesk.campaigns.sheets.layout import Layout, Sheet, SheetRow, check_layout
from newsdesk.campaigns.sheets.read import Filled, read_csv, read_workbook
from newsdesk.campaigns.sheets.write import cut_texts, workbook_bytes, write_csv, write_workbook

__all__ = [
    "Filled",
    "Layout",
    "Returned",
    "Sheet",
    "SheetFault",
    "SheetRow",
    "TaskAnswers",
    "check",
    "check_layout",
    "cut_texts",
    "read_csv",
    "read_workbook",
    "workbook_bytes",
    "write_csv",
    "write_workbook",
]
