"""Which words of a vocabulary are names of people, places and organizations, without a trained recognizer.

In languages with capital letters a name is a word that is mostly capitalized inside sentences of the corpus itself; Chinese and Japanese words are looked up in the
dictionaries that cut them. German capitalizes every noun, so nothing can be told there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from newsdesk.languages import settings_of
from newsdesk.registry import require

# A word after another word or a comma: the first words of sentences and of lines are left out.
_INSIDE = re.compile(r"(?<=[^\W\d_] |[,;] )[^\W\d_]+(?:-[^\W\d_]+)*")
_CHINESE_NAMES = frozenset(("nr", "nrt", "nrfg", "ns", "nt"))  # jieba's tags
_JAPANESE_NAME = "固有名詞"  # "proper noun" in the second feature of the IPA dictionary


def name_words(words: Sequence[str], texts: Iterable[str], lang: str) -> set[str]:
    """Return those of the lower-case words that are names; `texts` is the corpus they come from.

    >>> texts = ["We told Mayor Marlow, and Marlow was told.", "So the mayor told us in May."]
    >>> sorted(name_words(["told", "marlow", "mayor", "may"], texts, "en"))
    ['marlow', 'may']
    """
    settings = settings_of(lang)
    if settings.names == "none":
        return set()
    if settings.names == "dictionary":
        return _chinese(words) if settings.tokenizer == "zh" else _japanese(words)
    return _capitalized(texts) & set(words)


def _capitalized(texts: Iterable[str]) -> set[str]:
    """Return words that are capitalized inside sentences more often than not."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_INSIDE.findall(text))
    balance: Counter[str] = Counter()
    for word, count in counts.items():
        balance[word.lower()] += count if word[0].isupper() and len(word) > 1 else -count
    return {word for word, count in balance.items() if count > 0}


def _chinese(words: Sequence[str]) -> set[str]:
    """Return the words that jieba keeps whole and tags as a name."""
    tagger = require("rjieba", extra="zh", what="cutting Chinese into words").Jieba()
    names = set()
    for word in words:
        # A lone surrogate cannot be passed on; one character is no name.
        if len(word) > 1 and not _has_surrogates(word):
            tags = [tag for _, tag in tagger.tag(word)]  # of the words it is cut into
            if len(tags) == 1 and tags[0] in _CHINESE_NAMES:
                names.add(word)
    return names


def _japanese(words: Sequence[str]) -> set[str]:
    """Return the words that MeCab keeps whole and tags as a proper noun."""
    fugashi = require("fugashi", extra="ja", what="cutting Japanese into words")
    ipadic = require("ipadic", extra="ja", what="cutting Japanese into words")
    tagger = fugashi.GenericTagger(ipadic.MECAB_ARGS)
    names = set()
    for word in words:
        if len(word) > 1 and "\0" not in word and not _has_surrogates(word):
            nodes = tagger(word)
            if len(nodes) == 1 and nodes[0].feature[1] == _JAPANESE_NAME and not word.isascii():
                names.add(word)
    return names


def _has_surrogates(word: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in word)
