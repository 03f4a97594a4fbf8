"""The language of threads, declared or identified by script, and a warning where a model of one language ranks another.

A declared language that no tokenizer supports is refused. Script alone cannot tell languages in Latin letters apart, so an undeclared thread in
Latin letters agrees with every model of such a language.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from newsdesk.errors import ArgumentError
from newsdesk.languages import check_language, has_latin_letters
from newsdesk.text.language import language
from newsdesk.types import Thread

_log = logging.getLogger(__name__)

_ENOUGH_CHARACTERS = 5_000


def language_of(thread: Thread) -> str:
    """The language of a thread's article, or the one identified by the script of title and comments.

    >>> from newsdesk.types import Article
    >>> language_of(Thread(Article("a", "", lang="zh-Hant"), ()))
    'zh'
    """
    if declared := thread.article.lang:
        try:
            check_language(declared)
        except ArgumentError as error:
            raise ArgumentError(f"article {thread.article.id!r}: {error}") from None
        return declared.partition("-")[0]
    return language(_text(thread))


def main_language(threads: Iterable[Thread], lang: str | None = None) -> str | None:
    """The language set, else that of most comments; None without threads."""
    if lang:
        return lang.partition("-")[0]
    counts: dict[str, int] = {}
    for thread in threads:
        name = language_of(thread)
        counts[name] = counts.get(name, 0) + len(thread.comments)
    return max(sorted(counts), key=lambda each: counts[each], default=None)


def warn_of_other_language(threads: Iterable[Thread], fitted: str | None) -> Iterator[Thread]:
    """The same threads; the first that is not in the language a model was fitted on is logged as a warning."""
    warned = fitted is None
    for thread in threads:
        if not warned and fitted and not _agrees(thread, fitted):
            warned = True
            _log.warning(
                "the model was fitted on comments in %r, but article %r is in %r; fit a model for each language",
                fitted,
                thread.article.id,
                language_of(thread),
            )
        yield thread


def _agrees(thread: Thread, fitted: str) -> bool:
    lang = language_of(thread)
    if lang == fitted:
        return True
    if thread.article.lang or lang != "en":
        return False
    # Undeclared English may be any language in Latin letters, or text without letters.
    return has_latin_letters(fitted) or not any(map(str.isalpha, _text(thread)))


def _text(thread: Thread) -> str:
    """The title and as many comments as it takes to identify a language."""
    text = thread.article.title or ""
    for comment in thread.comments:
        if len(text) > _ENOUGH_CHARACTERS:
            break
        text += comment.text
    return text
