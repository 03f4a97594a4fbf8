"""The demo's first stages: the sample newsroom as files, texts of three languages as units, portal pages and a crawl as clusters."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
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
from newsdesk.types import Cluster, Event
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


_SENTENCES_SHOWN = 2


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
    section.summary = "Sentences and words in English, Chinese and Japanese, by tokenizers that a signature names."
    for article in articles:
        lang = language(article.text)
        language_tokenizer = tokenizer_for(lang)
        shown = sentences(article.text, lang)[:_SENTENCES_SHOWN]
        rows = [
            (n, text, " · ".join(language_tokenizer.words(text))) for n, text in enumerate(shown, 1)
        ]
        caption = f"{article.title} (language {lang}, tokenizer {language_tokenizer.signature})"
        section.table(("", "sentence", "words"), rows, caption)
    return section.command(f"newsdesk records check {folder.name}/{path.name}")


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
    thread = samples.threads("en")[0]
    ranked = sorted(thread.comments, key=lambda comment: -(comment.score or 0))
    shown = [*ranked[:3], *ranked[len(ranked) // 2 : len(ranked) // 2 + 2], *ranked[-3:]]
    section.table(
        ("constructive", "likes", "comment"),
        [(f"{comment.yes} of {comment.votes}", comment.likes, comment.text) for comment in shown],
        f"From the {len(thread.comments)} comments under “{thread.article.title}”: likes and votes disagree",
    )
    return section.fold(_events(events, clusters))


def _events(events: Sequence[Event], clusters: Sequence[Cluster]) -> Section:
    counts = {cluster.id: len(cluster.articles) for cluster in clusters}
    return Section(f"All {plural(len(events), 'event')}").table(
        ("day", "category", "what happened", "story", "articles"),
        [
            (event.date, event.category, event.summary, ", ".join(event.story), counts[event.id])
            for event in events
        ],
    )
