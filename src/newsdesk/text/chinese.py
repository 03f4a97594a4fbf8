"""Chinese words: rjieba (jieba in Rust), repaired until it cuts as jieba does.

The algorithm is jieba's (https://github.com/fxsjy/jieba): the most probable path through a
dictionary, then a hidden Markov model over what the dictionary leaves as single characters.
Published Chinese scores were computed on jieba's words, so equality with `jieba.lcut` 0.42.1 is
the aim, and speed is the reason not to call jieba itself. jieba-rs 0.11 departs from it in four ways;
the first three are repaired here:

1. It joins ASCII runs over `.`, `_` and `-` ("2016-2019", "www.x.com") where jieba splits them.
   No word of the dictionary holds one of these three, so such a token never is a dictionary word
   and can be split again on its own.
2. It counts as Han what jieba makes a token each: U+9FD6 to U+9FFF, extensions A to F and the
   compatibility forms. They are cut out before it sees the text.
3. Its dictionary lacks jieba's second line for "B超", so the total behind every probability is 3
   short, which turns ties in long runs of one character ("缝" from 33 times, "呵" from 79).
4. Its Markov model is rounded to six decimals, so paths that jieba scores alike can come out the
   other way. Not repaired: it would take jieba's whole table. It shows where the dictionary leaves
   three or more of one character in a row ("赞赞赞赞赞" as 3 + 2, jieba 2 + 3): 149 times in
   73 million characters drawn from the bigrams of our Chinese data, never in the data itself.
   Elsewhere it takes 3 million characters of random Han to meet one.

White space is what `str.isspace` says, which is also what jieba's pattern says.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import version as distribution_version
from itertools import filterfalse

# A token each in jieba. The ranges are wider than what jieba-rs takes for Han today, which costs
# nothing: jieba makes a token of any single character outside its own ranges. Lone surrogates are
# here because Rust cannot hold them.
_OUTSIDE_JIEBA = re.compile(
    "([\u3400-\u4dbf\u9fd6-\u9fff\ud800-\udfff\uf900-\ufaff\U00020000-\U0003ffff])"
)

_JOINED = re.compile(r"[a-zA-Z0-9][._-][a-zA-Z0-9]")

# jieba's own pattern for what is not Han (`re_skip` in jieba/finalseg/__init__.py).
_RUN = re.compile(r"([a-zA-Z0-9]+(?:\.[0-9]+)?%?)")


def cut(text: str) -> list[str]:
    """Return the words of `text` in order; joined, they are `text` without its white space.

    >>> cut("A股2016-2019年涨了50%")
    ['A股', '2016', '-', '2019', '年涨', '了', '50%']
    """
    words: list[str] = []
    for index, piece in enumerate(_OUTSIDE_JIEBA.split(text)):
        if index % 2:  # the pattern is one group, so every other piece is the character it found
            words.append(piece)
        else:
            words.extend(_cut_known(piece))
    return words


def version() -> str:
    """Return name and version of the segmenter, for the signature of a score."""
    return f"rjieba-{distribution_version('rjieba')}"


def _cut_known(text: str) -> list[str]:
    words = list(filterfalse(str.isspace, _segmenter()(text)))
    if _JOINED.search(text) is None:
        return words
    return [part for word in words for part in _split_joined(word)]


def _split_joined(word: str) -> list[str]:
    if _JOINED.search(word) is None:
        return [word]
    return [part for part in _RUN.split(word) if part]


@cache
def _segmenter() -> Callable[[str], list[str]]:
    import rjieba

    # An instance of our own: words that other code adds to rjieba's shared one must not change ours.
    jieba = rjieba.Jieba()
    # A space is never looked up, so this only adds the missing 3 to the total.
    jieba.add_word(" ", 3, None)
    return jieba.cut
