"""The command in a process of its own, as a user calls it."""

from __future__ import annotations

import subprocess
import sys

import click

from newsdesk.cli.main import COMMANDS, newsdesk

RUN = [sys.executable, "-c", "from newsdesk.cli.main import run; run()"]


def run(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """What a command line prints and how it ends."""
    done = subprocess.run([*RUN, *arguments], capture_output=True, input=stdin)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


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
