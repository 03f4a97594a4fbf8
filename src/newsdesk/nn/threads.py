"""Limits torch to one thread for a while, because the last digits of sums depend on the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def one_thread(torch: Any) -> Iterator[None]:
    """Run a block with one torch thread and restore their number afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
