"""One thread of torch for a while: sums over several threads differ in their last digits from those of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def one_thread(torch: Any) -> Iterator[None]:
    """Run a block on one thread and give back as many as there were."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
