"""Rate limits: a token bucket per caller, in memory and per process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_MOST = 10_000  # callers that are remembered; beyond it, full buckets are forgotten


class Rates:
    """Token buckets by key. A bucket holds the requests of one minute and refills steadily."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # key → tokens left, and when
        self._lock = threading.Lock()

    def wait_s(self, key: str, per_minute: int) -> float:
        """Take one token of a caller's bucket: 0 if there was one, else the seconds until there is.

        >>> rates = Rates(clock=lambda: 0.0)
        >>> [rates.wait_s("ann", 4) for _ in range(5)][-2:]
        [0.0, 15.0]
        """
        now, room, rate = self._clock(), float(per_minute), per_minute / 60
        with self._lock:
            tokens, since = self._buckets.get(key, (room, now))
            tokens = min(room, tokens + (now - since) * rate)
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
