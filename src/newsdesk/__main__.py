"""`python -m newsdesk` is the command `newsdesk`."""

from newsdesk.cli.main import run

if __name__ == "__main__":
    run()
