"""Language detection by script: enough to choose a tokenizer, no more.

Kana make Japanese, Han without them Chinese, Hangul Korean; each other script stands for the language most news in it is
written in. Latin text, and text without letters, counts as English.
"""

from __future__ import annotations

import re

# A CJK character carries about as much as three Latin letters, so that a brand name does not outweigh a sentence.
_SCRIPTS: tuple[tuple[str, re.Pattern[str], int], ...] = (
    ("en", re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"), 1),
    ("han", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"), 3),
    ("hiragana", re.compile("[\u3041-\u3096]"), 3),
    ("katakana", re.compile("[\u30a1-\u30fa\uff66-\uff9d]"), 3),
    ("ko", re.compile("[\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e]"), 3),
    ("ru", re.compile("[\u0400-\u04ff]"), 1),
    ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), 1),
    ("ar", re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]"), 1),
    ("he", re.compile("[\u0590-\u05ff]"), 1),
    ("hi", re.compile("[\u0900-\u097f]"), 1),
    ("th", re.compile("[\u0e00-\u0e7f]"), 1),
)
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
    han, hiragana, katakana = (counts.pop(name) for name in ("han", "hiragana", "katakana"))
    total = han + hiragana + katakana
    japanese = hiragana > _LEAST_HIRAGANA * total or katakana > _LEAST_KATAKANA * total
    counts["ja" if japanese else "zh"] = total
    # The first of equals wins, and English comes first.
    return max(counts, key=lambda name: counts[name])
