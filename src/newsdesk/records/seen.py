"""Duplicate detection in eight to sixteen bytes a key, so that a large file is read in almost constant memory.

A Python set of a million ids takes a hundred megabytes. This open-addressing table keeps a 64-bit digest of each key
instead: two different keys collide with probability below 1e-7 in a million records.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b


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
