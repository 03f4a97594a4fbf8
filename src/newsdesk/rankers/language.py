"""Warn where a model of one language ranks threads in another.

Script alone cannot tell languages in Latin letters apart, so an undeclared thread in
Latin letters agrees with every model of such a language.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from newsdesk.languages import has_latin_letters
from newsdesk.text.language import language_of, opening
from newsdesk.types import Thread

_log = logging.getLogger(__name__)


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
    return has_latin_letters(fitted) or not any(map(str.isalpha, opening(thread)))
