"""The store of campaigns: tasks, annotators, slots, and an append-only log of judgments.

>>> from newsdesk.campaigns.protocols import protocol
>>> from newsdesk.campaigns.tasks import Target, Task
>>> from tempfile import TemporaryDirectory
>>> tasks = [Task("c1", "a1", (Target("c1", "Well said."),))]
>>> with TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/store.db") as store:
...     _ = store.create("pilot", protocol("grade"), tasks, ["ann", "ben"], per_item=2, seed=0)
...     todo = store.claim("pilot", "ann", at="2026-01-02T09:00:00Z")
...     answers = {("c1", "grade"): 4}
...     store.answer("pilot", "ann", todo.task.id, answers, at="2026-01-02T09:01:00Z", seconds=60)
...     [judgment.value for judgment in store.judgments("pilot")]
Stored(new=1, corrected=0, unchanged=0, rejected=(), warnings=())
[4]
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TypeVar

import sqlalchemy as sa

from newsdesk.campaigns.campaign import (
    Assignment,
    Campaign,
    Conflict,
    ImportRecord,
    ImportSource,
    Merged,
    OpenedTask,
    Side,
    Status,
    Stored,
    TakenBack,
    TaskPlace,
    TaskView,
    check_moment,
    check_name,
    check_text,
)
from newsdesk.campaigns.keys import derived_key
from newsdesk.campaigns.protocols import Answers, Protocol
from newsdesk.campaigns.store import (
    answers as answering,
    imports,
    items as listing,
    models,
    reading,
    rows,
    schema,
    slots,
    undoing,
)
from newsdesk.campaigns.store.database import Database
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError
from newsdesk.settings import one_of
from newsdesk.types import Judgment, Value, Via

T = TypeVar("T")

_SEEDS = 2**63


class Store:
    """An open store: safe to use from many threads and processes, writes are durable on return."""

    def __init__(self, database: Database, *, include_models: bool = False) -> None:
        self._database = database
        self._include_models = include_models
        self._entries: dict[str, rows.CampaignEntry] = {}  # campaigns are immutable

    @classmethod
    def open(cls, url: str, *, create: bool = True, include_models: bool = False) -> Store:
        """Open `sqlite:///FILE` or `postgresql://…`; missing tables are created unless `create` is false.

        With `include_models` the answers of models are among the judgments; otherwise they are never mixed with people's.
        """
        return cls(Database(url, create=create), include_models=include_models)

    @property
    def database(self) -> Database:
        """The database behind the store."""
        return self._database

    def close(self) -> None:
        """Close all connections to the database."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def create(
        self,
        name: str,
        protocol: Protocol,
        tasks: Sequence[Task],
        annotators: Sequence[str] | None,
        *,
        per_item: int,
        seed: int,
        secret: str | None = None,
    ) -> Campaign:
        """Create a campaign.

        `per_item` of the annotators for every task, or as many open slots if `annotators` is None.

        `secret` keys the hashes of annotators' names and the blinding (letters and orders); the default is a random one.
        """
        check_name(name, "the campaign's name")
        if not 0 <= seed < _SEEDS:
            raise ArgumentError(f"the seed is {seed}, not a number from 0 to {_SEEDS - 1}")
        if secret is not None and not secret.strip():
            raise ArgumentError("the secret is empty; leave it out for a random one")
        campaign = Campaign(name, protocol, per_item, seed, annotators is None)
        try:
            with self._database.write() as connection:
                rows.create(
                    connection, campaign, tasks, annotators, secret or secrets.token_hex(32)
                )
        except sa.exc.IntegrityError as error:
            raise ArgumentError(f"a campaign {name!r} was made at the same moment") from error
        return campaign

    def campaigns(self) -> list[Campaign]:
        """Return all campaigns, the oldest first."""
        query = sa.select(schema.campaigns).order_by(schema.campaigns.c.id)
        with self._database.read() as connection:
            return [rows.entry_of(row).campaign for row in connection.execute(query)]

    def campaign(self, name: str) -> Campaign:
        """Look a campaign up by name; raises ArgumentError if there is none."""
        return self._entry(name).campaign

    def tasks(self, campaign: str) -> Iterator[Task]:
        """Return all tasks of a campaign in order, including the known answers of control questions."""
        entry = self._entry(campaign)
        return self._stream(
            lambda connection: (task for _, task in rows.read_tasks(connection, entry))
        )

    def articles(self, campaign: str) -> dict[str, str]:
        """Return the texts of the tasks' articles by item, as far as known when the campaign was created."""
        entry = self._entry(campaign)
        if self._database.version < schema.WITH_ARTICLES:
            return {}
        with self._database.read() as connection:
            return rows.articles(connection, entry)

    def sheet_key(self, campaign: str) -> bytes:
        """Return the key of the rows, revisions and seals of a campaign's sheets."""
        return derived_key(self._entry(campaign).secret, "sheets")

    def annotator_id(self, campaign: str, annotator: str) -> str:
        """Return the id of an annotator in exports."""
        return self._person(self._entry(campaign), annotator).hashed

    def assignments(self, campaign: str, annotator: str) -> Iterator[Assignment]:
        """Return an annotator's tasks in their order, done or not."""
        entry = self._entry(campaign)
        who = self._person(entry, annotator)
        return self._stream(lambda connection: slots.assignments(connection, entry, who))

    def places(self, campaign: str, annotator: str) -> list[TaskPlace]:
        """Return the numbers and states of an annotator's tasks, in their order; `open_task` has the rest."""
        entry = self._entry(campaign)
        with self._database.read() as connection:
            return reading.places(connection, entry, rows.person(connection, entry, annotator))

    def open_task(
        self, campaign: str, annotator: str, number: int, *, article: bool = True
    ) -> OpenedTask | None:
        """Return one task with its article, if wanted, and the annotator's answers; None if not theirs."""
        entry = self._entry(campaign)
        articles = article and self._database.version >= schema.WITH_ARTICLES
        with self._database.read() as connection:
            who = rows.person(connection, entry, annotator)
            return reading.opened(connection, entry, who, number, articles=articles)

    def items(
        self,
        campaign: str,
        *,
        search: str = "",
        only: listing.ItemFilter = "all",
        first: int = 0,
        most: int = 50,
    ) -> tuple[list[listing.ListedItem], int]:
        """Return a page of the tasks whose names, context or texts hold all words of a search, and how many there are."""
        entry = self._entry(campaign)
        with self._database.read() as connection:
            return listing.found_items(
                connection, entry, search=search, only=only, first=first, most=most
            )

    def item(self, campaign: str, number: int) -> listing.OpenedItem:
        """Return a task by its stored number with everybody's answers, unblinded: for the lead alone."""
        entry = self._entry(campaign)
        with self._database.read() as connection:
            return listing.opened_item(connection, entry, number)

    def view_task(
        self, campaign: str, annotator: str, number: int, *, before: int | None = None
    ) -> TaskView | None:
        """Return a task as `open_task` does with the places of all, and the task answered `before`; None if not theirs."""
        entry = self._entry(campaign)
        with self._database.read() as connection:
            who = rows.person(connection, entry, annotator)
            articles = self._database.version >= schema.WITH_ARTICLES
            return reading.view(connection, entry, who, number, before, articles=articles)

    def undo(
        self, campaign: str, annotator: str, number: int, *, at: str, via: Via = "web"
    ) -> Stored:
        """Undo the last answer to a task: earlier values are stored again, or the task is open again."""
        check_moment(at)
        entry = self._entry(campaign)
        with self._database.write(short=True) as connection:
            return undoing.undo(connection, entry, annotator, number, at=at, via=via)

    def join(self, campaign: str, annotator: str, *, invited: bool = False) -> str:
        """Add an annotator and return their hashed id; a campaign that is not open needs `invited`."""
        entry = self._entry(campaign)
        if not (entry.campaign.open or invited):
            raise ArgumentError(f"campaign {campaign!r} is not open: annotators are invited")
        with self._database.write(short=True) as connection:
            rows.lock_campaign(connection, entry)
            if not invited:
                slots.check_room(connection, entry)
            return rows.add_person(connection, entry, annotator).hashed

    def claim(self, campaign: str, annotator: str, *, at: str) -> Assignment | None:
        """Claim the next task: an unanswered claim, else a slot of their own, else an open one, else None."""
        check_moment(at)
        entry = self._entry(campaign)
        with self._database.write(short=True) as connection:
            return slots.claim(connection, entry, annotator, at)

    def release(self, campaign: str, *, before: str) -> int:
        """Reopen slots that were claimed before that time and not answered; returns their number."""
        check_moment(before)
        with self.locked(campaign) as locked:
            return slots.release(*locked, before)

    def answer(
        self,
        campaign: str,
        annotator: str,
        task: str,
        answers: Answers,
        *,
        at: str,
        seconds: float | None = None,
        via: Via = "web",
    ) -> Stored:
        """Store the answers to a task, atomically and idempotently; different ones are corrections."""
        entry = self._entry(campaign)
        with self._database.write(short=True) as connection:
            return answering.answer(
                connection, entry, annotator, task, answers, at=at, seconds=seconds, via=via
            )

    def submit(
        self,
        campaign: str,
        annotator: str,
        opened: OpenedTask,
        answers: Answers,
        *,
        at: str,
        seconds: float | None = None,
    ) -> int | None:
        """Store the answers to an opened task as `answer` does and claim the next one, in one transaction.

        Returns the number of the annotator's next unfinished task after this one, else of any other, else of a free one; None if nothing is left.
        """
        entry = self._entry(campaign)
        with self._database.write(short=True) as connection:
            who = rows.active(connection, entry, annotator)
            slot = answering.submit(connection, entry, who, opened, answers, at=at, seconds=seconds)
            return slots.next_number(connection, entry, who, slot, at)

    def import_judgments(self, campaign: str, judgments: Iterable[Judgment]) -> Stored:
        """Store judgments in bulk, in one transaction, idempotently."""
        self._entry(campaign)  # an unknown name is said before the judgments are read
        return self._imported(campaign, list(judgments), None, None).stored

    def import_file(
        self, campaign: str, judgments: Iterable[Judgment], source: ImportSource
    ) -> Merged:
        """Store the judgments of a file as `import_judgments` does, and record the import."""
        # The file is read before the lock is taken.
        return self._imported(campaign, list(judgments), None, source)

    def merge_sheet(
        self,
        campaign: str,
        judgments: Iterable[Judgment],
        bases: Mapping[str, Mapping[tuple[str, str], int]],
        *,
        prefer: Side | None = None,
        at: str | None = None,
        source: ImportSource | None = None,
    ) -> Merged:
        """Merge the judgments of a returned sheet with newer answers, in one transaction, idempotently.

        `bases` has for each task the revision that each cell was written from, by target and question. A cell that contradicts a newer answer is
        a conflict: its task is not stored but kept, unless `prefer` decides. A `source` is recorded as an import.
        """
        return self._imported(campaign, judgments, imports.SheetMerge(bases, prefer, at), source)

    def _imported(
        self,
        campaign: str,
        judgments: Iterable[Judgment],
        sheet: imports.SheetMerge | None,
        source: ImportSource | None,
    ) -> Merged:
        """Store judgments in one transaction, and record the import if it has a source."""
        with self.locked(campaign) as (connection, entry):
            number = None if source is None else undoing.record_import(connection, entry, source)
            stored = imports.import_judgments(connection, entry, judgments, sheet, number)
            if number is not None:
                undoing.count_import(connection, number, stored)
        return Merged(stored, () if sheet is None else tuple(sheet.conflicts), number)

    def imports(self, campaign: str) -> list[ImportRecord]:
        """Return the files that were imported into a campaign, the oldest first."""
        entry = self._entry(campaign)
        if self._database.version < schema.WITH_IMPORTS:
            return []
        with self._database.read() as connection:
            return undoing.recorded_imports(connection, entry)

    def undo_import(self, campaign: str, number: int, *, at: str, by: str) -> TakenBack:
        """Take an import back as a whole: its tasks have the answers of before, unless answered since."""
        check_moment(at)
        with self.locked(campaign) as locked:
            return undoing.undo_import(*locked, number, at=at, by=by)

    def conflicts(self, campaign: str, annotator: str | None = None) -> list[Conflict]:
        """Return the sheet cells that contradict newer answers and are undecided, of all annotators or one."""
        entry = self._entry(campaign)
        who = None if annotator is None else self._person(entry, annotator)
        if self._database.version < schema.WITH_ARTICLES:
            return []
        with self._database.read() as connection:
            return imports.listed_conflicts(connection, entry, who)

    def resolve(
        self, campaign: str, side: Side, annotator: str | None = None, *, at: str
    ) -> Stored:
        """Decide all conflicts, or those of one annotator, for the sheet (`theirs`) or the store (`ours`)."""
        one_of("side", side, ("theirs", "ours"))
        check_moment(at)
        who = None if annotator is None else self._person(self._entry(campaign), annotator)
        with self.locked(campaign) as locked:
            return imports.resolve(*locked, who, side, at)

    def cells(self, campaign: str, annotator: str) -> dict[tuple[str, str, str], tuple[Value, int]]:
        """Return an annotator's current answers with their revisions, by task, target and question."""
        entry = self._entry(campaign)
        who = self._person(entry, annotator)
        with self._database.read() as connection:
            return reading.cells(connection, entry, who)

    def judgments(
        self,
        campaign: str,
        *,
        current: bool = True,
        include_excluded: bool = False,
        control: bool | None = None,
        annotator: str | None = None,
        names: bool = False,
    ) -> Iterator[Judgment]:
        """Stream the judgments of a campaign.

        The last of each key, or with current=False every row ever stored, in the order stored.

        `control` picks targets with or without a known answer. Annotators are keyed hashes unless `names` is true.
        """
        entry = self._entry(campaign)
        who = None if annotator is None else self._person(entry, annotator)
        stream = self._stream(
            lambda connection: reading.judgments(
                connection,
                entry,
                current=current,
                include_excluded=include_excluded,
                control=control,
                annotator=who,
                names=names,
                models=self._include_models,
            )
        )
        if not self._include_models or annotator is not None:
            return stream
        return itertools.chain(stream, self.model_judgments(campaign, control=control))

    def model_judgments(
        self, campaign: str, judge: str | None = None, *, control: bool | None = None
    ) -> list[Judgment]:
        """Return the valid answers of one judge, or of all, as judgments with `via` model."""
        entry = self._entry(campaign)
        if self._database.version < schema.WITH_NOTES:
            return []
        with self._database.read() as connection:
            return list(models.judgments(connection, entry, judge, control=control))

    def model_answers(self, campaign: str, judge: str | None = None) -> list[models.ModelAnswer]:
        """Return what models and programs answered, of one judge or all."""
        entry = self._entry(campaign)
        if self._database.version < schema.WITH_NOTES:
            return []
        with self._database.read() as connection:
            return models.answers(connection, entry, judge)

    def add_model_answer(self, campaign: str, answer: models.ModelAnswer) -> None:
        """Store the answer of a model or a program to a task in one turn; durable on return."""
        check_moment(answer.at)
        entry = self._entry(campaign)
        with self._database.write() as connection:
            models.add(connection, entry, answer)

    def exclude(self, campaign: str, annotator: str, reason: str, *, at: str) -> int:
        """Exclude an annotator, with their judgments; return the number of slots opened for others."""
        check_text(reason, "the reason")
        check_moment(at)
        with self.locked(campaign) as locked:
            return slots.exclude(*locked, annotator, reason, at)

    def include(self, campaign: str, annotator: str) -> int:
        """Undo an exclusion: judgments count again; return the number of slots that are theirs again."""
        with self.locked(campaign) as locked:
            return slots.include(*locked, annotator)

    def hand_out(self, campaign: str) -> int:
        """Assign open slots to the least loaded annotators, as sheets need it; return their number."""
        with self.locked(campaign) as locked:
            return slots.hand_out(*locked)

    def status(self, campaign: str) -> Status:
        """Return the progress of the campaign and of each annotator."""
        entry = self._entry(campaign)
        with self._database.read() as connection:
            migrated = self._database.version >= schema.WITH_ARTICLES
            conflicts = imports.listed_conflicts(connection, entry, None) if migrated else []
            return reading.status(connection, entry, len(conflicts))

    @contextlib.contextmanager
    def locked(self, campaign: str) -> Iterator[tuple[sa.Connection, rows.CampaignEntry]]:
        """Open a write on a campaign that changes of its annotators and of many slots wait for."""
        entry = self._entry(campaign)
        with self._database.write() as connection:
            rows.lock_campaign(connection, entry)
            yield connection, entry

    def _stream(self, read: Callable[[sa.Connection], Iterator[T]]) -> Iterator[T]:
        with self._database.read(streams=True) as connection:
            yield from read(connection)

    def _person(self, entry: rows.CampaignEntry, annotator: str) -> rows.StoredAnnotator:
        with self._database.read() as connection:
            return rows.person(connection, entry, annotator)

    def _entry(self, name: str) -> rows.CampaignEntry:
        if name not in self._entries:
            with self._database.read() as connection:
                self._entries[name] = rows.find(connection, name)
        return self._entries[name]
