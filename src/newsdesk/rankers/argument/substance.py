"""How much of each sentence is prose of its writer's own that says something new, by checks that nothing is learned for.

Five things add characters and no substance: what an earlier comment, the article or the comment itself has said in the same words; what is quoted; a row of words without the small words that make a sentence; and more of the thread's own topic
words than a sentence can use; and numbers that neither the article nor anybody else mentions. What was said before counts for the comment that said it first: that of the earliest time, or of the first place where times are unknown.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.languages import has_spaces
from newsdesk.rankers.argument.discount import COMMON, CONTENT
from newsdesk.rankers.argument.logistic import sigmoid
from newsdesk.rankers.argument.reading import Sentences, Talk
from newsdesk.rankers.argument.repetition import ngrams

# Quotations of so many characters; shorter ones are words that the writer distances himself from.
_QUOTATION = re.compile(r'"[^"]{12,}?"|“[^”]{12,}?”|«[^»]{12,}?»|「[^」]{12,}?」')
_MARK = re.compile('["“«「]')
# A sentence of this many words counts half with this share of common words (of real ones 1 % have fewer).
_LEAST_WORDS, _HALF_PROSE, _WIDTH = 6, 0.17, 0.03
# Words are of the thread if they are e times likelier there; above the first share of a sentence they count against it, at the second it counts nothing.
_OF_THREAD, _USUAL_SHARE, _MOST_SHARE = 1.0, 0.42, 0.62
# The share of topic words in a short sentence is that of one of this length.
_SHORT = 8
# A number that nobody else mentions takes away the share of so many words.
_NUMBER = 1.5


def substance(read: Sentences, talk: Talk, hosts: Ints) -> Floats:
    """Return how much of each sentence is new prose of the writer's own, from 0 to 1.

    Comment i is read in the place of comment `hosts[i]` of the thread.
    """
    own = (1 - repeated(read, talk, hosts)) * (1 - quoted(read))
    # In a language without spaces terms are pairs of characters, of which few are common.
    return own * prose(read, talk, hosts) if has_spaces(talk.reader.lang) else own


def repeated(read: Sentences, talk: Talk, hosts: Ints) -> Floats:
    """Return the share of each sentence that the article, an earlier comment or the comment itself has said."""
    keys, sentence = ngrams(read.terms, read.term_starts)
    comment = read.comment_of[sentence]  # n-grams
    said = talk.said.before(keys, hosts[comment])
    # The same n-gram for the second time in its comment.
    order = np.lexsort((keys, comment))
    same = (np.diff(keys[order]) == 0) & (np.diff(comment[order]) == 0)
    again = np.zeros(len(keys), dtype=bool)
    again[order[1:][same]] = True
    count = len(read.texts)
    total = np.maximum(np.bincount(sentence, minlength=count), 1)
    return np.bincount(sentence, said | again, count) / total


def quoted(read: Sentences) -> Floats:
    """Return the share of each sentence that stands in quotation marks, which may span sentences."""
    shares = np.zeros(len(read.texts))
    for start, end in pairwise(read.starts.tolist()):
        texts = read.texts[start:end]
        if not any(_MARK.search(text) for text in texts):
            continue
        bounds = np.cumsum([0, *(len(text) + 1 for text in texts)])  # sentences + 1
        for quotation in _QUOTATION.finditer("\n".join(texts)):
            first, last = np.clip(quotation.span(), bounds[:-1, None], bounds[1:, None] - 1).T
            shares[start:end] += (last - first) / np.maximum(np.diff(bounds) - 1, 1)
    return np.minimum(shares, 1.0)


def prose(read: Sentences, talk: Talk, hosts: Ints) -> Floats:
    """Return how far each sentence has the words of prose: enough common ones, topic words in proportion, numbers that others know."""
    sizes = np.diff(read.term_starts)  # sentences: how many words
    sentence = np.repeat(np.arange(len(sizes)), sizes)  # uses of words
    rarity = talk.terms.rarities()[read.terms]
    users = talk.mentions(read.terms, hosts[read.comment_of[sentence]])
    lift = np.log((users + 0.5) / max(len(talk.centres), 1)) + rarity  # uses of words
    topical = (users > 0) & (rarity > CONTENT) & (lift > _OF_THREAD)
    # Numbers that nobody can check: sentences.
    numbers = np.bincount(sentence, talk.terms.numeric()[read.terms] & (users == 0), len(sizes))
    checked = 1 - np.minimum(_NUMBER * numbers / np.maximum(sizes, 1), 1.0)
    # Shares of common and of topic words: sentences.
    common = np.bincount(sentence, rarity < COMMON, len(sizes)) / np.maximum(sizes, 1)
    share = np.bincount(sentence, topical, len(sizes)) / np.maximum(sizes, _SHORT)
    fluent = np.where(sizes < _LEAST_WORDS, 1.0, sigmoid((common - _HALF_PROSE) / _WIDTH))
    proportion = (_MOST_SHARE - share) / (_MOST_SHARE - _USUAL_SHARE)
    return fluent * np.clip(proportion, 0.0, 1.0) * checked
