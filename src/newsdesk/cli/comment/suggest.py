"""`newsdesk comment suggest`: comments for articles, each with label, source, score and seal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing, show
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.commenters.suggestion import Suggestion

_EXCERPT = 70


@click.command("suggest")
@click.argument("model")
@click.argument("articles", type=options.INPUT)
@click.option(
    "-n",
    "--number",
    type=options.COUNT,
    default=3,
    show_default=True,
    help="Number of suggestions per article.",
)
@click.option(
    "--at",
    metavar="TIME",
    help="Time of the suggestions (UTC, such as 2019-05-01T09:30:00Z); default: now.",
)
@click.option(
    "--type",
    "kind",
    type=click.Choice(["article", "thread", "cluster"]),
    help="Type of the records; default: as the first line shows.",
)
@options.as_json
@click.option("-o", "--out", metavar="FILE", help="Output file (.jsonl); default: print a table.")
@options.force
@reads_threads
def suggest_command(
    model: str,
    articles: str,
    number: int,
    at: str | None,
    kind: str | None,
    out: str | None,
    *,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """Suggest comments under the articles of a file of articles, threads or clusters; MODEL is a fitted one, or a sample that ships.

    Every suggestion is labelled as machine-suggested and sealed with a signature; nothing is posted.

    \b
    Example:
      newsdesk comment suggest model/ articles.jsonl -n 3
      newsdesk comment suggest model/ articles.jsonl -o suggestions.jsonl
    """
    from newsdesk.cli.progress import reading
    from newsdesk.commenters.commenter import load_commenter
    from newsdesk.commenters.suggestion import open_key, sealed
    from newsdesk.commenters.threads import articles_of, open_articles
    from newsdesk.jsonl import json_text
    from newsdesk.wording import plural

    if out is not None:
        refuse_existing(out, force=force)
    moment = at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    fitted = load_commenter(model)
    key = open_key()
    reader = open_articles(articles, kind, files.read)
    suggestions: list[Suggestion] = []
    silent = bare = 0
    for record in reading(reader):
        for article in articles_of(record, articles):
            found = fitted.suggest(article, number, at=moment)
            suggestions += [sealed(each, key) for each in found]
            silent += not found
            bare += not (article.text.strip() or (article.title or "").strip())
    rows = [suggestion.as_json() for suggestion in suggestions]
    if as_json:
        show(out or "-", json_text({"suggestions": rows}), force=force)
    elif out is not None:
        show(out, "\n".join(map(json_text, rows)), force=force)
    else:
        show("-", _table(suggestions), force=force)
    done = plural(len(rows), "suggestion"), plural(reader.count, "record")
    click.echo(f"{done[0]} for {done[1]}", err=True)
    if silent:
        click.echo(f"note: no suggestion for {plural(silent, 'article')}", err=True)
    if bare:
        articles_told = plural(bare, "article")
        click.echo(f"note: nothing is known of {articles_told} without title and text", err=True)


def _table(suggestions: list[Suggestion]) -> str:
    from newsdesk.cli.table import Cell, table

    rows: list[list[Cell]] = [
        [
            suggestion.article,
            suggestion.score,
            suggestion.label,
            _line(suggestion.shown),
            _origin(suggestion),
        ]
        for suggestion in suggestions
    ]
    signatures = dict.fromkeys(
        f"{suggestion.signature} (model {suggestion.model})" for suggestion in suggestions
    )
    header = ["article", "score", "label", "text", "source"]
    return "\n".join([table(header, rows), "", *signatures])


def _origin(suggestion: Suggestion) -> str:
    source = suggestion.source
    if source["kind"] == "retrieved":
        return _line(f"comment {source['comment']} on “{source['title'] or source['article']}”")
    return f"generated, beam {source['beam']}"


def _line(text: str) -> str:
    """A text on one line without what a terminal would obey, and shortened."""
    line = "".join(each if each.isprintable() else " " for each in " ".join(text.split()))
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1]}…"
