"""A network that scores a text given a context, two LSTMs and one fully connected layer on both last states: inference in numpy, training with torch.

This is the model of Fujita et al. (2019), appendix B, for a comment and the title of its article. It learns from pairs as RankNet does, or from single scores by
squared error. RankNet's loss on a pair is −t log p − (1 − t) log(1 − p) with p = σ(f(c₁) − f(c₂)) and t = 1, 0 or ½ for a tie (the formula printed in
Fujita et al. uses p for both terms). In a pair the term of the context cancels, so RankNet never runs its LSTM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import ArgumentError
from newsdesk.nn.trainer import Array, BestModel, Lstm, adam, lstm_of, padded, seeded_torch, update
from newsdesk.streams import stream
from newsdesk.text.ragged import Ragged, Vocabulary
from newsdesk.work.progress import OnProgress, Progress, silent

_BATCH = 512


@dataclass(frozen=True, slots=True, eq=False)
class TextPairScorer:
    """The fitted network; inference in numpy."""

    vocabulary: Vocabulary
    vectors: Array  # words × dimensions
    text_lstm: Lstm
    context_lstm: Lstm
    weights: Array  # 2·units: the text's state first
    bias: float

    def scores(self, texts: Sequence[Sequence[str]], context: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of each text under one context, as words."""
        rows = self.vocabulary.rows(texts)
        seen = self.vocabulary.rows([context])
        return self.scores_of(rows, seen, np.zeros(len(rows), dtype=np.int64))

    def scores_of(
        self, texts: Ragged, contexts: Ragged, context_of: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the score of each text under its own context, texts and contexts as word ids."""
        units = self.context_lstm.units
        of_text = _weighed(self.text_lstm, texts, self.vectors, self.weights[:-units])
        of_context = _weighed(self.context_lstm, contexts, self.vectors, self.weights[-units:])
        return (of_text + of_context[context_of] + self.bias).astype(float)  # texts


def _weighed(lstm: Lstm, texts: Ragged, vectors: Array, weights: Array) -> Array:
    """Return the weighted sum of each text's last state, in batches of similar length."""
    sums = np.zeros(len(texts), dtype=np.float32)  # texts
    order = np.argsort(texts.lengths, kind="stable")
    for start in range(0, len(texts), _BATCH):
        chosen = order[start : start + _BATCH]
        sums[chosen] = lstm.last_states(texts.take(chosen), vectors) @ weights
    return sums


@dataclass(frozen=True, slots=True)
class TextPairSettings:
    """Hyper-parameters of training; the defaults are those of Fujita et al. (2019)."""

    units: int = 300
    iterations: int = 10_000
    batch: int = 10
    learning_rate: float = 1e-4
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TextGroup:
    """Texts under one context with their targets: the comments of an article, its title, their scores."""

    texts: tuple[NDArray[np.int32], ...]  # word ids
    context: NDArray[np.int32]  # word ids
    targets: NDArray[np.float64]  # texts


Drawn = tuple[TextGroup, int, int]  # a group, and two of its texts


@dataclass(frozen=True, slots=True)
class EarlyStopping:
    """When training ends: after `patience` checks, one `every` so many steps, without a new best."""

    measure: Callable[[TextPairScorer], float]
    every: int
    patience: int


def fit_text_pairs(
    groups: Sequence[TextGroup],
    vocabulary: Vocabulary,
    vectors: Array,
    loss: Literal["pairs", "squared"],
    settings: TextPairSettings | None = None,
    progress: OnProgress = silent,
    stopping: EarlyStopping | None = None,
) -> TextPairScorer:
    """Fit the network; with `stopping` the best network checked is returned.

    `vectors` are the first vectors of the vocabulary's words.
    """
    settings = settings or TextPairSettings()
    fewest_texts = 2 if loss == "pairs" else 1
    usable = [group for group in groups if len(group.texts) >= fewest_texts]
    if not usable:
        raise ArgumentError("there is nothing to learn from: no group with enough texts")
    loss_of = _pair_loss if loss == "pairs" else _squared_loss
    with seeded_torch("training a neural ranker", settings.seed) as torch:
        network = _network(torch, vectors, settings.units)
        optimizers = adam(torch, network, settings.learning_rate)
        best: BestModel[TextPairScorer] = BestModel()
        mean_loss = 0.0  # over about the last 100 batches
        for number, batch in enumerate(_batches(usable, loss, settings), 1):
            value = update(torch, optimizers, loss_of(torch, network, batch))
            mean_loss += (value - mean_loss) / min(number, 100)
            progress(Progress(f"loss {mean_loss:.4f}", number, settings.iterations))
            last = number == settings.iterations
            if stopping and (last or number % stopping.every == 0):
                checked = _extract(network, vocabulary)
                best.offer(stopping.measure(checked), checked)
                if best.waited >= stopping.patience:
                    break
        return best.model or _extract(network, vocabulary)


def _batches(
    groups: Sequence[TextGroup], loss: str, settings: TextPairSettings
) -> Iterator[list[Drawn]]:
    """Yield random batches of (group, first text, second text).

    Pairs of a batch are all of one group; single texts are drawn evenly, and their second text is ignored.
    """
    rng = stream(f"neural batches: {loss}", settings.seed)
    sizes = np.array([len(group.texts) for group in groups], dtype=np.float64)
    for _ in range(settings.iterations):
        if loss == "pairs":
            group = groups[int(rng.integers(len(groups)))]
            pairs = [rng.choice(len(group.texts), 2, replace=False) for _ in range(settings.batch)]
            yield [(group, int(a), int(b)) for a, b in pairs]
        else:
            chosen = rng.choice(len(groups), settings.batch, p=sizes / sizes.sum())
            yield [(groups[g], int(rng.integers(len(groups[g].texts))), 0) for g in chosen]


def _network(torch: Any, vectors: Array, units: int) -> Any:
    """Return the untrained network, whose word vectors are these at first."""
    words = torch.nn.Embedding.from_pretrained(
        torch.from_numpy(vectors.copy()), freeze=False, sparse=True
    )
    size = vectors.shape[1]
    return torch.nn.ModuleDict(
        {
            "words": words,
            "text": torch.nn.LSTM(size, units, batch_first=True),
            "context": torch.nn.LSTM(size, units, batch_first=True),
            "out": torch.nn.Linear(2 * units, 1),
        }
    )


def _last_states(torch: Any, network: Any, name: str, texts: Sequence[NDArray[np.int32]]) -> Any:
    """Return the last state of the LSTM `name` over each text of word ids (texts × units)."""
    # torch cannot pack an empty text: it goes in as one unknown word and its state is set to zero.
    lengths = torch.tensor([max(len(text), 1) for text in texts])  # texts
    rows = [text.astype(np.int64) if len(text) else np.zeros(1, np.int64) for text in texts]
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        network["words"](padded(torch, rows)), lengths, batch_first=True, enforce_sorted=False
    )
    _, (state, _) = network[name](packed)
    filled = torch.tensor([float(len(text) > 0) for text in texts]).unsqueeze(1)  # texts × 1
    return state[0] * filled  # texts × units


def _pair_loss(torch: Any, network: Any, batch: Sequence[Drawn]) -> Any:
    """Return the cross entropy of which of two texts has the higher target."""
    texts = [group.texts[a] for group, a, _ in batch] + [group.texts[b] for group, _, b in batch]
    states = _last_states(torch, network, "text", texts)  # 2·batch × units
    scores = states @ network["out"].weight[0, : states.shape[1]]  # 2·batch
    first, second = scores[: len(batch)], scores[len(batch) :]  # batch
    wanted = [np.sign(group.targets[a] - group.targets[b]) / 2 + 0.5 for group, a, b in batch]
    target = torch.tensor(wanted, dtype=torch.float32)  # batch: 1, 0 or ½
    return torch.nn.functional.binary_cross_entropy_with_logits(first - second, target)


def _squared_loss(torch: Any, network: Any, batch: Sequence[Drawn]) -> Any:
    """Return the mean squared error of the scores of single texts."""
    texts = _last_states(torch, network, "text", [group.texts[a] for group, a, _ in batch])
    contexts = _last_states(torch, network, "context", [group.context for group, _, _ in batch])
    scores = network["out"](torch.cat([texts, contexts], dim=1)).squeeze(1)  # batch
    target = torch.tensor([group.targets[a] for group, a, _ in batch], dtype=torch.float32)
    return torch.nn.functional.mse_loss(scores, target)


def _extract(network: Any, vocabulary: Vocabulary) -> TextPairScorer:
    """Return the fitted weights as numpy arrays."""
    words, out = network["words"].weight.detach(), network["out"]
    return TextPairScorer(
        vocabulary,
        vectors=words.numpy().copy(),
        text_lstm=lstm_of(network["text"]),
        context_lstm=lstm_of(network["context"]),
        weights=out.weight.detach().numpy().copy()[0],
        bias=float(out.bias.detach()[0]),
    )
