"""The demo's first stages: the sample newsroom as files, with its events and one thread; sentences and words of texts in three languages."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from newsdesk import records, samples
from newsdesk.languages import LISTED
from newsdesk.results.page import Section
from newsdesk.text import language, sentences, tokenizer_for
from newsdesk.types import Cluster, Event
from newsdesk.wording import plural

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
