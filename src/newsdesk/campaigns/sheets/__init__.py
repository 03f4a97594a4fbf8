"""Sheets: workbooks or CSV files that annotators fill in and return.

    write_workbook("P03.xlsx", sheet)             one annotator's tasks, blinded, with the guidance
    filled = read_workbook("P03.xlsx")            filled.campaign and filled.annotator say whose it is
    sealed(filled, sheet)                         whether it is the sheet that was written for that annotator
    returned = check(filled, sheet)               answers by target again, and every fault with its row and column
    wide_outputs(table, form), wide_ranks(…)      the same tables made by anybody, with systems in columns

A file never holds the key: `sheet`, which comes from the store, is what turns letters back into targets.
"""

from newsdesk.campaigns.sheets.check import Returned, SheetFault, TaskAnswers, check, sealed
from newsdesk.campaigns.sheets.layout import Layout, Sheet, SheetRow, check_layout
from newsdesk.campaigns.sheets.read import Filled, read_csv, read_workbook
from newsdesk.campaigns.sheets.wide import Systems, parse_systems, wide_outputs, wide_ranks
from newsdesk.campaigns.sheets.write import cut_texts, workbook_bytes, write_csv, write_workbook

__all__ = [
    "Filled",
    "Layout",
    "Returned",
    "Sheet",
    "SheetFault",
    "SheetRow",
    "Systems",
    "TaskAnswers",
    "check",
    "check_layout",
    "cut_texts",
    "parse_systems",
    "read_csv",
    "read_workbook",
    "sealed",
    "wide_outputs",
    "wide_ranks",
    "workbook_bytes",
    "write_csv",
    "write_workbook",
]
