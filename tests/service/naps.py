"""Work for worker processes that sleeps, fails or dies, in place of a computation of the API."""

from __future__ import annotations

import os
import time
from typing import Any


def nap(model: Any, threads: Any, most: int) -> list[bytes]:
    """`most` is 1 for quick work, else the tenths of a second that it takes."""
    time.sleep(0 if most == 1 else most / 10)
    return []


def fail(model: Any, threads: Any, most: int) -> list[bytes]:
    raise ValueError("a secret text")


def die(model: Any, threads: Any, most: int) -> list[bytes]:
    os._exit(1)
