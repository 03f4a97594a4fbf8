"""Structured logs on standard error: one JSON object a line, without texts, tokens or addresses of pages, which may hold a token."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

LOGGER = "newsdesk.service"


class JsonLines(logging.Formatter):
    """Formats a record as one JSON line; the fields of `extra={"fields": …}` are included."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record; an exception is named by its type alone."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().partition("\n")[0],
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


def install(level: int = logging.INFO) -> None:
    """Send the logs of the service and of the server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in (LOGGER, "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level if name == LOGGER else logging.WARNING)
