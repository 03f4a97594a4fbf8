"""What the routes need, opened once per process: the data folder, the store, access, worker processes, the clock.

desk = request.app.state.desk
desk.store.status("pilot")                       in a plain `def` route, which runs in a thread
await desk.workers.run(function, value)          in an `async def` route: heavy work in another process
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import HTTPConnection

from newsdesk.campaigns import Store, moment
from newsdesk.service.access.people import Access
from newsdesk.service.access.sessions import RateLimits
from newsdesk.service.database import Attributes, Requests
from newsdesk.service.folder import DataFolder
from newsdesk.service.settings import ServiceSettings
from newsdesk.service.workers import Workers


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
    rates: RateLimits
    clock: Callable[[], datetime]

    @classmethod
    def open(
        cls, settings: ServiceSettings, *, clock: Callable[[], datetime] | None = None
    ) -> Desk:
        """Open the data folder and its store; both are created where they are missing."""
        folder = DataFolder.open(settings.data)
        store = Store.open(settings.store or folder.store_url)
        clock = clock or (lambda: datetime.now(UTC))
        return cls(
            settings=settings,
            folder=folder,
            store=store,
            access=Access(store.database, folder.secret(), clock, session_s=settings.session_s),
            requests=Requests(store.database, clock),
            attributes=Attributes(store.database),
            workers=Workers(settings.processes, timeout_s=settings.work_timeout_s),
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
