"""`newsdesk serve`: the web app and the HTTP API over a folder of data."""

from __future__ import annotations

from pathlib import Path

import click

from newsdesk.cli import options
from newsdesk.cli.options import flag, option, whole_number


@click.command("serve")
@option(
    "--data",
    "Data folder: a new one, or what `newsdesk demo` wrote.",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
)
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
@flag("--admin-link", "renew", "Print a new link for the admin; earlier unused ones end.")
def serve_command(
    data: Path,
    host: str,
    port: int,
    url: str | None,
    servers: int,
    jobs: int,
    allowed: tuple[str, ...],
    proxies: tuple[str, ...],
    *,
    renew: bool,
) -> None:
    """Serve the web app: annotation and campaigns in a browser, and the HTTP API.

    Runs until it is stopped (Ctrl-C). The first start prints a link that signs the admin in once.

    \b
    Example:
      newsdesk serve --data demo/ --port 8000
    """
    from newsdesk.registry import require

    require("fastapi", extra="serve", what="the web app")
    require("uvicorn", extra="serve", what="the web app")
    from newsdesk.service.app import address, admin_link, run
    from newsdesk.service.settings import LOOPBACK, ServiceSettings

    if servers > 1 and not (url or "").startswith("postgres"):
        raise click.UsageError("several server processes need --store postgresql://…")
    hosts = dict.fromkeys(name.lower() for name in (*LOOPBACK, host, *allowed) if name)
    settings = ServiceSettings(
        data=data, store=url, processes=jobs, hosts=tuple(hosts), proxies=proxies
    )
    link = admin_link(settings, host, port, renew=renew)
    click.echo(f"sign in as admin: {link}" if link else address(host, port))
    run(settings, host=host, port=port, servers=servers)
