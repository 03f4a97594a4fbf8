"""A plan of a campaign: everything that decides its tasks and annotators, from a form or a TOML file.

name = "pilot"
protocol = "constructive"
annotators = ["ann", "ben"]          or a number, or "open"
per_item = 2
seed = 7
[files]
threads = "threads-en.jsonl"
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import TYPE_CHECKING, Any

from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.controls import recognisable
from newsdesk.campaigns.protocols import Protocol, parse_protocol, protocol
from newsdesk.campaigns.task_files import TaskFiles, tasks_from_files
from newsdesk.errors import ArgumentError, DataError
from newsdesk.registry import offer
from newsdesk.settings import at_least

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

KINDS_OF_FILE = tuple(each.name for each in fields(TaskFiles))
_MOST_ANNOTATORS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A campaign to create. `protocol` is a name, or the text of a TOML form; `files` are names by kind (outputs may be several)."""

    name: str
    protocol: str
    annotators: tuple[str, ...] | None  # None: whoever joins
    per_item: int = 2
    seed: int = 0
    questions: tuple[str, ...] = ()
    sample: int | None = None
    in_order: bool = False
    one_by_one: bool = False
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        at_least("per_item", self.per_item, 1)
        for kind, names in self.files.items():
            if kind not in KINDS_OF_FILE:
                raise ArgumentError(
                    f"no kind of file is called {kind!r}; {offer(kind, KINDS_OF_FILE)}"
                )
            if len(names) > 1 and kind != "outputs":
                raise ArgumentError(f"a campaign takes one file of {kind}, not {len(names)}")

    @property
    def form(self) -> Protocol:
        """The protocol with the questions that are asked."""
        own = "\n" in self.protocol
        form = (
            parse_protocol(self.protocol, "the form") if own else protocol(_included(self.protocol))
        )
        return form.asking(self.questions) if self.questions else form


def annotator_names(text: str) -> tuple[str, ...] | None:
    """Parse names separated by commas, or a number of annotators; None for an open campaign.

    >>> annotator_names("2"), annotator_names("ann, ben"), annotator_names("open")
    (('annotator-1', 'annotator-2'), ('ann', 'ben'), None)
    """
    if text.strip() == "open":
        return None
    if text.strip().isdecimal():
        count = int(text)
        if not 1 <= count <= _MOST_ANNOTATORS:
            raise ArgumentError(f"{count} annotators are not from 1 to {_MOST_ANNOTATORS}")
        return tuple(f"annotator-{number}" for number in range(1, count + 1))
    return tuple(name.strip() for name in text.split(","))


def read_plan(text: str, file: str) -> Plan:
    """Parse a plan from TOML; an unknown key or a wrong type is an error."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"not TOML: {error}", file=file) from error
    known = [each.name for each in fields(Plan)]
    if unknown := [key for key in table if key not in known]:
        raise DataError(f"unknown key {unknown[0]!r}; {offer(unknown[0], known)}", file=file)
    if missing := [key for key in ("name", "protocol", "annotators") if key not in table]:
        raise DataError(f"the key {missing[0]!r} is missing", file=file)
    try:
        return Plan(**{**table, **_lists(table)})
    except (ArgumentError, TypeError, ValueError) as error:
        raise DataError(f"not a plan: {error}", file=file) from error


def create_campaign(
    store: Store, plan: Plan, path_of: Callable[[str], str | PathLike[str]]
) -> tuple[Campaign, list[str]]:
    """Create the campaign of a plan; `path_of` says where a file of the plan lies. Returns it, and why its controls can be recognised."""
    form = plan.form
    paths: dict[str, Any] = {
        kind: [path_of(name) for name in names] if kind == "outputs" else path_of(names[0])
        for kind, names in plan.files.items()
        if names
    }
    tasks = tasks_from_files(
        form,
        TaskFiles(**paths),
        seed=plan.seed,
        sample=plan.sample,
        in_order=plan.in_order,
        one_by_one=plan.one_by_one,
    )
    campaign = store.create(
        plan.name, form, tasks, plan.annotators, per_item=plan.per_item, seed=plan.seed
    )
    return campaign, recognisable(tasks)


def _included(name: str) -> str:
    """The name of an included protocol: a plan may not name a file of the machine it is read on."""
    if name.endswith(".toml"):
        raise ArgumentError(f"{name!r}: a plan has a form's name or its text, not its file")
    return name


def _lists(table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a TOML table whose type in a plan is another."""
    if not isinstance(table["name"], str) or not isinstance(table["protocol"], str):
        raise TypeError("name and protocol are text")
    for key in ("per_item", "seed", "sample"):
        if key in table and (not isinstance(table[key], int) or isinstance(table[key], bool)):
            raise TypeError(f"{key} is a whole number")
    for key in ("in_order", "one_by_one"):
        if not isinstance(table.get(key, False), bool):
            raise TypeError(f"{key} is true or false")
    annotators = table["annotators"]
    named = isinstance(annotators, list)
    return {
        "annotators": _texts(annotators) if named else annotator_names(str(annotators)),
        "questions": _texts(table.get("questions", ())),
        "files": {kind: _texts(names) for kind, names in dict(table.get("files", {})).items()},
    }


def _texts(value: Sequence[Any] | str) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{value!r} is not a text or a list of texts")
    return texts
