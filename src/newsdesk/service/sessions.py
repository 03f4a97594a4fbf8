"""Sign session cookies and CSRF tokens (HMAC-SHA256), and limit the rate of callers by token buckets.

>>> signer = Signer(b"key" * 16)
>>> cookie = signer.session(7, 0, at=1000)
>>> signer.read(cookie, now=1500, max_age_s=600)
Session(person=7, generation=0)
>>> signer.read(cookie, now=1700, max_age_s=600) is None, signer.read(cookie + "x", now=1500, max_age_s=600) is None
(True, True)
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_MOST = 10_000  # callers that are remembered; beyond it, full buckets are forgotten


class RateLimits:
    """Token buckets by key. A bucket holds the requests of one minute and refills steadily."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # key → tokens left, and when
        self._lock = threading.Lock()

    def wait_s(self, key: str, per_minute: int) -> float:
        """Take one token of a caller's bucket; return 0 if there was one, else the seconds until there is.

        >>> rates = RateLimits(clock=lambda: 0.0)
        >>> [rates.wait_s("ann", 4) for _ in range(5)][-2:]
        [0.0, 15.0]
        """
        now, capacity, rate = self._clock(), float(per_minute), per_minute / 60
        with self._lock:
            tokens, since = self._buckets.get(key, (capacity, now))
            tokens = min(capacity, tokens + (now - since) * rate)
            wait = 0.0 if tokens >= 1 else (1 - tokens) / rate
            self._buckets[key] = (tokens - 1 if not wait else tokens, now)
            if len(self._buckets) > _MOST:
                self._forget(now)
        return wait

    def _forget(self, now: float) -> None:
        """Drop callers that have not come for a minute: their buckets are full."""
        self._buckets = {
            key: (tokens, since)
            for key, (tokens, since) in self._buckets.items()
            if now - since < 60
        }


COOKIE = "newsdesk_session"

_LONGEST = 512
_CLOCK_SKEW_S = 60  # by which the clock of another server may be ahead


@dataclass(frozen=True, slots=True)
class Session:
    """The person and key generation that a valid cookie names."""

    person: int
    generation: int


class Signer:
    """Signs and checks cookies and CSRF tokens with one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def session(self, person: int, generation: int, *, at: float) -> str:
        """Return a new cookie; a random part makes each one different."""
        payload = f"{person}.{generation}.{int(at)}.{secrets.token_urlsafe(12)}"
        return f"{payload}.{self._mac('session', payload)}"

    def read(self, cookie: str, *, now: float, max_age_s: float) -> Session | None:
        """Return the session of a cookie; None if it is forged, damaged or too old."""
        payload, _, mac = cookie[:_LONGEST].rpartition(".")
        if not hmac.compare_digest(mac.encode(), self._mac("session", payload).encode()):
            return None
        person, generation, at, _ = payload.split(".")
        if not -_CLOCK_SKEW_S <= now - int(at) <= max_age_s:
            return None
        return Session(int(person), int(generation))

    def csrf(self, cookie: str) -> str:
        """Return the token that every form of a session carries."""
        return self._mac("csrf", cookie)

    def csrf_matches(self, cookie: str, token: str) -> bool:
        """Return True if a form's token belongs to the session."""
        return hmac.compare_digest(self.csrf(cookie).encode(), token.encode())

    def _mac(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}:{text}".encode(), hashlib.sha256).hexdigest()
