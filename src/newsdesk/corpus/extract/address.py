"""The address of an article: the canonical URL a page names, if it is believable, and the outlet's host."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from newsdesk.corpus.extract.metadata import Metadata

_PREFIX = re.compile(r"^(?:www\d?|m|mobile|amp)\.")


def host(url: str | None) -> str:
    """The host of a URL without `www.` and the like; empty where there is none.

    >>> host("https://www.example.org:8080/a")
    'example.org'
    """
    try:
        name = urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
    return _PREFIX.sub("", name)


def canonical(page: Metadata, url: str | None) -> str | None:
    """The canonical URL: `link rel=canonical`, else `og:url`, if on the page's site and not merely its front page."""
    for value in (page.canonical, page.first("og:url")):
        try:
            address = urljoin(url or "", value or "")
            parts = urlsplit(address)
        except ValueError:
            continue
        if not value or parts.scheme not in ("http", "https") or not parts.hostname:
            continue
        if url and (
            not _same_site(host(url), host(address)) or _is_front(address) > _is_front(url)
        ):
            continue
        return address
    return url


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path.strip("/") == "" and not parts.query


def _same_site(first: str, second: str) -> bool:
    return first == second or first.endswith(f".{second}") or second.endswith(f".{first}")
