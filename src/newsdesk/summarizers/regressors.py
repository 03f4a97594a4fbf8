"""The two regressions of the trained summarizers, in numpy: ridge regression in closed form and a small network trained by plain SGD.

Both take rows of features and one target each. Everything runs on one thread: parallel sums depend on the order in which
threads finish, and a fitted model must not depend on their number.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.model import Arrays

_log = logging.getLogger(__name__)

PENALTIES = tuple(10.0**power for power in range(-1, 5))
DEFAULT_PENALTY = 10.0
Check = Callable[[Arrays], float]
_INPUTS = 1 << 14  # rows that go through the network at a time


@dataclass(frozen=True, slots=True)
class Sgd:
    """Hyper-parameters of SGD; the defaults are those of Gholipour Ghalandari et al. (2020, A.1)."""

    hidden: int = 256
    rate: float = 0.02
    epochs: int = 8
    batch: int = 8


def ridge(rows: Floats, targets: Floats, penalties: tuple[float, ...]) -> Iterator[Arrays]:
    """Yield the weights that minimize squared error + penalty · w·w, for each penalty in turn.

    The intercept is not penalized.
    """
    mean = targets.mean()
    centre = rows.mean(axis=0)
    centred = rows - centre
    values, axes = np.linalg.eigh(centred.T @ centred)
    along = axes.T @ (centred.T @ (targets - mean))
    for penalty in penalties:
        weights = axes @ (along / (np.maximum(values, 0) + penalty))
        yield {"weights": weights, "bias": np.array(mean - centre @ weights)}


def linear(weights: Mapping[str, Floats], rows: Floats) -> Floats:
    """Return the predictions of a ridge regression."""
    return rows @ weights["weights"] + float(weights["bias"])


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
    weights: dict[str, Floats], rows: Floats, targets: Floats, order: Iterator[Ints], rate: float
) -> None:
    """Run one epoch of SGD on the mean squared error over batches of row numbers.

    It updates `weights` in place.
    """
    for places in order:
        x, y = rows[places], targets[places]  # batch × columns, batch
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
    rows: Floats, targets: Floats, settings: Sgd, rng: np.random.Generator, check: Check | None
) -> tuple[dict[str, Floats], int]:
    """Train a network with one hidden ReLU layer.

    Return the weights and their epoch: the best by `check` if there is one, else the last.
    """
    weights = first_weights(rows.shape[1], settings.hidden, rng)
    best_weights, best_error, best_epoch = weights, np.inf, settings.epochs
    for epoch in range(1, settings.epochs + 1):
        order = rng.permutation(len(rows))
        batches = (
            order[start : start + settings.batch] for start in range(0, len(order), settings.batch)
        )
        sgd_epoch(weights, rows, targets, batches, settings.rate)
        error = None if check is None else check(weights)
        note = "" if error is None else f", dev error {error:.5f}"
        _log.info("epoch %d of %d%s", epoch, settings.epochs, note)
        if error is not None and error < best_error:
            best_error, best_epoch = error, epoch
            best_weights = {name: each.copy() for name, each in weights.items()}
    return best_weights, best_epoch


def network(weights: Mapping[str, Floats], rows: Floats) -> Floats:
    """Return the predictions of the network."""
    parts = [
        np.maximum(rows[start : start + _INPUTS] @ weights["w1"] + weights["b1"], 0) @ weights["w2"]
        + weights["b2"]
        for start in range(0, len(rows), _INPUTS)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)
