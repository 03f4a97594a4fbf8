"""The store of campaigns and their judgments: SQLite by default, PostgreSQL by URL."""

from newsdesk.registry import require

require("sqlalchemy", extra="campaigns", what="a store of judgments")

# Imported after the check, whose error says what to install.
from newsdesk.campaigns.store.store import Store  # noqa: E402

__all__ = ["Store"]
