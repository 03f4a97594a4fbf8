"""What names a computation: its signature, the hash of what it was computed from, and the file name of its spec."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from newsdesk.registry import Spec


def signature(name: str, fields: Mapping[str, object], *rest: str) -> str:
    """Return a name, what fixes the number as `key:value`, the version, and what is signed already.

    >>> signature("rank-eval", {"k": 5, "seed": 0}).rpartition(":")[0]
    'rank-eval|k:5|seed:0|newsdesk'
    """
    from newsdesk import __version__

    signed = {**fields, "newsdesk": __version__}
    return "|".join([name, *(f"{key}:{value}" for key, value in signed.items()), *rest])


def sha256_of(content: str | bytes, digits: int = 64) -> str:
    """Return the SHA-256 of a text or of bytes, in so many hexadecimal digits."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:digits]


def file_name(spec: Spec) -> str:
    """Return the file name of a spec: its name, and a hash of its settings if it has any.

    >>> file_name(Spec("length")), file_name(Spec("svr", (("cost", 0.5),)))
    ('length', 'svr-c6b2f108')
    """
    return f"{spec.name}-{sha256_of(str(spec), 8)}" if spec.arguments else spec.name
