"""`newsdesk mcp`: read-only tools over the Model Context Protocol, confined to one folder."""

from __future__ import annotations

from pathlib import Path

import click

from newsdesk.cli.options import option, whole_number


@click.command("mcp")
@option(
    "--data",
    "Folder whose files the tools may read; nothing outside of it, and nothing is written.",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    required=True,
    metavar="DIR",
)
@whole_number("--timeout", "Seconds that one call of a tool may take.", default=120)
@whole_number("--max-megabytes", "Size of a file that is read, in MB.", default=64)
def mcp_command(data: Path, timeout: int, max_megabytes: int) -> None:
    """Serve score, summarize, rank apply, study compare and records check as tools of a Model Context Protocol server on standard input and output.

    \b
    Example:
      newsdesk mcp --data .
    """
    from newsdesk.service.confined import Confined
    from newsdesk.service.mcp_server import serve_tools

    serve_tools(Confined(data, timeout_s=timeout, most_megabytes=max_megabytes))
