"""The page of a comment corpus: Table 2 of Qin et al. (2018), lengths, the tail of up-votes, categories, accounts, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsdesk.corpus.comments.stats import TOP_CATEGORIES
from newsdesk.pages.page import Cell, Section, page
from newsdesk.pages.plots import bars

if TYPE_CHECKING:
    from newsdesk.corpus.comments.build import CommentsReport

Rows = tuple[list[str], list[list[Cell]]]


def size_rows(report: CommentsReport) -> Rows:
    """Sizes of the corpus (Qin et al. 2018, Table 2), a column for each part."""
    parts = report.parts
    rows: list[list[Cell]] = [
        ["articles", *(each.articles for each in parts)],
        ["comments", *(each.comments for each in parts)],
        ["comments per article", *(each.comments_per_article for each in parts)],
        ["up-votes per comment", *(each.upvotes_per_comment for each in parts)],
        ["votes to collect on a comment", *(each.votes or None for each in parts)],
    ]
    return ["", *(each.part for each in parts)], rows


def length_rows(report: CommentsReport) -> Rows:
    """Mean lengths: a column a part."""
    parts = report.parts
    rows: list[list[Cell]] = [
        ["words of a title", *(each.title_words for each in parts)],
        ["words of a content", *(each.content_words for each in parts)],
        ["words of a comment", *(each.comment_words for each in parts)],
        ["characters of a comment", *(each.comment_characters for each in parts)],
    ]
    return ["mean", *(each.part for each in parts)], rows


def tail_rows(report: CommentsReport) -> Rows:
    """Quantiles of the up-votes of a comment: a column a part."""
    names = dict.fromkeys(name for each in report.parts for name in each.tail)
    rows: list[list[Cell]] = [
        [name, *(each.tail.get(name) for each in report.parts)] for name in names
    ]
    return ["up-votes of a comment", *(each.part for each in report.parts)], rows


def comments_page(report: CommentsReport) -> str:
    """The HTML page that describes a comment corpus."""
    lead = "Articles and comments of each part, as in Table 2 of Qin et al. (2018)."
    lengths = Section("Lengths", f"The vocabulary has {report.vocabulary:,} words.")
    sections = [
        Section("Size", lead).table(*size_rows(report), by_row=True),
        lengths.table(*length_rows(report), by_row=True),
    ]
    if any(each.tail for each in report.parts):
        votes = Section("Up-votes", "Quantiles of the up-votes of a comment.")
        sections.append(votes.table(*tail_rows(report)))
    sections += [_categories(report), _accounts(report), _next_steps(report)]
    return page("Comment corpus", report.signature, sections)


def _categories(report: CommentsReport) -> Section:
    count = len(report.categories)
    top = list(report.categories.items())[:TOP_CATEGORIES]
    section = Section("Categories", f"{count} categories; the most frequent {len(top)} are shown.")
    section.table(["category", "articles"], [[name, articles] for name, articles in top])
    if top:
        figure = bars([(name, float(articles)) for name, articles in top], "articles")
        section.figure(figure, "Articles of the most frequent categories.")
    return section


def _accounts(report: CommentsReport) -> Section:
    section = Section("Accounts", "What was read is what was kept and what was dropped.")
    for unit, tally in (("articles", report.articles), ("comments", report.comments)):
        rows: list[list[Cell]] = [["read", tally.read], ["kept", tally.kept]]
        rows += [[f"dropped: {reason}", count] for reason, count in tally.dropped.items()]
        section.table([unit, "count"], rows)
    return section


def _next_steps(report: CommentsReport) -> Section:
    """The commands that have people judge the parts."""
    section = Section("Judgments", "How to have the comments judged.")
    for part in report.parts:
        if part.votes:
            section.code(
                f"newsdesk campaign new {part.part} --protocol {report.protocol} --threads {part.part}.jsonl "
                f"--annotators open --per-item {part.votes}"
            )
    return section
