"""Name campaigns in addresses."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import quote

from newsdesk.service.errors import Problem

_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


def slug(name: str) -> str:
    """Return a campaign's name as part of a path: as it is where it is plain, else encoded.

    `name_of` decodes it.

    >>> slug("pilot-2"), name_of(slug("a/b ü"))
    ('pilot-2', 'a/b ü')
    """
    if _PLAIN.fullmatch(name):
        return name
    return "~" + quote(base64.urlsafe_b64encode(name.encode()).decode().rstrip("="))


def name_of(text: str) -> str:
    """Return the name behind a `slug`."""
    if not text.startswith("~"):
        return text
    try:
        padded = text[1:] + "=" * (-len(text[1:]) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise Problem(404, "not-found", "there is no such campaign") from error
