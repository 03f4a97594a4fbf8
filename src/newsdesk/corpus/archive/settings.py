"""Settings of an archive run, and the addresses of the archive's interfaces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from newsdesk.corpus.pages import MAX_BYTES
from newsdesk.errors import ArgumentError
from newsdesk.registry import offer
from newsdesk.settings import at_least


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the Internet Archive answers; another archive with the same interfaces, or a server of a test, has other addresses."""

    availability: str = "https://archive.org/wayback/available"
    cdx: str = "https://web.archive.org/cdx/search/cdx"
    save: str = "https://web.archive.org/save/"
    web: str = "https://web.archive.org/web/"

    def with_changes(self, changes: Iterable[str]) -> Endpoints:
        """The endpoints with some replaced, each written as `name=URL`.

        >>> Endpoints().with_changes(["web=http://127.0.0.1:8000/web/"]).web
        'http://127.0.0.1:8000/web/'
        """
        known = [each.name for each in fields(self)]
        named = {}
        for text in changes:
            name, equals, url = text.partition("=")
            if name not in known or not equals or not url.startswith(("http://", "https://")):
                raise ArgumentError(
                    f"the endpoint {text!r} is not NAME=http(s)://…; {offer(name, known)}"
                )
            named[name] = url
        return replace(self, **named)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """How sources are looked up and downloaded; the defaults are what the Internet Archive bears from one visitor.

    `rate_per_s` holds for every host, `save_rate_per_s` for Save Page Now beside it. A failed request is repeated up to `attempts` times, with a
    pause of `backoff_s` that doubles; no pause is longer than `max_pause_s`, whatever a server asks for.
    """

    save: bool = False
    days: int = 365
    rate_per_s: float = 1.0
    save_rate_per_s: float = 0.1
    concurrency: int = 4
    timeout_s: float = 60.0
    attempts: int = 4
    backoff_s: float = 5.0
    max_pause_s: float = 300.0
    max_bytes: int = MAX_BYTES
    min_characters: int = 250
    contact: str | None = None
    endpoints: Endpoints = field(default_factory=Endpoints)

    def __post_init__(self) -> None:
        for name in ("concurrency", "attempts", "max_bytes"):
            at_least(name, getattr(self, name), 1)
        for name in ("days", "backoff_s", "max_pause_s", "min_characters"):
            at_least(name, getattr(self, name), 0)
        for name in ("rate_per_s", "save_rate_per_s", "timeout_s"):
            if getattr(self, name) <= 0:
                raise ArgumentError(f"{name} is {getattr(self, name)}, not above 0")
