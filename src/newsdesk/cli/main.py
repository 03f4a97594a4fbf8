"""The command: lazy sub-commands, and the one place where errors become a line and an exit code.

Help is written from the table below, so that `newsdesk --help` imports none of the parts. Exit codes: 0 done, 1 our error in
one line, 2 usage, 3 done but something was rejected, 130 interrupted. A bug keeps its traceback.
"""

from __future__ import annotations

import errno
import os
import sys

import click

from newsdesk import __version__
from newsdesk.cli.lazy import LazyGroup
from newsdesk.errors import NewsdeskError

# name → (module, one-line help).
COMMANDS = {
    "demo": (
        "newsdesk.cli.demo",
        "Run the whole loop on the sample newsroom and write one HTML report.",
    ),
    "corpus": (
        "newsdesk.cli.corpus.command",
        "Build event clusters from portal pages and web crawls, with every lost record counted.",
    ),
    "summarize": (
        "newsdesk.cli.summarize",
        "Summarize clusters of articles; the summaries are outputs for `newsdesk score`.",
    ),
    "score": (
        "newsdesk.cli.score",
        "Score the outputs of systems against references, plain and quality-weighted.",
    ),
    "simulate": (
        "newsdesk.cli.simulate",
        "Simulate a world of any size, with the ground truth beside the data.",
    ),
    "rank": (
        "newsdesk.cli.rank.command",
        "Rank comments by quality: fit, apply, evaluate with control for length, test against gaming.",
    ),
    "comment": (
        "newsdesk.cli.comment.command",
        "Suggest comments under articles: retrieve or generate them, labelled as machine-suggested.",
    ),
    "study": (
        "newsdesk.cli.study.command",
        "Studies of summarizers: compare methods, tune settings, lengths and learning curves.",
    ),
    "campaign": (
        "newsdesk.cli.campaign.command",
        "Collect human judgments, audit them and export them.",
    ),
    "serve": (
        "newsdesk.cli.serve",
        "Serve annotation, campaigns and the HTTP API in a browser, until it is stopped.",
    ),
    "list": (
        "newsdesk.cli.list",
        "Print the names of a kind, one a line; aliases come last and are explained on stderr.",
    ),
    "records": ("newsdesk.cli.records.command", "Check and convert files of records."),
}


@click.command(
    cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def newsdesk() -> None:
    """Corpora, judgments, models and believable verdicts for news events, articles and comments.

    \b
    Example:
      newsdesk demo --out demo
    """


def run() -> None:
    """The entry point of the command. Numerical libraries get one thread unless configured otherwise: two are slower on a busy machine."""
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    sys.exit(main())


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        code = newsdesk.main(arguments, prog_name="newsdesk", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except NewsdeskError as error:
        click.secho(" ".join(str(error).split("\n")), err=True, fg="red")
        return 1
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader of our output went away: there is nobody left to tell.
        _drop_output()
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _drop_output()
        click.secho("no space left on the disk", err=True, fg="red")
        return 1


def _drop_output() -> None:
    """Discard buffered output, so that the interpreter does not fail on flushing it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
