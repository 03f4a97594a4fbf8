"""The store of campaigns and their judgments: SQLite by default, PostgreSQL by URL."""

from newsdesk.campaigns.store.store import Store

__all__ = ["Store"]
