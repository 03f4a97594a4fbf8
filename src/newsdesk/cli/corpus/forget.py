"""`newsdesk corpus forget`: a version of a corpus without an article, a domain or an author."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options

if TYPE_CHECKING:
    from newsdesk.corpus.forget.run import ForgetReport
    from newsdesk.corpus.forget.targets import Request


@click.command("forget")
@click.argument("corpus", metavar="CORPUS")
@click.option(
    "-o", "--out", required=True, metavar="DIR", help="Folder of the new version; new or empty."
)
@click.option(
    "--article",
    "articles",
    multiple=True,
    metavar="ID",
    help="Id or address of an article; repeatable.",
)
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="HOST",
    help="A host with its subdomains; repeatable.",
)
@click.option(
    "--author", "authors", multiple=True, metavar="NAME", help="Name of an author; repeatable."
)
@click.option(
    "--models",
    multiple=True,
    metavar="DIR",
    help="Folder of saved models; those fitted on what is forgotten are named.",
)
@click.option(
    "--store",
    "stores",
    multiple=True,
    metavar="URL",
    help="Also erase judgments in this database of campaigns.",
)
@options.as_json
def forget_command(
    corpus: str,
    out: str,
    articles: tuple[str, ...],
    domains: tuple[str, ...],
    authors: tuple[str, ...],
    models: tuple[str, ...],
    stores: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Write a version of a corpus folder without an article, a domain or an author, in any of its files.

    Only keyed hashes of what was forgotten are kept; later builds in the new folder use them to refuse it. The old folder stays:
    delete it yourself, with its backups. Saved models that were fitted on what was forgotten are named. In a --store
    (sqlite:///FILE, postgresql://…) all judgments on the articles are erased in place.

    \b
    Example:
      newsdesk corpus forget corpus/ --domain example.org --models models/ -o corpus-2/
    """
    from newsdesk.corpus.forget.targets import Request
    from newsdesk.jsonl import json_text

    if not (articles or domains or authors):
        raise click.UsageError("nothing to forget; add --article, --domain or --author")
    report, judgments = _forget(corpus, out, Request(articles, domains, authors), models, stores)
    if as_json:
        text = json_text({**_as_json(report), "judgments": judgments})
    else:
        text = _as_table(report) + (f"\n{judgments} judgments erased" if stores else "")
    click.echo(text.encode("utf-8"))


def _forget(
    corpus: str, out: str, request: Request, models: tuple[str, ...], stores: tuple[str, ...]
) -> tuple[ForgetReport, int]:
    """The report, and the number of judgments erased; the part of campaigns is needed only for stores."""
    if stores:
        from newsdesk.studies.forgetting import forget_everywhere

        done = forget_everywhere(corpus, out, request, models=models, stores=stores)
        return done.files, done.judgments
    from newsdesk.corpus.forget.run import forget

    return forget(corpus, out, request, models=models), 0


def _as_json(report: ForgetReport) -> dict[str, Any]:
    from dataclasses import asdict

    touched = [file for file in report.files if file.removed or file.changed or file.dropped]
    return {
        "articles": report.articles,
        "steps": [report.tally.as_json()],
        "files": [asdict(file) for file in touched],
        "models": list(report.models),
    }


def _as_table(report: ForgetReport) -> str:
    from newsdesk.cli.corpus.accounts import accounts_table
    from newsdesk.cli.table import table
    from newsdesk.wording import plural

    files = _as_json(report)["files"]
    rows = [
        [
            file["name"],
            file["removed"],
            file["changed"],
            "left out" if file["dropped"] else "",
        ]
        for file in files
    ]
    lines = [accounts_table(("files", report.tally)), ""]
    if rows:
        lines += [table(["file", "removed", "changed", ""], rows), ""]
    lines.append(plural(report.articles, "article") + " forgotten")
    lines += [f"fitted on what was forgotten: {model}" for model in report.models]
    return "\n".join(lines)
