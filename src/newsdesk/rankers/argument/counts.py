"""What is counted in each sentence of a comment, and the rates that the counts of a comment give.

All counts add up over sentences, so a sentence that counts for less is a smaller term of a sum. A rate is a count per word, per character or per sentence: none grows
with the length of a comment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.packaged import sections
from newsdesk.rankers.argument.lexicon import Hit, lexicon
from newsdesk.rankers.argument.signs import NEIGHBOURS, columns
from newsdesk.rankers.argument.vectors import SentenceVectors

# Counts that other counts are divided by.
_SIZES = ("characters", "units", "words", "sentences")
_MARKS = (
    "exclamation",
    "question mark",
    "comma",
    "colon",
    "ellipsis",
    "capitals",
    "digits",
    "percent",
    "money",
    "year",
    "doubled marks",
    "punctuation",
    "word size",
    "long words",
    "short sentences",
    "full stop",
    "small starts",
    "missing space",
)
_WORDS = ("small i", "stretched words", "careless spelling", "cut words", "shattered words")
_PER = {
    "digits": "characters",
    "punctuation": "characters",
    "short sentences": "sentences",
    "full stop": "sentences",
    "small starts": "sentences",
    **dict.fromkeys(("missing space", *_WORDS), "words"),
}

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DOUBLED = re.compile(r"[!?]{2,}")
_CAPITALS = re.compile(r"\b[A-Z]{3,}\b")
_MARK = re.compile(r"[^\w\s]")
_DIGIT = re.compile(r"\d")
_MONEY = re.compile(r"[$€£¥]")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_STRETCHED = re.compile(r"([^\W\d_])\1\1")
_SPACE = re.compile(r"[,.!?;:](?:(?<=\s.)|(?=[^\W\d_]))")
_LONG_WORD, _SHORT_SENTENCE = 7, 4
# A longer string is no word, and slow to tokenize.
_MOST_LETTERS = 40
_CUT, _SHATTERED = 1, 2


def names_of(lang: str) -> tuple[str, ...]:
    """The names of the counts, in the order of `count`."""
    return (*_SIZES, *_MARKS, *_WORDS, *lexicon(lang).kinds)


def count(
    texts: Sequence[str],
    units: Sequence[Sequence[str]],
    hits: Sequence[Sequence[Hit]],
    vectors: SentenceVectors,
    lang: str,
) -> Floats:
    """The counts of sentences, one row each; `units` are their words and `hits` the phrases of the lexicon in them."""
    plain = [unicodedata.normalize("NFKC", text).replace("’", "'").strip() for text in texts]
    words = [_WORD.findall(text) for text in plain]
    kinds = len(lexicon(lang).kinds)
    rows = np.zeros((len(texts), len(_SIZES) + len(_MARKS)))
    phrases = np.zeros((len(texts), kinds))
    for place, (text, own, some) in enumerate(zip(plain, units, hits, strict=True)):
        rows[place] = _marks(text, own, len(texts[place]), len(words[place]))
        for hit in some:
            phrases[place, hit.kind] += 1
    return np.hstack([rows, _word_counts(words, vectors, lang), phrases])


def _marks(text: str, units: Sequence[str], size: int, words: int) -> tuple[float, ...]:
    """The sizes of a sentence and the counts of its marks; a sentence's size includes the space after it."""
    first, last = text[:1], text[-1:]
    return (
        size + 1,
        len(units),
        words,
        1,
        text.count("!"),
        text.count("?"),
        text.count(",") + text.count("、"),
        text.count(";") + text.count(":"),
        text.count(".."),
        len(_CAPITALS.findall(text)),
        len(_DIGIT.findall(text)),
        text.count("%"),
        len(_MONEY.findall(text)),
        len(_YEAR.findall(text)),
        len(_DOUBLED.findall(text)),
        len(_MARK.findall(text)),
        sum(map(len, units)),
        sum(len(unit) > _LONG_WORD for unit in units),
        text.count(" ") < _SHORT_SENTENCE,
        last in (".", "!", "?", '"', "。"),
        first.islower(),
        len(_SPACE.findall(text)),
    )


def _word_counts(words: Sequence[Sequence[str]], vectors: SentenceVectors, lang: str) -> Floats:
    """The counts of `_WORDS` per sentence, each distinct word looked at once."""
    sizes = np.array([len(each) for each in words], dtype=np.int64)
    flat = [word for each in words for word in each]
    place_of = {word: place for place, word in enumerate(dict.fromkeys(flat))}
    careless = frozenset(sections("rankers", "care-en.txt")["careless"] if lang == "en" else ())
    lower = [word[:_MOST_LETTERS].lower() for word in place_of]
    pieces = vectors.pieces(lower)[:, 0]
    signs = np.stack(
        [
            np.array([word == "i" for word in place_of], dtype=np.float64),
            np.array([len(_STRETCHED.findall(word)) for word in place_of], dtype=np.float64),
            np.array([word in careless for word in lower], dtype=np.float64),
            (pieces > _CUT).astype(np.float64),
            (pieces > _SHATTERED).astype(np.float64),
        ],
        axis=1,
    )
    added = signs[[place_of[word] for word in flat]].reshape(len(flat), len(_WORDS))
    rows = np.repeat(np.arange(len(words)), sizes)
    return np.stack([np.bincount(rows, column, len(words)) for column in added.T], axis=1)


def rates(sums: Floats, lang: str) -> Floats:
    """The columns of wording for comments whose counts are `sums`, in the order of `columns` without the neighbours."""
    place_of = {name: place for place, name in enumerate(names_of(lang))}
    names = [column.name for column in columns() if column.name not in NEIGHBOURS]
    counted = sums[:, [place_of[name] for name in names]]
    sizes = sums[:, [place_of[_PER.get(name, "units")] for name in names]]
    return counted / np.maximum(sizes, 1e-9)
