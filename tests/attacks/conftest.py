"""A store on each database, and a running app, as the tests of campaigns and of the service have them."""

from tests.campaigns.conftest import server, store, url
from tests.service.conftest import office

__all__ = ["office", "server", "store", "url"]
