"""Beam search against every sequence there is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from newsdesk.nn.encoder_decoder import Beam, State, search

WORDS, END = 4, 3


def chain(seed: int) -> np.ndarray:
    """Log probabilities of a word after another (the last row: at the beginning)."""
    chances = np.random.default_rng(seed).dirichlet(np.ones(WORDS), WORDS + 1)
    logs: np.ndarray = np.log(chances)
    return logs


def best_by_trying_all(table: np.ndarray, beam: Beam) -> list[int]:
    candidates = []
    for size in range(beam.shortest, beam.longest + 1):
        for row in itertools.product(range(END), repeat=size):
            runs = [row[at : at + beam.no_repeat] for at in range(size - beam.no_repeat + 1)]
            if beam.no_repeat and len(set(runs)) < len(runs):
                continue
            steps = zip((WORDS, *row), (*row, END), strict=True)
            candidates.append((sum(table[a, b] for a, b in steps) / (size + 1), list(row)))
    return max(candidates)[1]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("beam", [Beam(200, 1, 5, 0), Beam(200, 2, 5, 2), Beam(200, 0, 4, 1)])
def test_a_wide_beam_finds_the_best_of_all_sequences(seed: int, beam: Beam) -> None:
    table = chain(seed)

    def step(state: State, last: np.ndarray) -> tuple[np.ndarray, State]:
        return table[last].copy(), state

    best = search(WORDS, END, (np.zeros((1, 1)),), step, beam)
    assert best == best_by_trying_all(table, beam)


def test_states_follow_their_sequences() -> None:
    """Each sequence's state is the words it has written; a mix-up would be seen at once."""

    def step(state: State, last: np.ndarray) -> tuple[np.ndarray, State]:
        (written,) = state
        for row, word in zip(written, last, strict=True):
            if word != WORDS:
                row[int((row >= 0).sum())] = word
        counts = (written >= 0).sum(axis=1)
        assert (counts == counts[0]).all()
        rng = np.random.default_rng(int(np.abs(written).sum()))
        return np.log(rng.dirichlet(np.ones(WORDS), len(last))), (written.copy(),)

    def checked(state: State, last: np.ndarray) -> tuple[np.ndarray, State]:
        log_p, (written,) = step(state, last)
        rows = [row[row >= 0].tolist() for row in written]
        assert all(not row or row[-1] == word for row, word in zip(rows, last, strict=True))
        return log_p, (written,)

    written = search(WORDS, END, (np.full((1, 9), -1),), checked, Beam(3, 2, 6, 0))
    assert 2 <= len(written) <= 6


def test_where_nothing_ends_the_likeliest_is_cut() -> None:
    log_p = np.full((1, WORDS), -np.inf)
    log_p[0, 1] = 0.0

    def step(state: State, last: np.ndarray) -> tuple[np.ndarray, State]:
        return np.repeat(log_p, len(last), axis=0), state

    assert search(WORDS, END, (np.zeros((1, 1)),), step, Beam(2, 1, 5, 0)) == [1] * 5
    # Where even that may not go on, what there is must do.
    assert search(WORDS, END, (np.zeros((1, 1)),), step, Beam(2, 1, 5, 1)) == [1]
