"""The one door to the network: a GET request becomes a whole answer or the reason why there is none.

No other module of newsdesk opens a connection. Redirects are not followed here, because every address that is asked has to pass the rate and
the robots.txt of its host first. The time limit holds for the whole answer, also from a server that sends a byte a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from newsdesk.corpus.archive.outcomes import (
    BAD_ADDRESS,
    BROKEN_ANSWER,
    TOO_LARGE,
    TRUNCATED,
    UNREACHABLE,
    NoAnswerError,
)
from newsdesk.registry import require
from newsdesk.work.tasks import TIMEOUT


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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._httpx: Any = require("httpx2", extra="corpus", what="asking web archives")
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._clock = clock
        self._http = self._httpx.Client(
            headers={"User-Agent": agent, "Accept-Encoding": "gzip"},
            timeout=timeout_s,
            limits=self._httpx.Limits(max_connections=connections),
            follow_redirects=False,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def get(self, url: str) -> Answer:
        """The whole answer to one request; `NoAnswerError` where there is none."""
        httpx = self._httpx
        try:
            with self._http.stream("GET", url) as response:
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
