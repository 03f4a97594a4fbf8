"""Text written by us for demos, tests and pictures (CC0-1.0): fiction that reads like the real thing."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def path(name: str) -> Path:
    """Where a sample file lies, as in `path("languages.jsonl")`."""
    return Path(str(resources.files(__name__).joinpath("data", name)))
