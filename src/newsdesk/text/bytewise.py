"""Cut and number the words of many texts at once, on their UTF-8 bytes: no loop over words in Python.

All texts stand in one byte string with a NUL before, between and after them. A table of 256 classes turns every byte into itself, another byte (its lower case) or
NUL (no part of a word), and words are what stands between NULs. A word of up to eight bytes is one 64-bit number, read with a window of eight bytes and
masked by its length; up to sixteen bytes it is two; longer ones are rare and go through a dictionary. Words get the numbers 0, 1, 2 … in the
order in which they first appear, as a loop with a dictionary would number them: a hash table filled by one scatter finds a first occurrence for most
of them, every find is checked, and what shared its slot with another word is looked up again under another hash.

Tokenizers with rules are applied to chunks: what stands between white space is cut once for each distinct chunk, and its words are put wherever the chunk
stands. That is right where no rule looks across white space, which a test asks of every tokenizer that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.text.ragged import Codes, Ragged, WordNumbers, offsets_of

_BLOCK = (
    8_192  # texts that are encoded at a time: one character beyond ASCII widens its whole block
)
_PADDING = bytes(16)  # after the last text, so that windows may reach beyond it
_WINDOW = 8  # bytes
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(_WINDOW + 1)], dtype=np.uint64)
_FEW = 256  # words that are left are numbered by a dictionary
_MOST_BITS = 20  # of a hash table
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7, 0xAEF17502108EF2D9)

WHITE_SPACE = b"\t\n\x0b\x0c\r "
CHUNKS = bytes(0 if byte in WHITE_SPACE else byte for byte in range(256))


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Texts, and all of them as UTF-8 with a NUL before, between and after them; the references begin at `split`."""

    texts: Sequence[str]
    data: bytes
    split: int

    @classmethod
    def of(cls, candidates: Sequence[str], references: Sequence[str]) -> Packed | None:
        r"""Pack texts; None if one of them holds a NUL.

        >>> packed = Packed.of(["It", ""], ["rained"])
        >>> packed.data.rstrip(b"\0"), packed.data[packed.split :].rstrip(b"\0")
        (b'\x00It\x00\x00rained', b'rained')
        """
        texts = [*candidates, *references]
        sides = [_encoded(candidates), _encoded(references)]
        data = b"".join((b"\0", *sides, _PADDING))
        if data.count(b"\0") != len(texts) + 1 + len(_PADDING):
            return None
        return cls(texts, data, 1 + len(sides[0]))

    @property
    def references(self) -> memoryview:
        """The references, with a NUL after each."""
        return memoryview(self.data)[self.split : -len(_PADDING)]


def _encoded(texts: Sequence[str]) -> bytes:
    """Return texts as UTF-8 with a NUL after each."""
    blocks = ("\0".join((*block, "")) for block in _blocks(texts))
    return b"".join(block.encode("utf-8", "surrogatepass") for block in blocks)


def classes(word: bytes, *, lower: bool = False) -> bytes:
    """Return a table of classes in which these bytes, and with `lower` their capitals, make words.

    >>> b"Well, 2 U.S.".translate(classes(b"abcdefghijklmnopqrstuvwxyz0123456789", lower=True))
    b'well\\x00\\x002\\x00u\\x00s\\x00'
    """
    table = bytearray(256)
    for byte in word:
        table[byte] = byte
        if lower:
            table[ord(chr(byte).upper())] = byte
    return bytes(table)


@dataclass(frozen=True, slots=True, eq=False)
class CutWords:
    """The words of packed texts: each distinct word in order of appearance, and the numbers of all."""

    words: list[bytes]
    texts: Ragged


def cut(data: bytes, table: bytes, texts: int) -> CutWords:
    """Return the words of so many packed texts under a table of classes."""
    read = data.translate(table)
    letters = np.frombuffer(read, dtype=np.uint8)
    inside = letters != 0
    borders = np.flatnonzero(inside[1:] != inside[:-1])
    borders += 1
    starts, ends = borders[0::2], borders[1::2]
    # Where each text ends: the NULs of the data, but for the first and the padding.
    nuls = np.flatnonzero(np.frombuffer(data, dtype=np.uint8)[: len(data) - len(_PADDING)] == 0)
    offsets = np.zeros(texts + 1, dtype=np.int64)
    offsets[1:] = np.searchsorted(starts, nuls[1:])
    first_of = _first_occurrences(read, starts, ends - starts)
    is_first = first_of == np.arange(len(first_of), dtype=first_of.dtype)
    number = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    firsts = np.flatnonzero(is_first)
    spans = zip(starts[firsts].tolist(), ends[firsts].tolist(), strict=True)
    return CutWords([read[start:end] for start, end in spans], Ragged(number[first_of], offsets))


def _first_occurrences(read: bytes, starts: Ints, lengths: Ints) -> NDArray[np.int32]:
    """Return for each word the place, among all words, where an equal word stands first."""
    windows = np.ndarray((len(read) - _WINDOW + 1,), dtype="<u8", buffer=read, strides=(1,))
    first_of = np.arange(len(starts), dtype=np.int32)
    short = lengths <= _WINDOW
    places = np.flatnonzero(short).astype(np.int32)
    begins = windows[starts[places]] & _MASKS[lengths[places]]
    _merge(first_of, places, begins, None)
    places = np.flatnonzero(~short).astype(np.int32)
    middle = lengths[places] <= 2 * _WINDOW
    two, many = places[middle], places[~middle]
    rests = windows[starts[two] + _WINDOW] & _MASKS[lengths[two] - _WINDOW]
    _merge(first_of, two, windows[starts[two]], rests)
    seen: dict[bytes, int] = {}
    spans = zip(starts[many].tolist(), lengths[many].tolist(), strict=True)
    for place, (start, length) in zip(many.tolist(), spans, strict=True):
        first_of[place] = seen.setdefault(read[start : start + length], place)
    return first_of


def _merge(
    first_of: NDArray[np.int32], places: NDArray[np.int32], begins: Codes, rests: Codes | None
) -> None:
    """Set the first occurrence of the words at these places, ascending; equal words have equal codes."""
    bits = int(np.clip(len(places).bit_length(), 8, _MOST_BITS))
    slots_first = np.empty(1 << bits, dtype=np.int32)
    for multiplier in _MULTIPLIERS:
        if len(places) <= _FEW:
            break
        mixed = begins if rests is None else begins ^ (rests * np.uint64(_MULTIPLIERS[-1]))
        slots = ((mixed * np.uint64(multiplier)) >> np.uint64(64 - bits)).astype(np.int32)
        order = np.arange(len(places), dtype=np.int32)
        slots_first[slots[::-1]] = order[::-1]  # of words that share a slot the first stays
        first = slots_first[slots]
        same = begins[first] == begins
        if rests is not None:
            same &= rests[first] == rests
        first_of[places[same]] = places[first[same]]
        left = np.flatnonzero(~same)
        places, begins = places[left], begins[left]
        rests = None if rests is None else rests[left]
    seen: dict[tuple[int, int], int] = {}
    others = [0] * len(places) if rests is None else rests.tolist()
    for place, *code in zip(places.tolist(), begins.tolist(), others, strict=True):
        first_of[place] = seen.setdefault((code[0], code[1]), place)


Numbered: TypeAlias = tuple[Sequence[str], Ragged]  # distinct words, and the numbers of each text


def by_classes(table: bytes, replaced: Mapping[bytes, bytes]) -> Callable[[Packed], Numbered]:
    """Return what numbers the words that a table of ASCII classes makes, after some bytes were replaced."""

    def number(packed: Packed) -> Numbered:
        found = cut(_replaced(packed.data, replaced), table, len(packed.texts))
        return b" ".join(found.words).decode("ascii").split(), found.texts

    return number


def by_chunks(
    words_of: Callable[[str], Sequence[str]], replaced: Mapping[bytes, bytes] | None = None
) -> Callable[[Packed], Numbered]:
    """Return what numbers the words that a tokenizer cuts from each chunk, after some bytes were replaced."""

    def number(packed: Packed) -> Numbered:
        chunks = cut(_replaced(packed.data, replaced or {}), CHUNKS, len(packed.texts))
        lexicon = WordNumbers()
        texts = (chunk.decode("utf-8", "surrogatepass") for chunk in chunks.words)
        once = Ragged.number([words_of(text) for text in texts], lexicon)
        words = once.take(chunks.texts.ids.astype(np.int64))
        return tuple(lexicon), Ragged(words.ids, words.offsets[chunks.texts.offsets])

    return number


def _replaced(data: bytes, replaced: Mapping[bytes, bytes]) -> bytes:
    for old, new in replaced.items():
        data = data.replace(old, new)
    return data


_WIDEST_SPACE = 0x3000


def by_characters(packed: Packed) -> Numbered:
    """Return the numbers of the characters that are not white space."""
    is_space = _is_space()
    number_of = np.full(0x110000, -1, dtype=np.int32)
    words: list[str] = []
    blocks, lengths = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int64)]
    for block in _blocks(packed.texts):
        codes = np.frombuffer("".join(block).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        kept = ~is_space[np.minimum(codes, _WIDEST_SPACE + 1)]
        before = np.concatenate([[0], np.cumsum(kept)])  # characters that are kept before each
        ends = np.cumsum(np.fromiter(map(len, block), dtype=np.int64, count=len(block)))
        lengths.append(np.diff(before[ends], prepend=0))
        codes = codes[kept]
        for new in dict.fromkeys(codes[number_of[codes] < 0].tolist()):
            number_of[new] = len(words)
            words.append(chr(new))
        blocks.append(number_of[codes])
    return words, Ragged(np.concatenate(blocks), offsets_of(np.concatenate(lengths)))


def _blocks(texts: Sequence[str]) -> Iterator[list[str]]:
    remaining = iter(texts)
    while block := list(islice(remaining, _BLOCK)):
        yield block


def _is_space() -> NDArray[np.bool_]:
    """Return which characters are white space to Python; none is beyond the ideographic space."""
    return np.array([chr(code).isspace() for code in range(_WIDEST_SPACE + 2)], dtype=np.bool_)
