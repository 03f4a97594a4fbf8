"""The sheet of articles: what the judged texts are about, to read beside the task that links to it.

An article is a row with its title and a row for every paragraph, so that no length exceeds a row or a cell. An article of several tasks is there once.
"""

from __future__ import annotations

from collections.abc import Iterator

from newsdesk.campaigns.sheets.cells import fit
from newsdesk.campaigns.sheets.heights import height, points
from newsdesk.campaigns.sheets.layout import Sheet
from newsdesk.campaigns.sheets.page import Page
from newsdesk.text.borders import lined

ARTICLES = "Articles"
READ = "read it"
_WIDTH = 110
_LONGEST = 2_000  # characters of a row, which then has about 21 lines


def article_rows(sheet: Sheet) -> dict[str, int]:
    """The row, from 1, at which each article begins."""
    places: dict[str, int] = {}
    row = 1
    for article in dict.fromkeys(each.article for each in sheet.rows if each.article):
        places[article] = row
        row += 2 + len(list(_paragraphs(article)))
    return places


def write_articles(page: Page, sheet: Sheet) -> None:
    """Write each article: its title, its paragraphs, and an empty row."""
    page.set_widths([_WIDTH])
    for article in article_rows(sheet):
        about = next(row.task for row in sheet.rows if row.article == article)
        numbers = [str(n) for n, row in enumerate(sheet.rows, 1) if row.article == article]
        title = next((text for label, text in about.context if label == "title"), "Article")
        page.append([page.cell(fit(title, ARTICLES), "heading")], height([(title, _WIDTH)]))
        for paragraph in _paragraphs(article):
            page.append(
                [page.cell(fit(paragraph, ARTICLES), "plain")], height([(paragraph, _WIDTH)])
            )
        said = f"of task {', '.join(numbers[:20])}{' …' if len(numbers) > 20 else ''}"
        page.append([page.cell(said, "key")], height([("", _WIDTH)]))
    page.print_on(points(_WIDTH), 0)


def _paragraphs(article: str) -> Iterator[str]:
    """The lines of an article; one that is too long for a row goes on in the next."""
    for line in lined(article).splitlines() or [""]:
        text = line.strip()
        while len(text) > _LONGEST:
            end = text.rfind(" ", _LONGEST // 2, _LONGEST) + 1 or _LONGEST
            yield text[:end].strip()
            text = text[end:]
        if text:
            yield text
