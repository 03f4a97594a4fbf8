"""`newsdesk campaign`: judgments asked for, collected, audited and put to use. The store is named by `--store`."""

from __future__ import annotations

import click

from newsdesk.cli.campaign.exchange import import_command, sheets_command
from newsdesk.cli.campaign.exports import (
    gains_command,
    judgments_command,
    pairs_command,
    report_command,
    weights_command,
)
from newsdesk.cli.campaign.new import new_command
from newsdesk.cli.campaign.status import exclude_command, status_command


@click.group("campaign")
def campaign_command() -> None:
    """Ask people for judgments, audit them and put them to use."""


for verb in (
    new_command,
    status_command,
    sheets_command,
    import_command,
    exclude_command,
    judgments_command,
    weights_command,
    gains_command,
    pairs_command,
    report_command,
):
    campaign_command.add_command(verb)
