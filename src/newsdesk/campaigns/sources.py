"""The tasks of a new campaign from the files its protocol needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from newsdesk import records
from newsdesk.campaigns import tasks as making
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import Source
from newsdesk.records.schema import parse_line
from newsdesk.types import Article, Cluster, Output, References, Thread


def make_tasks(
    form: Protocol,
    outputs: tuple[str, ...],
    *,
    seed: int,
    references: str | None,
    clusters: str | None,
    articles: str | None,
    threads: str | None,
    real_from: str | None,
    controls: str | None,
    sample: int | None,
    in_order: bool,
    one_by_one: bool,
) -> list[Task]:
    """The tasks of a campaign, with its control questions mixed in."""
    if form.kind == "rank":
        made = making.rank_tasks(
            _outputs(outputs),
            records.read(_needed(references, "--references", form), References),
            _articles(clusters, articles),
        )
    elif form.kind == "select":
        found = records.read(_needed(threads, "--threads", form), Thread)
        made = making.constructive_tasks(found, bundle=form.bundle, seed=seed, in_order=in_order)
    elif form.kind == "label":
        found_clusters = records.read(_needed(clusters, "--clusters", form), Cluster)
        made = making.relate_tasks(found_clusters, sample=sample, seed=seed)
    elif outputs and one_by_one:
        found_articles = records.read(_needed(articles, "--articles", form), Article)
        made = making.single_output_tasks(_outputs(outputs), found_articles)
    elif outputs:
        made = making.grade_output_tasks(
            _outputs(outputs),
            records.read(_needed(articles, "--articles", form), Article),
            records.read(_needed(real_from, "--real-from", form), Thread),
            records.read(_needed(references, "--references", form), References),
            seed=seed,
        )
    else:
        made = making.grade_comment_tasks(records.read(_needed(threads, "--threads", form), Thread))
    if not made:
        raise ArgumentError("there is nothing to judge in these files")
    return making.with_controls(made, _controls(controls, form), seed=seed) if controls else made


def _needed(path: str | None, option: str, form: Protocol) -> str:
    if path is None:
        raise ArgumentError(f"a campaign with the protocol {form.name!r} needs {option} FILE")
    return path


def _outputs(files: tuple[str, ...]) -> Iterator[Output]:
    if not files:
        raise ArgumentError("name at least one file of outputs")
    for file in files:
        yield from records.read(file, Output)


def _articles(clusters: str | None, articles: str | None) -> dict[str, Article]:
    """The article to link to for each item: the one of that id, or the first of the cluster."""
    if articles:
        return {article.id: article for article in records.read(articles, Article)}
    if clusters:
        found = records.read(clusters, Cluster)
        return {cluster.id: cluster.articles[0] for cluster in found if cluster.articles}
    return {}


def _controls(path: str, form: Protocol) -> list[Task]:
    """Control questions: one task each, whose answer is known."""
    made = []
    for number, line in Source(path).texts():
        try:
            made.append(_control(f"control-{number}", parse_line(line), form))
        except DataError as error:
            raise error.at(path, number) from None
    return made


def _control(name: str, row: dict[str, Any], form: Protocol) -> Task:
    text, article, answer = row.get("text"), row.get("article", name), row.get("answer")
    if not isinstance(text, str) or not isinstance(article, str) or answer is None:
        raise DataError("a control question is an object with text, answer and perhaps article")
    if unknown := row.keys() - {"text", "article", "answer", "why"}:
        raise DataError(f"unknown key `{min(unknown)}`")
    answers = {(name, question.name): answer for question in form.questions}
    if faults := form.faults([name], answers):
        raise DataError(f"an answer that nobody could give: {faults[0]}")
    return Task(name, article, (Target(name, text, answer),))
