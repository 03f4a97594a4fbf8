"""What the routes share, opened once per process (folder, store, access, workers, clock), and how they name campaigns in addresses.

desk = request.app.state.desk
desk.store.status("pilot")                       in a plain `def` route, which runs in a thread
await desk.workers.run(function, value)          in an `async def` route: heavy work in another process
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.requests import HTTPConnection

from newsdesk.campaigns import Store, moment
from newsdesk.service.database import Attributes, Requests, create_tables
from newsdesk.service.errors import Problem
from newsdesk.service.jobs import Jobs
from newsdesk.service.library import Library
from newsdesk.service.moderation import Moderation
from newsdesk.service.people import Access
from newsdesk.service.sessions import RateLimits
from newsdesk.service.settings import DataFolder, ServiceSettings
from newsdesk.service.workers import Turns, Workers

_STREAMS = 4  # of the eight connections to the store; pages need the others


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that routes share. All of it may be used from many threads."""

    settings: ServiceSettings
    folder: DataFolder
    store: Store
    access: Access
    requests: Requests
    attributes: Attributes
    workers: Workers
    jobs: Jobs
    library: Library
    moderation: Moderation
    streams: Turns  # of answers that are read from the store while they are sent
    rates: RateLimits
    clock: Callable[[], datetime]

    @classmethod
    def open(
        cls, settings: ServiceSettings, *, clock: Callable[[], datetime] | None = None
    ) -> Desk:
        """Open the data folder and its store; both are created where they are missing."""
        folder = DataFolder.open(settings.data)
        store = Store.open(settings.store or folder.store_url)
        with store.database.write() as connection:
            create_tables(connection)
        clock = clock or (lambda: datetime.now(UTC))
        workers = Workers(settings.processes, timeout_s=settings.work_timeout_s)
        return cls(
            settings=settings,
            folder=folder,
            store=store,
            access=Access(store.database, folder.secret(), clock, session_s=settings.session_s),
            requests=Requests(store.database, clock),
            attributes=Attributes(store.database),
            workers=workers,
            jobs=Jobs(workers),
            library=Library(folder, store.database, clock),
            moderation=Moderation(store.database, clock),
            streams=Turns(_STREAMS, most_each=_STREAMS // 2),
            rates=RateLimits(),
            clock=clock,
        )

    @property
    def store_url(self) -> str:
        """The URL of the store, for workers that open it themselves."""
        return self.settings.store or self.folder.store_url

    def now(self) -> str:
        """Return the current time as judgments store it."""
        return moment(self.clock())

    def close(self) -> None:
        """Stop the workers and close the store."""
        self.workers.close()
        self.store.close()


def desk_of(connection: HTTPConnection) -> Desk:
    """Return the desk of a request's app."""
    desk: Desk = connection.app.state.desk
    return desk


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
