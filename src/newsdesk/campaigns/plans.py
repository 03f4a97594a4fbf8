"""Plan a campaign: its tasks from files of records, and everything that decides tasks and annotators from a form or a TOML file.

name = "pilot"
protocol = "constructive"
annotators = ["ann", "ben"]          or a number, or "open"
per_item = 2
seed = 7
[files]
threads = "threads-en.jsonl"

Read the files that a protocol needs and create the tasks of a new campaign.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from newsdesk import records
from newsdesk.campaigns import tasks as making
from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.controls import known_answer, recognisable, with_controls
from newsdesk.campaigns.protocols import Protocol, parse_protocol, protocol
from newsdesk.campaigns.sheets import Filled, Systems, read_csv, read_workbook, wide_outputs
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.records.schema import parse_toml
from newsdesk.registry import offer
from newsdesk.settings import at_least
from newsdesk.types import Article, Cluster, ControlQuestion, Output, References, Thread
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

_log = logging.getLogger(__name__)

File: TypeAlias = str | os.PathLike[str]
ReadThreads: TypeAlias = Callable[[str], Iterable[Thread]]
T = TypeVar("T")
_TABLES = (".xlsx", ".xlsm", ".csv")  # files of outputs that may be wide tables


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFiles:
    """The input files of a new campaign.

    The protocol decides which are required, and `-` is standard input.

    rank: outputs (records, or wide tables that may hold the references, too), references, and clusters or articles for links; constructive, grade of comments: threads; relate: clusters; grade of
    outputs: outputs and articles, `real_from` (threads with real comments) and references; where each is shown alone the last two may be left out.
    Forms with a `unit`: outputs, and references, clusters or articles to show beside them; or threads.
    """

    outputs: Sequence[File] = ()
    references: File | None = None
    clusters: File | None = None
    articles: File | None = None
    threads: File | None = None
    real_from: File | None = None
    controls: File | None = None


def tasks_from_files(
    form: Protocol,
    files: TaskFiles,
    *,
    seed: int = 0,
    sample: int | None = None,
    in_order: bool = False,
    one_by_one: bool = False,
    controls_apart: bool = False,
    systems: Systems | None = None,
    read_threads: ReadThreads | None = None,
) -> list[Task]:
    """Create the tasks of a campaign, with its control questions inside them or among them.

    `sample` limits the number of found articles (relate) or of tasks (forms with a `unit`), `in_order` bundles comments in file order (constructive), `one_by_one` shows
    every output alone (grade of outputs). `controls_apart` makes controls tasks of their own, and so does `in_order`: judgments that were
    collected elsewhere have them so. `systems` has the columns of wide tables of outputs, each with its system; default: every column that is named after one. `read_threads` opens files of threads in another way than `records.read`.
    """
    read_threads = read_threads or _records_threads
    if form.unit:
        tasks = _unit_tasks(form, files, systems, read_threads, sample=sample, seed=seed)
    elif form.kind == "rank":
        if not any(os.fspath(file).lower().endswith(_TABLES) for file in files.outputs):
            _named(files.references, "--references", form)
        outputs, beside = _outputs(files, form, systems)
        own = files.references is None and beside
        references = beside if own else _read(files.references, "--references", form, References)
        tasks = making.rank_tasks(outputs, references, _linked_articles(files))
    elif form.kind == "select":
        threads = read_threads(_named(files.threads, "--threads", form))
        tasks = making.constructive_tasks(threads, bundle=form.bundle, seed=seed, in_order=in_order)
    elif form.kind == "label":
        clusters = _read(files.clusters, "--clusters", form, Cluster)
        tasks = making.relate_tasks(clusters, sample=sample, seed=seed)
    elif files.outputs:
        outputs, _ = _outputs(files, form, systems)
        tasks = _grade_outputs(form, files, outputs, read_threads, seed=seed, one_by_one=one_by_one)
    else:
        threads = read_threads(_named(files.threads, "--threads", form))
        tasks = making.grade_comment_tasks(threads)
    if not tasks:
        raise ArgumentError("there is nothing to judge in these files")
    if files.controls is None:
        return tasks
    questions = list(_questions(files.controls, form))
    return with_controls(tasks, questions, form, seed=seed, apart=controls_apart or in_order)


def _unit_tasks(
    form: Protocol,
    files: TaskFiles,
    systems: Systems | None,
    read_threads: ReadThreads,
    *,
    sample: int | None,
    seed: int,
) -> list[Task]:
    """Return tasks as the form's `unit` says: of the outputs, or without any of the comments of threads."""
    if files.outputs:
        outputs, beside = _outputs(files, form, systems, with_references=False)
        references = beside
        if files.references is not None:
            references = list(records.read(os.fspath(files.references), References))
        articles = _linked_articles(files)
        known = [replace(article, id=item) for item, article in articles.items()]
        items = making.items_of_outputs(outputs, references, known)
    else:
        items = making.items_of_threads(
            read_threads(_named(files.threads, "--threads, or files of outputs:", form))
        )
    if form.unit == "text":
        tasks = making.text_tasks(items)
    elif form.unit == "pair":
        tasks = making.pair_tasks(items)
    else:
        tasks = making.bundle_tasks(items, bundle=form.bundle, rounds=form.rounds, seed=seed)
    fewest = 3 if form.kind == "best-worst" else 2 if form.relative else 1
    if small := next((task for task in tasks if len(task.targets) < fewest), None):
        raise ArgumentError(
            f"item {small.item!r} has {plural(len(small.targets), 'text')}; the protocol {form.name!r} takes {fewest} or more"
        )
    return making.sampled(tasks, sample=sample, seed=seed)


def _grade_outputs(
    form: Protocol,
    files: TaskFiles,
    outputs: Sequence[Output],
    read_threads: ReadThreads,
    *,
    seed: int,
    one_by_one: bool,
) -> list[Task]:
    """Return tasks that grade outputs, each alone or beside real comments and references."""
    articles = _read(files.articles, "--articles", form, Article)
    if one_by_one and files.real_from is None:
        return making.single_output_tasks(outputs, articles)
    real = read_threads(_named(files.real_from, "--real-from", form))
    seen_before: Iterable[References] = ()
    if files.references is not None or not one_by_one:
        seen_before = _read(files.references, "--references", form, References)
    tasks = making.grade_output_tasks(outputs, articles, real, seen_before, seed=seed)
    return making.single_text_tasks(tasks) if one_by_one else tasks


def _read(file: File | None, option: str, form: Protocol, kind: type[T]) -> Iterator[T]:
    return records.read(_named(file, option, form), kind)


def _named(file: File | None, option: str, form: Protocol) -> str:
    if file is None:
        raise ArgumentError(f"a campaign with the protocol {form.name!r} needs {option} FILE")
    return os.fspath(file)


def _records_threads(file: str) -> Iterator[Thread]:
    return records.read(file, Thread)


def _outputs(
    files: TaskFiles, form: Protocol, systems: Systems | None, *, with_references: bool = True
) -> tuple[list[Output], list[References]]:
    """Return the outputs of all files, and the references that stand beside them in wide tables.

    `with_references`: there must be some.
    """
    if not files.outputs:
        raise ArgumentError("name at least one file of outputs")
    outputs: list[Output] = []
    references: list[References] = []
    columns: dict[str, None] = {}
    for file in files.outputs:
        table = _wide_table(file)
        if table is None:
            outputs += records.read(file, Output)
            continue
        written, beside = wide_outputs(table, form, systems)
        if with_references and not beside and files.references is None:
            raise DataError(
                "the column 'reference' is missing; add it, or name a file with --references",
                file=table.file,
            )
        outputs += written
        references += beside
        columns |= dict.fromkeys(output.system for output in written)
    if columns and systems is None:
        names = ", ".join(columns)
        _log.warning(
            "columns taken for systems: %s; if others are meant, name them with --systems", names
        )
    return outputs, references


def _wide_table(file: File) -> Filled | None:
    """Return a table with the outputs of a system in each column; None for a file of records."""
    name = os.fspath(file).lower()
    if not name.endswith(_TABLES):
        return None
    if not name.endswith(".csv"):
        return read_workbook(file, foreign=True)
    table = read_csv(file, foreign=True)
    return None if {"system", "text"} <= {each.casefold() for each in table.names} else table


def _linked_articles(files: TaskFiles) -> dict[str, Article]:
    """Return the article to link to for each item: the one of that id, or the first of the cluster."""
    if files.articles is not None:
        return {article.id: article for article in records.read(files.articles, Article)}
    if files.clusters is not None:
        clusters = records.read(files.clusters, Cluster)
        return {cluster.id: cluster.articles[0] for cluster in clusters if cluster.articles}
    return {}


def _questions(file: File, form: Protocol) -> Iterator[tuple[str, ControlQuestion]]:
    """Yield the control questions of a file, each named after its line number."""
    for line, question in enumerate(records.read(file, ControlQuestion), 1):
        name = f"control-{line}"
        try:
            known_answer(question, form, name)
        except DataError as error:
            raise error.at(os.fspath(file), line) from None
        yield name, question


KINDS_OF_FILE = tuple(each.name for each in fields(TaskFiles))
_MOST_ANNOTATORS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPlan:
    """A campaign to create: `protocol` is a name or the text of a TOML form, `files` are names by kind."""

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


def read_plan(text: str, file: str) -> CampaignPlan:
    """Parse a plan from TOML; an unknown key or a wrong type is an error."""
    return parse_toml(text, CampaignPlan, file, _as_lists)


def create_campaign(
    store: Store, plan: CampaignPlan, path_of: Callable[[str], str | PathLike[str]]
) -> tuple[Campaign, list[str]]:
    """Create the campaign of a plan, and return it with why its controls can be recognised.

    `path_of` turns the name of a file in the plan into its path.
    """
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
    """Return the name of an included protocol: a plan may not name a file of the machine it is read on."""
    if name.endswith(".toml"):
        raise ArgumentError(f"{name!r}: a plan has a form's name or its text, not its file")
    return name


def _as_lists(table: dict[str, Any]) -> dict[str, Any]:
    """Write a list wherever a plan may have one value: annotators, a kind of file, questions."""
    lists = dict(table)
    if "annotators" in table and not isinstance(table["annotators"], list):
        lists["annotators"] = annotator_names(str(table["annotators"]))
    if isinstance(files := table.get("files"), dict):
        lists["files"] = {
            kind: [names] if isinstance(names, str) else names for kind, names in files.items()
        }
    if isinstance(question := table.get("questions"), str):
        lists["questions"] = [question]
    return lists
