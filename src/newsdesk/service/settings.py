"""The settings of the web app: where its data lies, and its limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsdesk.settings import at_least

VARIABLE = "NEWSDESK_SERVE"  # how the settings reach worker processes of the server

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How the web app runs.

    Sizes are in bytes, times in seconds, rates in requests per minute and person, key or address.
    """

    data: Path
    store: str | None = None  # the URL of the store; None: the SQLite file of the data folder
    processes: int = 1  # that do heavy work
    max_body_bytes: int = 8 * _MIB
    max_upload_bytes: int = 64 * _MIB
    max_items: int = 10_000  # of a list in one request
    request_timeout_s: float = 60.0
    work_timeout_s: float = 300.0
    session_s: float = 30 * 24 * 3600.0
    sign_ins_per_minute: int = 20
    requests_per_minute: int = 1_200

    def __post_init__(self) -> None:
        at_least("processes", self.processes, 1)
        at_least("max_items", self.max_items, 1)

    def as_json(self) -> str:
        """Return the settings as text, for the environment of worker processes."""
        return json.dumps({**asdict(self), "data": str(self.data)})

    @classmethod
    def from_json(cls, text: str) -> ServiceSettings:
        """Read the settings back from `as_json`."""
        values: Mapping[str, Any] = json.loads(text)
        return cls(**{**values, "data": Path(values["data"])})
