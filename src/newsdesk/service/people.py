"""People, links and keys: who exists, who may sign in, and what a token allows. Tokens are returned once and stored hashed."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from newsdesk.campaigns import moment
from newsdesk.campaigns.campaign import check_annotator
from newsdesk.campaigns.store.database import Database
from newsdesk.errors import ArgumentError
from newsdesk.service.database import (
    ended_sessions as _ended,
    led_campaigns as _led,
    people as _people,
    staff as _staff,
    tokens as _tokens,
)
from newsdesk.service.sessions import Session, Signer
from newsdesk.settings import one_of

Role = Literal["admin", "lead", "moderator", "reader", "annotator"]
# Roles that an admin gives by a link.
STAFF: tuple[Role, ...] = ("admin", "lead", "moderator", "reader")
Scope = Literal["read", "judge", "moderate", "lead", "metrics", "admin"]
# Scopes that a key may have.
SCOPES: tuple[Scope, ...] = ("read", "judge", "metrics", "admin")

# Of almost every request: built once, and one query.
_SIGNED_IN = sa.select(
    _people, sa.exists().where(_ended.c.hashed == sa.bindparam("cookie")).label("over")
).where(_people.c.id == sa.bindparam("person"))
_FRESH_S = 2.0  # how long a session that was read is believed: ending it takes effect after it at the latest
_MOST_CACHED = 10_000  # sessions and keys that are remembered, valid or not


@dataclass(frozen=True, slots=True)
class UserAccount:
    """Somebody who can sign in. `campaign` is that of an annotator, `led` are those of a lead."""

    id: int
    role: Role
    campaign: str
    name: str
    generation: int
    revoked: bool
    led: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token, which is shown once and cannot be read again, and its number."""

    id: int
    token: str


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key: its label and scopes; one with an annotator judges for that annotator alone."""

    id: int
    label: str
    scopes: frozenset[Scope]
    campaign: str | None
    annotator: str | None
    created_at: str
    revoked: bool


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link to a campaign: for one annotator by name, or with None for whoever joins."""

    campaign: str
    annotator: str | None
    person: UserAccount | None


class Access:
    """The register of people and tokens. Safe to use from many threads and processes."""

    def __init__(
        self, database: Database, key: bytes, clock: Callable[[], datetime], *, session_s: float
    ) -> None:
        self.signer = Signer(key)
        self._database = database
        self._clock = clock
        self._session_s = session_s
        # Caches: what was read, and when. People by the hash of their cookie, keys by that of their token.
        self._sessions: dict[str, tuple[float, UserAccount | None]] = {}
        self._keys: dict[str, tuple[float, ApiKey | None]] = {}
        self._lock = threading.Lock()

    def admin_link(self, name: str = "admin", *, replaces: bool = True) -> Issued:
        """Return a token that signs an admin in once; `replaces` makes their unused ones invalid."""
        check_annotator(name)
        with self._database.write() as connection:
            person = self._add(connection, "admin", "", name)
            if replaces:
                self._revoke_unused(connection, person.id)
            return self._issue(connection, "admin", person_id=person.id, label=name)

    def staff_link(self, name: str, role: Role) -> Issued:
        """Return a token that signs somebody in once, in a role; their unused ones become invalid."""
        one_of("role", role, STAFF)
        if role == "admin":
            return self.admin_link(name)
        check_annotator(name)
        with self._database.write() as connection:
            person = self._add(connection, "annotator", "", name)
            this_person = _staff.c.person_id == person.id
            if not connection.execute(
                _staff.update().where(this_person).values(role=role)
            ).rowcount:
                connection.execute(_staff.insert().values(person_id=person.id, role=role))
            self._revoke_unused(connection, person.id)
            issued = self._issue(connection, "admin", person_id=person.id, label=name)
        self._forget()
        return issued

    def all_staff(self) -> list[UserAccount]:
        """Return admins and other staff, by role and name."""
        with self._database.read() as connection:
            numbers = (
                connection.execute(sa.select(_people.c.id).where(_people.c.role == "admin"))
                .scalars()
                .all()
            )
            others = connection.execute(sa.select(_staff.c.person_id)).scalars().all()
            people = [self._read(connection, number) for number in (*numbers, *others)]
        listed = [person for person in people if person is not None]
        return sorted(listed, key=lambda person: (STAFF.index(person.role), person.name))

    def dismiss(self, number: int) -> None:
        """Take the role from somebody of the staff who is no admin, and end their sessions and links."""
        with self._database.write() as connection:
            if connection.execute(_staff.delete().where(_staff.c.person_id == number)).rowcount:
                self._revoke(
                    connection, _tokens.c.person_id == number, _tokens.c.revoked_at.is_(None)
                )
                self._end_sessions(connection, number)
        self._forget()

    def lead(self, number: int, campaign: str) -> None:
        """Make a campaign one of a lead's own."""
        row = {"person_id": number, "campaign": campaign}
        with suppress(sa.exc.IntegrityError), self._database.write() as connection:
            connection.execute(_led.insert().values(row))
        self._forget()

    def lead_exactly(self, number: int, campaigns: Iterable[str]) -> None:
        """Make exactly these campaigns the own ones of somebody of the staff who is a lead."""
        is_lead = sa.select(_staff.c.person_id).where(
            _staff.c.person_id == number, _staff.c.role == "lead"
        )
        rows = [{"person_id": number, "campaign": name} for name in dict.fromkeys(campaigns)]
        with self._database.write() as connection:
            if connection.execute(is_lead).first() is None:
                raise ArgumentError("only a lead has campaigns of their own")
            connection.execute(_led.delete().where(_led.c.person_id == number))
            if rows:
                connection.execute(_led.insert(), rows)
        self._forget()

    def has_admin(self) -> bool:
        """Return True if an admin has ever signed in."""
        used = (
            sa.select(_tokens.c.id)
            .join(_people, _tokens.c.person_id == _people.c.id)
            .where(_people.c.role == "admin", _tokens.c.used_at.is_not(None))
        )
        with self._database.read() as connection:
            return connection.execute(used.limit(1)).first() is not None

    def sign_in(self, token: str) -> UserAccount | None:
        """Use up an admin token, and all others of its person, who is returned; None if it is not valid."""
        with self._database.write() as connection:
            valid = sa.and_(
                _tokens.c.hashed == hashed(token),
                _tokens.c.kind == "admin",
                _tokens.c.used_at.is_(None),
                _tokens.c.revoked_at.is_(None),
            )
            # One statement decides: of two requests at once, one gets the row.
            query = _tokens.update().where(valid).values(used_at=self._now())
            row = connection.execute(query.returning(_tokens.c.person_id)).first()
            if row is None:
                return None
            self._revoke_unused(connection, row.person_id)
            return self._read(connection, row.person_id)

    def cookie(self, person: UserAccount) -> str:
        """Return a session cookie for a person."""
        return self.signer.session(person.id, person.generation, at=self._clock().timestamp())

    def signed_in(self, cookie: str) -> UserAccount | None:
        """Return the person of a session cookie; None if it is not valid any longer."""
        session = self._session(cookie)
        if session is None:
            return None
        if (person := self._fresh(cookie)) is not None:
            return person
        bound = {"person": session.person, "cookie": hashed(cookie)}
        with self._database.read(single=True) as connection:
            row = connection.execute(_SIGNED_IN, bound).first()
            account = None if row is None or row.over else self._with_role(connection, row)
            person = _of_session(session, account)
        with self._lock:
            self._sessions[hashed(cookie)] = (time.monotonic(), person)
            if len(self._sessions) > _MOST_CACHED:
                self._sessions.clear()
        return person

    def seen_signed_in(self, cookie: str) -> UserAccount | None:
        """Return the person of a session cookie if they are cached, else None; waits for nothing."""
        return None if self._session(cookie) is None else self._fresh(cookie)

    def sign_out(self, cookie: str) -> None:
        """End one session: its cookie is not valid any longer, wherever it was copied to."""
        if self._session(cookie) is None:
            return
        now = self._clock().timestamp()
        row = {"hashed": hashed(cookie), "at": now}
        with suppress(sa.exc.IntegrityError), self._database.write() as connection:  # ended already
            connection.execute(_ended.delete().where(_ended.c.at < now - 2 * self._session_s))
            connection.execute(_ended.insert().values(row))
        self._forget()

    def sign_out_everywhere(self, person: int) -> None:
        """End all sessions of a person."""
        with self._database.write() as connection:
            self._end_sessions(connection, person)
        self._forget()

    def invite(self, campaign: str, annotator: str | None) -> Issued:
        """Return a token for an annotator, whose earlier links end, or with None for whoever joins."""
        with self._database.write() as connection:
            person_id = None
            if annotator is not None:
                person_id = self._add(connection, "annotator", campaign, annotator).id
                links = (_tokens.c.kind == "invitation", _tokens.c.revoked_at.is_(None))
                self._revoke(connection, _tokens.c.person_id == person_id, *links)
            return self._issue(
                connection, "invitation", person_id=person_id, campaign=campaign,
                label=annotator or "",
            )  # fmt: skip

    def invitation(self, token: str) -> Invitation | None:
        """Return what an invitation link is for; None if it is unknown or revoked."""
        with self._database.read() as connection:
            row = connection.execute(self._valid(token, "invitation")).first()
            if row is None:
                return None
            person = None if row.person_id is None else self._read(connection, row.person_id)
        if person is not None and person.revoked:
            return None
        return Invitation(row.campaign, None if person is None else person.name, person)

    def add_annotator(self, campaign: str, name: str) -> UserAccount:
        """Return the person of an annotator, added if there is none yet."""
        with self._database.write() as connection:
            return self._add(connection, "annotator", campaign, name)

    def invited(self, campaign: str) -> set[str]:
        """Return the annotators of a campaign who have a valid link."""
        query = (
            sa.select(_people.c.name)
            .join(_tokens, _tokens.c.person_id == _people.c.id)
            .where(
                _people.c.campaign == campaign,
                _tokens.c.kind == "invitation",
                _tokens.c.revoked_at.is_(None),
            )
        )
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    def revoke_annotator(self, campaign: str, name: str) -> None:
        """Withdraw an annotator's links and end their sessions."""
        with self._database.write() as connection:
            is_annotator = sa.and_(
                _people.c.role == "annotator",
                _people.c.campaign == campaign,
                _people.c.name == name,
            )
            row = connection.execute(sa.select(_people.c.id).where(is_annotator)).first()
            if row is None:
                return
            valid = _tokens.c.revoked_at.is_(None)
            self._revoke(connection, _tokens.c.person_id == row.id, valid)
            self._end_sessions(connection, row.id)
        self._forget()

    def add_key(
        self,
        label: str,
        scopes: Iterable[Scope],
        *,
        campaign: str | None = None,
        annotator: str | None = None,
    ) -> Issued:
        """Return a new API key; with a campaign and an annotator it judges for that annotator alone."""
        check_annotator(label)
        chosen = [scope for scope in SCOPES if scope in set(scopes)]
        if not chosen:
            raise ArgumentError(f"a key needs a scope: {', '.join(SCOPES)}")
        if annotator is not None and (campaign is None or chosen != ["judge"]):
            raise ArgumentError("a key for one annotator has a campaign and the scope judge alone")
        with self._database.write() as connection:
            person_id = None
            if annotator is not None and campaign is not None:
                person_id = self._add(connection, "annotator", campaign, annotator).id
            return self._issue(
                connection, "key", person_id=person_id, campaign=campaign, label=label,
                scopes=" ".join(chosen),
            )  # fmt: skip

    def key(self, token: str) -> ApiKey | None:
        """Return the API key of a token; None if it is unknown or revoked."""
        if (cached := self.seen_key(token)) is not None:
            return cached
        digest = hashed(token)
        with self._database.read() as connection:
            row = connection.execute(_key_rows().where(_tokens.c.hashed == digest)).first()
        key = None if row is None or row.revoked_at is not None else _key(row)
        with self._lock:
            self._keys[digest] = (time.monotonic(), key)
            if len(self._keys) > _MOST_CACHED:
                self._keys.clear()
        return key

    def seen_key(self, token: str) -> ApiKey | None:
        """Return the API key of a token if it is cached, else None; waits for nothing."""
        with self._lock:
            read_at, key = self._keys.get(hashed(token), (0.0, None))
        return key if time.monotonic() - read_at < _FRESH_S else None

    def all_keys(self) -> list[ApiKey]:
        """Return all API keys, the oldest first, revoked ones included."""
        with self._database.read() as connection:
            return [_key(row) for row in connection.execute(_key_rows().order_by(_tokens.c.id))]

    def revoke_key(self, number: int) -> None:
        """Make an API key invalid."""
        with self._database.write() as connection:
            self._revoke(connection, _tokens.c.id == number, _tokens.c.kind == "key")
        self._forget()

    def _add(self, connection: sa.Connection, role: Role, campaign: str, name: str) -> UserAccount:
        """Return the person of a role, campaign and name, added if there is none yet."""
        check_annotator(name)
        same_person = sa.and_(
            _people.c.role == role, _people.c.campaign == campaign, _people.c.name == name
        )
        row = connection.execute(sa.select(_people).where(same_person)).first()
        if row is None:
            values = {
                "role": role, "campaign": campaign, "name": name, "generation": 0,
                "created_at": self._now(),
            }  # fmt: skip
            query = _people.insert().values(values).returning(*_people.c)
            row = connection.execute(query).one()
        return _person(row)

    def _issue(self, connection: sa.Connection, kind: str, **values: Any) -> Issued:
        """Store a new token by its hash, with further columns, and return it."""
        token = secrets.token_urlsafe(32)
        row = {"kind": kind, "hashed": hashed(token), "created_at": self._now(), **values}
        number = connection.execute(
            _tokens.insert().values(row).returning(_tokens.c.id)
        ).scalar_one()
        return Issued(number, token)

    def _revoke(self, connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> None:
        connection.execute(_tokens.update().where(*conditions).values(revoked_at=self._now()))

    def _revoke_unused(self, connection: sa.Connection, admin: int) -> None:
        unused = (_tokens.c.kind == "admin", _tokens.c.used_at.is_(None))
        valid = _tokens.c.revoked_at.is_(None)
        self._revoke(connection, _tokens.c.person_id == admin, *unused, valid)

    def _end_sessions(self, connection: sa.Connection, person: int) -> None:
        values = {"generation": _people.c.generation + 1}
        connection.execute(_people.update().where(_people.c.id == person).values(values))

    def _valid(self, token: str, kind: str) -> sa.Select[Any]:
        """Return the query of a token of a kind that was not revoked."""
        return sa.select(_tokens).where(
            _tokens.c.hashed == hashed(token),
            _tokens.c.kind == kind,
            _tokens.c.revoked_at.is_(None),
        )

    def _session(self, cookie: str) -> Session | None:
        return self.signer.read(cookie, now=self._clock().timestamp(), max_age_s=self._session_s)

    def _fresh(self, cookie: str) -> UserAccount | None:
        """Return the person of a cookie if read within the last seconds, else None."""
        with self._lock:
            read_at, person = self._sessions.get(hashed(cookie), (0.0, None))
        return person if time.monotonic() - read_at < _FRESH_S else None

    def _forget(self) -> None:
        with self._lock:
            self._sessions.clear()
            self._keys.clear()

    def _read(self, connection: sa.Connection, number: int) -> UserAccount | None:
        row = connection.execute(sa.select(_people).where(_people.c.id == number)).first()
        return None if row is None else self._with_role(connection, row)

    def _with_role(self, connection: sa.Connection, row: sa.Row[Any]) -> UserAccount | None:
        """Return a row of people as a value, of the staff with the role; None for somebody without any."""
        person = _person(row)
        if person.role != "annotator" or person.campaign:
            return person
        this_person = _staff.c.person_id == person.id
        role = connection.execute(sa.select(_staff.c.role).where(this_person)).scalar()
        if role is None:
            return None
        led = sa.select(_led.c.campaign).where(_led.c.person_id == person.id)
        return replace(person, role=role, led=frozenset(connection.execute(led).scalars()))

    def _now(self) -> str:
        return moment(self._clock())


def hashed(token: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _of_session(session: Session, person: UserAccount | None) -> UserAccount | None:
    """Return the person, if the session is one of theirs that was not ended."""
    if person is None or person.revoked or person.generation != session.generation:
        return None
    return person


def _person(row: sa.Row[Any]) -> UserAccount:
    """Return a row of people as a value."""
    return UserAccount(
        row.id,
        row.role,
        row.campaign,
        row.name,
        row.generation,
        revoked=row.revoked_at is not None,
    )


def _key_rows() -> sa.Select[Any]:
    """Return the query of all API keys, each with the name of its annotator, if it has one."""
    return (
        sa.select(_tokens, _people.c.name.label("annotator"))
        .join_from(_tokens, _people, _tokens.c.person_id == _people.c.id, isouter=True)
        .where(_tokens.c.kind == "key")
    )


def _key(row: sa.Row[Any]) -> ApiKey:
    """Return a row of `_key_rows` as a value."""
    scopes = frozenset(scope for scope in SCOPES if scope in row.scopes.split())
    return ApiKey(
        row.id,
        row.label,
        scopes,
        campaign=row.campaign,
        annotator=row.annotator,
        created_at=row.created_at,
        revoked=row.revoked_at is not None,
    )
