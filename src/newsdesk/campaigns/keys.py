"""Keyed values of a campaign: what an annotator sees in place of ids, numbers and revisions, which tells nothing without its secret.

Keys are derived from the campaign's secret by HMAC-SHA256, one for each purpose. A task number is shown as its image under a permutation of the annotator's own
(a Feistel network whose rounds are keyed hashes), so that it can be inverted without a table. A revision is shown as a keyed hash of its cell and number, followed by
the number under a pad that this hash yields: equal revisions of two cells look unalike, and a token that was written for another cell is not read.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache

_HALF = 14  # bits of half a task number: shown numbers have 9 digits at most
_MASK = (1 << _HALF) - 1
_ROUNDS = 6
_TOKEN_BYTES = 6  # of the hash of a revision, and of its number
TOKEN_DIGITS = 4 * _TOKEN_BYTES


@lru_cache(maxsize=4096)
def derived_key(secret: str, purpose: str, *parts: str) -> bytes:
    """Return the key of a campaign for one purpose."""
    # Names of annotators, which the same secret hashes, hold no NUL.
    return keyed(secret.encode(), "\0".join([purpose, *parts] if parts else [purpose, ""]))


def keyed(key: bytes, text: str) -> bytes:
    """Return the keyed hash of a text."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)


@lru_cache(maxsize=2**17)  # pages list all tasks of an annotator
def shown_number(key: bytes, number: int) -> int:
    """Return the number under which a task is shown to the annotator whose key this is.

    >>> stored_number(b"key", shown_number(b"key", 17))
    17
    """
    left, right = number >> _HALF, number & _MASK
    for turn in range(_ROUNDS):
        left, right = right, left ^ _round(key, turn, right)
    return left << _HALF | right


def stored_number(key: bytes, shown: int) -> int | None:
    """Return the stored number of a task from the shown one; None for one that cannot be a number."""
    if not 0 <= shown < 1 << 2 * _HALF:
        return None
    left, right = shown >> _HALF, shown & _MASK
    for turn in reversed(range(_ROUNDS)):
        left, right = right ^ _round(key, turn, left), left
    return left << _HALF | right


def _round(key: bytes, turn: int, half: int) -> int:
    digest = hmac.digest(key, bytes([turn]) + half.to_bytes(2), hashlib.sha256)
    return int.from_bytes(digest[:2]) & _MASK


def revision_token(key: bytes, cell: str, revision: int) -> str:
    """Return a revision of a cell as a token of 24 hexadecimal digits."""
    tag = keyed(key, f"revision\0{cell}\0{revision}")[:_TOKEN_BYTES]
    return (tag + _padded(key, tag, revision.to_bytes(_TOKEN_BYTES))).hex()


def token_revision(key: bytes, cell: str, token: str) -> int | None:
    """Return the revision of a token; None for one of another cell, or that was never written."""
    content = bytes.fromhex(token)
    tag = content[:_TOKEN_BYTES]
    revision = int.from_bytes(_padded(key, tag, content[_TOKEN_BYTES:]))
    return revision if hmac.compare_digest(revision_token(key, cell, revision), token) else None


def _padded(key: bytes, tag: bytes, content: bytes) -> bytes:
    pad = hmac.digest(key, b"pad\0" + tag, hashlib.sha256)
    return bytes(one ^ other for one, other in zip(content, pad, strict=False))
