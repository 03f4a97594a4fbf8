"""Japanese words: MeCab with the IPA dictionary, through fugashi.

MeCab (Kudo, Yamamoto and Matsumoto 2004) is handed one line at a time, as on its command line, and
a short line comes out exactly as `mecab -Owakati` prints it. Around it we keep a contract that it
does not: any text goes in, no character but white space is lost, no word holds white space. MeCab
stops at a NUL, crashes the process on very long lines, and takes U+3000 for a word.
"""

import re
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import version as distribution_version

# MeCab reads up to a NUL, and UTF-8 has no form for a lone surrogate: each is a word of its own.
_NOT_FOR_MECAB = re.compile("([\0\ud800-\udfff])")

# MeCab's time grows with the square of a run of one kind of character (100,000 letters take 6 s),
# and 200,000 of them end in a segmentation fault. News paragraphs stay well below this limit.
_MAX_CHARACTERS = 2000
_PIECE = re.compile(
    rf".{{1,{_MAX_CHARACTERS}}}(?<=[。！？\s])|.{{1,{_MAX_CHARACTERS}}}", flags=re.DOTALL
)

_taggers = threading.local()


def cut(text: str) -> list[str]:
    """Return the words of `text` in order; joined, they are `text` without its white space.

    >>> cut("すもももももももものうち")
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


def version() -> str:
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
