"""The two regressions of the trained summarizers, in numpy and in streams: ridge regression in closed form, a small network by plain SGD.

Rows of features arrive block by block and are never all in memory. Ridge regression needs only the moments of the columns (`Moments`), which blocks
are added to; SGD reads rows again in every epoch, from a temporary file of 32-bit floats (`RowFile`), as many at a time as fit
into a pool. Everything runs on one thread: parallel sums depend on the order in which threads finish, and a fitted model must not depend on their number.
"""

from __future__ import annotations

import logging
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import Floats, Ints
from newsdesk.model import Arrays

_log = logging.getLogger(__name__)

PENALTIES = tuple(10.0**power for power in range(-1, 5))
DEFAULT_PENALTY = 10.0
Check = Callable[[Arrays], float]
Row32 = NDArray[np.float32]
_RELATION_PENALTY = (
    1e-3  # a few columns and thousands of rows: only against columns that repeat each other
)
_INPUTS = 1 << 12  # rows that go through the network at a time, and rows of a block of a file
_CONSTANT = 1e-9  # a feature with a smaller standard deviation is constant


@dataclass(frozen=True, slots=True)
class Sgd:
    """Hyper-parameters of SGD; the defaults are those of Gholipour Ghalandari et al. (2020, A.1)."""

    hidden: int = 256
    rate: float = 0.02
    epochs: int = 8
    batch: int = 8


class Moments:
    """Count, mean and centred products of columns; the last column is the target.

    Blocks are merged by the update of Chan et al. (1979), which subtracts no large sums from each other.
    """

    def __init__(self, columns: int) -> None:
        self.count = 0
        self.mean: Floats = np.zeros(columns)
        self.products: Floats = np.zeros((columns, columns))  # sums over rows

    def add(self, rows: Floats) -> None:
        """Add a block of rows × columns."""
        if not len(rows):
            return
        mean = rows.mean(axis=0)
        centred = rows - mean
        total = self.count + len(rows)
        difference = mean - self.mean
        self.products += centred.T @ centred
        self.products += np.outer(difference, difference) * (self.count * len(rows) / total)
        self.mean = self.mean + difference * (len(rows) / total)
        self.count = total

    def deviations(self, columns: int) -> Floats:
        """Return the standard deviations of the first columns; 1 for a constant one."""
        scale = np.sqrt(np.diag(self.products)[:columns] / max(self.count, 1))
        scale[scale < _CONSTANT] = 1.0
        return scale

    def mapped(self, matrix: Floats, shift: Floats) -> Moments:
        """Return the moments of `matrix @ row + shift`."""
        other = Moments(len(matrix))
        other.count = self.count
        other.mean = matrix @ self.mean + shift
        other.products = matrix @ self.products @ matrix.T
        return other

    def standardized(self, mean: Floats, scale: Floats) -> Moments:
        """Return the moments after the first columns are standardized; the others stay."""
        rest = len(self.mean) - len(mean)
        factors = np.append(1 / scale, np.ones(rest))
        return self.mapped(np.diag(factors), np.append(-mean / scale, np.zeros(rest)))

    def error(self, weights: Arrays) -> float:
        """Return the mean squared error of linear weights on the rows added."""
        # A residual is target - weights · features - bias: its variance plus its squared mean.
        signed = np.append(-np.asarray(weights["weights"]), 1.0)
        mean_residual = float(signed @ self.mean - weights["bias"])
        return float(signed @ self.products @ signed) / max(self.count, 1) + mean_residual**2


def ridge(moments: Moments, penalties: tuple[float, ...]) -> Iterator[Arrays]:
    """Yield the weights that minimize squared error + penalty · w·w, for each penalty in turn.

    The intercept is not penalized.
    """
    # One decomposition of the features' products serves all penalties.
    values, axes = np.linalg.eigh(moments.products[:-1, :-1])
    target_along = axes.T @ moments.products[:-1, -1]
    for penalty in penalties:
        weights = axes @ (target_along / (np.maximum(values, 0) + penalty))
        bias = moments.mean[-1] - moments.mean[:-1] @ weights
        yield {"weights": weights, "bias": np.array(bias)}


def weights_beside(moments: Moments, alone: Arrays) -> Floats:
    """Return the weights of f(s), the relations and a constant in the gain of a sentence beside others.

    The columns are those of f(s), to which `alone` has the weights, then the relations, then the gain.
    """
    size = len(alone["weights"])
    others = len(moments.mean) - size  # the relations and the gain
    if not moments.count:  # nothing to learn from: f(s) itself
        return np.append(np.eye(1, others), 0.0)
    # f(s) is linear in the features, so its moments follow from theirs.
    matrix = np.zeros((1 + others, size + others))
    matrix[0, :size] = alone["weights"]
    matrix[1:, size:] = np.eye(others)
    shift = np.append(alone["bias"], np.zeros(others))
    solved = next(ridge(moments.mapped(matrix, shift), (_RELATION_PENALTY,)))
    return np.append(solved["weights"], solved["bias"])


def linear(weights: Mapping[str, Floats], rows: Floats) -> Floats:
    """Return the predictions of a ridge regression."""
    return rows @ weights["weights"] + float(weights["bias"])


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What a regression learns from rows: standardization of the features, weights, a note on choices."""

    mean: Floats  # of each feature in the training data
    scale: Floats
    weights: Arrays
    note: str


class RowFile:
    """Rows of 32-bit floats in a temporary file, read in blocks; the last column is the target."""

    pool_bytes: ClassVar = 1 << 26  # of rows in memory that an epoch draws from

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.count = 0
        self.pool_rows = max(self.pool_bytes // (4 * columns), 1)
        self._file = tempfile.TemporaryFile(prefix="newsdesk-rows-")  # noqa: SIM115
        self._mean, self._scale = np.zeros(0), np.ones(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, rows: Floats) -> None:
        """Append a block of rows × columns."""
        self._file.write(np.ascontiguousarray(rows, dtype=np.float32).tobytes())
        self.count += len(rows)

    def standardize(self, mean: Floats, scale: Floats) -> None:
        """Make every later reading subtract a mean from the first columns and divide them by a scale."""
        self._mean, self._scale = mean, scale

    def blocks(self) -> Iterator[Row32]:
        """Yield all rows in order, a block at a time."""
        return self._read([[block] for block in range(self._block_count)])

    def pools(self, rng: np.random.Generator) -> Iterator[Row32]:
        """Yield all rows once, in pools of blocks; a file of several pools is mixed block by block."""
        blocks = np.arange(self._block_count)
        per_pool = max(len(blocks), 1)
        if self.count > self.pool_rows:
            blocks = rng.permutation(blocks)
            per_pool = max(self.pool_rows // _INPUTS, 1)
        starts = range(0, len(blocks), per_pool)
        return self._read([blocks[start : start + per_pool].tolist() for start in starts])

    @property
    def _block_count(self) -> int:
        return math.ceil(self.count / _INPUTS)

    def _read(self, parts: list[list[int]]) -> Iterator[Row32]:
        """Yield the blocks (by number) of each part, in one array that the next part is read into."""
        most = min(_INPUTS * max(map(len, parts), default=0), self.count)
        buffer: Row32 = np.empty((most, self.columns), dtype=np.float32)
        mean, scale = self._mean.astype(np.float32), self._scale.astype(np.float32)
        for part in parts:
            size = 0
            for block in part:
                rows = buffer[size : size + min(_INPUTS, self.count - block * _INPUTS)]
                self._file.seek(4 * self.columns * _INPUTS * block)
                self._file.readinto(rows.data)
                rows[:, : len(mean)] -= mean
                rows[:, : len(mean)] /= scale
                size += len(rows)
            yield buffer[:size]


def first_weights(columns: int, hidden: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Return initial weights of the network: uniform within ±1 / √inputs, as in torch's linear layers."""
    inner, outer = 1 / np.sqrt(max(columns, 1)), 1 / np.sqrt(hidden)
    return {
        "w1": rng.uniform(-inner, inner, (columns, hidden)),
        "b1": rng.uniform(-inner, inner, hidden),
        "w2": rng.uniform(-outer, outer, hidden),
        "b2": rng.uniform(-outer, outer, 1),
    }


def sgd_epoch(
    weights: dict[str, Floats], rows: Row32 | Floats, order: Iterator[Ints], rate: float
) -> None:
    """Run SGD on the mean squared error over batches of row numbers, which come in this order.

    It updates `weights` in place. The last column of `rows` is the target.
    """
    for numbers in order:
        batch = rows[numbers].astype(np.float64)
        x, y = batch[:, :-1], batch[:, -1]  # batch × columns, batch
        inner = x @ weights["w1"] + weights["b1"]  # batch × hidden
        active = np.maximum(inner, 0)
        error = active @ weights["w2"] + weights["b2"] - y  # batch
        slope = 2 * error / len(y)
        back = np.outer(slope, weights["w2"]) * (inner > 0)  # batch × hidden
        weights["w2"] -= rate * (slope @ active)
        weights["b2"] -= rate * slope.sum()
        weights["w1"] -= rate * (x.T @ back)
        weights["b1"] -= rate * back.sum(axis=0)


def train_network(
    rows: RowFile, settings: Sgd, rng: np.random.Generator, check: Check | None
) -> tuple[dict[str, Floats], int]:
    """Train a network with one hidden ReLU layer.

    Return the weights and their epoch: the best by `check` if there is one, else the last.
    """
    weights = first_weights(rows.columns - 1, settings.hidden, rng)
    best_weights, best_error, best_epoch = weights, np.inf, settings.epochs
    for epoch in range(1, settings.epochs + 1):
        for pool in rows.pools(rng):
            order = rng.permutation(len(pool))
            starts = range(0, len(order), settings.batch)
            batches = (order[start : start + settings.batch] for start in starts)
            sgd_epoch(weights, pool, batches, settings.rate)
        error = None if check is None else check(weights)
        note = "" if error is None else f", dev error {error:.5f}"
        _log.info("epoch %d of %d%s", epoch, settings.epochs, note)
        if error is not None and error < best_error:
            best_error, best_epoch = error, epoch
            best_weights = {name: weight.copy() for name, weight in weights.items()}
    return best_weights, best_epoch


def network_error(rows: RowFile, weights: Mapping[str, Floats]) -> float:
    """Return the mean squared error of the network on the rows of a file."""
    squares = 0.0
    for block in rows.blocks():
        squares += float(np.sum((network(weights, block[:, :-1]) - block[:, -1]) ** 2))
    return squares / max(rows.count, 1)


def network(weights: Mapping[str, Floats], rows: Floats | Row32) -> Floats:
    """Return the predictions of the network."""
    parts = [
        np.maximum(rows[start : start + _INPUTS] @ weights["w1"] + weights["b1"], 0) @ weights["w2"]
        + weights["b2"]
        for start in range(0, len(rows), _INPUTS)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)
