"""`newsdesk serve`: the web app and the HTTP API over a folder of data, and its backups."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.options import flag, option, whole_number
from newsdesk.cli.progress import say_stage

if TYPE_CHECKING:
    from newsdesk.service.settings import ServiceSettings

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group("serve", invoke_without_command=True)
@option(
    "--data",
    "Data folder: a new one, or what `newsdesk demo` wrote; with --demo by default demo.",
    type=_FOLDER,
    metavar="DIR",
)
@flag("--demo", "Make the sample newsroom in the data folder, if it is not there, and open it.")
@option("--host", "Address to listen on.", default="127.0.0.1", metavar="ADDRESS")
@option("--port", "Port to listen on.", type=options.Integer(1, 65535), default=8000)
@option(
    "--store",
    "url",
    "Database, such as postgresql://…; default: a SQLite file in the data folder.",
    metavar="URL",
)
@whole_number("--servers", "Server processes; more than one needs PostgreSQL.", default=1)
@options.jobs("Worker processes for summaries, rankings and reports, per server process.")
@option(
    "--allowed-host",
    "allowed",
    "Host name under which it is reached, such as desk.example.org; repeat it. Loopback and --host always are.",
    multiple=True,
    metavar="NAME",
)
@option(
    "--proxy",
    "proxies",
    "Address or network of a proxy whose X-Forwarded-For and X-Forwarded-Proto count; repeat it.",
    multiple=True,
    metavar="ADDRESS",
)
@option(
    "--root-path",
    "Path under which a proxy serves it, such as /newsdesk.",
    default="",
    metavar="PATH",
)
@option(
    "--embed-on",
    "embedders",
    "Site that may show embedded threads in a frame, such as https://www.example.org; repeat it.",
    multiple=True,
    metavar="SITE",
)
@flag("--admin-link", "renew", "Print a new link for the admin; earlier unused ones end.")
@click.pass_context
def serve_command(
    context: click.Context,
    data: Path | None,
    host: str,
    port: int,
    url: str | None,
    servers: int,
    jobs: int,
    allowed: tuple[str, ...],
    proxies: tuple[str, ...],
    root_path: str,
    embedders: tuple[str, ...],
    *,
    demo: bool,
    renew: bool,
) -> None:
    """Serve the web app: annotation and campaigns in a browser, and the HTTP API.

    Runs until it is stopped (Ctrl-C). The first start prints a link that signs the admin in once; --demo prints one at each start, and where to begin.

    \b
    Example:
      newsdesk serve --demo
      newsdesk serve --data demo/ --port 8000
      newsdesk serve backup desk.tar.gz --data demo/
    """
    if context.invoked_subcommand is not None:
        return
    if data is None:
        if not demo:
            raise click.UsageError("Missing option '--data' (or --demo).")
        data = Path("demo")
    os.umask(0o077)  # whatever the server writes is its own alone
    from newsdesk.registry import require

    require("fastapi", extra="serve", what="the web app")
    require("uvicorn", extra="serve", what="the web app")
    from newsdesk.service.app import run
    from newsdesk.service.settings import LOOPBACK, ServiceSettings

    if servers > 1 and not (url or "").startswith("postgres"):
        raise click.UsageError("several server processes need --store postgresql://…")
    hosts = dict.fromkeys(name.lower() for name in (*LOOPBACK, host, *allowed) if name)
    settings = ServiceSettings(
        data=data,
        store=url,
        processes=jobs,
        hosts=tuple(hosts),
        proxies=proxies,
        embedders=embedders,
        root_path=root_path.rstrip("/"),
    )
    _say_links(settings, host, port, demo=demo, renew=renew)
    run(settings, host=host, port=port, servers=servers)


def _say_links(settings: ServiceSettings, host: str, port: int, *, demo: bool, renew: bool) -> None:
    """Make the demo where it is asked for, and print where to begin."""
    from newsdesk.service.links import address, admin_link, demo_links

    if demo:
        from newsdesk.demo import ensure_demo

        ensure_demo(settings.data, progress=say_stage)
        for name, where in demo_links(settings, host, port):
            click.echo(f"{name}: {where}")
        return
    link = admin_link(settings, host, port, renew=renew)
    click.echo(f"sign in as admin: {link}" if link else address(host, port, settings.root_path))


@serve_command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@option(
    "--data", "Data folder; a server may run on it.", required=True, type=_FOLDER, metavar="DIR"
)
@options.force
def backup_command(file: Path, data: Path, *, force: bool) -> None:
    """Back a data folder up, while a server runs or not.

    The archive (.tar or .tar.gz) holds the store, the secrets and all files; keep it where nobody else can read it. A store on PostgreSQL is not in it; copy it with pg_dump.

    \b
    Example:
      newsdesk serve backup desk.tar.gz --data demo/
    """
    from newsdesk.service.backup import back_up
    from newsdesk.wording import plural

    done = back_up(data, file, overwrite=force)
    click.echo(f"{file}: {plural(done.files, 'file')}, {done.size:,} bytes", err=True)
    if not done.store:
        click.echo(
            "the folder has no store of its own; copy one on PostgreSQL with pg_dump", err=True
        )
    if done.links:
        click.echo(f"left out: {plural(done.links, 'link')} to other places", err=True)


@serve_command.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@option("--data", "Folder to create, new or empty.", required=True, type=_FOLDER, metavar="DIR")
def restore_command(file: Path, data: Path) -> None:
    """Restore a backup into a new data folder, which appears when every file was checked.

    \b
    Example:
      newsdesk serve restore desk.tar.gz --data restored/
    """
    from newsdesk.service.backup import restore
    from newsdesk.wording import plural

    done = restore(file, data)
    click.echo(f"{data}: {plural(done.files, 'file')}, {done.size:,} bytes", err=True)


@serve_command.command("move")
@option("--data", "Data folder whose store is moved.", required=True, type=_FOLDER, metavar="DIR")
@option(
    "--store", "url", "Empty database to move it to: postgresql://….", required=True, metavar="URL"
)
def move_command(data: Path, url: str) -> None:
    """Move the store of a data folder from SQLite to PostgreSQL, while no server runs.

    Run it again if it was stopped. Counts and digests of all rows are compared; then the old store gets the ending .moved.

    \b
    Example:
      newsdesk serve move --data demo/ --store postgresql:///newsdesk
    """
    from newsdesk.cli.progress import drawn
    from newsdesk.service.moving import move_store
    from newsdesk.wording import plural

    with drawn("moving") as progress:
        done = move_store(data, url, progress=progress)
    click.echo(
        f"{plural(done.rows, 'row')} of {plural(done.tables, 'table')} moved; the old store is kept as {done.kept}",
        err=True,
    )
