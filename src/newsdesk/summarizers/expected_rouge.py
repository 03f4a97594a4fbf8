"""Expected ROUGE, our own method: the set of sentences with the highest expected ROUGE F against an editor's summary.

Each word and bigram of the cluster has an expected number of uses in a summary, from position, repetition and agreement between outlets (`expectations`); the
set is found by beam search and swaps (`expectations` too). Sentences that cannot stand alone (`readable`) and sentences that repeat one another are left out
with `readable`, unless nothing else is there. Sentences are printed by their place in the article, then by article, so that what opens an article
opens the summary.

Short articles of a cluster that are about something else: notices of consent, blocked pages, texts about a web archive.

Where a page could not be fetched, what was stored instead is short and shares next to no word with the other articles. That needs no list of phrases and holds in
any language. The two numbers were chosen on half of the shared Multi-News clusters (research/results/summaries.md).

Update summaries: what a cluster says that an earlier summary of the same story did not.

Beyond the papers. For each cluster dated after a day, the summaries of the clusters of its story up to that day are taken as read: uses of a word or bigram that
they have already are worth nothing any more, and `expected-rouge` looks for the sentences of highest expected gain among the rest. A sentence that
repeats a known one, or that an earlier article of the story has word for word, is left out; where nothing is left, the update is empty. A cluster whose story has no
earlier cluster gets its ordinary summary.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Self

import numpy as np
from scipy import sparse

from newsdesk.arrays import Bools, Floats, Ints, best_first
from newsdesk.errors import ArgumentError
from newsdesk.settings import at_least
from newsdesk.summarizers.expectations import (
    ClusterUnits,
    Search,
    SearchState,
    SetCandidates,
    UseRates,
    repeats,
)
from newsdesk.summarizers.prepare import Prepared
from newsdesk.summarizers.readable import fault, faults_in_article
from newsdesk.summarizers.summarizer import (
    SHOWN_BEHIND,
    WORDS_PER_TOKEN,
    Step,
    Summarizer,
    Unit,
    judge,
)
from newsdesk.types import Cluster

_STUB_WORDS = 60  # content words
_UNLIKE = 0.1  # cosine with the words of all other sentences of the cluster


def stubs(prepared: Prepared, units: ClusterUnits) -> Bools:
    """Return for each article whether it is a stub; none is if no article is longer than one."""
    articles = len(prepared.languages)
    places = np.searchsorted(prepared.distinct, prepared.first)  # of each sentence
    holds = sparse.csr_array(
        (np.ones(len(places)), (prepared.article, places)),
        shape=(articles, len(prepared.distinct)),
    )
    holds.data[:] = 1  # a sentence that an article repeats counts once
    # articles × content words
    counts = (holds @ units.counts[:, : units.words][:, ~units.function]).tocsr()
    lengths = counts.sum(axis=1)
    if articles < 2 or lengths.max(initial=0) < _STUB_WORDS:
        return np.zeros(articles, np.bool_)
    total = np.asarray(units.counts[:, : units.words].sum(axis=0))[~units.function]
    # With a an article's counts and b those of the others, which are total - a: a·a, a·b and b·b.
    own = counts.power(2).sum(axis=1)
    shared = counts @ total - own
    others = total @ total - 2 * shared - own
    norms = np.sqrt(np.maximum(own * others, 0))
    cosine = np.divide(shared, norms, out=np.zeros(articles), where=norms > 0)
    return (lengths < _STUB_WORDS) & (cosine < _UNLIKE)


_WORDS_PER_UNIT: dict[Unit, float] = {
    "words": 1.0,
    "tokens": WORDS_PER_TOKEN,
    "characters": 1 / 6,
    "sentences": 20.0,
}
# Editors fill long limits and stay below short ones: the share of the limit at 40 words (WCEP) and at 220 (Multi-News).
_SHORT, _SHORT_SHARE = 40, 0.65
_LONG, _LONG_SHARE = 220, 0.97
_SHORTLIST = 160
_ROUNDS = 6  # of swaps
# Two sentences say the same if they share so much of the bigrams or content words of one, of sentences with so many content words.
_REPEATED, _FEWEST = 0.5, 5
_KNOWN = 0.5  # share of the bigrams of a sentence that stand in an earlier summary


@dataclass(frozen=True)
class ExpectedRouge(Summarizer):
    """The set of sentences of highest expected ROUGE F.

    A summary is expected to fill `summary_share` of the limit, by default a share that grows with
    it.
    """

    summary_share: float | None = None
    beam: int = 4
    readable: bool = True
    rates: UseRates = field(default=UseRates(), init=False, repr=False)
    known_: tuple[str, ...] = field(default=(), init=False, repr=False)
    printed_: frozenset[str] = field(default=frozenset(), init=False, repr=False)

    name = "expected-rouge"

    def __post_init__(self) -> None:
        Summarizer.__post_init__(self)
        if self.summary_share is not None:
            at_least("summary_share", self.summary_share, 0)
        at_least("beam", self.beam, 1)

    @property
    def signature(self) -> str:
        """The settings, and a digest of the summaries that are taken as read."""
        if not self.known_:
            return super().signature
        digest = hashlib.sha256("\n".join(self.known_).encode("utf-8", "surrogatepass"))
        return f"{super().signature}|known:{digest.hexdigest()[:8]}"

    def after(self, texts: tuple[str, ...], printed: frozenset[str] = frozenset()) -> Self:
        """Return the same method for readers who have read these texts.

        What they say is worth nothing any more, and sentences that were `printed` before are not new.
        """
        return self._with(known_=texts, printed_=printed)

    def rated(self, rates: UseRates) -> Self:
        """Return the same method with other constants of the expectations, for those who tune them."""
        return self._with(rates=rates)

    def _with(self, **values: object) -> Self:
        fresh = copy.copy(self)
        for name, value in values.items():
            object.__setattr__(fresh, name, value)
        return fresh

    @property
    def expected_words(self) -> float:
        """The expected length of an editor's summary in words."""
        limit = self.max_words * _WORDS_PER_UNIT[self.unit]
        share = share_of(limit) if self.summary_share is None else self.summary_share
        return share * limit or 1.0

    def steps(self, prepared: Prepared) -> list[Step]:
        """Return the best set in reading order, then the next candidates with why they were rejected.

        Each sentence has the value up to there.
        """
        shortlist = Shortlist(prepared, self)
        if not len(shortlist.places):
            return list(shortlist.known())
        search = shortlist.search()
        best = search.best(self.beam, _ROUNDS)
        steps, state = [], search.empty
        for place in sorted(best.taken, key=shortlist.reading_order):
            state = search.following(state, place)
            steps.append(Step(shortlist.number(place), state.value, "taken"))
        return [*steps, *shortlist.runners_up(search, state)] if steps else []


class Shortlist:
    """The sentences of a cluster that the search considers.

    Those of highest value alone, of highest value per word, and those that most articles print.
    """

    def __init__(self, prepared: Prepared, method: ExpectedRouge) -> None:
        self._prepared = prepared
        self._method = method
        self._room = method.room(prepared)
        self._limit = self._room.left
        self._units: ClusterUnits = prepared.once("units", lambda: ClusterUnits.of(prepared))
        self._length = method.expected_words
        self._expected = self._units.expected(self._length, method.rates)
        self._faults: dict[int, str] = {}
        self._known = self._units.uses_in(method.known_) if method.known_ else None
        places, self._allowed = self._chosen()
        self.places = places

    def number(self, place: int) -> int:
        """Return the number of a candidate in the prepared cluster."""
        return int(self._prepared.distinct[self.places[place]])

    def reading_order(self, place: int) -> tuple[int, int]:
        """Return the place in the article, then the article."""
        number = self.number(place)
        article = int(self._prepared.article[number])
        return number - int(self._prepared.offsets[article]), article

    def search(self) -> Search:
        """Return the search over the candidates that may be taken."""
        units, counts = self._units, self._units.counts[self.places]
        sizes = [self._room.size(self.number(place)) for place in range(len(self.places))]
        twins = (
            repeats(counts, units.words, units.function, share=_REPEATED, fewest=_FEWEST)
            if self._method.readable
            else np.zeros((len(self.places),) * 2, np.bool_)
        )
        candidates = SetCandidates(
            counts=counts,
            lengths=units.lengths[self.places],
            sizes=np.array(sizes, np.int64),
            repeats=twins,
            allowed=self._allowed,
        )
        return Search(candidates, self._expected, self._length, self._limit, self._known)

    def known(self) -> Iterator[Step]:
        """Yield the first sentences that were left out because readers know them."""
        distinct = range(len(self._prepared.distinct))
        places = (place for place in distinct if self._is_known(place))
        for place in itertools.islice(places, SHOWN_BEHIND):
            number = int(self._prepared.distinct[place])
            yield Step(
                number, None, "redundant", "an earlier summary or article of the story has it"
            )

    def runners_up(self, search: Search, state: SearchState) -> Iterator[Step]:
        """Yield the best of the other candidates, and why each was rejected."""
        values = search.values(state)
        room = self._method.room(self._prepared)
        room.left -= state.size
        free = np.setdiff1d(np.arange(len(self.places)), state.taken)
        for at in best_first(values[free])[:SHOWN_BEHIND].tolist():
            place = int(free[at])
            number = self.number(place)
            outcome, why = judge(self._prepared, number, room, self._method.min_tokens)
            if not self._allowed[place]:
                outcome, why = "unreadable", self._fault(number)
            elif twin := search.repeated(state, place):
                outcome, why = "redundant", f"it repeats sentence {twin} of the summary"
            elif outcome == "taken":
                outcome, why = "no gain", f"expected F is {state.value:.4f} without"
            yield Step(number, float(values[place]), outcome, why)

    def _chosen(self) -> tuple[Ints, Bools]:
        """Return places among the distinct sentences, and which of them may be taken.

        All may, if no readable one fits.
        """
        units = self._units
        # The expected matches of each sentence alone, if every unit counts once.
        alone = units.counts @ -np.expm1(-self._expected)
        fits = self._room.at_least(self._prepared.distinct) <= self._limit
        prepared = self._prepared
        copies = np.bincount(prepared.first, minlength=len(prepared))[prepared.distinct]
        rankings = (
            alone / (units.lengths + self._length),
            alone / np.maximum(units.lengths, 1),
            np.where(copies > 1, copies, -1.0),
        )
        allowed: set[int] = set()
        others: list[int] = []
        for scores in rankings:
            self._walk(np.where(fits, scores, -1.0), allowed, others)
        if not allowed:
            allowed, others = set(others), []
        places = np.array(sorted({*allowed, *others}), np.int64)
        return places, np.isin(places, list(allowed))

    def _walk(self, scores: Floats, allowed: set[int], others: list[int]) -> None:
        """Go down a ranking until half of the shortlist is full.

        Places are added to `allowed`, and those of unreadable sentences to `others`.
        """
        count = 0
        for place in best_first(scores).tolist():
            if scores[place] < 0 or count == _SHORTLIST // 2:
                return
            number = int(self._prepared.distinct[place])
            if place in allowed:
                count += 1
            elif (
                not self._prepared.too_short(number, self._method.min_tokens)
                and self._room.size(number) <= self._limit
            ):
                if self._is_known(place):
                    continue
                if self._fault(number):
                    if len(others) < _SHORTLIST:
                        others.append(place)
                else:
                    allowed.add(place)
                    count += 1

    def _is_known(self, place: int) -> bool:
        """Return whether a distinct sentence was printed before, or half of its bigrams were read."""
        if self._known is None:
            return False
        if self._prepared.texts[int(self._prepared.distinct[place])] in self._method.printed_:
            return True
        counts = self._units.counts
        units = counts.indices[counts.indptr[place] : counts.indptr[place + 1]]
        bigrams = units[units >= self._units.words]
        return bool(len(bigrams)) and float((self._known[bigrams] > 0).mean()) >= _KNOWN

    def _fault(self, number: int) -> str:
        """Return why a sentence cannot stand alone; empty if it can, or if that is not asked."""
        if not self._method.readable:
            return ""
        if self._prepared.titles and self._prepared.sentence(number).position < 0:
            return ""  # a title that was asked for needs no final mark
        if number not in self._faults:
            self._faults[number] = self._fault_in_context(number)
        return self._faults[number]

    def _fault_in_context(self, number: int) -> str:
        """Return why a sentence cannot stand alone: by its article, the sentences around it, or itself."""
        prepared = self._prepared
        article = int(prepared.article[number])
        if prepared.once("stubs", lambda: stubs(prepared, self._units))[article]:
            return "page furniture: its short article shares no words with the others"
        start, end = map(int, prepared.offsets[article : article + 2])
        reasons = prepared.once(
            f"faults {article}", lambda: faults_in_article(prepared.texts[start:end])
        )
        return reasons[number - start] or fault(
            prepared.texts[number], latin=prepared.is_latin(article)
        )


def share_of(limit: float) -> float:
    """Return the share of a limit in words that an editor's summary is expected to fill.

    >>> share_of(40), round(share_of(100), 2), share_of(250)
    (0.65, 0.82, 0.97)
    """
    # Linear in the logarithm of the limit between the two, constant beyond.
    fraction = math.log(max(limit, 1.0) / _SHORT) / math.log(_LONG / _SHORT)
    return _SHORT_SHARE + (_LONG_SHARE - _SHORT_SHARE) * min(max(fraction, 0.0), 1.0)


def updates(
    method: Summarizer, clusters: Iterable[Cluster], since: str
) -> Iterator[tuple[Cluster, Summarizer]]:
    """Yield the clusters dated after `since`, each with the method that knows its story so far.

    Undated clusters are left out.
    """
    if not isinstance(method, ExpectedRouge):
        raise ArgumentError(f"--after needs the method expected-rouge, not {method.name}")
    try:
        day = date.fromisoformat(since).isoformat()
    except ValueError:
        raise ArgumentError(f"--after is {since!r}, not a day such as 2019-05-01") from None
    known: dict[str, list[str]] = {}  # story → its summaries up to that day
    printed: dict[str, set[str]] = {}  # story → the sentences of its articles
    later: list[Cluster] = []
    for cluster in clusters:
        if cluster.date is None:
            continue
        if cluster.date > day:
            later.append(cluster)
        elif cluster.story:
            prepared = method.prepared(cluster)
            text = method.summarize(prepared).text
            for story in cluster.story:
                known.setdefault(story, []).append(text)
                printed.setdefault(story, set()).update(prepared.texts)
    for cluster in later:
        texts = (text for story in cluster.story for text in known.get(story, ()))
        sentences = frozenset().union(*(printed.get(story, ()) for story in cluster.story))
        yield cluster, method.after(tuple(dict.fromkeys(texts)), sentences)
