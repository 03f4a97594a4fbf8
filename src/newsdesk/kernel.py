"""The optional compiled kernel: the inner loops of tokenizing, matching and resampling in one C file, called by ctypes.

`kernel.c` is compiled on installation where a compiler is at hand (hatch_build.py) and is used where it was; else numpy does the same work, to the
last bit, two to five times as slowly. `NEWSDESK_KERNEL=off` in the environment leaves it unused. The compiled file carries a digest of its source in its
name, so one of another version is never loaded.

Every function here is a call with arrays in and arrays out, and raises MemoryError where there is no memory left. `has_kernel()` is asked first, by those who call.
"""

from __future__ import annotations

import ctypes
import functools
import os
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints

SWITCH = "NEWSDESK_KERNEL"
_OFF = ("off", "0", "no", "false")
Numbers = NDArray[np.int32]
_CODE_POINTS = 0x110000
Bytes = NDArray[np.uint8]


def file_name(source: bytes) -> str:
    """Return the name of the compiled file of a source."""
    return f"_kernel_{blake2b(source, digest_size=6).hexdigest()}.so"


def has_kernel() -> bool:
    """Return True if there is a compiled kernel and the environment does not switch it off."""
    return os.environ.get(SWITCH, "").lower() not in _OFF and _library() is not None


@functools.cache
def _library() -> ctypes.CDLL | None:
    """Load the kernel compiled from the source beside this file; None if there is none for this machine."""
    folder = Path(__file__).parent
    try:
        library = ctypes.CDLL(str(folder / file_name((folder / "kernel.c").read_bytes())))
    except OSError:
        return None
    for name, arguments in _ARGUMENTS.items():
        function = getattr(library, f"newsdesk_{name}")
        function.argtypes = [_KINDS[kind] for kind in arguments]
        function.restype = ctypes.c_int64
    return library


# Of each function: a for an address, l for a 64-bit number, i for one of 32.
_KINDS = {"a": ctypes.c_void_p, "l": ctypes.c_int64, "i": ctypes.c_int32}
_ARGUMENTS = {
    "words": "alaaalaa",
    "characters": "alalaala",
    "hits": "aaaaalliaa",
    "matches": "aaaaallillaaaaaaa",
    "lcs": "aaaaalla",
    "draws": "aallala",
}


def _call(name: str, *arguments: Any) -> int:
    """Call a function of the kernel; arrays are passed by their address."""
    passed = [_address(each) if isinstance(each, np.ndarray) else each for each in arguments]
    result = int(getattr(_library(), f"newsdesk_{name}")(*passed))
    if result < 0:
        raise MemoryError(f"no memory for the scratch arrays of newsdesk_{name}")
    return result


def _address(array: NDArray[Any]) -> int:
    if not array.flags.c_contiguous:
        raise ValueError("the kernel reads arrays without gaps")
    return array.ctypes.data


def number_words(data: bytes, classes: bytes, texts: int) -> tuple[bytes, Numbers, Ints]:
    """Cut and number the words of texts packed with NULs, under a table of 256 classes.

    Returns the distinct words with a NUL after each, the numbers of all words, and the offsets of the texts.
    """
    read, pool = (np.empty(len(data) + 8, dtype=np.uint8) for _ in range(2))
    ids = np.empty(len(data) // 2 + 1, dtype=np.int32)
    offsets = np.empty(texts + 1, dtype=np.int64)
    used = _call("words", _bytes(data), len(data), _bytes(classes), ids, offsets, texts, read, pool)
    return pool[:used].tobytes(), ids[: offsets[-1]], offsets


def number_characters(
    data: bytes, spaces: NDArray[np.bool_], texts: int
) -> tuple[Numbers, Ints, Numbers]:
    """Return the numbers of the characters of packed texts but for white space, offsets, and the distinct code points."""
    ids, offsets = np.empty(len(data), dtype=np.int32), np.empty(texts + 1, dtype=np.int64)
    codes = np.empty(min(len(data), _CODE_POINTS), dtype=np.int32)
    flags = spaces.view(np.uint8)
    count = _call(
        "characters", _bytes(data), len(data), flags, len(flags), ids, offsets, texts, codes
    )
    return ids[: offsets[-1]], offsets, codes[:count].copy()


class NumberedSides(NamedTuple):
    """Numbered texts of candidates and references; the references of item i are `owners[i]` to `owners[i + 1]` − 1."""

    candidates: Numbers
    candidate_offsets: Ints
    references: Numbers
    reference_offsets: Ints
    owners: Ints
    vocabulary: int

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return (*self[:5], len(self.owners) - 1, self.vocabulary)

    def hits(self, orders: int) -> tuple[Ints, Ints]:
        """Count shared n-grams for n = 1 … orders: of each reference (orders × references), and of each item (orders × items)."""
        shared = np.empty((orders, len(self.reference_offsets) - 1), dtype=np.int64)
        best = np.empty((orders, len(self.owners) - 1), dtype=np.int64)
        _call("hits", *self._arguments, orders, shared, best)
        return shared, best

    def matches(self, orders: int) -> list[tuple[Ints, ...]]:
        """List the grams of candidates and the references with them, for n = 1 … orders.

        For each n: item, count and first place of each gram; gram, reference and count of each row.
        """
        most_grams, most_rows = len(self.candidates), len(self.references)
        of_grams = np.empty((3, orders, most_grams), dtype=np.int64)
        of_rows = np.empty((3, orders, most_rows), dtype=np.int64)
        sizes = np.empty((orders, 2), dtype=np.int64)
        _call(
            "matches", *self._arguments, orders, most_grams, most_rows, *of_grams, *of_rows, sizes
        )
        return [
            (
                *(column[n, :grams].copy() for column in of_grams),
                *(column[n, :rows].copy() for column in of_rows),
            )
            for n, (grams, rows) in enumerate(sizes.tolist())
        ]

    def lcs(self) -> Ints:
        """Return the length of the longest common subsequence of each reference with its candidate."""
        lengths = np.empty(len(self.reference_offsets) - 1, dtype=np.int64)
        _call("lcs", *self._arguments, lengths)
        return lengths


def add_drawn(rng: np.random.Generator, samples: int, rows: Floats) -> Floats:
    """Draw items `samples` times, as `rng.integers` with 32 bits does, and add up their rows: samples × columns."""
    sums = np.empty((samples, rows.shape[1]))
    source = rng.bit_generator.ctypes
    next_number = ctypes.cast(source.next_uint32, ctypes.c_void_p).value
    with rng.bit_generator.lock:
        _call(
            "draws",
            next_number,
            source.state_address,
            len(rows),
            samples,
            rows,
            rows.shape[1],
            sums,
        )
    return sums


def _bytes(data: bytes) -> Bytes:
    return np.frombuffer(data, dtype=np.uint8)
