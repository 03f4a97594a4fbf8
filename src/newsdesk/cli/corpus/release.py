"""Publish a corpus: `newsdesk corpus release`, `rebuild` from a release, and `forget` what must go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.corpus import accounts_table, runs_engine
from newsdesk.cli.emit import Emit, prints
from newsdesk.cli.options import flag, option
from newsdesk.cli.progress import drawn
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.corpus.forget import ForgetReport
    from newsdesk.corpus.forget.targets import Request
    from newsdesk.corpus.release import Release
    from newsdesk.corpus.release.rebuild import Rebuilt
    from newsdesk.work import Running
    from newsdesk.work.progress import OnProgress


@click.command("rebuild")
@click.argument("release", metavar="RELEASE")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@options.folder("Folder to build in.")
@option("--forgotten", "Corpus folder whose forgotten pages are refused.", metavar="DIR")
@runs_engine
@prints
@options.force
def rebuild_command(
    release: str,
    inputs: tuple[str, ...],
    out: str,
    forgotten: str | None,
    *,
    running: Callable[[OnProgress], Running],
    emit: Emit,
    force: bool,
) -> int:
    """Rebuild the corpus of a release from crawled pages and verify every article by its hash.

    Inputs are WARC files, folders of HTML or files of records. Pages that are gone or changed are listed in missing.jsonl, and
    the exit code is then 3.

    \b
    Example:
      newsdesk corpus rebuild release/ crawl/ -o again/
    """
    from newsdesk.corpus.release.rebuild import rebuild

    with drawn("rebuild") as report:
        done = rebuild(
            release, inputs, out, running=running(report), forgotten=forgotten, overwrite=force
        )
    emit(done, _rebuild_table, _rebuild_json)
    return 3 if done.articles.dropped else 0


def _rebuild_json(done: Rebuilt) -> dict[str, Any]:
    tallies = [tally for tally in (done.pages, done.articles, done.clusters) if tally]
    return {
        "steps": [tally.as_json() for tally in tallies],
        "files": [asdict(file) for file in done.files],
    }


def _rebuild_table(done: Rebuilt) -> str:
    from newsdesk.results.table import table

    steps = [("articles of the release", done.articles), ("clusters", done.clusters)]
    if done.pages:
        steps.insert(0, ("pages", done.pages))
    rows = [
        [file.name, file.released, file.records, "yes" if file.identical else "no"]
        for file in done.files
    ]
    return (
        f"{accounts_table(*steps)}\n\n{table(['file', 'released', 'records', 'identical'], rows)}"
    )


@click.command("forget")
@click.argument("corpus", metavar="CORPUS")
@options.folder("Folder of the new version; new or empty.")
@option(
    "--article", "articles", "Id or address of an article; repeatable.", multiple=True, metavar="ID"
)
@option(
    "--domain", "domains", "A host with its subdomains; repeatable.", multiple=True, metavar="HOST"
)
@option("--author", "authors", "Name of an author; repeatable.", multiple=True, metavar="NAME")
@option(
    "--model-dir",
    "models",
    "Folder of saved models; those fitted on what is forgotten are named.",
    multiple=True,
    metavar="DIR",
)
@option(
    "--store",
    "stores",
    "Also erase judgments in this database of campaigns.",
    multiple=True,
    metavar="URL",
)
@prints
def forget_command(
    corpus: str,
    out: str,
    articles: tuple[str, ...],
    domains: tuple[str, ...],
    authors: tuple[str, ...],
    models: tuple[str, ...],
    stores: tuple[str, ...],
    *,
    emit: Emit,
) -> None:
    """Write a version of a corpus folder without an article, a domain or an author, in any of its files.

    Only keyed hashes of what was forgotten are kept; later builds in the new folder use them to refuse it. The old folder stays:
    delete it yourself, with its backups. Saved models that were fitted on what was forgotten are named. In a --store
    (sqlite:///FILE, postgresql://…) all judgments on the articles are erased in place.

    \b
    Example:
      newsdesk corpus forget corpus/ --domain example.org --model-dir models/ -o corpus-2/
    """
    from newsdesk.corpus.forget.targets import Request

    if not (articles or domains or authors):
        raise click.UsageError("nothing to forget; add --article, --domain or --author")
    report, judgments = _forget(corpus, out, Request(articles, domains, authors), models, stores)
    erased = f"\n{judgments} judgments erased" if stores else ""
    emit(
        report,
        lambda report: _forget_table(report) + erased,
        lambda report: {**_forget_json(report), "judgments": judgments},
    )


def _forget(
    corpus: str, out: str, request: Request, models: tuple[str, ...], stores: tuple[str, ...]
) -> tuple[ForgetReport, int]:
    """Return the report, and the number of judgments erased; campaigns load only for stores."""
    if stores:
        from newsdesk.studies.forgetting import forget_everywhere

        done = forget_everywhere(corpus, out, request, models=models, stores=stores)
        return done.files, done.judgments
    from newsdesk.corpus.forget import forget

    return forget(corpus, out, request, models=models), 0


def _forget_json(report: ForgetReport) -> dict[str, Any]:
    touched = [file for file in report.files if file.removed or file.changed or file.dropped]
    return {
        "articles": report.articles,
        "steps": [report.tally.as_json()],
        "files": [asdict(file) for file in touched],
        "models": list(report.models),
    }


def _forget_table(report: ForgetReport) -> str:
    from newsdesk.results.table import table

    rows = [
        [file["name"], file["removed"], file["changed"], "left out" if file["dropped"] else ""]
        for file in _forget_json(report)["files"]
    ]
    lines = [accounts_table(("files", report.tally)), ""]
    if rows:
        lines += [table(["file", "removed", "changed", ""], rows), ""]
    lines.append(plural(report.articles, "article") + " forgotten")
    lines += [f"fitted on what was forgotten: {model}" for model in report.models]
    return "\n".join(lines)


@click.command("release")
@click.argument("corpus", metavar="CORPUS")
@options.folder()
@option("--name", "Name of the data set; default: that of the folder.", metavar="NAME")
@flag("--text", "Include titles, authors and texts; needs --license.")
@option(
    "--license", "Licence of the release as an SPDX identifier, such as CC-BY-4.0.", metavar="SPDX"
)
@prints
@options.force
def release_command(
    corpus: str,
    out: str,
    name: str | None,
    license: str | None,
    *,
    text: bool,
    emit: Emit,
    force: bool,
) -> None:
    """Release the records of a corpus folder: addresses and hashes, a data card, Croissant metadata, Parquet tables.

    The folder is also a data set for `datasets.load_dataset`. Texts are left out unless --text and --license are set.

    \b
    Example:
      newsdesk corpus release corpus/ --name calverra -o release/
    """
    from newsdesk.corpus.release import write_release

    release = write_release(corpus, out, name=name, text=text, license=license, overwrite=force)
    emit(release, _release_table, lambda release: {"files": _release_rows(release)})


def _release_rows(release: Release) -> list[dict[str, Any]]:
    return [
        {"file": file.name, "type": file.type, "records": file.records, "table": file.data}
        for file in release.files
    ]


def _release_table(release: Release) -> str:
    from newsdesk.results.table import table

    rows = [list(row.values()) for row in _release_rows(release)]
    return table(["file", "record", "records", "table"], rows)
