"""Create a campaign and its tasks: `newsdesk campaign new` and `newsdesk campaign controls`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options
from newsdesk.cli.campaign import store_option, systems_of, systems_option
from newsdesk.cli.options import INPUT, Command, flag, input_file, option, whole_number
from newsdesk.cli.threads import ThreadFiles, reads_threads

if TYPE_CHECKING:
    from newsdesk.campaigns.protocols import Protocol

_SHORTEST_SECRET = 16

# What tasks are made from.
_FILES = options.group(
    click.argument("outputs", type=INPUT, nargs=-1, metavar="[OUTPUT]..."),
    systems_option,
    input_file("--references", "References, or clusters with summaries, to show beside outputs."),
    input_file("--clusters", "Clusters (relate; for outputs their first articles)."),
    input_file("--articles", "Articles (grade of outputs; to show beside outputs)."),
    input_file("--threads", "Threads whose comments are judged."),
    input_file(
        "--real-from",
        "Threads of which one real comment per article is added to the outputs (grade of outputs).",
    ),
    flag("--in-order", "Bundle comments in file order, not at random (constructive)."),
    flag(
        "--one-by-one",
        "Show every output, and every comment of --real-from, alone (grade of outputs).",
    ),
    whole_number(
        "--sample",
        "Size of a random sample of the found articles (relate), or of the tasks of forms with a `unit`; default: all.",
    ),
)
_FORM = options.group(
    option(
        "--protocol",
        "form",
        "A name from `newsdesk list protocols`, or a TOML file of your own.",
        required=True,
        metavar="NAME|FILE",
    ),
    option(
        "--questions",
        "Ask only these questions of the protocol, comma-separated; default: all.",
        metavar="NAMES",
    ),
)


@dataclass(frozen=True, slots=True)
class TaskSource:
    """The protocol of a campaign and the files that its tasks are made from."""

    form: Protocol | None
    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def protocol(self) -> Protocol:
        """The protocol of the tasks, once it is known."""
        if self.form is None:
            raise TypeError("the protocol of the tasks is not set")
        return self.form

    def tasks(self, controls: str | None = None, **settings: Any) -> list[Any]:
        """Make the tasks from the files, and from one of control questions if there is one."""
        from newsdesk import campaigns

        files = campaigns.TaskFiles(**self.files, controls=controls)
        return campaigns.tasks_from_files(self.protocol, files, **{**self.settings, **settings})


def makes_tasks(command: Command) -> Command:
    """Give a command the options of what tasks are made from as the argument `source`."""

    @_FORM
    @adds_tasks
    @functools.wraps(command)
    def making(
        *arguments: Any, form: str, questions: str | None, source: TaskSource, **rest: Any
    ) -> Any:
        from newsdesk import campaigns

        protocol = campaigns.protocol(form)
        if questions is not None:
            protocol = protocol.asking([name.strip() for name in questions.split(",")])
        return command(*arguments, source=replace(source, form=protocol), **rest)

    return making


def adds_tasks(command: Command) -> Command:
    """Give a command the options of the files of tasks as the argument `source`, whose protocol is yet to be set."""

    @_FILES
    @functools.wraps(command)
    def adding(
        *arguments: Any,
        sample: int | None,
        systems: str | None,
        in_order: bool,
        one_by_one: bool,
        **rest: Any,
    ) -> Any:
        names = ("outputs", "references", "clusters", "articles", "threads", "real_from")
        source = TaskSource(
            None,
            {name: rest.pop(name) for name in names},
            {
                "sample": sample,
                "systems": systems_of(systems),
                "in_order": in_order,
                "one_by_one": one_by_one,
            },
        )
        return command(*arguments, source=source, **rest)

    return adding


@click.command("controls")
@makes_tasks
@whole_number(
    "--every", "Tasks per control question; default: 1 for tasks of several texts, else 5."
)
@options.seed
@options.out
@options.force
def controls_command(
    every: int | None, seed: int, out: str, *, source: TaskSource, force: bool
) -> None:
    """Make control questions with known answers, for `campaign new --controls`.

    They are made from the same files and options as the campaign.

    \b
    Example:
      newsdesk campaign controls --protocol constructive --threads threads.jsonl -o controls.jsonl
    """
    from newsdesk import records
    from newsdesk.campaigns.controls import made_controls
    from newsdesk.wording import plural

    tasks, unused = source.tasks(seed=seed), source.tasks(seed=seed, sample=None)
    controls = made_controls(source.protocol, tasks, every=every, unused=unused, seed=seed)
    count = records.write(out, controls, overwrite=force)
    click.echo(plural(count, "control question"), err=True)


@click.command("new")
@click.argument("name")
@makes_tasks
@input_file(
    "--controls",
    "Control questions with known answers (JSONL), as `newsdesk campaign controls` writes them.",
)
@flag("--controls-apart", "Show control questions as tasks of their own (implied by --in-order).")
@option(
    "--annotators",
    "Annotators: names, comma-separated, or their number; open: workers join by themselves.",
    required=True,
    metavar="NAMES|N|open",
)
@whole_number("--per-item", "Number of annotators who judge each item.", default=2)
@options.seed
@input_file(
    "--secret",
    "File with the secret from which letters, orders and pseudonyms are derived, for reproducible output; default: random.",
    metavar="FILE",
)
@store_option
@reads_threads
def new_command(
    name: str,
    controls: str | None,
    annotators: str,
    per_item: int,
    seed: int,
    secret: str | None,
    url: str,
    *,
    source: TaskSource,
    files: ThreadFiles,
    controls_apart: bool,
) -> None:
    """Create a campaign: its tasks and their assignment to annotators.

    \b
    Example:
      newsdesk campaign new pilot outputs.jsonl --protocol rank --references clusters.jsonl --annotators 5 --per-item 2
    """
    from newsdesk import campaigns
    from newsdesk.campaigns.controls import recognisable
    from newsdesk.campaigns.plans import annotator_names
    from newsdesk.cli.progress import library_warnings
    from newsdesk.wording import plural

    key = None if secret is None else _secret(secret)
    with library_warnings():
        tasks = source.tasks(
            controls, seed=seed, controls_apart=controls_apart, read_threads=files.read
        )
    for reason in recognisable(tasks):
        click.secho(f"controls can be recognised: {reason}", err=True, fg="yellow")
    names = annotator_names(annotators)  # None for an open campaign
    people = None if names is None else list(names)
    with campaigns.Store.open(url) as store:
        store.create(name, source.protocol, tasks, people, per_item=per_item, seed=seed, secret=key)
    click.echo(
        f"{name}: {plural(len(tasks), 'task')}, {plural(per_item, 'annotator')} each", err=True
    )


def _secret(file: str) -> str:
    """Read the secret of --secret: text of one or more lines, without white space around it."""
    from newsdesk.errors import DataError
    from newsdesk.files import InputFile

    secret = "\n".join(line for _, line in InputFile(file).texts()).strip()
    if len(secret) < _SHORTEST_SECRET:
        raise DataError(
            f"the secret has {len(secret)} characters, which can be guessed; {_SHORTEST_SECRET} are needed",
            file=file,
        )
    return secret
