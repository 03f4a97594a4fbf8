"""Requests as a polite visitor sends them: not faster than a host's rate, after its robots.txt, and slower when a server asks for it.

The rate is an interval between the starts of two requests to one host, over all threads. An answer 429 or 503, and any other failure, pauses
the whole host: as long as its `Retry-After` says, else by a back-off that doubles with each attempt.

robots.txt is read after RFC 9309: the rules of the group that names us, or of `*`, where the longest pattern that matches decides. `Crawl-delay`, which
is no part of the RFC, is a lower bound on the interval between requests.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from newsdesk.corpus.archive.client import (
    BAD_ADDRESS,
    ROBOTS,
    SERVER_ERROR,
    TOO_LARGE,
    TOO_MANY,
    UNREACHABLE,
    ArchiveSettings,
)
from newsdesk.errors import EngineError
from newsdesk.network import SLOW_DOWN, TOO_MANY_STATUS, Answer, Client, NoAnswerError, retry_after

_MOST_BYTES = 512_000  # the RFC asks for at least 500 KiB

AGENT = "newsdesk"
_ROBOTS_REDIRECTS = 5  # as many as the RFC asks for


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules for one visitor of a host, as (allow, pattern), and the delay that it asks for."""

    rules: tuple[tuple[bool, str], ...] = ()
    delay_s: float = 0.0

    def allows(self, url: str) -> bool:
        """Return whether an address may be asked.

        >>> rules = parse_robots("User-agent: *\\nDisallow: /web/\\nAllow: /web/*/news", "newsdesk")
        >>> rules.allows("http://a.example/web/1/news"), rules.allows("http://a.example/web/1")
        (True, False)
        """
        parts = urlsplit(url)
        path = unquote(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        matching = [
            (len(pattern), allow) for allow, pattern in self.rules if _matches(pattern, path)
        ]
        # The longest pattern decides, of equal lengths the one that allows.
        _, allowed = max(matching, default=(0, True))
        return allowed


FORBIDDING = Robots(((False, "/"),))


def parse_robots(text: str, agent: str) -> Robots:
    """Return the rules of a robots.txt for a visitor of this name, else those for `*`."""
    # By the name of a visitor: rules (allow, pattern) and delays in seconds.
    groups: dict[str, tuple[list[tuple[bool, str]], list[float]]] = {}
    names: list[str] = []  # of the visitors that the current rules are for
    open_group = False  # whether the last line named a visitor, so that the next may name another
    for line in text[:_MOST_BYTES].splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            names = [*names, value.lower()] if open_group else [value.lower()]
            open_group = True
            groups.setdefault(value.lower(), ([], []))
            continue
        open_group = open_group and not field
        for name in names:
            rules, delays = groups[name]
            if field in ("allow", "disallow") and value:
                rules.append((field == "allow", unquote(value)))
            elif field == "crawl-delay" and re.fullmatch(r"\d+(\.\d+)?", value):
                delays.append(float(value))
    rules, delays = groups.get(agent.lower()) or groups.get("*") or ([], [])
    return Robots(tuple(rules), max(delays, default=0.0))


def _matches(pattern: str, path: str) -> bool:
    """Return whether a path begins as a pattern says: `*` is any text, a last `$` the path's end."""
    ends = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    matched = len(first)  # characters of the path
    last = others.pop() if ends and others else None
    for part in others:
        start = path.find(part, matched)
        if start < 0:
            return False
        matched = start + len(part)
    if last is not None:
        return len(path) - len(last) >= matched and path.endswith(last)
    return not ends or matched == len(path)


class StoppedError(Exception):
    """The run ends; a thread that waits for its turn gives up."""


class Pace:
    """Lets requests to a host start one interval apart; `stop` ends every wait."""

    def __init__(
        self,
        interval_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], bool] | None = None,
    ) -> None:
        self.stop = threading.Event()
        self._interval_s = interval_s
        self._clock = clock
        self._sleep = sleep or self.stop.wait
        self._intervals: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self._lock = threading.Lock()

    def slow(self, host: str, interval_s: float) -> None:
        """Keep at least this interval with one host."""
        with self._lock:
            self._intervals[host] = max(interval_s, self._intervals.get(host, self._interval_s))

    def pause(self, host: str, seconds: float) -> None:
        """Send a host nothing for some time."""
        with self._lock:
            self._next[host] = max(self._next.get(host, 0.0), self._clock() + seconds)

    def wait(self, host: str) -> None:
        """Return when the next request to a host may start."""
        while not self.stop.is_set():
            with self._lock:
                now = self._clock()
                start = self._next.get(host, now)
                if start <= now:
                    self._next[host] = now + self._intervals.get(host, self._interval_s)
                    return
            self._sleep(start - now)
        raise StoppedError


class Visitor:
    """Asks addresses politely; the hosts of the archive itself must be reachable, or the run ends."""

    def __init__(self, client: Client, pace: Pace, settings: ArchiveSettings) -> None:
        self._client = client
        self._pace = pace
        self._settings = settings
        ends = settings.endpoints
        self._services = {host_of(url) for url in (ends.availability, ends.cdx, ends.web)}
        self._services |= {host_of(ends.save)} if settings.save else set()
        self._robots: dict[str, Robots] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        pace.slow(_saving(host_of(ends.save)), 1 / settings.save_rate_per_s)

    def get(self, url: str, *, saving: bool = False) -> Answer:
        """Return the answer to a request after some attempts; `NoAnswerError` with the last reason."""
        if not self.allowed(url):
            raise NoAnswerError(ROBOTS)
        return self._asked(url, saving=saving)

    def allowed(self, url: str) -> bool:
        """Return whether the host's robots.txt, which is read once, lets us ask for an address."""
        host = host_of(url)
        with self._lock:
            lock = self._locks.setdefault(host, threading.Lock())
        with lock:
            if host not in self._robots:
                self._robots[host] = self._read_robots(url, host)
        return self._robots[host].allows(url)

    def _read_robots(self, url: str, host: str) -> Robots:
        """Return the rules of a host: none without robots.txt, all forbidden if it cannot be read.

        A delay that it asks for is kept from now on. An archive's own host must be readable, else EngineError.
        """
        parts = urlsplit(url)
        robots_url = f"{parts.scheme}://{parts.netloc}/robots.txt"
        try:
            answer = self._asked(robots_url)
            for _ in range(_ROBOTS_REDIRECTS):
                if not (300 <= answer.status < 400 and "location" in answer.headers):
                    break
                robots_url = urljoin(robots_url, answer.headers["location"])
                answer = self._asked(robots_url)
        except (NoAnswerError, ValueError) as error:  # ValueError: a redirect to no address
            if host in self._services:
                reason = error.reason if isinstance(error, NoAnswerError) else BAD_ADDRESS
                raise EngineError(
                    f"{host}: its robots.txt cannot be read ({reason}); the same command goes on later"
                ) from error
            return FORBIDDING
        if answer.status != 200:
            return Robots()
        robots = parse_robots(answer.body.decode("utf-8", "replace"), AGENT)
        if robots.delay_s:
            self._pace.slow(host, min(robots.delay_s, self._settings.max_pause_s))
        return robots

    def _asked(self, url: str, *, saving: bool = False) -> Answer:
        """Return the answer after up to `attempts` requests, without robots.txt; a failure pauses the host."""
        host = host_of(url)
        reason = UNREACHABLE
        for attempt in range(self._settings.attempts):
            if saving:
                self._pace.wait(_saving(host))
            self._pace.wait(host)
            pause = self._settings.backoff_s * 2**attempt
            try:
                answer = self._client.get(url)
            except NoAnswerError as error:
                reason = error.reason
                if reason in (BAD_ADDRESS, TOO_LARGE):
                    raise
            else:
                if answer.status < 500 and answer.status != TOO_MANY_STATUS:
                    return answer
                reason = TOO_MANY if answer.status == TOO_MANY_STATUS else SERVER_ERROR
                if answer.status in SLOW_DOWN:
                    pause = retry_after(answer.headers.get("retry-after"), pause)
            self._pace.pause(host, min(pause, self._settings.max_pause_s))
        if reason == UNREACHABLE and host in self._services:
            raise EngineError(
                f"{host}: cannot be reached, after {self._settings.attempts} attempts; the same command goes on when it can"
            )
        raise NoAnswerError(reason)


def host_of(url: str) -> str:
    """Return the host of an address with its port, which is what has a rate and a robots.txt."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        raise NoAnswerError(BAD_ADDRESS) from None


def _saving(host: str) -> str:
    return f"save {host}"
