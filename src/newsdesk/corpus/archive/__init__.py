"""Cited sources from the Internet Archive: `archive(events, folder)`, after Gholipour Ghalandari et al. (2020, section 3).

`wayback` knows the archive's interfaces, `client` is the one door to the network, `polite` keeps
rates, back-off and robots.txt, `store` holds the ledger and the WARC file, `run` puts them together and tells an article from what only looks
like one, and `rot` lists what events cite and shows what is missing.
"""

from newsdesk.corpus.archive.client import ArchiveSettings, Endpoints
from newsdesk.corpus.archive.run import archive

__all__ = ["ArchiveSettings", "Endpoints", "archive"]
