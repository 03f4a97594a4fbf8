"""Draw bootstrap samples from named streams, a chunk at a time, and add up rows under them.

Every bootstrap of the package draws here. The name of its stream, the seed and the number of units fix the samples, so results that name
the same stream are resampled alike and their differences are paired; the size of a chunk changes no draw.

A sample gives each unit a count, and a resampled sum is a product of counts with rows. BLAS adds in an order of its own that depends on the number
of threads, so a product takes one of three exact ways: `resampled_sums` adds sparse rows in the order drawn, `product` runs in plain loops,
and `exact_columns` rounds values to a power of two so coarse that every partial sum is a whole number of it below 2^53: then no order of
addition changes a bit, and BLAS may be used. That rounding is below 1e-9 of the largest value for up to a million items.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError
from newsdesk.kernel import add_drawn, has_kernel
from newsdesk.settings import at_least
from newsdesk.streams import stream

_WHOLE = 2.0**53  # below, sums of whole numbers are exact
CELLS = 1 << 21  # samples × units in memory at a time: 16 MB of counts, 8 MB of indices


def check_sampling(samples: int, level: float = 0.95) -> None:
    """Raise an error where there is no sample, or where a level is no share."""
    at_least("samples", samples, 1)
    if not 0 < level < 1:
        raise ArgumentError(f"level is {level}, not between 0 and 1")


def chunks(samples: int, width: int) -> Iterator[int]:
    """Yield the sizes of chunks of samples, each of which needs `width` cells of memory.

    >>> list(chunks(5, CELLS // 2))
    [2, 2, 1]
    """
    size = max(1, CELLS // width)
    for start in range(0, samples, size):
        yield min(size, samples - start)


def resample(
    name: str, seed: int, *numbers: int, units: int, samples: int, width: int = 0
) -> Iterator[Floats]:
    """Yield how often each unit is drawn in each bootstrap sample: samples × units, a chunk at a time.

    `name`, `seed` and `numbers` name the stream. `width` is the memory that the caller needs for a
    sample, in cells, if that is more than the number of units.

    >>> next(resample("bootstrap", 0, units=4, samples=3)).sum(axis=1).tolist()
    [4.0, 4.0, 4.0]
    """
    for drawn in _indices(stream(name, seed, *numbers), units, samples, width):
        # Indices of sample k are moved to k · units + index: one count over the chunk serves all its samples.
        cells = drawn + np.arange(len(drawn))[:, None] * units  # samples × units
        counts = np.bincount(cells.ravel(), minlength=drawn.size)
        yield counts.reshape(drawn.shape).astype(np.float64)


def resample_sorts(name: str, seed: int, *, sizes: Ints, samples: int) -> Iterator[Floats]:
    """Yield how often items of each sort are drawn (samples × sorts); `sizes` counts each sort's items."""
    items = int(sizes.sum())
    rng = stream(name, seed)
    for count in chunks(samples, len(sizes)):
        yield rng.multinomial(items, sizes / items, count).astype(np.float64)


def resampled_sums(
    name: str, seed: int, *, tables: Sequence[Floats], samples: int
) -> Iterator[list[Floats]]:
    """Yield sums of the rows (items × columns) of items drawn, for each table: samples × columns, a chunk at a time.

    All tables see the same draws. A column that stands in several of them is added up once, and one of a
    single whole number, such as a count of items, needs no adding.
    """
    items = len(tables[0])
    rows, places = _distinct_columns(tables)
    same = np.all(rows == rows[:1], axis=0) & (np.rint(rows[0]) == rows[0])
    same &= np.abs(rows[0]) < _WHOLE / items
    added, constant = np.flatnonzero(~same), np.flatnonzero(same)
    summands = np.ascontiguousarray(rows[:, added])
    for summed in _summed(stream(name, seed), summands, samples):
        sums = np.empty((len(summed), rows.shape[1]))
        sums[:, constant] = rows[0, constant] * items
        sums[:, added] = summed
        yield [sums.take(columns, axis=1) for columns in places]


def _summed(rng: np.random.Generator, rows: Floats, samples: int) -> Iterator[Floats]:
    """Yield sums of rows of items drawn, added in the order drawn: samples × columns."""
    items = len(rows)
    if has_kernel():
        for count in chunks(samples, items):
            yield add_drawn(rng, count, rows)
        return
    for drawn in _indices(rng, items, samples):
        # A sparse row of ones per sample needs no counting first.
        row_starts = np.arange(0, drawn.size + 1, items, dtype=np.int32)
        ones = np.ones(drawn.size)
        yield sparse.csr_array((ones, drawn.ravel(), row_starts), shape=drawn.shape) @ rows


def _distinct_columns(tables: Sequence[Floats]) -> tuple[Floats, list[Ints]]:
    """Return the columns of all tables, equal ones once, and where those of each table stand there."""
    number: dict[bytes, int] = {}
    columns: list[Floats] = []
    places = []
    for table in tables:
        for column in table.T:
            if number.setdefault(column.tobytes(), len(columns)) == len(columns):
                columns.append(column)
        places.append(np.array([number[column.tobytes()] for column in table.T], dtype=np.int64))
    return np.column_stack(columns), places


def _indices(
    rng: np.random.Generator, units: int, samples: int, width: int = 0
) -> Iterator[NDArray[np.int32]]:
    """Yield the units drawn: samples × units."""
    for count in chunks(samples, max(units, width)):
        yield rng.integers(0, units, size=(count, units), dtype=np.int32)


def exact_columns(columns: Floats, total: int) -> Floats:
    """Round columns so that sums of `total` rows have no rounding error."""
    # A sum of `total` values needs so many bits more than a value, out of 53 with two to spare.
    bits = 51 - max(1, math.ceil(math.log2(max(total, 2))))
    largest = np.abs(columns).max(axis=0, initial=0.0)
    exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    unit = np.ldexp(1.0, exponent - bits)
    return np.rint(columns / unit) * unit


def product(weights: Floats, rows: Floats) -> Floats:
    """Multiply weights (samples × units) and rows (units × columns) in plain loops."""
    return np.einsum("kp,ps->ks", weights, rows)
