"""The one door to the network: a request becomes a whole answer or the reason why there is none.

No other module of newsdesk opens a connection. Redirects are not followed: archives are asked politely, host by host, and a key must
not travel to an address that nobody named. The time limit holds for the whole answer, also from a server that sends a byte a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any

from newsdesk.registry import require
from newsdesk.work.tasks import TIMEOUT

BAD_ADDRESS = "not an http address"
TOO_LARGE = "too large"
TRUNCATED = "truncated answer"
UNREACHABLE = "unreachable"
SERVER_ERROR = "server error"
TOO_MANY = "too many requests"
BROKEN_ANSWER = "unreadable answer"

TOO_MANY_STATUS = 429
SLOW_DOWN = (TOO_MANY_STATUS, 503)


class NoAnswerError(Exception):
    """A request without a usable answer; `reason` is one of this module's."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; header names are lower-cased, the body is as it was sent, compressed or not."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """Sends requests over kept-alive connections; safe to share among threads."""

    def __init__(
        self,
        *,
        agent: str,
        timeout_s: float,
        max_bytes: int,
        connections: int = 10,
        extra: str = "corpus",
        what: str = "asking web archives",
        trust_env: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._httpx: Any = require("httpx2", extra=extra, what=what)
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._clock = clock
        self._http = self._httpx.Client(
            headers={"User-Agent": agent, "Accept-Encoding": "gzip"},
            timeout=timeout_s,
            limits=self._httpx.Limits(max_connections=connections),
            follow_redirects=False,
            trust_env=trust_env,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, url: str) -> Answer:
        """Return the whole answer to one request; `NoAnswerError` where there is none."""
        return self._whole("GET", url)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Return the whole answer to a body that was sent; `NoAnswerError` where there is none."""
        return self._whole("POST", url, content=body, headers=dict(headers))

    def _whole(self, method: str, url: str, **sent: Any) -> Answer:
        httpx = self._httpx
        try:
            with self._http.stream(method, url, **sent) as response:
                body = self._body(response)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(url, response.status_code, headers, body)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
            raise NoAnswerError(BAD_ADDRESS) from error
        except httpx.TimeoutException as error:
            raise NoAnswerError(TIMEOUT) from error
        except httpx.ConnectError as error:
            raise NoAnswerError(UNREACHABLE) from error
        except (httpx.RemoteProtocolError, httpx.NetworkError) as error:
            raise NoAnswerError(TRUNCATED) from error
        except httpx.HTTPError as error:
            raise NoAnswerError(BROKEN_ANSWER) from error

    def _body(self, response: Any) -> bytes:
        """Read the whole body, within the limits of size and time."""
        deadline = self._clock() + self._timeout_s
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_raw():
            size += len(chunk)
            if size > self._max_bytes:
                raise NoAnswerError(TOO_LARGE)
            if self._clock() > deadline:
                raise NoAnswerError(TIMEOUT)
            chunks.append(chunk)
        return b"".join(chunks)


def retry_after(value: str | None, default: float, *, now: float | None = None) -> float:
    """Return the seconds that a `Retry-After` header asks for: a number, or a date of HTTP.

    >>> retry_after("120", 5.0), retry_after("soon", 5.0), retry_after(None, 5.0)
    (120.0, 5.0, 5.0)
    """
    if value is None:
        return default
    if value.strip().isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError):
        return default
    return max(0.0, moment - (time.time() if now is None else now))
