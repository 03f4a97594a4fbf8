"""The sample newsroom as portal pages, crawl files and a settings file, in a folder."""

from __future__ import annotations

import shutil
from html import escape
from pathlib import Path

from newsdesk import samples
from newsdesk.types import Article
from tests.corpus.writing import Stored, record, write_warc

SETTINGS = """
seed = 7

[events]
pages = ["pages"]

[articles]
inputs = ["crawl"]
languages = ["en"]
{articles}

[align]
fit = true
probability = 0.5
"""


def html_of(article: Article) -> bytes:
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in article.text.splitlines() if line)
    return (
        f'<html lang="en"><head><title>{escape(article.title or "")}</title>'
        f'<meta property="article:published_time" content="{article.date}T08:00:00Z">'
        f"</head><body><article><h1>{escape(article.title or '')}</h1>{paragraphs}</article></body></html>"
    ).encode()


def write_newsroom(folder: Path, articles: str = "", *, shards: int = 3) -> Path:
    """Write everything; the settings file."""
    (folder / "pages").mkdir(parents=True)
    (folder / "crawl").mkdir()
    for page in samples.portal_pages():
        shutil.copyfile(page, folder / "pages" / page.name)
    stored = [
        Stored(article.url or "", html_of(article)).record("2031-03-10T12:00:00Z")
        for cluster in samples.clusters()
        for article in cluster.articles
    ]
    for shard in range(shards):
        extra: list[Stored | bytes] = [
            record("request", b"GET / HTTP/1.1\r\n\r\n", "https://a.example/"),
            Stored(f"https://a.example/{shard}", b"gone", 404),
            Stored(f"https://a.example/{shard}/empty", b"<html></html>"),
        ]
        write_warc(folder / "crawl" / f"{shard}.warc.gz", [*stored[shard::shards], *extra])
    settings = folder / "corpus.toml"
    settings.write_text(SETTINGS.format(articles=articles))
    return settings
