"""Arrays of a saved commenter as plain `.npy` files that are memory-mapped, and columns of texts as arrays of bytes."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, make_folder, reason
from newsdesk.models import Arrays
from newsdesk.text.ragged import offsets_of

_FOLDER = "arrays"


def packed(array: NDArray[Any]) -> bytes:
    """An array as the bytes of a `.npy` file."""
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def save_arrays(folder: Path, arrays: Arrays) -> dict[str, str]:
    """Write each array to a file of its own and return their hashes; other arrays that were there are removed."""
    inside = make_folder(folder / _FOLDER)
    hashes = {}
    for name, array in sorted(arrays.items()):
        content = packed(array)
        hashes[name] = hashlib.sha256(content).hexdigest()
        with atomic(inside / f"{name}.npy") as stream:
            stream.write(content)
    for path in inside.glob("*.npy"):
        if path.stem not in hashes:
            path.unlink()
    return hashes


def hashes_of(arrays: Arrays) -> dict[str, str]:
    """The hashes of arrays, as `save_arrays` returns them."""
    return {name: hashlib.sha256(packed(arrays[name])).hexdigest() for name in sorted(arrays)}


def load_arrays(folder: Path, hashes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
    """Map the arrays that `save_arrays` wrote into memory; each file is read once to check its hash."""
    return {name: _load(folder / _FOLDER / f"{name}.npy", hashes[name]) for name in hashes}


def _load(path: Path, expected: str) -> NDArray[Any]:
    try:
        with path.open("rb") as stream:
            actual = hashlib.file_digest(stream, "sha256").hexdigest()
        if actual != expected:
            raise DataError("not the array that model.json was saved with", file=str(path))
        try:
            return np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError:  # an empty array cannot be mapped
            return np.load(path, allow_pickle=False)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """Many texts as one array of UTF-8 bytes and their offsets, so that they can be mapped and read one by one."""

    data: NDArray[np.uint8]
    offsets: Ints

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextColumn:
        """Pack texts.

        >>> list(TextColumn.of(["a", "", "é"]))
        ['a', '', 'é']
        """
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, place: int) -> str:
        span = self.data[self.offsets[place] : self.offsets[place + 1]]
        return span.tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[place] for place in range(len(self)))


def columns(named: Mapping[str, TextColumn]) -> dict[str, NDArray[Any]]:
    """The arrays of named columns."""
    return {
        f"{name}.{part}": getattr(column, part)
        for name, column in named.items()
        for part in ("data", "offsets")
    }


def column(arrays: Arrays, name: str) -> TextColumn:
    """A column whose arrays `columns` returned."""
    return TextColumn(arrays[f"{name}.data"], arrays[f"{name}.offsets"])
