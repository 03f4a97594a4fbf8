"""Read the files that a protocol needs and create the tasks of a new campaign."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from newsdesk import records
from newsdesk.campaigns import tasks as making
from newsdesk.campaigns.controls import known_answer, with_controls
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.types import Article, Cluster, ControlQuestion, Output, References, Thread

File: TypeAlias = str | os.PathLike[str]
ReadThreads: TypeAlias = Callable[[str], Iterable[Thread]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFiles:
    """The input files of a new campaign; the protocol decides which are required, and `-` is standard input.

    rank: outputs, references, and clusters or articles for links; constructive, grade of comments: threads; relate: clusters; grade of
    outputs: outputs and articles, and unless each is shown alone `real_from` (threads with real comments) and references.
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
    read_threads: ReadThreads | None = None,
) -> list[Task]:
    """Create the tasks of a campaign, with its control questions inside them or, where a task is one text, among them.

    `sample` limits the number of found articles (relate), `in_order` bundles comments in file order (constructive), `one_by_one` shows
    every output alone (grade of outputs). `controls_apart` makes controls tasks of their own, and so does `in_order`: judgments that were
    collected elsewhere have them so. `read_threads` opens files of threads in another way than `records.read`.
    """
    read_threads = read_threads or _records_threads
    if form.kind == "rank":
        tasks = making.rank_tasks(
            _outputs(files),
            _read(files.references, "--references", form, References),
            _linked_articles(files),
        )
    elif form.kind == "select":
        threads = read_threads(_named(files.threads, "--threads", form))
        tasks = making.constructive_tasks(threads, bundle=form.bundle, seed=seed, in_order=in_order)
    elif form.kind == "label":
        clusters = _read(files.clusters, "--clusters", form, Cluster)
        tasks = making.relate_tasks(clusters, sample=sample, seed=seed)
    elif files.outputs:
        tasks = _grade_outputs(form, files, read_threads, seed=seed, one_by_one=one_by_one)
    else:
        threads = read_threads(_named(files.threads, "--threads", form))
        tasks = making.grade_comment_tasks(threads)
    if not tasks:
        raise ArgumentError("there is nothing to judge in these files")
    if files.controls is None:
        return tasks
    questions = list(_questions(files.controls, form))
    return with_controls(tasks, questions, form, seed=seed, apart=controls_apart or in_order)


def _grade_outputs(
    form: Protocol, files: TaskFiles, read_threads: ReadThreads, *, seed: int, one_by_one: bool
) -> list[Task]:
    articles = _read(files.articles, "--articles", form, Article)
    if one_by_one:
        return making.single_output_tasks(_outputs(files), articles)
    return making.grade_output_tasks(
        _outputs(files),
        articles,
        read_threads(_named(files.real_from, "--real-from", form)),
        _read(files.references, "--references", form, References),
        seed=seed,
    )


def _read(file: File | None, option: str, form: Protocol, kind: type[T]) -> Iterator[T]:
    return records.read(_named(file, option, form), kind)


def _named(file: File | None, option: str, form: Protocol) -> str:
    if file is None:
        raise ArgumentError(f"a campaign with the protocol {form.name!r} needs {option} FILE")
    return os.fspath(file)


def _records_threads(file: str) -> Iterator[Thread]:
    return records.read(file, Thread)


def _outputs(files: TaskFiles) -> Iterator[Output]:
    if not files.outputs:
        raise ArgumentError("name at least one file of outputs")
    for file in files.outputs:
        yield from records.read(file, Output)


def _linked_articles(files: TaskFiles) -> dict[str, Article]:
    """The article to link to for each item: the one of that id, or the first of the cluster."""
    if files.articles is not None:
        return {article.id: article for article in records.read(files.articles, Article)}
    if files.clusters is not None:
        clusters = records.read(files.clusters, Cluster)
        return {cluster.id: cluster.articles[0] for cluster in clusters if cluster.articles}
    return {}


def _questions(file: File, form: Protocol) -> Iterator[tuple[str, ControlQuestion]]:
    """The control questions of a file, each named after its line number."""
    for line, question in enumerate(records.read(file, ControlQuestion), 1):
        name = f"control-{line}"
        try:
            known_answer(question, form, name)
        except DataError as error:
            raise error.at(os.fspath(file), line) from None
        yield name, question
