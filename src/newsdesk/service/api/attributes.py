"""Attributes of comments:analyze: `CONSTRUCTIVE` and `UNCONSTRUCTIVE` by the ready model, and those that an admin registers.

A platform that holds comments back above a threshold, as Coral does, wants the inverted one: high for what is not constructive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from newsdesk.campaigns.store.database import Database
from newsdesk.errors import ArgumentError
from newsdesk.rankers.ready import READY
from newsdesk.service.api import tables

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_attributes = tables.attributes


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name, the ranker that scores it, and whether the score is the probability or, inverted, one less it."""

    name: str
    model: str
    inverted: bool = False


INCLUDED = (Attribute("CONSTRUCTIVE", READY), Attribute("UNCONSTRUCTIVE", READY, inverted=True))


class Attributes:
    """The register of attributes. Safe to use from many threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> Mapping[str, Attribute]:
        """Every attribute by name: the included ones first."""
        query = sa.select(_attributes).order_by(_attributes.c.name)
        with self._database.read() as connection:
            rows = [
                Attribute(row.name, row.model, row.inverted) for row in connection.execute(query)
            ]
        return {each.name: each for each in (*INCLUDED, *rows)}

    def register(self, attribute: Attribute) -> None:
        """Add an attribute, or replace the one of the same name; the included ones stay as they are."""
        if not _NAME.fullmatch(attribute.name):
            raise ArgumentError(
                f"{attribute.name!r} is not the name of an attribute: capital letters, digits and _"
            )
        _refuse_included(attribute.name)
        values = {"model": attribute.model, "inverted": attribute.inverted}
        with self._database.write() as connection:
            of = _attributes.c.name == attribute.name
            changed = connection.execute(_attributes.update().where(of).values(values))
            if not changed.rowcount:
                connection.execute(_attributes.insert().values(name=attribute.name, **values))

    def remove(self, name: str) -> bool:
        """Remove an attribute; False if there is none of that name."""
        _refuse_included(name)
        with self._database.write() as connection:
            gone = connection.execute(_attributes.delete().where(_attributes.c.name == name))
            return bool(gone.rowcount)


def _refuse_included(name: str) -> None:
    if name in {each.name for each in INCLUDED}:
        raise ArgumentError(f"{name} comes with newsdesk and cannot be changed")
