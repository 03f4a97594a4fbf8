"""The command in a process of its own, as a user calls it."""

from __future__ import annotations

import atexit
import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import click

from newsdesk.cli.main import COMMANDS, newsdesk
from tests.cli.forks import Forks

RUN = [sys.executable, "-c", "from newsdesk.cli.main import run; run()"]
FORKS = Forks()
atexit.register(FORKS.close)


def run(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """What a command line prints and how it ends."""
    with Path(os.devnull).open("rb") if stdin is None else _pipe(stdin) as stream:
        ended = FORKS.run(arguments, stream)
    return subprocess.CompletedProcess(
        [*RUN, *arguments], ended.code, ended.stdout.decode(), ended.stderr.decode()
    )


def _pipe(content: bytes) -> BinaryIO:
    """Return the end of a pipe that holds all of the content."""
    end, start = os.pipe()
    fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, max(len(content), 1))
    with os.fdopen(start, "wb") as stream:
        stream.write(content)
    return os.fdopen(end, "rb")


def all_commands() -> list[tuple[str, ...]]:
    """Every command and sub-command, as typed."""
    context = click.Context(newsdesk)
    commands: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = newsdesk.get_command(context, name)
        commands.append((name,))
        if isinstance(command, click.Group):
            commands += [(name, verb) for verb in command.list_commands(click.Context(command))]
    return commands
