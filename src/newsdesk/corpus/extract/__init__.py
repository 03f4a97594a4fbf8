"""Articles from web pages: `extract(html, url=…)`."""

from newsdesk.corpus.extract.extractor import Extracted, extract

__all__ = ["Extracted", "extract"]
