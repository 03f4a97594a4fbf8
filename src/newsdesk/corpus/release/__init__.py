"""Releases of a corpus: by URL and hash or with texts, with a data card and Croissant metadata, and back again."""
