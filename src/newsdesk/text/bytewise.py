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
from newsdesk.kernel import has_kernel, number_characters, number_words
from newsdesk.text.ragged import Codes, Ragged, WordNumbers, offsets_of

_BLOCK = (
    8_192  # texts that are encoded at a time: one character beyond ASCII widens its whole block
)
_BLOCK_BYTES = 1 << 18  # are cut at a time
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
        encoded = _encoded(texts)
        data = b"\0".join((b"", *encoded, _PADDING))
        if data.count(b"\0") != len(texts) + 1 + len(_PADDING):
            return None
        before = encoded[: len(candidates)]
        return cls(texts, data, 1 + sum(map(len, before)) + len(before))

    @property
    def references(self) -> memoryview:
        """The references, with a NUL after each."""
        return memoryview(self.data)[self.split : -len(_PADDING)]


def _encoded(texts: Sequence[str]) -> list[bytes]:
    try:
        return list(map(str.encode, texts))
    except UnicodeEncodeError:
        return [text.encode("utf-8", "surrogatepass") for text in texts]


Numbered: TypeAlias = tuple[Sequence[str], Ragged]  # distinct words, and the numbers of each text


LETTERS_AND_DIGITS = bytes(
    ord(chr(byte).lower()) if chr(byte).isalnum() and byte < 128 else 0 for byte in range(256)
)
# The two letters beyond ASCII with a lower case in it: İ, which becomes i and an accent, and the Kelvin sign.
_LOWERED = {"\u0130".encode(): b"i\xff", "\u212a".encode(): b"k"}


def cut(data: bytes, table: bytes, texts: int) -> Numbered:
    """Return the distinct words of so many packed texts under a table of classes, and the numbers of all."""
    if has_kernel():
        pool, ids, offsets = number_words(data, table, texts)
        return pool.decode("utf-8", "surrogatepass").split("\0")[:-1], Ragged(ids, offsets)
    return _cut_by_numpy(data, table, texts)


def _cut_by_numpy(data: bytes, table: bytes, texts: int) -> Numbered:
    """Return what `cut` returns, without the kernel: a block of texts at a time, so that all arrays stay in the cache."""
    lexicon = WordNumbers()
    ids, lengths = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int64)]
    begin, last = (
        0,
        len(data) - len(_PADDING) - 1,
    )  # the NULs before the first and after the last text
    while begin < last:
        end = min(data.find(b"\0", min(begin + _BLOCK_BYTES, last)), last)
        words, numbers, counts = _cut_block(data[begin : end + 1], table)
        known = map(lexicon.__getitem__, words)
        ids.append(np.fromiter(known, dtype=np.int32, count=len(words))[numbers])
        lengths.append(counts)
        begin = end
    return tuple(lexicon), Ragged(np.concatenate(ids), offsets_of(np.concatenate(lengths)))


def _cut_block(data: bytes, table: bytes) -> tuple[list[str], NDArray[np.int32], Ints]:
    """Return the distinct words of texts between NULs, the numbers of all, and how many each text has."""
    read = data.translate(table) + _PADDING
    inside = np.frombuffer(read, dtype=np.uint8) != 0
    borders = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = borders[0::2], borders[1::2]
    nuls = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0)
    counts = np.diff(np.searchsorted(starts, nuls))
    first_of = _first_occurrences(read, starts, ends - starts)
    is_first = first_of == np.arange(len(first_of), dtype=first_of.dtype)
    number = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    firsts = np.flatnonzero(is_first)
    spans = zip(starts[firsts].tolist(), ends[firsts].tolist(), strict=True)
    words = b"\0".join([read[start:end] for start, end in spans]).decode("utf-8", "surrogatepass")
    return words.split("\0") if words else [], number[first_of], counts


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


def by_ascii(packed: Packed) -> Numbered:
    """Return the numbers of the runs of a–z and 0–9 in lower-cased texts."""
    return cut(_replaced(packed.data, _LOWERED), LETTERS_AND_DIGITS, len(packed.texts))


def by_chunks(
    words_of: Callable[[str], Sequence[str]], replaced: Mapping[bytes, bytes] | None = None
) -> Callable[[Packed], Numbered]:
    """Return what numbers the words that a tokenizer cuts from each chunk, after some bytes were replaced."""

    def number(packed: Packed) -> Numbered:
        data = _replaced(packed.data, replaced or {})
        chunks, texts = cut(data, CHUNKS, len(packed.texts))
        lexicon = WordNumbers()
        once = Ragged.number([words_of(chunk) for chunk in chunks], lexicon)
        words = once.take(texts.ids.astype(np.int64))
        return tuple(lexicon), Ragged(words.ids, words.offsets[texts.offsets])

    return number


def _replaced(data: bytes, replaced: Mapping[bytes, bytes]) -> bytes:
    letters = np.frombuffer(data, dtype=np.uint8)
    for old, new in replaced.items():
        # Looking for the last two bytes first is several times as fast as looking for all of them.
        ends = np.flatnonzero(letters == old[-1])
        if (letters[ends - 1] == old[-2]).any():
            data = data.replace(old, new)
            letters = np.frombuffer(data, dtype=np.uint8)
    return data


_WIDEST_SPACE = 0x3000


def by_characters(packed: Packed) -> Numbered:
    """Return the numbers of the characters that are not white space."""
    is_space = _is_space()
    if has_kernel():
        ids, offsets, points = number_characters(packed.data, is_space, len(packed.texts))
        return [chr(code) for code in points.tolist()], Ragged(ids, offsets)
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
