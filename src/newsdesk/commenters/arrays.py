"""Columns of texts as arrays of bytes, which can be memory-mapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Ints
from newsdesk.model.folder import Arrays
from newsdesk.text.ragged import offsets_of


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


def prefixed(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return arrays under names that begin with a prefix.

    >>> prefixed("network.", {"bias": np.zeros(1)})
    {'network.bias': array([0.])}
    """
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def part(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it: the reverse of `prefixed`."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
