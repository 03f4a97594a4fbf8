"""What comments are like: Table 2 of Qin et al. (2018) and of Fujita et al. (2019), lengths, vocabulary, up-votes, categories; and their pages.

A comment corpus has a page for its parts; of files of threads nothing is dropped: comments that are empty, or repeat an earlier one of their thread, are
part of every number and counted beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsdesk.corpus.comments.planning import Clean, cleaned
from newsdesk.corpus.stats import count_rows
from newsdesk.corpus.tally import by_count
from newsdesk.results.page import Cell, Section, page
from newsdesk.results.plots import bars
from newsdesk.types import Comment, Thread

if TYPE_CHECKING:
    from newsdesk.corpus.comments.build import CommentsReport

UNKNOWN = "unknown"
_SHARES = (0.5, 0.9, 0.99, 0.999)
TOP_CATEGORIES = 15


@dataclass(frozen=True, slots=True)
class PartStats:
    """The statistics of one part; a mean is None where nothing has the number.

    `tail` holds quantiles of the up-votes of a comment, `c_scores` the least and the greatest number
    of yes votes, `scores` those of comments that have a score alone.
    """

    part: str
    votes: int
    articles: int
    comments: int
    comments_per_article: float | None
    upvotes_per_comment: float | None
    title_words: float | None
    content_words: float | None
    comment_words: float | None
    comment_characters: float | None
    tail: Mapping[str, int]
    c_scores: tuple[int, int] | None = None
    scores: tuple[float, float] | None = None


class PartCounts:
    """Collects the numbers of a part while its threads are written."""

    _KINDS = ("title", "content", "comment")

    def __init__(self, part: str, votes: int) -> None:
        self.part = part
        self.votes = votes
        self.articles = self.comments = 0
        self.words: Counter[str] = Counter()
        self.texts: Counter[str] = Counter()
        self.characters = 0
        self.upvotes: Counter[int] = Counter()
        self.yes: set[int] = set()
        self.scores: set[float] = set()

    def add(self, clean: Clean, comments: Iterable[Comment], vocabulary: set[str]) -> None:
        """Count an article and those of its comments that are written; their words go into the vocabulary."""
        article = clean.thread.article
        self.articles += 1
        texts = [("title", article.title or ""), ("content", article.text)]
        for comment in comments:
            self.comments += 1
            self.characters += len(comment.text)
            if comment.likes is not None:
                self.upvotes[comment.likes] += 1
            if comment.yes is not None:
                self.yes.add(comment.yes)
            elif comment.score is not None:
                self.scores.add(comment.score)
            texts.append(("comment", comment.text))
        for kind, text in texts:
            if text:
                words = clean.words(text)
                vocabulary.update(words)
                self.words[kind] += len(words)
                self.texts[kind] += 1

    def stats(self) -> PartStats:
        """Return the statistics of the threads added so far."""
        total = sum(likes * count for likes, count in self.upvotes.items())
        words = {kind: _mean(self.words[kind], self.texts[kind]) for kind in self._KINDS}
        return PartStats(
            part=self.part,
            votes=self.votes,
            articles=self.articles,
            comments=self.comments,
            comments_per_article=_mean(self.comments, self.articles),
            upvotes_per_comment=_mean(total, self.upvotes.total()),
            title_words=words["title"],
            content_words=words["content"],
            comment_words=words["comment"],
            comment_characters=_mean(self.characters, self.comments),
            tail=tail(self.upvotes),
            c_scores=(min(self.yes), max(self.yes)) if self.yes else None,
            scores=(min(self.scores), max(self.scores)) if self.scores else None,
        )


def tail(counts: Counter[int]) -> dict[str, int]:
    """Return quantiles and the greatest of counted numbers.

    >>> tail(Counter({0: 98, 7: 1, 900: 1}))
    {'50%': 0, '90%': 0, '99%': 7, '99.9%': 900, 'most': 900}
    """
    if not counts:
        return {}
    values = sorted(counts)
    total, reached = counts.total(), 0
    quantiles: dict[str, int] = {}
    shares = list(_SHARES)
    for value in values:
        reached += counts[value]
        while shares and reached >= shares[0] * total:
            name = f"{shares.pop(0) * 100:g}%"
            quantiles[name] = value
    return {**quantiles, "most": values[-1]}


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None


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
    """Return mean lengths, a column for each part."""
    rows: list[list[Cell]] = [
        ["words of a title", *(part.title_words for part in parts)],
        ["words of a content", *(part.content_words for part in parts)],
        ["words of a comment", *(part.comment_words for part in parts)],
        ["characters of a comment", *(part.comment_characters for part in parts)],
    ]
    return ["mean", *(part.part for part in parts)], rows


def tail_rows(parts: Sequence[PartStats]) -> Rows:
    """Return quantiles of the up-votes of a comment, a column for each part."""
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
    """Show how many articles the most frequent categories have."""
    count = len(report.categories)
    top = list(report.categories.items())[:TOP_CATEGORIES]
    section = Section("Categories", f"{count} categories; the most frequent {len(top)} are shown.")
    section.table(["category", "articles"], [[name, articles] for name, articles in top])
    if top:
        figure = bars([(name, float(articles)) for name, articles in top], "articles")
        section.figure(figure, "Articles of the most frequent categories.")
    return section


def _accounts(report: CommentsReport) -> Section:
    """Show what was read, kept and dropped, for articles and for comments."""
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


@dataclass(frozen=True, slots=True)
class ThreadStats:
    """The statistics of one file of threads; categories and languages are counted by article."""

    name: str
    part: PartStats
    empty_comments: int
    repeated_comments: int
    vocabulary: int
    categories: Mapping[str, int]
    languages: Mapping[str, int]


def thread_stats(name: str, threads: Iterable[Thread]) -> ThreadStats:
    """Return the statistics of threads."""
    counts = PartCounts(name, votes=0)
    vocabulary: set[str] = set()
    categories: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    empty = repeated = 0
    for thread in threads:
        clean = cleaned(thread, duplicates=False)
        counts.add(clean, thread.comments, vocabulary)
        categories[thread.article.category or UNKNOWN] += 1
        languages[clean.lang] += 1
        empty += clean.empty
        repeated += clean.repeated
    return ThreadStats(
        name,
        counts.stats(),
        empty_comments=empty,
        repeated_comments=repeated,
        vocabulary=len(vocabulary),
        categories=by_count(categories),
        languages=by_count(languages),
    )


def thread_tables(stats: Sequence[ThreadStats]) -> dict[str, Rows]:
    """Return the tables by the title of their section, a column a file."""
    parts = [file.part for file in stats]
    header, rows = size_rows(parts)
    rows += [
        ["empty comments", *(file.empty_comments for file in stats)],
        ["repeat an earlier comment", *(file.repeated_comments for file in stats)],
        ["words in the vocabulary", *(file.vocabulary for file in stats)],
    ]
    tables = {"Size": (header, rows), "Lengths": length_rows(parts)}
    if any(part.tail for part in parts):
        tables["Up-votes"] = tail_rows(parts)
    return tables | {
        "Categories": count_rows(stats, "categories"),
        "Languages": count_rows(stats, "languages"),
    }


def threads_page(stats: Sequence[ThreadStats]) -> str:
    """Return the HTML page of statistics of files of threads."""
    sections = [
        Section(title).table(header, rows, by_row=title in ("Size", "Lengths"))
        for title, (header, rows) in thread_tables(stats).items()
    ]
    names = ", ".join(file.name for file in stats)
    return page("Data set statistics", f"Articles with their comments: {names}.", sections)
