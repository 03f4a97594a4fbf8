"""Detect the language of texts and threads by script: enough to choose a tokenizer, no more.

Kana make Japanese, Han without them Chinese, Hangul Korean; each other script stands for the language most news in it is
written in. Latin text, and text without letters, counts as English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from newsdesk.errors import ArgumentError
from newsdesk.languages import LANGUAGES, check_language, settings_of
from newsdesk.types import Thread

_SCRIPTS = tuple(
    (entry.code, re.compile(f"[{entry.letters}]"), entry.letter_weight)
    for entry in LANGUAGES.values()
    if entry.letters
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_KATAKANA = re.compile("[\u30a1-\u30fa\uff66-\uff9d]")
_CJK_WEIGHT = 3  # a character says as much as so many letters
_ENOUGH_CHARACTERS = 5_000
# Japanese grammar is written in hiragana, so a few of them tell. Katakana write names, which Chinese text may quote.
_LEAST_HIRAGANA = 0.05
_LEAST_KATAKANA = 0.3


def language(text: str) -> str:
    """Detect the language of a text by its script.

    >>> [language(text) for text in ("The end.", "我爱北京", "東京へ行く", "LOL 123")]
    ['en', 'zh', 'ja', 'en']
    """
    text = text[:_ENOUGH_CHARACTERS]
    if text.isascii():
        return "en"
    counts = {name: weight * len(pattern.findall(text)) for name, pattern, weight in _SCRIPTS}
    han, hiragana, katakana = (
        len(pattern.findall(text)) for pattern in (_HAN, _HIRAGANA, _KATAKANA)
    )
    total = han + hiragana + katakana
    japanese = hiragana > _LEAST_HIRAGANA * total or katakana > _LEAST_KATAKANA * total
    counts["ja" if japanese else "zh"] = _CJK_WEIGHT * total
    # The first of equals wins, and English comes first.
    return max(counts, key=lambda name: counts[name])


def language_of(thread: Thread, *, with_article: bool = False) -> str:
    """Return the declared language of a thread's article, or the one that its texts show by their script.

    These are the title and comments, and `with_article` the article too. A declared language that no tokenizer supports is refused.

    >>> from newsdesk.types import Article
    >>> language_of(Thread(Article("a", "", lang="zh-Hant"), ()))
    'zh'
    """
    if declared := thread.article.lang:
        try:
            check_language(declared)
        except ArgumentError as error:
            raise ArgumentError(f"article {thread.article.id!r}: {error}") from None
        return settings_of(declared).code
    return language(opening(thread, with_article=with_article))


def opening(thread: Thread, *, with_article: bool = False) -> str:
    """Return the title and as many comments as it takes to identify a language."""
    text = thread.article.title or ""
    if with_article:
        text = f"{text} {thread.article.text}"
    for comment in thread.comments:
        if len(text) > _ENOUGH_CHARACTERS:
            break
        text += comment.text
    return text


def main_language(
    threads: Iterable[Thread], lang: str | None = None, *, by_article: bool = False
) -> str | None:
    """Return the language set, else that of most comments, or with `by_article` of most articles.

    None without threads.
    """
    if lang:
        return settings_of(lang).code
    counts: Counter[str] = Counter()
    for thread in threads:
        name = language_of(thread, with_article=by_article)
        counts[name] += 1 if by_article else len(thread.comments)
    return max(sorted(counts), key=lambda name: counts[name], default=None)
