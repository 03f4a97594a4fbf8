"""The record types by name, the key that may not repeat in a file of them, and the type that a first line shows.

Duplicate detection in eight to sixteen bytes a key, so that a large file is read in almost constant memory.

A Python set of a million ids takes a hundred megabytes. This open-addressing table keeps a 64-bit digest of each key
instead: two different keys collide with probability below 1e-7 in a million records.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from newsdesk.registry import RECORDS
from newsdesk.types import (
    Article,
    Cluster,
    ControlQuestion,
    Event,
    Judgment,
    Output,
    Pair,
    Ranked,
    References,
    Thread,
)


class Seen:
    """A compact set of strings that supports only adding with a membership test."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, key: str) -> bool:
        """Add `key`; True if it was not in the set before."""
        # Zero marks an empty slot, so no digest may be zero.
        digest = int.from_bytes(blake2b(key.encode("utf-8"), digest_size=8).digest()) or 1
        if not self._place(digest):
            return False
        self._count += 1
        if 2 * self._count > len(self._slots):
            self._grow()
        return True

    def _place(self, digest: int) -> bool:
        slots, mask = self._slots, len(self._slots) - 1
        at = digest & mask
        while slots[at]:
            if slots[at] == digest:
                return False
            at = (at + 1) & mask
        slots[at] = digest
        return True

    def _grow(self) -> None:
        old = self._slots
        self._slots = array("Q", bytes(16 * len(old)))
        for digest in old:
            if digest:
                self._place(digest)


KINDS: Mapping[str, type[Any]] = {name: RECORDS.load(name) for name in RECORDS}

# Judgments are left out, as there a later row with the same key is a correction, not a fault; control questions have no key.
_KEYS: Mapping[type[Any], Callable[[Any], tuple[str, ...]]] = {
    Article: lambda record: (record.id,),
    Event: lambda record: (record.id,),
    Cluster: lambda record: (record.id,),
    Thread: lambda record: (record.article.id,),
    References: lambda record: (record.id,),
    Output: lambda record: (record.system, record.id),
    Ranked: lambda record: (record.article, record.comment),
    Pair: lambda record: (record.article, record.better, record.worse),
}

_PLURALS = {"control": "control questions", "run": "the lines of a run"}


def name_of(kind: type[Any]) -> str:
    """Return the name of this record type."""
    return next(name for name, record_type in KINDS.items() if record_type is kind)


def plural_of(kind: type[Any]) -> str:
    """Return the records of this type as an error calls them: "clusters", "control questions"."""
    name = name_of(kind)
    return _PLURALS.get(name, name if name.endswith("s") else f"{name}s")


def key_of(record: Any) -> tuple[str, ...] | None:
    """Return the key that must be unique within a file, or None for a type without one."""
    key = _KEYS.get(type(record))
    return key(record) if key else None


def guess(keys: Mapping[str, Any]) -> type[Any] | None:
    """Guess the record type of an object from keys that only one type has."""
    signs: tuple[tuple[set[str], type[Any]], ...] = (
        ({"campaign"}, Judgment),
        ({"annotator"}, Judgment),
        ({"answer"}, ControlQuestion),
        ({"better"}, Pair),
        ({"worse"}, Pair),
        ({"articles"}, Cluster),
        ({"comments"}, Thread),
        ({"references"}, References),
        ({"system"}, Output),
        ({"article", "comment"}, Ranked),
        ({"summary"}, Event),
        ({"text"}, Article),
    )
    return next((kind for sign, kind in signs if sign <= keys.keys()), None)
