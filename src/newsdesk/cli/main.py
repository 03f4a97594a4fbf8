"""The command: lazy sub-commands, and the one place where errors become a line and an exit code.

Help is written from the table below, so that `newsdesk --help` imports none of the parts. Exit codes: 0 done, 1 our error in
one line, 2 usage, 3 done but something was rejected, 130 interrupted. A bug keeps its traceback.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from pathlib import Path

import click

from newsdesk import __version__
from newsdesk.cli.lazy import LazyGroup
from newsdesk.errors import NewsdeskError

# name → (module of this package, one-line help).
COMMANDS = {
    "demo": ("demo", "Run every part on the sample newsroom and write one HTML report."),
    "corpus": (
        "corpus",
        "Build event clusters from portal pages and web crawls, with every lost record counted.",
    ),
    "desk": (
        "desk",
        "Run a newsroom every day: new articles become events and summaries, with a ledger of what each run brought.",
    ),
    "summarize": (
        "summarize",
        "Summarize clusters of articles; the summaries are outputs for `newsdesk score`.",
    ),
    "score": (
        "score",
        "Score the outputs of systems against references, plain and quality-weighted.",
    ),
    "simulate": (
        "demo",
        "Simulate news events, articles, comments and judgments of any size, with the ground truth.",
    ),
    "rank": (
        "rank",
        "Rank comments by quality: fit, apply, explain, evaluate with length control, test against gaming.",
    ),
    "comment": (
        "comment",
        "Suggest comments under articles: retrieve or generate them, labelled as machine-suggested.",
    ),
    "study": (
        "study",
        "Study metrics, systems and annotation: correlate with people, compare, tune, plan, check claims, report.",
    ),
    "campaign": ("campaign", "Collect human judgments, audit them and export them."),
    "serve": (
        "serve",
        "Serve the web app: annotation and campaigns in a browser, and the HTTP API.",
    ),
    "mcp": (
        "mcp",
        "Serve score, summarize, rank apply, study compare and records check as tools of a Model Context Protocol server on standard input and output.",
    ),
    "list": (
        "list",
        "List the available metrics, rankers, summarizers, commenters, protocols, tokenizers, encoders, models or presets.",
    ),
    "samples": ("list", "Write a file of the sample newsroom, to try a command on."),
    "doctor": (
        "list",
        "Say what is installed, what is missing for which command, and whether models and stores are sound.",
    ),
    "records": ("records", "Validate files of records and convert them between formats."),
}


@click.command(
    cls=LazyGroup,
    package="newsdesk.cli",
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option(
    "--quiet",
    is_flag=True,
    help="Say nothing on standard error but the error that ends the command.",
)
@click.option("--verbose", is_flag=True, help="Log what is done on standard error.")
@click.pass_context
def newsdesk(context: click.Context, *, quiet: bool, verbose: bool) -> None:
    """Build news corpora, collect human judgments, rank and suggest comments, summarize events, and evaluate all of it.

    Data goes to standard output, messages to standard error; `-` is standard input or output. Exit codes: 0 done, 1 error, 2 wrong usage,
    3 done, but some records were rejected, 130 interrupted. NO_COLOR=1 in the environment turns colours off.

    \b
    Example:
      newsdesk demo --out demo
    """
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    if quiet:
        nowhere = context.with_resource(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        context.with_resource(contextlib.redirect_stderr(nowhere))
    if verbose:
        from newsdesk.cli.progress import log_with_times

        context.with_resource(log_with_times())
    if os.environ.get("NO_COLOR"):
        context.color = False


# New objects between two collections: with Python's 700, long files of small records spend a tenth of their time on them.
_GC_OBJECTS = 50_000


def run() -> None:
    """Run the command as a process, with one thread for numerical libraries unless set otherwise."""
    _open_closed_streams()
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    gc.freeze()  # modules live to the end: collections that leave them out save a tenth of the start
    gc.set_threshold(_GC_OBJECTS)
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
        _say_error(" ".join(str(error).split("\n")))
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
        _say_error("no space left on the disk")
        return 1


def _say_error(text: str) -> None:
    click.secho(text, err=True, fg="red", color=False if os.environ.get("NO_COLOR") else None)


def _open_closed_streams() -> None:
    """Open the null device for closed standard streams (`>&-`), before a file of ours gets the number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _drop_output() -> None:
    """Discard buffered output, so that the interpreter does not fail on flushing it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
