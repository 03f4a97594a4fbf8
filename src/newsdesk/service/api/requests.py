"""The register of requests with an `Idempotency-Key`: durable, for a day, per caller. A key belongs to one request; its answer is kept where asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.store.database import Database
from newsdesk.service.api import tables
from newsdesk.service.errors import Problem

KEPT_S = 24 * 3600.0
_LOST_S = 120.0  # after which a request without an answer is taken for lost with its server

_requests = tables.requests


@dataclass(frozen=True, slots=True)
class Kept:
    """The answer to an earlier request."""

    status: int
    media_type: str
    body: bytes


class Requests:
    """The register. Safe to use from many threads and processes."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        with database.write() as connection:
            tables.create(connection)

    def begin(self, principal: str, key: str, digest: str, *, keeps: bool) -> Kept | None:
        """Enter a request, or return the answer that was kept; the key of another request, or of one that still runs, is refused.

        With `keeps` the answer will be kept, so that two at the same time are not allowed.
        """
        now = self._clock().timestamp()
        with self._database.write() as connection:
            connection.execute(_requests.delete().where(_requests.c.at < now - KEPT_S))
            row = self._find(connection, principal, key)
            if row is None:
                values = {"principal": principal, "key": key, "digest": digest, "at": now}
                self._insert(connection, values)
                return None
            if row.digest != digest:
                raise Problem(
                    409, "idempotency", "this Idempotency-Key was sent with another request"
                )
            if row.status is not None:
                return Kept(row.status, row.media_type, row.body)
            if keeps and row.at > now - _LOST_S:
                raise _running()
            connection.execute(self._update(principal, key).values(at=now))
            return None

    def keep(self, principal: str, key: str, answer: Kept) -> None:
        """Keep the answer to a request, durably."""
        values = {"status": answer.status, "media_type": answer.media_type, "body": answer.body}
        with self._database.write() as connection:
            connection.execute(self._update(principal, key).values(values))

    def forget(self, principal: str, key: str) -> None:
        """Free the key of a request that failed, so that it can be sent again."""
        with self._database.write() as connection:
            of = sa.and_(_requests.c.principal == principal, _requests.c.key == key)
            connection.execute(_requests.delete().where(of))

    def _find(self, connection: sa.Connection, principal: str, key: str) -> sa.Row[Any] | None:
        of = sa.and_(_requests.c.principal == principal, _requests.c.key == key)
        return connection.execute(sa.select(_requests).where(of)).first()

    def _insert(self, connection: sa.Connection, values: dict[str, Any]) -> None:
        try:
            connection.execute(_requests.insert().values(values))
        except sa.exc.IntegrityError as error:  # PostgreSQL: the same key at the same moment
            raise _running() from error

    def _update(self, principal: str, key: str) -> sa.Update:
        return _requests.update().where(_requests.c.principal == principal, _requests.c.key == key)


def _running() -> Problem:
    return Problem(
        409, "in-progress", "the request with this Idempotency-Key is not answered yet; try again",
        headers={"Retry-After": "1"},
    )  # fmt: skip
