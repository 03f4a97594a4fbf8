"""The demo's stage on campaigns: import the sample's grades, votes and ranks, write their reports, and write and read one workbook.

`lay_out` makes the sample newsroom the data folder of the web app: its files, its three campaigns, and an unfinished one to try.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

from newsdesk import records, samples
from newsdesk.campaigns import Store, protocol, report_page, report_sections, sheets_of
from newsdesk.campaigns.report import report_content
from newsdesk.campaigns.report.result import campaign_verdict
from newsdesk.campaigns.sheets import check, read_workbook, write_workbook
from newsdesk.campaigns.tasks import Task, constructive_tasks, grade_comment_tasks, rank_tasks
from newsdesk.demo.newsroom import newsroom_stage
from newsdesk.files import make_folder, write_text
from newsdesk.results.page import Cell, Section
from newsdesk.types import Judgment, Reference, References
from newsdesk.wording import plural

TRIAL = "try-it"
# A file of the newsroom, and a thread of it with an insult and an advertisement to look at.
MODERATED = ("threads-en.jsonl", "2031-03-03-teachers-strike-begins/2")
_TRIAL_THREADS = 3
_TRIAL_ANSWERED = 2  # threads on which two of three voters have voted
_TRIAL_VOTERS = ("w1", "w2")
_RANKERS = ("ann", "ben", "cy")
_TITLES = {
    "grades": "Comments graded from 1 to 5",
    "votes": "Constructive or not: ten votes for each comment",
    "ranks": "Summaries ranked side by side",
}


def campaigns_stage(folder: Path) -> Section:
    """Fill a store with the sample's judgments and write the report of each campaign.

    A database that an earlier run left in the folder is deleted.
    """
    database = folder / "newsdesk.db"
    for old in folder.glob("newsdesk.db*"):
        old.unlink()
    threads = samples.threads("en")
    records.write(folder / "threads.jsonl", threads)
    section = Section(
        "Campaigns",
        "The sample's grades, votes and ranks as three campaigns in one store. Single grades and votes are drawn around a judgment made by hand, so "
        "their agreement is by construction; the ranks were given by reading.",
    )
    with Store.open(f"sqlite:///{database}") as store:
        prepare(store)
        rows: list[tuple[Cell, ...]] = []
        details = Section("Their reports: results, agreement, audit and datasheet")
        for name in _TITLES:
            write_text(folder / f"{name}.html", report_page(store, name, threads))
            rows.append(_result(store, name))
            details.include(Section(_TITLES[name]))
            for part in report_sections(store, name, threads):
                details.fold(part)
        section.table(("campaign", "answers", "finding", ""), rows)
        details.text(_workbook_and_back(store, folder / "ann.xlsx"))
        section.fold(details)
        judgments = sum(store.status(name).judgments for name in _TITLES)
    section.summary = (
        f"{judgments:,} grades, votes and ranks with agreement, an audit and a datasheet."
    )
    return section.command(
        "newsdesk campaign new pilot outputs.jsonl --protocol rank --references references.jsonl --annotators ann,ben",
        "Ask people about your own outputs, in the browser or by workbook:",
    )


def _result(store: Store, name: str) -> tuple[Cell, ...]:
    """Return a campaign's title, its number of answers, and its verdict with the number it rests on."""
    verdict = campaign_verdict(report_content(store, name)["results"])
    return _TITLES[name], store.status(name).judgments, verdict.sentence, verdict.number


def fill(store: Store) -> None:
    """Create the sample's three campaigns and import its judgments."""
    english = samples.threads("en")
    ids = {comment.id for thread in english for comment in thread.comments}
    grades, votes = grade_comment_tasks(english), constructive_tasks(english, bundle=5, seed=0)
    references = [References(e.id, (Reference(e.summary),)) for e in samples.events()]
    ranks = rank_tasks(samples.outputs(), references)
    # Open campaigns accept judgments collected elsewhere. A fixed secret makes the page deterministic.
    store.create("grades", protocol("grade"), grades, None, per_item=2, seed=0, secret="demo")
    store.create("votes", protocol("constructive"), votes, None, per_item=10, seed=0, secret="demo")
    store.create("ranks", protocol("rank"), ranks, _RANKERS, per_item=3, seed=0, secret="demo")
    for name, form, tasks in (
        ("grades", "grade", grades),
        ("votes", "constructive", votes),
        ("ranks", "rank", ranks),
    ):
        judgments = [j for j in samples.judgments(form) if form == "rank" or j.target in ids]
        store.import_judgments(name, _into(name, tasks, judgments))


def lay_out(folder: str | os.PathLike[str], store: Store) -> None:
    """Write the newsroom into a folder and fill an empty store with campaigns, one of them open."""
    newsroom_stage(make_folder(Path(folder) / "newsroom"))
    prepare(store)


def prepare(store: Store) -> None:
    """Fill an empty store with the sample's campaigns and an unfinished one; any other is left as it is."""
    if not store.campaigns():
        fill(store)
        _open_trial(store)


def _open_trial(store: Store) -> None:
    """Create an open campaign in which two voters have done a part and tasks wait."""
    threads = samples.threads("en")[:_TRIAL_THREADS]
    tasks = constructive_tasks(threads, bundle=5, seed=1)
    store.create(TRIAL, protocol("constructive"), tasks, None, per_item=3, seed=1)
    items = {thread.article.id for thread in threads[:_TRIAL_ANSWERED]}
    votes = [
        vote
        for vote in samples.judgments("constructive")
        if vote.item in items and vote.annotator in _TRIAL_VOTERS
    ]
    store.import_judgments(TRIAL, _into(TRIAL, tasks, votes))


def _into(campaign: str, tasks: list[Task], judgments: list[Judgment]) -> Iterator[Judgment]:
    """Yield the judgments, renamed to this campaign and its tasks."""
    task_of = {(task.item, target.id): task.id for task in tasks for target in task.targets}
    for judgment in judgments:
        task = task_of[judgment.item, judgment.target]
        yield dataclasses.replace(judgment, campaign=campaign, task=task)


def _workbook_and_back(store: Store, path: Path) -> str:
    sheet = sheets_of(store, "ranks")["ann"]
    write_workbook(path, sheet)
    returned = check(read_workbook(path), sheet)
    return (
        f"The workbook of annotator ann ({path.name}) has {plural(len(sheet.rows), 'blinded row')}, with the ranks that ann has given so far. "
        f"Read back, it has {plural(len(returned.answers), 'completely answered row')} and {plural(len(returned.faults), 'fault')}."
    )
