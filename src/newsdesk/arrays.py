"""Array types for annotations, rows of length one, the order of scores (best first, ties by position), and reading stored arrays.

Scores that differ by less than 1e-9 are ties, and ties keep their order: so a ranking does not depend on the last bit of a sum.

Stored arrays (`.npy`, `.npz`) may come from a stranger. What a file says of itself is checked before anything is allocated: plain numbers or
texts alone, exactly as many bytes as type and shape need, and in a packed file no more of them than its size can mean. `numpy.load` would
allocate what a header asks for, and tells damaged files by a dozen kinds of exceptions.
"""

from __future__ import annotations

import io
import math
import os
import re
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
FloatRows = TypeVar("FloatRows", NDArray[np.float64], NDArray[np.float32])

# From here on neighbouring floats are more than 1e-9 apart, and there is nothing to round.
_COARSE = 2.0**23


def rounded(values: Floats) -> Floats:
    """Values as ties see them: to 1e-9; what is too large to be rounded so finely stays."""
    fine = np.abs(values) < _COARSE
    return np.where(fine, np.round(np.where(fine, values, 0.0), 9), values)


def unit_rows(rows: FloatRows) -> FloatRows:
    """Scale each row to length one; rows of zeros stay zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    norms = np.linalg.norm(rows, axis=1, keepdims=True)  # rows × 1
    norms[norms == 0] = 1
    scaled: FloatRows = rows / norms
    return scaled


def best_first(scores: Floats) -> Ints:
    """Return the places of scores, best first; those that agree after rounding to 1e-9 stay in order.

    >>> best_first(np.array([1.0, 2.0, 1.0 + 1e-12])).tolist()
    [1, 0, 2]
    """
    return np.argsort(-rounded(scores), kind="stable").astype(np.int64)


# A packed file holds at most this many bytes, or this many times its own size, whichever is more: models of ours compress by less than ten.
_MOST_UNPACKED = 256 * 1024 * 1024
_MOST_COMPRESSION = 50
_MOST_ARRAYS = 10_000
_LONGEST_HEADER = 4096
_HEADER = re.compile(
    rb"\{'descr': '([<>|=][biufcSU]\d{1,9})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,18},? ?)*)\), ?\} *\n"
)


def unpacked_arrays(packed: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an `.npz` file by name; ValueError if it is anything but plain arrays of a plausible size."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as members:
            infos = members.infolist()
            if len(infos) > _MOST_ARRAYS:
                raise ValueError(f"{len(infos)} arrays; {_MOST_ARRAYS} are read")
            size = sum(info.file_size for info in infos)
            if size > max(_MOST_UNPACKED, _MOST_COMPRESSION * len(packed)):
                raise ValueError(f"{len(packed)} bytes that claim to unpack to {size}")
            return {info.filename.removesuffix(".npy"): _member(members, info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        # RuntimeError: encrypted, or (NotImplementedError) packed by a method that is not known here.
        raise ValueError(str(error) or "it ends early") from error


def _member(members: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    with members.open(info) as stream:
        kind, shape, order, start = _array_header(stream)
        _check_size(info.filename, kind, shape, info.file_size - start)
        values = bytearray(stream.read())  # writable, as numpy's own arrays are
    if len(values) != info.file_size - start:
        raise ValueError(f"{info.filename} is not as long as it says")
    return np.frombuffer(values, kind).reshape(shape, order=order)


def mapped_array(path: str | os.PathLike[str]) -> NDArray[Any]:
    """Map an `.npy` file into memory; ValueError if it is anything but a plain array of the file's size."""
    with Path(path).open("rb") as stream:
        kind, shape, order, start = _array_header(stream)
        _check_size(Path(path).name, kind, shape, os.fstat(stream.fileno()).st_size - start)
    if 0 in shape:  # nothing cannot be mapped
        return np.empty(shape, kind)
    return np.memmap(path, kind, "r", start, shape, order)


def _array_header(stream: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...], Any, int]:
    """Read the header of an array: its type, its shape, its order in memory (C or F), and where its values begin."""
    begin = stream.read(8)
    width = {1: 2, 2: 4, 3: 4}.get(begin[6], 0) if len(begin) == 8 else 0  # by version
    if begin[:6] != b"\x93NUMPY" or not width:
        raise ValueError("not an array of numpy")
    length = int.from_bytes(stream.read(width), "little")
    header = stream.read(min(length, _LONGEST_HEADER))
    parts = _HEADER.fullmatch(header) if len(header) == length else None
    if parts is None:
        raise ValueError("an array of something else than plain numbers or texts")
    shape = tuple(map(int, re.findall(rb"\d+", parts[3])))
    order = "F" if parts[2] == b"True" else "C"
    try:
        kind = np.dtype(parts[1].decode("ascii"))
    except TypeError as error:
        raise ValueError(str(error)) from error
    return kind, shape, order, len(begin) + width + length


def _check_size(name: str, kind: np.dtype[Any], shape: tuple[int, ...], size: int) -> None:
    wanted = math.prod(shape) * kind.itemsize
    if wanted != size:
        raise ValueError(f"{name} says that it has {wanted} bytes of values, and has {size}")
