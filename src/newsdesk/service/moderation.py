"""What moderators do with comments (pin, hide, release), files (show them on other sites) and models (adapt): an append-only history, in which actions stand until they are undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa

from newsdesk.campaigns import moment
from newsdesk.campaigns.store.database import Database
from newsdesk.service.database import desk_moderation as _actions

ModeratorAction = Literal["pin", "hide", "release", "embed", "adapt"]

_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Moderated:
    """One action: on what, by whom and when, and who undid it."""

    id: int
    file: str
    article: str
    comment: str
    action: ModeratorAction
    by: str
    at: str
    undone_by: str | None
    undone_at: str | None


class Moderation:
    """The history of actions. Safe to use from many threads and processes; what is written is durable on return."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def act(
        self,
        action: ModeratorAction,
        by: str,
        file: str,
        article: str = "",
        comment: str = "",
        *,
        instead_of: ModeratorAction | None = None,
    ) -> None:
        """Do something, if it does not stand already, and undo what it stands `instead_of`, both or neither."""
        target = {"file": file, "article": article, "comment": comment, "action": action}
        with self._database.write(alone=True) as connection:
            if instead_of is not None:
                self._undo(connection, {**target, "action": instead_of}, by)
            if connection.execute(_standing_on(target)).first() is None:
                values = {**target, "by": by, "at": moment(self._clock())}
                connection.execute(_actions.insert().values(values))

    def undo(
        self, action: ModeratorAction, by: str, file: str, article: str = "", comment: str = ""
    ) -> None:
        """Undo what stands; where nothing does, nothing changes."""
        target = {"file": file, "article": article, "comment": comment, "action": action}
        with self._database.write(alone=True) as connection:
            self._undo(connection, target, by)

    def _undo(self, connection: sa.Connection, target: dict[str, str], by: str) -> None:
        row = connection.execute(_standing_on(target)).first()
        if row is not None:
            change = {"undone_by": by, "undone_at": moment(self._clock())}
            connection.execute(_actions.update().where(_actions.c.id == row.id).values(change))

    def standing(self, file: str, article: str = "") -> list[Moderated]:
        """Return what stands on a thread, or on a file as a whole, the earliest first."""
        return self._read(file, [article], _actions.c.undone_at.is_(None))

    def history(self, file: str, article: str) -> list[Moderated]:
        """Return what was done with a thread and its file, the latest first."""
        return self._read(file, ["", article])[: -_MOST_SHOWN - 1 : -1]

    def _read(
        self, file: str, articles: Iterable[str], *conditions: sa.ColumnElement[bool]
    ) -> list[Moderated]:
        query = sa.select(_actions).where(
            _actions.c.file == file, _actions.c.article.in_(list(articles)), *conditions
        )
        with self._database.read() as connection:
            return [Moderated(*row) for row in connection.execute(query.order_by(_actions.c.id))]


def _standing_on(target: dict[str, str]) -> sa.Select[tuple[int]]:
    """Return the query of the action that stands on a target, if one does."""
    conditions = (_actions.c[name] == value for name, value in target.items())
    return sa.select(_actions.c.id).where(*conditions, _actions.c.undone_at.is_(None))
