"""Facts about languages that several parts need before any text is cut into words."""

from __future__ import annotations

_UNSPACED = ("zh", "ja", "th")


def has_spaces(lang: str) -> bool:
    """True for a language that writes spaces between words.

    >>> has_spaces("en"), has_spaces("zh-Hant")
    (True, False)
    """
    return lang.partition("-")[0] not in _UNSPACED
