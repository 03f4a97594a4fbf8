"""What comes with newsdesk: the names of a kind (`newsdesk list`), and files to try commands on (`newsdesk samples`)."""

from __future__ import annotations

import click

from newsdesk.cli.emit import Emit, emits, emits_as, note
from newsdesk.cli.options import flag, option
from newsdesk.cli.threads import SOME_REJECTED
from newsdesk.registry import TABLES


@click.command("list")
@click.argument("kind", type=click.Choice([*TABLES, "models", "presets"]))
@emits_as("Print a JSON object instead of lines.")
def list_command(kind: str, *, emit: Emit) -> None:
    """List the available metrics, rankers, summarizers, commenters, protocols, tokenizers, encoders, models or presets.

    \b
    Example:
      newsdesk list tokenizers
    """
    special = {"models": _models, "presets": _presets}
    names, content, notes = special[kind]() if kind in special else _table(kind)
    emit(names, "\n".join, lambda _: content)
    for sentence in () if emit.as_json else notes:
        note(sentence)


def _table(kind: str) -> tuple[list[str], dict[str, object], list[str]]:
    """Return the names of a table as lines, as JSON, and what is to be said of them."""
    table = TABLES[kind]
    aliases = {"aliases": dict(table.aliases)} if table.aliases else {}
    notes = [f"{alias} is an alias of {name}" for alias, name in table.aliases.items()]
    return list(table.names), {kind: list(table), **aliases}, notes


def _models() -> tuple[list[str], dict[str, object], list[str]]:
    """Return the names of the models that ship as lines, as JSON, and notes on them."""
    from newsdesk.commenters.commenter import MODELS as COMMENTERS
    from newsdesk.rankers.ready import MODELS as RANKERS, READY, ready_names

    names, descriptions = [*ready_names(), *COMMENTERS], {**RANKERS, **COMMENTERS}
    notes = [f"{READY} is the one of the comments' language"]
    notes += [f"{name} is {text}" for name, text in descriptions.items()]
    return names, {"models": names, "notes": descriptions}, notes


def _presets() -> tuple[list[str], dict[str, object], list[str]]:
    """Return the names that --preset takes as lines, their settings as JSON, and notes on them."""
    from newsdesk.cli.presets import PRESETS

    content = {
        name: {
            "paper": preset.paper,
            "options": dict(preset.options),
            "methods": dict(preset.methods),
        }
        for name, preset in PRESETS.items()
    }
    notes = [
        f"{name} is {preset.paper}; for {', '.join(preset.options)}"
        for name, preset in PRESETS.items()
    ]
    return list(PRESETS), {"presets": content}, notes


@click.command("samples")
@click.argument("file", metavar="FILE")
@flag("--force", "Overwrite a file that exists.")
def samples_command(file: str, *, force: bool) -> None:
    """Write a file of the sample newsroom, to try a command on.

    FILE is named after its content: comments (comments.csv), threads-en.jsonl, clusters.jsonl, events.jsonl, outputs.jsonl and others; a wrong name lists them all.

    \b
    Example:
      newsdesk samples comments.csv
    """
    from newsdesk.samples.files import write_sample

    write_sample(file, overwrite=force)
    click.echo(file)


@click.command("doctor")
@option(
    "--store",
    "stores",
    "URL of a store to open as well; may be repeated.",
    multiple=True,
    metavar="URL",
)
@option(
    "--model-dir",
    "folders",
    "Folder of a model to load as well; may be repeated.",
    multiple=True,
    metavar="DIR",
)
@emits
def doctor_command(stores: tuple[str, ...], folders: tuple[str, ...], *, emit: Emit) -> int:
    """Say what is installed, what is missing for which command, and whether models and stores are sound.

    The exit code is 3 if something that is there cannot be used.

    \b
    Example:
      newsdesk doctor
    """
    from newsdesk.doctor import diagnose

    diagnosis = diagnose(stores, folders)
    emit(diagnosis)
    return 0 if diagnosis.sound else SOME_REJECTED
