"""Signatures: one line with everything needed to reproduce a number."""

from __future__ import annotations

from collections.abc import Mapping


def signature(name: str, fields: Mapping[str, object], *rest: str) -> str:
    """Return a name, what fixes the number as `key:value`, the version, and what is signed already.

    >>> signature("rank-eval", {"k": 5, "seed": 0}).rpartition(":")[0]
    'rank-eval|k:5|seed:0|newsdesk'
    """
    from newsdesk import __version__

    signed = {**fields, "newsdesk": __version__}
    return "|".join([name, *(f"{key}:{value}" for key, value in signed.items()), *rest])
