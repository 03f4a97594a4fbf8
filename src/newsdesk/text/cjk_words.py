"""Chinese words by rjieba (jieba in Rust), repaired until it cuts as jieba does; Japanese words by MeCab, through fugashi.

**Chinese.** The algorithm is jieba's (https://github.com/fxsjy/jieba): the most probable path through a
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

**Japanese.** MeCab (Kudo, Yamamoto and Matsumoto 2004) with the IPA dictionary is handed one line at a time, as on its command line, and
a short line comes out exactly as `mecab -Owakati` prints it. Around it we keep a contract that it
does not: any text goes in, no character but white space is lost, no word holds white space. MeCab
stops at a NUL, crashes the process on very long lines, and takes U+3000 for a word.
"""

import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version as distribution_version
from itertools import filterfalse

# MeCab reads up to a NUL, and UTF-8 has no form for a lone surrogate: each is a word of its own.
_NOT_FOR_MECAB = re.compile("([\0\ud800-\udfff])")

# MeCab's time grows with the square of a run of one kind of character (100,000 letters take 6 s),
# and 200,000 of them end in a segmentation fault. News paragraphs stay well below this limit.
_MAX_CHARACTERS = 2000
_PIECE = re.compile(
    rf".{{1,{_MAX_CHARACTERS}}}(?<=[。！？\s])|.{{1,{_MAX_CHARACTERS}}}", flags=re.DOTALL
)

_taggers = threading.local()


def cut_japanese(text: str) -> list[str]:
    """Return the words of `text` in order; joined, they are `text` without its white space.

    >>> cut_japanese("すもももももももものうち")
    ['すもも', 'も', 'もも', 'も', 'もも', 'の', 'うち']
    """
    parse = _parser()
    words: list[str] = []
    for index, part in enumerate(_NOT_FOR_MECAB.split(text)):
        if index % 2:  # the pattern is one group, so every other part is the character it found
            words.append(part)
            continue
        for piece in _pieces(part):
            words.extend(parse(piece).split())
    return words


def japanese_version() -> str:
    """Return name and version of tagger and dictionary, for the signature of a score."""
    return f"fugashi-{distribution_version('fugashi')}+ipadic-{distribution_version('ipadic')}"


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines, long ones cut after the last sentence end or white space within the limit."""
    for line in text.split("\n"):
        if len(line) <= _MAX_CHARACTERS:
            yield line
        else:
            yield from _PIECE.findall(line)


def _parser() -> Callable[[str], str]:
    """Return this thread's tagger; MeCab's is not safe to share and takes under 1 ms to make."""
    parse: Callable[[str], str] | None = getattr(_taggers, "parse", None)
    if parse is None:
        import fugashi
        import ipadic

        # Splitting the spaced line is 1.5 times as fast as asking fugashi for a node per word.
        parse = fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati").parse
        _taggers.parse = parse
    return parse


# A token each in jieba. The ranges are wider than what jieba-rs takes for Han today, which costs
# nothing: jieba makes a token of any single character outside its own ranges. Lone surrogates are
# here because Rust cannot hold them.
_OUTSIDE_JIEBA = re.compile(
    "([\u3400-\u4dbf\u9fd6-\u9fff\ud800-\udfff\uf900-\ufaff\U00020000-\U0003ffff])"
)

_JOINED = re.compile(r"[a-zA-Z0-9][._-][a-zA-Z0-9]")

# jieba's own pattern for what is not Han (`re_skip` in jieba/finalseg/__init__.py).
_RUN = re.compile(r"([a-zA-Z0-9]+(?:\.[0-9]+)?%?)")


def cut_chinese(text: str) -> list[str]:
    """Return the words of `text` in order; joined, they are `text` without its white space.

    >>> cut_chinese("A股2016-2019年涨了50%")
    ['A股', '2016', '-', '2019', '年涨', '了', '50%']
    """
    words: list[str] = []
    for index, piece in enumerate(_OUTSIDE_JIEBA.split(text)):
        if index % 2:  # the pattern is one group, so every other piece is the character it found
            words.append(piece)
        else:
            words.extend(_cut_known(piece))
    return words


def chinese_version() -> str:
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
    """Return rjieba's cut with the total of jieba's dictionary."""
    import rjieba

    # An instance of our own: words that other code adds to rjieba's shared one must not change ours.
    jieba = rjieba.Jieba()
    # A space is never looked up, so this only adds the missing 3 to the total.
    jieba.add_word(" ", 3, None)
    return jieba.cut
