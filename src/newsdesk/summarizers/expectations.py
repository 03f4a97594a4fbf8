"""How often an editor's summary can be expected to use each word and bigram of a cluster, without fitted weights.

A summary of L words is taken for a sample of the articles' own words, drawn near the beginning of the articles: sentence s has the weight

    w(s) = 1 / (1 + words before s in its article / L),

so that position counts on the scale of the summary, and one rule serves 25 and 250 words. With r(u) = Σ w · uses of u / Σ w · words, the number
of uses N(u) is Poisson with the mean

    L · r                                                             for a function word
    L · r · max(tf − 0.9, 0.05) / tf + 0.5 · share of titles          for a content word
    0.5 · L · r · max(tf − 0.8, 0.02) / tf · (1 + share of the other articles that hold it)      for a bigram,

where tf counts uses in distinct sentences: what one sentence alone says is discounted (absolute discounting), what several say is not. A sentence copied from
paper to paper counts once in tf and r, and in every article for the share. The constants were chosen on the shared part of Multi-News and
confirmed in nested folds; research/results/summaries.md has the figures.

Search for the set of sentences of highest expected ROUGE F: beam search, then swaps.

The value of a set S is the expected F over words and bigrams,

    J(S) = 2 · Σ_units Σ_{k ≤ uses in S} P(the summary uses the unit at least k times) / (words of S + words expected of a summary),

so that a repeated word adds little: redundancy is measured by content. A beam of sets grows by one sentence at a time until J falls; then the best single
addition or exchange is made as long as one raises J. Only a shortlist takes part, the sentences of highest value alone, which bounds the
time of large clusters; on Multi-News a list of 150 gives the sets that one of 400 gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse

from newsdesk.arrays import Bools, Floats, Ints, best_first, rounded
from newsdesk.packaged import table
from newsdesk.summarizers.baselines import rouge_words
from newsdesk.summarizers.prepare import Prepared, holds_letter_or_digit, number_words
from newsdesk.text import language
from newsdesk.text.ragged import Ragged, WordNumbers, count_matrix, offsets_of

TIMES = 16  # uses of a unit that are told apart


@dataclass(frozen=True, slots=True)
class UseRates:
    """The constants of the expectations.

    Discounts and floors of words and bigrams, and the weights of bigrams, titles and other articles.
    """

    word_discount: float = 0.9
    word_floor: float = 0.05
    title: float = 0.5
    bigram: float = 0.5
    bigram_discount: float = 0.8
    bigram_floor: float = 0.02
    others: float = 1.0
    position: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ClusterUnits:
    """The words and bigrams of a cluster's distinct sentences, by the evaluation's tokenizer.

    The first `words` units are words, the rest bigrams.
    """

    words: int
    lexicon: WordNumbers
    bigrams: Ints  # names of bigrams, in order: first word × words + second word
    counts: Any  # sentences × units, sparse
    lengths: Ints  # of each sentence, in words
    before: Ints  # words before each sentence in its article
    function: Bools  # which words are function words
    uses: Floats  # of each unit in all sentences
    others: Floats  # of each bigram, the share of the other articles that hold it
    titled: Floats  # of each word, the share of the titles that hold it

    @classmethod
    def of(cls, prepared: Prepared) -> ClusterUnits:
        """Tokenize a prepared cluster and count."""
        lexicon = WordNumbers()
        number = partial(map, lexicon.__getitem__)
        tokenizers = [_tokenizer(lang) for lang in prepared.languages]  # by article
        sentences = zip(prepared.article.tolist(), prepared.texts, strict=True)
        texts = number_words((tokenizers[article](text) for article, text in sentences), number)
        articles = zip(tokenizers, prepared.cluster.articles, strict=True)
        titles = number_words((words(each.title or "") for words, each in articles), number)
        n_words, distinct = len(lexicon), prepared.distinct
        bigrams, names = _bigrams(texts, n_words)
        parts = ((texts, n_words), (bigrams, len(names)))
        counts = sparse.hstack(
            [count_matrix(part.take(distinct), width) for part, width in parts], format="csr"
        )
        starts = np.concatenate([[0], np.cumsum(texts.lengths)])
        before = starts[:-1] - starts[prepared.offsets[prepared.article]]
        stop = function_words()
        return cls(
            words=n_words,
            lexicon=lexicon,
            bigrams=names,
            counts=counts,
            lengths=texts.lengths[distinct],
            before=before[distinct],
            function=np.fromiter((word in stop for word in lexicon), np.bool_, n_words),
            uses=np.asarray(counts.sum(axis=0), dtype=np.float64),
            others=_others(bigrams, prepared, len(names)),
            titled=_titled(titles, n_words),
        )

    def uses_in(self, texts: Sequence[str]) -> Ints:
        """Return how often other texts use each unit of this cluster; their own words are ignored."""
        uses = np.zeros(self.words + len(self.bigrams), np.int64)
        for text in texts:
            words = _tokenizer(language(text))(text)
            ids = np.array([self.lexicon.get(word, -1) for word in words], np.int64)
            np.add.at(uses, ids[ids >= 0], 1)
            pairs = (ids[:-1] * self.words + ids[1:])[(ids[:-1] >= 0) & (ids[1:] >= 0)]
            places = np.searchsorted(self.bigrams, pairs)
            inside = places < len(self.bigrams)
            places, pairs = places[inside], pairs[inside]
            np.add.at(uses, self.words + places[self.bigrams[places] == pairs], 1)
        return uses

    def expected(self, length: float, rates: UseRates) -> Floats:
        """Return the expected uses of each unit in a summary of `length` words (formula above)."""
        weights = 1 / (1 + self.before / (length * rates.position))  # sentences
        total = float((weights * self.lengths).sum())
        mean = length * (self.counts.T @ weights) / (total or 1.0)
        words, bigrams = mean[: self.words], mean[self.words :]
        uses = np.maximum(self.uses, 1)
        discounted = np.maximum(uses[: self.words] - rates.word_discount, rates.word_floor)
        content = words * discounted / uses[: self.words] + rates.title * self.titled
        discounted = np.maximum(uses[self.words :] - rates.bigram_discount, rates.bigram_floor)
        shared = 1 + rates.others * self.others
        return np.concatenate(
            [
                np.where(self.function, words, content),
                rates.bigram * bigrams * discounted / uses[self.words :] * shared,
            ]
        )


def worths(expected: Floats) -> Floats:
    """Return the expected matches of so many uses of each unit: units × (0 … TIMES).

    That is Σ_{k ≤ uses} P(N ≥ k) with N Poisson.
    """
    matches = np.zeros((len(expected), TIMES + 1))
    tail, mass = -np.expm1(-expected), np.exp(-expected)  # P(N ≥ 1), P(N = 0)
    for k in range(1, TIMES + 1):
        matches[:, k] = matches[:, k - 1] + np.maximum(tail, 0)
        mass = mass * expected / k  # P(N = k)
        tail = tail - mass  # P(N ≥ k + 1)
    return matches


@cache
def function_words() -> frozenset[str]:
    """Return the English function words, and the clitics that tokenizing at apostrophes leaves."""
    return frozenset((*table("summarizers", "stop_words_en.txt"), "s", "t", "ll", "d", "m", "ve"))


def _tokenizer(lang: str) -> Callable[[str], list[str]]:
    """Return the evaluation's tokenizer, without the punctuation that some languages' tokenizers keep."""
    words = rouge_words(lang)
    if lang == "en":
        return words
    return lambda text: list(filter(holds_letter_or_digit, words(text)))


def _bigrams(texts: Ragged, words: int) -> tuple[Ragged, Ints]:
    """Return the bigrams of each text, numbered from 0, and their names in order.

    A name is first word × words + second word.
    """
    ids, rows = texts.ids.astype(np.int64), texts.rows
    inner = rows[1:] == rows[:-1]
    names, numbers = np.unique((ids[:-1] * words + ids[1:])[inner], return_inverse=True)
    lengths = np.maximum(texts.lengths - 1, 0)
    return Ragged(numbers.astype(np.int32), offsets_of(lengths)), names


def _others(bigrams: Ragged, prepared: Prepared, width: int) -> Floats:
    """Return for each bigram the share of the other articles that hold it; 0 in a cluster of one."""
    by_article = Ragged(bigrams.ids, bigrams.offsets[prepared.offsets])
    holders = np.bincount(count_matrix(by_article, width).indices, minlength=width)
    return np.maximum(holders - 1, 0) / max(len(prepared.languages) - 1, 1)


def _titled(titles: Ragged, words: int) -> Floats:
    """Return for each word the share of the titles that hold it."""
    title_count = int((titles.lengths > 0).sum())
    holders = np.bincount(count_matrix(titles, words).indices, minlength=words)
    return holders / max(title_count, 1)


_RAISED = 1e-9  # less than this is a tie


@dataclass(frozen=True, slots=True, eq=False)
class SetCandidates:
    """The sentences of the shortlist as arrays.

    Their counts of units, words, sizes in the unit of the limit, which pairs repeat each other, and which may be
    taken.
    """

    counts: Any  # candidates × units, sparse
    lengths: Ints
    sizes: Ints
    repeats: Bools  # candidates × candidates
    allowed: Bools


@dataclass(frozen=True, slots=True, eq=False)
class SearchState:
    """A set of candidates with the uses of each unit, the words, the size, the expected matches, and J."""

    taken: tuple[int, ...]
    uses: Ints
    length: int
    size: int
    matches: float
    value: float


class Search:
    """The search over sets of candidates within a limit.

    `expected` are the expected uses of each unit in a summary of `length` words.

    Uses that a reader knows already (`known`, by unit) are worth nothing.
    """

    def __init__(
        self,
        candidates: SetCandidates,
        expected: Floats,
        length: float,
        limit: int,
        known: Ints | None = None,
    ) -> None:
        self._candidates = candidates
        self._length = length
        self._limit = limit
        # One entry of `_unit`, `_times`, `_row` and `_start` for each unit of each candidate.
        counts = candidates.counts
        units, self._unit = np.unique(counts.indices, return_inverse=True)
        self._times = counts.data.astype(np.int64)
        self._ends = counts.indptr
        self._row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        self._worth = worths(expected[units])  # units × uses
        if known is not None:
            self._worth = _beyond(self._worth, np.minimum(known[units], TIMES))
        self._flat = self._worth.ravel()
        self._start = self._unit * (TIMES + 1)  # where the unit's row begins in `_flat`
        self.empty = SearchState(
            (), np.zeros(len(units), np.int64), length=0, size=0, matches=0.0, value=0.0
        )

    def best(self, beam: int, rounds: int) -> SearchState:
        """Return the best set of sentences by beam search and exchange of single sentences."""
        return self._exchanged(self._grown(beam), rounds)

    def values(self, state: SearchState) -> Floats:
        """Return J of the state with each candidate added."""
        matches = state.matches + self._gains(state.uses)
        return 2 * matches / (state.length + self._candidates.lengths + self._length)

    def following(self, state: SearchState, place: int) -> SearchState:
        """Return the state with one more candidate."""
        return self._state((*state.taken, place))

    def open(self, state: SearchState) -> Bools:
        """Return which candidates fit and repeat nothing that is taken."""
        fits = self._candidates.allowed & (state.size + self._candidates.sizes <= self._limit)
        if state.taken:
            taken = list(state.taken)
            fits &= ~self._candidates.repeats[taken].any(axis=0)
            fits[taken] = False
        return fits

    def repeated(self, state: SearchState, place: int) -> int:
        """Return the place in the summary, from 1, of the sentence that a candidate repeats.

        0 if it repeats none.
        """
        flags = self._candidates.repeats[place, list(state.taken)]
        return int(flags.argmax()) + 1 if flags.any() else 0

    def _grown(self, beam: int) -> SearchState:
        """Return the best set of a beam search that ends when no sentence raises J."""
        best = self.empty
        states = [best]
        while states:
            sets: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {}  # J, in order taken
            for state in states:
                places = np.flatnonzero(self.open(state))
                values = self.values(state)[places]
                for at in best_first(values)[:beam].tolist():
                    taken = (*state.taken, int(places[at]))
                    sets.setdefault(frozenset(taken), (float(values[at]), taken))
            ranked = sorted(sets.values(), key=lambda scored: -round(scored[0], 9))  # by J
            states = [self._state(taken) for _, taken in ranked[:beam]]
            if not states or states[0].value <= best.value + _RAISED:
                break
            best = states[0]
        return best

    def _exchanged(self, state: SearchState, rounds: int) -> SearchState:
        """Return the set after the best addition or exchange of each round, while one raises J."""
        for _ in range(rounds):
            best = state
            for out in (None, *state.taken):  # None: an addition
                rest = state if out is None else self._state(_without(state.taken, out))
                fits = self.open(rest)
                fits[list(state.taken)] = False
                places = np.flatnonzero(fits)
                if not len(places):
                    continue
                values = rounded(self.values(rest)[places])
                at = int(best_first(values)[0])
                if values[at] > best.value + _RAISED:
                    best = self._state((*rest.taken, int(places[at])))
            if best is state:
                break
            state = best
        return state

    def _state(self, taken: tuple[int, ...]) -> SearchState:
        """Return the state with these candidates (by place) taken."""
        uses = np.zeros(len(self._worth), np.int64)
        for place in taken:
            row = slice(self._ends[place], self._ends[place + 1])
            uses[self._unit[row]] += self._times[row]
        used = np.flatnonzero(uses)
        matches = float(self._worth[used, np.minimum(uses[used], TIMES)].sum())
        places = list(taken)
        length = int(self._candidates.lengths[places].sum())
        size = int(self._candidates.sizes[places].sum())
        value = 2 * matches / (length + self._length)
        return SearchState(taken, uses, length, size, matches, value)

    def _gains(self, uses: Ints) -> Floats:
        """Return the expected matches that each candidate adds."""
        before = uses[self._unit]
        now = np.minimum(before, TIMES)
        then = np.minimum(before + self._times, TIMES)
        added = self._flat[self._start + then] - self._flat[self._start + now]
        sums = np.bincount(self._row, added, len(self._candidates.lengths))
        return sums.astype(np.float64)


def _beyond(worth: Floats, known: Ints) -> Floats:
    """Return what 0 … TIMES more uses of each unit are worth beyond the known ones (units × uses)."""
    rows = np.arange(len(worth))[:, None]
    total = np.minimum(known[:, None] + np.arange(TIMES + 1), TIMES)
    return worth[rows, total] - worth[rows, known[:, None]]


def repeats(counts: Any, words: int, function: Bools, *, share: float, fewest: int) -> Bools:
    """Return candidates × candidates: True where the shorter of two repeats the other.

    The first `words` columns of `counts` are words, the rest bigrams; `function` says which words are function words.

    Two sentences repeat each other if at least `share` of the bigrams, or of the content words, of one stand in the other; sentences
    with fewer than `fewest` content words are compared by bigrams alone.
    """
    binary = counts.copy()
    binary.data = np.ones_like(binary.data)
    flags = np.zeros((counts.shape[0],) * 2, np.bool_)
    content = np.flatnonzero(~function)
    for part, least in ((binary[:, words:], 1), (binary[:, content], fewest)):
        common = (part @ part.T).toarray()
        sizes = common.diagonal().copy()
        smaller = np.minimum(sizes[:, None], sizes[None, :])
        flags |= (common >= share * smaller) & (smaller >= least)
    np.fill_diagonal(flags, val=False)
    return flags


def _without(taken: tuple[int, ...], out: int) -> tuple[int, ...]:
    return tuple(each for each in taken if each != out)
