"""The language of a page: the one it declares, unless its text is written in another script."""

from __future__ import annotations

import re

from newsdesk.corpus.extract.metadata import Metadata
from newsdesk.text.language import language

# The languages that news is written in, by the script that `language` tells.
_SCRIPTS = {
    "ru": frozenset("ru uk bg sr mk be kk ky mn tg ba tt".split()),
    "ar": frozenset("ar fa ur ps ug sd ckb".split()),
    "hi": frozenset("hi mr ne sa".split()),
    "he": frozenset("he yi".split()),
    "zh": frozenset("zh yue".split()),
    "ja": frozenset(("ja",)),
    "ko": frozenset(("ko",)),
    "el": frozenset(("el",)),
    "th": frozenset(("th",)),
}
# Languages of scripts that `language` does not tell; some share punctuation with one that it does.
_UNTOLD = frozenset("bn as ta te gu pa kn ml or si my km lo bo dz ka hy am ti".split())
_FORMER = {"iw": "he", "in": "id", "ji": "yi", "jp": "ja", "cn": "zh", "gr": "el", "cz": "cs"}
_CODE = re.compile(r"\s*([A-Za-z]{2,3})(?![A-Za-z])")


def language_of(page: Metadata, text: str) -> str | None:
    """The language code of a page and its text; None where neither tells."""
    values = (
        page.lang,
        page.text("inLanguage"),
        page.first("content-language", "og:locale", "language", "dc.language"),
    )
    codes = [match[1].lower() for value in values if value and (match := _CODE.match(value))]
    declared = _FORMER.get(codes[0], codes[0]) if codes else None
    if not text:
        return declared
    shown = language(text)
    if declared is None or declared == shown:
        return shown
    if declared in _UNTOLD:
        return declared
    if shown in _SCRIPTS:
        return declared if declared in _SCRIPTS[shown] else shown
    # Latin letters, or a script that is not told apart: a declared language of the scripts above is wrong.
    return shown if any(declared in family for family in _SCRIPTS.values()) else declared
