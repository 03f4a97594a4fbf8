"""Ready models: fitted rankers that ship with the package, so that comments without a single vote can be ranked."""

from __future__ import annotations

from newsdesk.errors import ArgumentError
from newsdesk.rankers.ranker import Ranker

READY = "ready"


def ready_names() -> tuple[str, ...]:
    """The names that `load_ready` and the commands take for a model."""
    return (READY,)


def load_ready(name: str, lang: str | None = None) -> Ranker:
    """Load a ready model by name; `ready` is that of the language."""
    raise ArgumentError(f"no ready model for {lang!r}; fit one with `newsdesk rank fit`")
