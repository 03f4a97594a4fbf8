"""The demo's second stage: sentences and words of texts in three languages."""

from __future__ import annotations

from pathlib import Path

from newsdesk import records, samples
from newsdesk.pages.page import Section
from newsdesk.text import language, sentences, tokenizer_for

_SENTENCES_SHOWN = 2


def run(folder: Path) -> Section:
    """Write one article of each language; show their sentences and words."""
    articles = [samples.threads(lang)[0].article for lang in samples.LANGUAGES]
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
