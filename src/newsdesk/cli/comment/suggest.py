"""`newsdesk comment suggest`: comments for articles, each with label, source, score and seal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, note, one_line, refuse_existing, show
from newsdesk.cli.options import flag, option
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.commenters.abstaining import Abstention
    from newsdesk.commenters.suggestion import SealVerdict, Suggestion
    from newsdesk.results.table import Cell


@click.command("verify")
@click.argument("file", type=options.INPUT)
@option(
    "--key", "Key to trust (PEM); suggestions sealed with another key are refused.", metavar="FILE"
)
@emits
def verify_command(file: str, key: str | None, *, emit: Emit) -> None:
    """Check the seals of suggestions that `comment suggest` wrote, and name every altered field.

    The exit code is 1 if a suggestion cannot be trusted.

    \b
    Example:
      newsdesk comment verify suggestions.jsonl
    """
    from newsdesk.commenters.suggestion import public_key, read_rows, verify_all
    from newsdesk.errors import DataError
    from newsdesk.wording import plural

    trusted = public_key(key) if key else None
    verdicts = list(verify_all(read_rows(file), trusted))
    emit(
        verdicts,
        _verdict_table,
        lambda verdicts: {"suggestions": [verdict.as_json() for verdict in verdicts]},
    )
    bad = [verdict for verdict in verdicts if not verdict.good]
    if bad:
        count = f"{len(bad)} of {plural(len(verdicts), 'suggestion')}"
        first = (
            f"suggestion {bad[0].number} is {bad[0]}"
            if bad[0].altered
            else f"suggestion {bad[0].number}: {bad[0]}"
        )
        raise DataError(f"{count} cannot be trusted; {first}", file=file)


def _verdict_table(verdicts: Sequence[SealVerdict]) -> str:
    from newsdesk.results.table import table

    rows: list[list[Cell]] = [
        [verdict.number, verdict.article, str(verdict)] for verdict in verdicts
    ]
    return table(["suggestion", "article", "verdict"], rows)


@click.command("suggest")
@click.argument("model")
@click.argument("articles", type=options.INPUT)
@options.top("Number of suggestions per article.", 3)
@option(
    "--at",
    "Time of the suggestions (UTC, such as 2019-05-01T09:30:00Z); default: now.",
    metavar="TIME",
)
@option(
    "--type",
    "kind",
    "Type of the records; default: as the first line shows.",
    type=click.Choice(["article", "thread", "cluster"]),
)
@option(
    "--threshold",
    "Suggest nothing for articles below this similarity; default: what the training articles reach, 0: always suggest.",
    type=options.BoundedNumber(min=0),
)
@flag(
    "--allow-personal",
    "Let through comments that tell of their writer's own life, as in “I worked there”.",
)
@options.as_json()
@option("-o", "--out", "Output file (.jsonl, .html); default: print a table.", metavar="FILE")
@options.force
@reads_threads
def suggest_command(
    model: str,
    articles: str,
    top: int,
    at: str | None,
    kind: str | None,
    out: str | None,
    threshold: float | None,
    *,
    allow_personal: bool,
    files: ThreadFiles,
    as_json: bool,
    force: bool,
) -> None:
    """Suggest comments under the articles of a file of articles, threads or clusters; MODEL is a fitted one, or a sample that ships.

    Every suggestion is labelled as machine-suggested and sealed with a signature; nothing is posted.

    \b
    Example:
      newsdesk comment suggest model/ articles.jsonl -n 3
      newsdesk comment suggest model/ articles.jsonl --threshold 0 -o suggestions.jsonl
    """
    from newsdesk.cli.progress import reading
    from newsdesk.commenters.abstaining import Abstention, Restrained
    from newsdesk.commenters.commenter import load_commenter
    from newsdesk.commenters.suggestion import open_key, sealed
    from newsdesk.commenters.texts import articles_of, open_articles
    from newsdesk.jsonl import json_text
    from newsdesk.wording import plural

    if out is not None:
        refuse_existing(out, force=force)
    moment = at or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    fitted = Restrained(load_commenter(model), threshold=threshold, personal=allow_personal)
    key = open_key()
    reader = open_articles(articles, kind, files.read)
    suggestions: list[Suggestion] = []
    abstentions: list[Abstention] = []
    bare = 0
    for record in reading(reader):
        for article in articles_of(record, articles):
            suggested = fitted.suggest(article, top, at=moment)
            if isinstance(suggested, Abstention):
                abstentions.append(suggested)
            else:
                suggestions += [sealed(suggestion, key) for suggestion in suggested]
            bare += not (article.text.strip() or (article.title or "").strip())
    rows = [suggestion.as_json() for suggestion in suggestions]
    if as_json:
        told = {"suggestions": rows, "abstained": [each.as_json() for each in abstentions]}
        show(out or "-", json_text(told), force=force)
    elif out is not None and out.endswith(".html"):
        show(out, _page(suggestions, abstentions), force=force)
    elif out is not None:
        show(out, "\n".join(map(json_text, rows)), force=force)
    else:
        show("-", _table(suggestions, abstentions), force=force)
    click.echo(f"{plural(len(rows), 'suggestion')} for {plural(reader.count, 'record')}", err=True)
    if abstentions:
        count = plural(len(abstentions), "article")
        note(f"no suggestion for {count}; of the first, because {abstentions[0].reason}")
    if bare:
        note(f"nothing is known of {plural(bare, 'article')} without title and text")


_HEADER = ["article", "score", "label", "text", "source"]


def _table(suggestions: list[Suggestion], abstentions: list[Abstention]) -> str:
    from newsdesk.results.table import table

    rows = _rows(suggestions, abstentions)
    return "\n".join([table(_HEADER, rows), "", *_signatures(suggestions)])


def _page(suggestions: list[Suggestion], abstentions: list[Abstention]) -> str:
    from newsdesk.results.page import Section, page

    section = Section("Suggestions", "Machine-suggested; nothing was posted.")
    section.table(_HEADER, _rows(suggestions, abstentions)).signatures(_signatures(suggestions))
    return page("Suggested comments", "", [section]).rstrip("\n")


def _rows(suggestions: list[Suggestion], abstentions: list[Abstention]) -> list[list[Cell]]:
    rows: list[list[Cell]] = [
        [each.article, each.score, each.label, one_line(each.shown), _origin(each)]
        for each in suggestions
    ]
    return rows + [[each.article, None, "", str(each), ""] for each in abstentions]


def _signatures(suggestions: list[Suggestion]) -> list[str]:
    return list(dict.fromkeys(f"{each.signature} (model {each.model})" for each in suggestions))


def _origin(suggestion: Suggestion) -> str:
    source = suggestion.source
    if source["kind"] == "retrieved":
        return one_line(f"comment {source['comment']} on “{source['title'] or source['article']}”")
    return f"generated, beam {source['beam']}"
