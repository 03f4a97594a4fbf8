"""The copier: numpy equals torch, it learns what is planted, and it can say nothing that it may not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.errors import ArgumentError
from newsdesk.nn.copying import (
    LONGEST_RUN,
    Copier,
    CopierSettings,
    CopyExample,
    CopySource,
    Pair,
    _batch_loss,
    _CopyDecoding,
    _network,
    continued,
    fit_copier,
    shape,
)
from newsdesk.nn.encoder_decoder import END, END_ID, START_ID, Beam, load_weights, vocabulary_of
from newsdesk.nn.trainer import Lstm
from newsdesk.work import Progress

torch = pytest.importorskip("torch")

WORDS = [f" w{n}" for n in range(30)]
JOINING = WORDS[:3]
VOCABULARY = vocabulary_of([*JOINING, *WORDS[:20]])
SMALL = CopierSettings(dimensions=8, units=12, epochs=5, rate=0.01, batch=8)


def pairs(count: int, seed: int) -> list[Pair]:
    """A word that can be written, then what follows the first " w9" in the source; w20 to w29 are unknown."""
    rng = np.random.default_rng(seed)
    examples: list[Pair] = []
    for _ in range(count):
        words = [WORDS[n] for n in rng.integers(10, 30, 12)]
        at = int(rng.integers(1, 9))
        words[at - 1] = " w9"
        examples.append((words, [" w0", *words[at : at + 3]]))
    return examples


@pytest.fixture(scope="module")
def copier() -> Copier:
    return fit_copier(pairs(250, 1), VOCABULARY, len(JOINING), SMALL)[0]


def log_probability(copier: Copier, words: Sequence[str], rewriting: Sequence[str]) -> float:
    """Of a rewriting, its end included; words that can be neither generated nor copied are skipped."""
    source = CopySource.of(words, copier.vocabulary)
    decoding = _CopyDecoding(copier, source)
    number = dict(zip(source.words, source.names.tolist(), strict=True))
    state, last, total = decoding.start(), np.array([START_ID]), 0.0
    for word in (*rewriting, END):
        log_p, state = decoding.step(state, last)
        own = int(copier.vocabulary.ids([word])[0])
        last = np.array([number.get(word, own)])
        if word in number or END_ID <= own <= END_ID + copier.writable:
            total += float(log_p[0, last[0]])
    return total


def test_all_states_and_single_steps_of_the_lstm_equal_torch_s() -> None:
    torch.manual_seed(0)
    module = torch.nn.LSTM(8, 6, batch_first=True)
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    w_input, w_state, one, other = (getattr(module, name).detach().numpy() for name in names)
    ours = Lstm(w_input, w_state, one + other)
    inputs = np.random.default_rng(0).normal(size=(7, 8)).astype(np.float32)
    expected, (_, last) = module(torch.from_numpy(inputs)[None])
    states, cell = ours.states(inputs)
    np.testing.assert_allclose(states, expected[0].detach().numpy(), atol=1e-6)
    np.testing.assert_allclose(cell, last[0, 0].detach().numpy(), atol=1e-6)
    state = cell = np.zeros((1, 6), dtype=np.float32)
    for row, known in zip(inputs, states, strict=True):
        state, cell = ours.step(row[None], state, cell)
        np.testing.assert_allclose(state[0], known, atol=1e-6)


def test_what_numpy_gives_a_text_is_what_torch_learned(copier: Copier) -> None:
    network = _network(torch, len(VOCABULARY), len(JOINING), SMALL)
    load_weights(torch, network, copier.weights)
    network.eval()
    some = [
        *pairs(5, 2),
        ([" w25", " w25", " w3"], [" w25", " elsewhere", " w3", " w1"]),
        ([" w4"], []),
    ]
    with torch.no_grad():
        for pair in some:
            loss, _ = _batch_loss(torch, network, [CopyExample.of(pair, VOCABULARY)], 0.0)
            assert log_probability(copier, *pair) == pytest.approx(-float(loss), abs=1e-4)
        together, count = _batch_loss(
            torch, network, [CopyExample.of(pair, VOCABULARY) for pair in some], 0.0
        )
    alone = sum(log_probability(copier, *pair) for pair in some)
    assert -alone == pytest.approx(float(together), abs=1e-3)
    assert count == 5 * 5 + 4 + 1  # " elsewhere" can be neither written nor copied


def test_probabilities_of_all_words_sum_to_one_at_every_step(copier: Copier) -> None:
    source = CopySource.of(pairs(1, 3)[0][0], VOCABULARY)
    reading = _CopyDecoding(copier, source)
    state, last = reading.start(), np.array([START_ID])
    for _ in range(6):
        log_p, state = reading.step(state, last)
        chances = np.exp(log_p[0].astype(np.float64))
        assert chances.sum() == pytest.approx(1.0, abs=1e-5)
        allowed = {END_ID, *VOCABULARY.ids(JOINING).tolist(), *source.names.tolist()}
        assert set(np.flatnonzero(chances > 1e-9).tolist()) <= allowed
        last = np.array([source.names[int(chances[source.names].argmax())]])


def test_it_learns_where_to_copy_from_and_copies_unknown_words(copier: Copier) -> None:
    right = 0
    for words, expected in pairs(40, 4):
        written = copier.rewrite(words, Beam(longest=8))
        right += written == expected
    assert right >= 30


@given(st.lists(st.sampled_from([*WORDS, " never seen", "🌊", " 27"]), min_size=1, max_size=15))
def test_every_word_is_copied_or_may_be_written(copier: Copier, words: list[str]) -> None:
    written = copier.rewrite(words, Beam(2, longest=10))
    assert set(written) <= {*words, *JOINING}
    assert 1 <= len(written) <= 10


def test_nothing_is_said_of_nothing(copier: Copier) -> None:
    assert copier.rewrite([]) == []


def test_the_same_seed_gives_the_same_network_and_another_gives_another() -> None:
    some = pairs(20, 5)
    one, again = (fit_copier(some, VOCABULARY, 3, SMALL)[0].digest for _ in range(2))
    other = fit_copier(
        some, VOCABULARY, 3, CopierSettings(8, 12, epochs=5, rate=0.01, batch=8, seed=1)
    )[0]
    assert one == again != other.digest


def test_training_goes_on_from_another_network_and_keeps_the_best_epoch(copier: Copier) -> None:
    losses: list[float] = []
    one_epoch = CopierSettings(8, 12, epochs=1, rate=1e-6)
    dev = pairs(40, 6)
    _, further = fit_copier(pairs(20, 7), VOCABULARY, 3, one_epoch, start=copier, dev=dev)
    _, afresh = fit_copier(pairs(20, 7), VOCABULARY, 3, one_epoch, dev=dev)
    assert further < 0.6 * afresh
    wild = CopierSettings(8, 12, epochs=4, rate=1.0)

    def note(epoch: Progress) -> None:
        losses.append(float(epoch.step.split()[2]))

    _, best = fit_copier(pairs(20, 7), VOCABULARY, 3, wild, start=copier, dev=dev, progress=note)
    assert best == pytest.approx(min(losses), abs=5e-4)
    assert len(losses) == 4


def test_nothing_to_learn_from_is_an_error() -> None:
    nothing: list[list[tuple[list[str], list[str]]]] = [[], [([], [" w1"])], [([" w1"], [])]]
    for some in nothing:
        with pytest.raises(ArgumentError, match="nothing to learn rewriting from"):
            fit_copier(some, VOCABULARY, 3, SMALL)


def test_agreement_counts_the_words_before_a_place() -> None:
    source = CopySource.of(" a b c a b d".split(" ")[1:], vocabulary_of(()))
    run = np.zeros((1, 6), dtype=np.int64)
    for word, expected in (("a", [0, 1, 0, 0, 1, 0]), ("b", [0, 0, 2, 0, 0, 2])):
        hit = np.array([[each == word for each in source.words]])
        run = continued(run, hit)
        assert run.tolist() == [expected]
    same = np.ones((1, 9), dtype=bool)
    for _ in range(8):
        run = continued(np.zeros((1, 9), dtype=np.int64) if run.shape[1] != 9 else run, same)
    assert run.max() == LONGEST_RUN


def test_unknown_words_have_numbers_of_their_own() -> None:
    source = CopySource.of([" w1", " new", " w1", " newer", " new"], VOCABULARY)
    size = len(VOCABULARY)
    assert source.unknown == (" new", " newer")
    assert source.names[[1, 3, 4]].tolist() == [size, size + 1, size]
    assert source.ids[[1, 3, 4]].tolist() == [0, 0, 0]
    assert source.names[0] == source.ids[0] == source.ids[2] > 0


@pytest.mark.parametrize(
    ("word", "expected"),
    [(".", 0), (" 27", 1), (" U.S.", 2), (" NATO", 2), (" A", 3), (" Mayor", 3), (" river", 4), ("市长", 4), ("🌊", 0), (" iPhone13", 1)],
)  # fmt: skip
def test_shapes(word: str, expected: int) -> None:
    assert shape(word) == expected
