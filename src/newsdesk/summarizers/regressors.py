"""The two regressions behind the trained summarizers, in numpy: a ridge in closed form and a small network by plain SGD.

Both take rows of features and one target each. Everything runs on one thread, since threads add up in the order they
finish and a fitted model must not depend on their number.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.models import Arrays

_log = logging.getLogger(__name__)

PENALTIES = tuple(10.0**power for power in range(-1, 5))
DEFAULT_PENALTY = 10.0
Check = Callable[[Arrays], float]
_INPUTS = 1 << 14  # rows that go through the network at a time


@dataclass(frozen=True, slots=True)
class Sgd:
    """How a network is trained; the defaults are the WCEP paper's (A.1)."""

    hidden: int = 256
    rate: float = 0.02
    epochs: int = 8
    batch: int = 8


def ridge(rows: Floats, targets: Floats, penalties: tuple[float, ...]) -> Iterator[Arrays]:
    """The weights that minimize squared error + penalty · w·w, for each penalty in turn; the intercept goes free."""
    mean = targets.mean()
    centre = rows.mean(axis=0)
    centred = rows - centre
    values, axes = np.linalg.eigh(centred.T @ centred)
    along = axes.T @ (centred.T @ (targets - mean))
    for penalty in penalties:
        weights = axes @ (along / (np.maximum(values, 0) + penalty))
        yield {"weights": weights, "bias": np.array(mean - centre @ weights)}


def linear(weights: Mapping[str, Floats], rows: Floats) -> Floats:
    """What a ridge predicts."""
    return rows @ weights["weights"] + float(weights["bias"])


def first_weights(columns: int, hidden: int, chance: np.random.Generator) -> dict[str, Floats]:
    """A network before training: uniform within 1 / √inputs, as torch's layers begin."""
    inner, outer = 1 / np.sqrt(max(columns, 1)), 1 / np.sqrt(hidden)
    return {
        "w1": chance.uniform(-inner, inner, (columns, hidden)),
        "b1": chance.uniform(-inner, inner, hidden),
        "w2": chance.uniform(-outer, outer, hidden),
        "b2": chance.uniform(-outer, outer, 1),
    }


def sgd_epoch(
    weights: dict[str, Floats], rows: Floats, targets: Floats, order: Iterator[Ints], rate: float
) -> None:
    """One pass over batches of places: mean squared error, plain gradient steps, in place."""
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
    rows: Floats, targets: Floats, settings: Sgd, chance: np.random.Generator, check: Check | None
) -> tuple[dict[str, Floats], int]:
    """A network with one hidden layer of rectified units, and its number of epochs: the best by `check` if there is one, else all."""
    weights = first_weights(rows.shape[1], settings.hidden, chance)
    kept, best, kept_epoch = weights, np.inf, settings.epochs
    for epoch in range(1, settings.epochs + 1):
        order = chance.permutation(len(rows))
        batches = (
            order[start : start + settings.batch] for start in range(0, len(order), settings.batch)
        )
        sgd_epoch(weights, rows, targets, batches, settings.rate)
        error = None if check is None else check(weights)
        held = "" if error is None else f", dev error {error:.5f}"
        _log.info("epoch %d of %d%s", epoch, settings.epochs, held)
        if error is not None and error < best:
            best, kept_epoch = error, epoch
            kept = {name: each.copy() for name, each in weights.items()}
    return kept, kept_epoch


def network(weights: Mapping[str, Floats], rows: Floats) -> Floats:
    """What a network predicts."""
    parts = [
        np.maximum(rows[start : start + _INPUTS] @ weights["w1"] + weights["b1"], 0) @ weights["w2"]
        + weights["b2"]
        for start in range(0, len(rows), _INPUTS)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)
