"""The demo's first stage: the same small story in three languages, cut into sentences and words."""

from __future__ import annotations

from pathlib import Path

from newsdesk import records, samples
from newsdesk.studies.report import Section
from newsdesk.text import language, sentences, tokenizer_for
from newsdesk.types import Article


def run(folder: Path) -> Section:
    """Write the articles and one file of their sentences; show what was found."""
    articles = list(records.read(samples.path("languages.jsonl"), Article))
    path = folder / "articles.jsonl"
    count = records.write(path, articles)
    records.write_manifest(folder / "manifest.json", [(path, count)], spec="demo: text")
    section = Section(
        "Text becomes units",
        "One invented story in English, Chinese and Japanese. The language is found by its script; sentences survive "
        "abbreviations, prices, quotes and a missing space; every word list says which tokenizer cut it.",
    )
    for article in articles:
        lang = language(article.text)
        found = tokenizer_for(lang)
        rows = [
            (n, sentence, " · ".join(found.words(sentence)))
            for n, sentence in enumerate(sentences(article.text, lang), 1)
        ]
        caption = f"{article.id}: language {lang}, tokenizer {found.signature}"
        section.table(("", "sentence", "words"), rows, caption)
    return section.code(f"newsdesk records check {path}")
