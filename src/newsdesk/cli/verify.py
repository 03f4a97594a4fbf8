"""`newsdesk summarize verify`: every clause of summaries with the source sentence that supports it."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.emit import Emit, emits, typed
from newsdesk.cli.options import flag, input_file, option


@click.command("verify")
@click.argument("outputs", type=options.INPUT)
@input_file("--clusters", "Clusters with the articles that the outputs summarize.", required=True)
@flag(
    "--strike",
    "Strike what is not supported: on a page it is crossed out, a .jsonl file holds the outputs without it.",
)
@option(
    "--model",
    "Also ask a model: an NLI classifier (hf:PATH) or a language model (openai:URL#MODEL, gguf:PATH).",
    metavar="MODEL",
)
@emits
def verify_command(
    outputs: str, clusters: str, model: str | None, *, strike: bool, emit: Emit
) -> None:
    """Link every clause of summaries to the source sentence that supports it, and flag the rest.

    Works on the outputs of any system, by rules; with --model a model has to agree. -o NAME.html writes a page, NAME.jsonl a line for each output.

    \b
    Example:
      newsdesk summarize verify outputs.jsonl --clusters clusters.jsonl
      newsdesk summarize verify outputs.jsonl --clusters clusters.jsonl -o receipts.html
      newsdesk summarize verify outputs.jsonl --clusters clusters.jsonl --strike -o kept.jsonl
    """
    from newsdesk import records
    from newsdesk.cli.emit import show
    from newsdesk.cli.progress import reading
    from newsdesk.summarizers.verify.judges import judge_of
    from newsdesk.summarizers.verify.receipts import verify_outputs
    from newsdesk.types import Cluster, Output

    read = reading(records.read(clusters, Cluster), "verifying")
    receipts = verify_outputs(records.read(outputs, Output), read, judge=judge_of(model))
    if emit.out.endswith(".html"):
        show(emit.out, receipts.page(typed(), strike=strike).rstrip("\n"), force=emit.force)
    elif emit.out.endswith((".jsonl", ".jsonl.gz")) and strike:
        records.write(emit.out, receipts.struck_outputs(), overwrite=emit.force)
    elif emit.out.endswith((".jsonl", ".jsonl.gz")):
        receipts.write_rows(emit.out, overwrite=emit.force)
    else:
        emit(receipts)
