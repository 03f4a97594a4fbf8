"""Counts in messages: one item, two items."""

from __future__ import annotations


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun in the singular or plural.

    >>> plural(1, "item"), plural(1200, "record"), plural(0, "summary", "summaries")
    ('1 item', '1,200 records', '0 summaries')
    """
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
