"""The demo's stage on corpora: the sample's portal pages and crawl become event clusters, with every loss accounted for."""

from __future__ import annotations

import shutil
from pathlib import Path

from newsdesk import records, samples
from newsdesk.corpus.build import build
from newsdesk.corpus.build_settings import read_settings
from newsdesk.corpus.tally import funnel_section, reasons_section
from newsdesk.files import make_folder, write_text
from newsdesk.results.page import Section
from newsdesk.types import Cluster
from newsdesk.wording import plural

_REASONS = "losses"  # the anchor of the table of reasons
_SETTINGS = """\
[events]
pages = ["pages/"]

[articles]
inputs = ["crawl/"]
languages = ["en"]
"""


def corpus_stage(folder: Path) -> Section:
    """Lay out pages and crawl, build the corpus, and show the funnel and the clusters."""
    pages, crawl = make_folder(folder / "pages"), make_folder(folder / "crawl")
    for page in samples.portal_pages():
        shutil.copyfile(page, pages / page.name)
    shutil.copyfile(samples.warc(), crawl / samples.warc().name)
    settings = folder / "corpus.toml"
    write_text(settings, _SETTINGS)
    built = build(read_settings(settings), folder / "corpus", root=folder, overwrite=True)
    section = Section(
        "From pages to clusters",
        "Five portal pages and a crawl of 78 pages become events, articles and clusters. An article joins the event that cites it, or the event it is most likely about.",
    )
    section.extend(funnel_section(built.stages))
    section.include(reasons_section(built.stages), _REASONS)
    clusters = list(records.read(folder / "corpus" / "clusters.jsonl", Cluster))
    section.summary = f"{sum(len(cluster.articles) for cluster in clusters)} of 78 crawled pages joined one of {plural(len(clusters), 'event')}; every other one is counted with its reason."
    section.proof = ("counted with its reason", _REASONS)
    section.fold(
        Section("Clusters as they were built").table(
            ("day", "event", "cited", "found", "the least likely of those found"),
            [_row(cluster) for cluster in clusters],
            "An article that no event cites joins one with a probability of at least .9",
        )
    )
    return section.code(
        "newsdesk corpus build corpus/corpus.toml -o corpus/corpus\n"
        "newsdesk corpus stats corpus/corpus/clusters.jsonl"
    )


def _row(cluster: Cluster) -> tuple[str | int | None, ...]:
    aligned = [article for article in cluster.articles if article.origin == "found"]
    least = min(aligned, key=lambda article: article.probability or 0, default=None)
    return (
        cluster.date,
        cluster.summary,
        len(cluster.articles) - len(aligned),
        len(aligned),
        None if least is None else f"{least.title} ({least.probability:.2f})",
    )
