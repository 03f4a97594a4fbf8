"""`python -m newsdesk` is the command `newsdesk`."""

from newsdesk.cli.main import run

run()
