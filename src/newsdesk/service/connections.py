"""Guard connections below HTTP: heads that are never finished, too many connections, clients that do not read.

uvicorn has no time limit for the head of a request, and its limit of connections refuses whoever comes last, real clients included. Here a new
connection takes the place of the oldest one on which no request runs, first of those that never sent one: half-open connections cannot keep others out.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from newsdesk.service.errors import error_body
from newsdesk.service.settings import ServiceSettings

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_OWN_FILES = 64  # descriptors for the store, worker processes, uploads and the server itself
_MOST_BACKLOG = 2048


@dataclass(frozen=True, slots=True)
class ConnectionBounds:
    """How many connections there may be, in all and of one address, and how long they may do nothing."""

    most: int
    most_per_address: int
    head_s: float
    stall_s: float
    proxies: tuple[str, ...] = ()  # each holds the connections of many people

    @classmethod
    def of(cls, settings: ServiceSettings) -> ConnectionBounds:
        """Return the bounds of the settings, and no more connections than there are descriptors for."""
        room = _descriptors() - _OWN_FILES
        most = max(1, min(settings.max_connections, room - _backlog(room)))
        return cls(
            most,
            min(settings.max_connections_per_address, most),
            settings.head_timeout_s,
            settings.stall_timeout_s,
            settings.proxies,
        )

    def of_proxy(self, address: str) -> bool:
        """Return True if this is the address of a proxy that the settings name."""
        return bool(self.proxies) and _is_in(address, self.proxies)


def backlog() -> int:
    """Return how many connections are accepted in one go: those take descriptors before they are counted."""
    return _backlog(_descriptors() - _OWN_FILES)


def _backlog(room: int) -> int:
    return max(16, min(_MOST_BACKLOG, room // 3))


def _descriptors() -> int:
    """Return how many files this process may open."""
    if resource is None:
        return 1 << 16
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 16 if soft == resource.RLIM_INFINITY else soft


def _is_in(address: str, networks: Sequence[str]) -> bool:
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(number in ipaddress.ip_network(network, strict=False) for network in networks)


class GuardedConnection(H11Protocol):
    """A connection of uvicorn that is closed where its client keeps it waiting."""

    def __init__(self, *arguments: Any, bounds: ConnectionBounds, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._bounds = bounds
        self._head_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None
        self._since = self.loop.time()  # when it was opened, or a response ended

    @property
    def busy(self) -> bool:
        """True while a request runs."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count a new connection, and start the time limit of its first request's head."""
        super().connection_made(transport)
        self._limit_head()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        """Read what a client sent; the time limit holds for a whole head, not for each piece."""
        super().data_received(data)
        self._limit_head()

    def on_response_complete(self) -> None:
        """Limit the time of what may still come of a request that was answered before its end."""
        self._since = self.loop.time()
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_in(self._bounds.stall_s)
        elif self.busy or self.conn.their_state is h11.SEND_BODY:
            self._limit_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks of a connection that has ended."""
        super().connection_lost(exc)
        for timer in (self._head_timer, self._stall_timer):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """Give up a client that does not read its answer."""
        super().pause_writing()
        self._abort_in(self._bounds.stall_s)

    def resume_writing(self) -> None:
        """Go on with a client that reads again."""
        super().resume_writing()
        if self._stall_timer is not None:
            self._stall_timer.cancel()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, whether or not the client has read all that was sent."""
        super().timeout_keep_alive_handler()
        self._abort_in(self._bounds.stall_s)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP in the shape of all errors; the request that it broke is given up."""
        began = self.busy and self.cycle.response_started
        if self.busy:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._refuse(None if began else 400, "request", msg)

    def _limit_head(self) -> None:
        """Start the time limit of a head if none runs, or end it when the head is there."""
        if self.busy and self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        elif not self.busy and self._head_timer is None:
            self._head_timer = self.loop.call_later(self._bounds.head_s, self._too_slow)

    def _too_slow(self) -> None:
        if self.conn.trailing_data[0]:
            seconds = f"{self._bounds.head_s:g}"
            self._refuse(408, "timeout", f"the head of the request took longer than {seconds} s")
        else:
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the oldest connection without a request where there are too many, else refuse this one."""
        open_ = [one for one in self.connections if one is not self and isinstance(one, GuardedConnection) and not one.transport.is_closing()]  # fmt: skip
        address = self.client[0] if self.client else ""
        same = [one for one in open_ if one.client and one.client[0] == address]
        if len(same) >= self._bounds.most_per_address and not self._bounds.of_proxy(address):
            candidates = same
        elif len(open_) >= self._bounds.most:
            candidates = open_
        else:
            return
        waiting = [one for one in candidates if not one.busy]
        if waiting:
            oldest = min(waiting, key=lambda one: (one.cycle is not None, one._since))
            oldest.transport.abort()
        else:
            self._refuse(503, "busy", "too many connections; try again later")

    def _refuse(self, status: int | None, code: str, message: str) -> None:
        """Close the connection, with an answer unless one has begun."""
        if status is not None and not self.transport.is_closing():
            body = json.dumps(error_body(code, message)).encode()
            head = (
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()
        self._abort_in(self._bounds.head_s)

    def _abort_in(self, seconds: float) -> None:
        """Drop the connection after this time, unless it has ended or its client reads again."""
        if self._stall_timer is not None:
            self._stall_timer.cancel()
        self._stall_timer = self.loop.call_later(seconds, self.transport.abort)
