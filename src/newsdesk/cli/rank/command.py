"""`newsdesk rank`: fit a ranker of comments, apply it, and measure it so that length cannot pass for quality."""

from __future__ import annotations

import click

from newsdesk.cli.rank.apply import apply_command
from newsdesk.cli.rank.audit import audit_command
from newsdesk.cli.rank.compare import compare_command
from newsdesk.cli.rank.evaluate import eval_command
from newsdesk.cli.rank.explain import explain_command
from newsdesk.cli.rank.fit import fit_command
from newsdesk.cli.rank.game import game_command
from newsdesk.cli.rank.vectors import vectors_command


@click.group("rank")
def rank_command() -> None:
    """Rank comments by quality: fit, apply, evaluate beyond length, try to game."""


for verb in (
    fit_command,
    apply_command,
    eval_command,
    compare_command,
    explain_command,
    game_command,
    audit_command,
    vectors_command,
):
    rank_command.add_command(verb)
