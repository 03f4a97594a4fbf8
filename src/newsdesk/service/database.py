"""Keep what the web app needs beside the store: people and tokens, requests with an `Idempotency-Key`, attributes of comments:analyze.

The tables lie in the database of the store, so that several servers on one PostgreSQL share them. A token is never stored, only its SHA-256: tokens have 256
random bits, so that a fast hash cannot be searched.
Requests are kept durably, for a day, per caller. Attributes are `CONSTRUCTIVE` and `UNCONSTRUCTIVE` by the ready model, and those that an admin registers. A
platform that holds comments back above a threshold, as Coral does, wants the inverted one: high for what is not constructive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from newsdesk.campaigns.store.database import Database
from newsdesk.errors import ArgumentError
from newsdesk.rankers.ready import READY
from newsdesk.service.errors import Problem

_metadata = sa.MetaData()

# `campaign` and `name` of an annotator are those of the store; admins have no campaign. A session is valid for its `generation` alone.
people = sa.Table(
    "access_people",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("campaign", sa.Text, nullable=False, default=""),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("generation", sa.Integer, nullable=False, default=0),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("revoked_at", sa.Text),
    sa.CheckConstraint("role IN ('admin', 'annotator')", name="access_people_role"),
    sa.UniqueConstraint("role", "campaign", "name"),
)

# Staff who are not admins. In `access_people` they stand as annotators of no campaign, who may do nothing: only a row here gives them their role.
staff = sa.Table(
    "access_staff",
    _metadata,
    sa.Column("person_id", sa.ForeignKey("access_people.id"), primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
)

# The campaigns of a lead.
led_campaigns = sa.Table(
    "access_led_campaigns",
    _metadata,
    sa.Column("person_id", sa.ForeignKey("access_people.id"), primary_key=True),
    sa.Column("campaign", sa.Text, primary_key=True),
)

# An `admin` token signs an admin, or other staff, in once; an `invitation` signs its person in as often as wanted, or without a person lets
# anybody join the open campaign; a `key` is for programs and has scopes.
tokens = sa.Table(
    "access_tokens",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("hashed", sa.Text, nullable=False, unique=True),
    sa.Column("person_id", sa.ForeignKey("access_people.id")),
    sa.Column("campaign", sa.Text),
    sa.Column("label", sa.Text, nullable=False, default=""),
    sa.Column("scopes", sa.Text, nullable=False, default=""),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("used_at", sa.Text),
    sa.Column("revoked_at", sa.Text),
    sa.CheckConstraint("kind IN ('admin', 'invitation', 'key')", name="access_tokens_kind"),
)

# A session that was ended before its time, by the hash of its cookie; kept until the cookie is too old anyway.
ended_sessions = sa.Table(
    "access_ended_sessions",
    _metadata,
    sa.Column("hashed", sa.Text, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),  # seconds since 1970
)

# A request that was sent with an `Idempotency-Key`: without a status it runs, or its answer is not kept.
_requests = sa.Table(
    "api_requests",
    _metadata,
    sa.Column("principal", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),  # seconds since 1970
    sa.Column("status", sa.Integer),
    sa.Column("media_type", sa.Text),
    sa.Column("body", sa.LargeBinary),
)

# Attributes of comments:analyze that an admin registered.
_attributes = sa.Table(
    "api_attributes",
    _metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("inverted", sa.Boolean, nullable=False),
)

# Files that people brought; the file itself is `files/ID/SOURCE` in the data folder.
desk_files = sa.Table(
    "desk_files",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("mapping", sa.Text, nullable=False),  # JSON: field → column
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("added_by", sa.Text, nullable=False),
    sa.Column("added_at", sa.Text, nullable=False),
    sa.Column("deleted_at", sa.Text),
)

# What moderators did: an action on a comment, a thread or a file stands until it is undone; rows are never deleted.
desk_moderation = sa.Table(
    "desk_moderation",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("article", sa.Text, nullable=False),  # empty: the whole file
    sa.Column("comment", sa.Text, nullable=False),  # empty: the whole thread
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("undone_by", sa.Text),
    sa.Column("undone_at", sa.Text),
    sa.Index("desk_moderation_of_thread", "file", "article"),
)

_POSTGRES_LOCK = 0x61636373  # "accs": two processes must not make the tables at once


def create_tables(connection: sa.Connection) -> None:
    """Create the tables that are missing."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
    _metadata.create_all(connection)


def service_tables() -> list[sa.Table]:
    """Return the tables of the web app, each after those it refers to."""
    return _metadata.sorted_tables


_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name, the ranker that scores it, and whether the score is the probability or one less it."""

    name: str
    model: str
    inverted: bool = False


INCLUDED = (Attribute("CONSTRUCTIVE", READY), Attribute("UNCONSTRUCTIVE", READY, inverted=True))


class Attributes:
    """The register of attributes. Safe to use from many threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Mapping[str, Attribute]:
        """Return every attribute by name: the included ones first."""
        query = sa.select(_attributes).order_by(_attributes.c.name)
        with self._database.read() as connection:
            rows = [
                Attribute(row.name, row.model, row.inverted) for row in connection.execute(query)
            ]
        return {attribute.name: attribute for attribute in (*INCLUDED, *rows)}

    def register(self, attribute: Attribute) -> None:
        """Add an attribute, or replace the one of the same name; the included ones stay as they are."""
        if not _NAME.fullmatch(attribute.name):
            raise ArgumentError(
                f"{attribute.name!r} is not the name of an attribute: capital letters, digits and _"
            )
        _refuse_included(attribute.name)
        values = {"model": attribute.model, "inverted": attribute.inverted}
        with self._database.write() as connection:
            this_attribute = _attributes.c.name == attribute.name
            changed = connection.execute(_attributes.update().where(this_attribute).values(values))
            if not changed.rowcount:
                connection.execute(_attributes.insert().values(name=attribute.name, **values))

    def remove(self, name: str) -> bool:
        """Remove an attribute; False if there is none of that name."""
        _refuse_included(name)
        with self._database.write() as connection:
            gone = connection.execute(_attributes.delete().where(_attributes.c.name == name))
            return bool(gone.rowcount)


def _refuse_included(name: str) -> None:
    if name in {attribute.name for attribute in INCLUDED}:
        raise ArgumentError(f"{name} comes with newsdesk and cannot be changed")


KEPT_S = 24 * 3600.0
_LOST_S = 120.0  # after which a request without an answer is taken for lost with its server


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The answer to an earlier request."""

    status: int
    media_type: str
    body: bytes


class Requests:
    """The register. Safe to use from many threads and processes."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def begin(self, principal: str, key: str, digest: str, *, keeps: bool) -> KeptAnswer | None:
        """Enter a request and return None, or return the answer that was kept for its key.

        The key of another request, or of one that still runs, is refused.

        With `keeps` the answer will be kept, so that two at the same time are not allowed.
        """
        now = self._clock().timestamp()
        with self._database.write() as connection:
            connection.execute(_requests.delete().where(_requests.c.at < now - KEPT_S))
            row = connection.execute(sa.select(_requests).where(*_sent(principal, key))).first()
            if row is None:
                values = {"principal": principal, "key": key, "digest": digest, "at": now}
                self._insert(connection, values)
                return None
            if row.digest != digest:
                raise Problem(
                    409, "idempotency", "this Idempotency-Key was sent with another request"
                )
            if row.status is not None:
                return KeptAnswer(row.status, row.media_type, row.body)
            if keeps and row.at > now - _LOST_S:
                raise _running()
            connection.execute(_requests.update().where(*_sent(principal, key)).values(at=now))
            return None

    def keep(self, principal: str, key: str, answer: KeptAnswer) -> None:
        """Keep the answer to a request, durably."""
        values = {"status": answer.status, "media_type": answer.media_type, "body": answer.body}
        with self._database.write() as connection:
            connection.execute(_requests.update().where(*_sent(principal, key)).values(values))

    def forget(self, principal: str, key: str) -> None:
        """Free the key of a request that failed, so that it can be sent again."""
        with self._database.write() as connection:
            connection.execute(_requests.delete().where(*_sent(principal, key)))

    def _insert(self, connection: sa.Connection, values: dict[str, Any]) -> None:
        try:
            connection.execute(_requests.insert().values(values))
        except sa.exc.IntegrityError as error:  # PostgreSQL: the same key at the same moment
            raise _running() from error


def _sent(principal: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the SQL conditions that a request is the one of this caller and key."""
    return _requests.c.principal == principal, _requests.c.key == key


def _running() -> Problem:
    return Problem(
        409, "in-progress", "the request with this Idempotency-Key is not answered yet; try again",
        headers={"Retry-After": "1"},
    )  # fmt: skip
