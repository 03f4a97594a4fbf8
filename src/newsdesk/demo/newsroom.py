"""The demo's first stages: the sample newsroom as files, texts of three languages as units, portal pages and a crawl as clusters."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from newsdesk import records, samples
from newsdesk.corpus.build import build
from newsdesk.corpus.build_settings import read_settings
from newsdesk.corpus.tally import funnel_section, reasons_section
from newsdesk.files import make_folder, write_text
from newsdesk.languages import LISTED
from newsdesk.results.page import Section
from newsdesk.text import language, sentences, tokenizer_for
from newsdesk.types import Article, Cluster, Event
from newsdesk.wording import plural

_EVENTS_SHOWN = 3
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
    clusters = list(records.read(folder / "corpus" / "clusters.jsonl", Cluster))
    section.summary = f"{sum(len(cluster.articles) for cluster in clusters)} of 78 pages joined one of {plural(len(clusters), 'event')}; each other is counted with its reason."
    section.proof = ("counted with its reason", _REASONS)
    details = Section("What was lost and why, and the clusters as they were built")
    details.include(reasons_section(built.stages), _REASONS)
    details.include(
        Section("Clusters").table(
            ("day", "event", "cited", "found", "the least likely of those found"),
            [_row(cluster) for cluster in clusters],
            "An article that no event cites joins one with a probability of at least .9",
        )
    )
    section.fold(details)
    return section.command(
        "newsdesk corpus build corpus.toml -o corpus/",
        "From your own pages and crawl, named in a file of settings as corpus/corpus.toml here:",
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


_SENTENCES_SHOWN = 3


def text_stage(folder: Path) -> Section:
    """Write one article of each language; show their sentences and words."""
    articles = [samples.threads(lang)[0].article for lang in LISTED]
    path = folder / "articles.jsonl"
    count = records.write(path, articles)
    records.write_manifest(folder / "manifest.json", [(path, count)], spec="demo: text")
    section = Section(
        "Text becomes units",
        "The language is found by its script; sentences survive abbreviations, initials, quotes and missing spaces; "
        "every list of words says which tokenizer cut it.",
    )
    section.summary = "English, Chinese and Japanese, by tokenizers that a signature names."
    section.table(
        ("", "sentence", "words"),
        [(_tokenizer_name(article), *_shortest(_units(article))) for article in articles],
        "A sentence of an article in each language, and the tokenizer that cut its words",
    )
    more = Section("More sentences")
    for article in articles:
        more.table(("sentence", "words"), _units(article), article.title or "")
    section.fold(more)
    return section.command(
        "newsdesk records check articles.jsonl",
        "Your own articles as JSON lines, checked record by record:",
    )


def _shortest(units: Sequence[tuple[str, str]]) -> tuple[str, str]:
    return min(units, key=lambda unit: len(unit[0]))


def _tokenizer_name(article: Article) -> str:
    lang = language(article.text)
    return f"{lang}: {tokenizer_for(lang).signature}"


def _units(article: Article) -> list[tuple[str, str]]:
    """Return the first sentences of an article, each with its words."""
    lang = language(article.text)
    words = tokenizer_for(lang).words
    return [
        (text, " · ".join(words(text))) for text in sentences(article.text, lang)[:_SENTENCES_SHOWN]
    ]


def newsroom_stage(folder: Path) -> Section:
    """Write every sample file with a manifest; show the events and one thread."""
    events, clusters = samples.events(), samples.clusters()
    contents: dict[str, Sequence[Any]] = {
        "events.jsonl": events,
        "clusters.jsonl": clusters,
        "outputs.jsonl": samples.outputs(),
        **{f"threads-{lang}.jsonl": samples.threads(lang) for lang in LISTED},
        **{
            f"judgments-{protocol}.jsonl": list(samples.judgments(protocol))
            for protocol in ("grade", "constructive", "rank")
        },
    }
    files = [(folder / name, records.write(folder / name, rows)) for name, rows in contents.items()]
    records.write_manifest(folder / "manifest.json", files, spec="demo: newsroom")
    for page in samples.portal_pages():
        shutil.copyfile(page, folder / page.name)
    section = Section(
        "A sample newsroom",
        "Invented events of five days in March 2031 from the republic of Calverra, with articles from ten outlets, portal pages, "
        "reader comments in three languages, grades, votes and ranks. Written by us; nobody in it exists.",
    )
    section.summary = f"{plural(len(events), 'event')}, {sum(len(cluster.articles) for cluster in clusters)} articles, comments in three languages."
    counts = {cluster.id: len(cluster.articles) for cluster in clusters}
    section.table(
        ("day", "what happened", "articles"),
        [(event.date, event.summary, counts[event.id]) for event in events[:_EVENTS_SHOWN]],
    )
    section.fold(_events(events, counts))
    return section.command(
        "newsdesk samples comments.csv", "The same kind of files to try every command on:"
    )


def _events(events: Sequence[Event], counts: Mapping[str, int]) -> Section:
    return Section(f"All {plural(len(events), 'event')}").table(
        ("day", "category", "what happened", "story", "articles"),
        [
            (event.date, event.category, event.summary, ", ".join(event.story), counts[event.id])
            for event in events
        ],
    )
