"""What the verbs of `newsdesk campaign` share: the store, and what is asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsdesk.cli import options

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store
    from newsdesk.campaigns.tasks import Task

store_option = options.store("sqlite:///FILE or postgresql://…")


@contextmanager
def opened(url: str, *, create: bool = False) -> Iterator[Store]:
    """The store at a URL."""
    from newsdesk.campaigns.store import Store

    with Store.open(url, create=create) as store:
        yield store


def now() -> str:
    """This moment, as judgments keep it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def texts_of(tasks: Iterable[Task]) -> dict[tuple[str, str], str]:
    """The text of every (item, target)."""
    return {(task.item, target.id): target.text for task in tasks for target in task.targets}
