"""Stores to attack, one on each database."""

from tests.campaigns.conftest import server, store, url

__all__ = ["server", "store", "url"]
