"""The page of a comment corpus: Table 2 of Qin et al. (2018), lengths, the tail of up-votes, categories, accounts, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newsdesk.corpus.comments.stats import TOP_CATEGORIES, PartStats
from newsdesk.results.page import Cell, Section, page
from newsdesk.results.plots import bars

if TYPE_CHECKING:
    from newsdesk.corpus.comments.build import CommentsReport

Rows = tuple[list[str], list[list[Cell]]]


def size_rows(parts: Sequence[PartStats]) -> Rows:
    """Return the sizes of the corpus, a column for each part; what no part has is left out.

    They are Table 2 of Qin et al. (2018) and of Fujita et al. (2019).
    """
    rows: list[list[Cell]] = [
        ["articles", *(part.articles for part in parts)],
        ["comments", *(part.comments for part in parts)],
        ["comments per article", *(part.comments_per_article for part in parts)],
        ["up-votes per comment", *(part.upvotes_per_comment for part in parts)],
    ]
    optional: list[list[Cell]] = [
        ["C-scores", *(_span(part.c_scores) for part in parts)],
        ["scores", *(_span(part.scores) for part in parts)],
        ["votes to collect on a comment", *(part.votes or None for part in parts)],
    ]
    rows += [row for row in optional if any(cell is not None for cell in row[1:])]
    return ["", *(part.part for part in parts)], rows


def _span(ends: tuple[float, float] | None) -> str | None:
    return None if ends is None else f"{ends[0]:g}–{ends[1]:g}"


def length_rows(parts: Sequence[PartStats]) -> Rows:
    """Mean lengths: a column a part."""
    rows: list[list[Cell]] = [
        ["words of a title", *(part.title_words for part in parts)],
        ["words of a content", *(part.content_words for part in parts)],
        ["words of a comment", *(part.comment_words for part in parts)],
        ["characters of a comment", *(part.comment_characters for part in parts)],
    ]
    return ["mean", *(part.part for part in parts)], rows


def tail_rows(parts: Sequence[PartStats]) -> Rows:
    """Quantiles of the up-votes of a comment: a column a part."""
    names = dict.fromkeys(name for part in parts for name in part.tail)
    rows: list[list[Cell]] = [[name, *(part.tail.get(name) for part in parts)] for name in names]
    return ["up-votes of a comment", *(part.part for part in parts)], rows


def comments_page(report: CommentsReport) -> str:
    """Return the HTML page that describes a comment corpus."""
    lead = "Articles and comments of each part, as in Table 2 of Qin et al. (2018)."
    lengths = Section("Lengths", f"The vocabulary has {report.vocabulary:,} words.")
    sections = [
        Section("Size", lead).table(*size_rows(report.parts), by_row=True),
        lengths.table(*length_rows(report.parts), by_row=True),
    ]
    if any(part.tail for part in report.parts):
        votes = Section("Up-votes", "Quantiles of the up-votes of a comment.")
        sections.append(votes.table(*tail_rows(report.parts)))
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
    """Return the commands that have people judge the parts."""
    section = Section("Judgments", "How to have the comments judged.")
    for part in report.parts:
        if part.votes:
            section.code(
                f"newsdesk campaign new {part.part} --protocol {report.protocol} --threads {part.part}.jsonl "
                f"--annotators open --per-item {part.votes}"
            )
    return section
