"""The judged comments of many articles as arrays, the systems that score them, and the ceiling that vote noise sets.

Unjudged comments are left out and counted. The length-controlled measures have thresholds in shares of yes votes: a comment's
share is yes of votes where every comment was voted on, else its score where all scores lie in [0, 1], else the score between the
lowest and the highest of the file; `scale` says which.

**Ceiling**: what an ideal ranker would reach with the few votes per comment. Votes are modelled as beta-binomial given length: the mean rate of a comment follows its
length monotonically (isotonic regression on the votes, rising or falling as they do), and one concentration, by maximum likelihood, gives the variance of single
comments around it. True rates are drawn from that model and votes from the rates. The measures of the true rates against such votes are the ceiling; the
measures of one fresh panel's shares against another's are what people themselves reach.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from newsdesk.arrays import Floats, Ints
from newsdesk.errors import ArgumentError, DataError
from newsdesk.rankers.evaluation.length_control import MatchedPairs, monotone_rate
from newsdesk.rankers.ranker import Ranker, ranker, target_of
from newsdesk.signatures import sha256_of, signature
from newsdesk.streams import stream
from newsdesk.text.ragged import offsets_of
from newsdesk.types import Comment, Ranked, Thread
from newsdesk.wording import plural


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged comments of threads, article after article; `offsets` are the starts of the articles."""

    articles: tuple[str, ...]  # ids
    comments: tuple[str, ...]  # ids
    offsets: Ints  # articles + 1
    gains: Floats  # of each comment, as all arrays from here on
    shares: Floats  # from 0 to 1
    scale: str
    lengths: Ints  # characters
    yes: Ints | None  # None unless every comment was voted on
    votes: Ints | None
    matched: MatchedPairs
    unjudged: int  # comments left out

    @classmethod
    def of(cls, threads: Iterable[Thread]) -> Judged:
        """Collect the comments that have a score, article after article."""
        articles: list[tuple[str, list[tuple[Comment, float]]]] = []
        unjudged = 0
        for thread in threads:
            scored = [(comment, target_of(comment, "score")) for comment in thread.comments]
            judged = [(comment, gain) for comment, gain in scored if gain is not None]
            unjudged += len(scored) - len(judged)
            if judged:
                articles.append((thread.article.id, judged))
        if not articles:
            raise ArgumentError("no comment of the threads has a score to judge a ranking by")
        offsets = offsets_of(np.array([len(judged) for _, judged in articles]))
        comments = [comment for _, judged in articles for comment, _ in judged]
        gains = np.array([gain for _, judged in articles for _, gain in judged], dtype=np.float64)
        lengths = np.array([len(comment.text) for comment in comments], dtype=np.int64)
        yes, votes = _votes(comments)
        shares, scale = _shares(gains, yes, votes)
        return cls(
            articles=tuple(article for article, _ in articles),
            comments=tuple(comment.id for comment in comments),
            offsets=offsets,
            gains=gains,
            shares=shares,
            scale=scale,
            lengths=lengths,
            yes=yes,
            votes=votes,
            matched=MatchedPairs.of(lengths, offsets),
            unjudged=unjudged,
        )

    @property
    def article_of(self) -> Ints:
        """The number of each comment's article."""
        return np.repeat(np.arange(len(self.articles)), np.diff(self.offsets))

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The ids of article and comment for each comment."""
        articles = [self.articles[number] for number in self.article_of.tolist()]
        return list(zip(articles, self.comments, strict=True))

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of a hash of the ids, gains and lengths."""
        lines = zip(self.comments, self.gains.tolist(), self.lengths.tolist(), strict=True)
        text = "\n".join([*self.articles, *(f"{i}\t{gain!r}\t{size}" for i, gain, size in lines)])
        return sha256_of(text, 8)

    def signature(
        self, name: str, reading: Mapping[str, object], sampling: Mapping[str, object]
    ) -> str:
        """Return the signature of measures on these comments."""
        return signature(name, {**reading, "threads": self.digest, **sampling})

    def split(self, values: Floats) -> list[Floats]:
        """Split values of all comments by article."""
        return np.split(values, self.offsets[1:-1])


def _votes(comments: Sequence[Comment]) -> tuple[Ints | None, Ints | None]:
    """Return yes votes and all votes of each comment; None unless every one was voted on."""
    if not all(comment.votes and comment.yes is not None for comment in comments):
        return None, None
    yes = np.array([comment.yes for comment in comments], dtype=np.int64)
    return yes, np.array([comment.votes for comment in comments], dtype=np.int64)


def _shares(gains: Floats, yes: Ints | None, votes: Ints | None) -> tuple[Floats, str]:
    """Return the share of each comment, and the name of the scale it comes from."""
    if yes is not None and votes is not None:
        return yes / votes, "votes"
    low, high = float(gains.min()), float(gains.max())
    if low >= 0 and high <= 1:
        return gains, "score"
    return (gains - low) / ((high - low) or 1.0), f"minmax({low:g},{high:g})"


_LOG_CONCENTRATIONS = (-3.0, 8.0)  # bounds of the search
_LEAST_RATE = 1e-4  # mean rates are kept so far from 0 and 1
# Below any difference of two shares, above what counts as tied.
_TIE_BREAK = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class VoteModel:
    """A beta-binomial model: the mean rate of each comment, and the concentration around it."""

    means: Floats
    concentration: float

    @classmethod
    def fit(cls, lengths: Ints, yes: Ints, votes: Ints) -> VoteModel:
        """Fit the means by isotonic regression and the concentration by maximum likelihood."""
        from scipy.optimize import minimize_scalar
        from scipy.special import betaln

        _, rate, group = monotone_rate(lengths, yes, votes)
        means = np.clip(rate[group], _LEAST_RATE, 1 - _LEAST_RATE)

        def surprise(log_concentration: float) -> float:
            a = means * np.exp(log_concentration)
            b = np.exp(log_concentration) - a
            return -float(np.sum(betaln(a + yes, b + votes - yes) - betaln(a, b)))

        best = minimize_scalar(surprise, bounds=_LOG_CONCENTRATIONS, method="bounded")
        return cls(means, float(np.exp(best.x)))

    def rates(self, rng: np.random.Generator) -> Floats:
        """Draw a true rate for each comment."""
        a = self.means * self.concentration
        return rng.beta(a, self.concentration - a)


@dataclass(frozen=True, slots=True, eq=False)
class Redrawn:
    """One simulation: votes, the true rates behind them, and the shares of a fresh panel."""

    judged: Judged
    true_rates: Floats
    fresh_panel: Floats


def redraws(judged: Judged, count: int, *, seed: int = 0) -> Iterator[Redrawn]:
    """Yield `count` simulations of the votes; none where the votes are not known."""
    if judged.yes is None or judged.votes is None:
        return
    model = VoteModel.fit(judged.lengths, judged.yes, judged.votes)
    rng = stream("vote noise", seed)
    for _ in range(count):
        rates = model.rates(rng)
        shares = rng.binomial(judged.votes, rates) / judged.votes
        # A panel's many ties are broken at random: broken by position they would agree with the ties of the gains.
        fresh = rng.binomial(judged.votes, rates) / judged.votes
        fresh += _TIE_BREAK * rng.random(len(rates))
        world = dataclasses.replace(judged, gains=shares, shares=shares)
        yield Redrawn(world, rates, fresh)


BASELINES = ("like", "random", "length")
# A random ranker is measured by the mean of so many trials.
TRIALS = 10
_SETTINGS = re.compile(r"\(.*\)", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class RankerScores:
    """The scores of one ranker for each judged comment.

    A random ranker has several trials, and measures are means over them.
    """

    name: str
    trials: tuple[Floats, ...]
    missing: int = 0  # judged comments that its run lacks
    unknown: int = 0  # unjudged comments in its run


def system_of(
    name: str, rankers: Sequence[Ranker], threads: Iterable[Thread], judged: Judged
) -> RankerScores:
    """Return the system of one ranker, or of several trials of it."""
    listed = list(threads)
    trials = []
    for trial in rankers:
        scores = {
            (thread.article.id, comment.id): score
            for thread in trial.checked(listed)
            for comment, score in zip(thread.comments, trial.scores(thread), strict=True)
        }
        trials.append(_aligned(scores, judged))
    return RankerScores(name, tuple(trials))


def system_of_run(name: str, run: Iterable[Ranked], judged: Judged) -> RankerScores:
    """Return the system of a run. A judged comment missing from the run is ranked last.

    Unjudged comments are left out.

    As in trec_eval, scores decide and the column of ranks is ignored.
    """
    scores = {(line.article, line.comment): line.score for line in run}
    lacking = set(judged.articles) - {article for article, _ in scores}
    if lacking:
        article = min(lacking)
        raise DataError(
            f"run {name!r} ranks nothing of article {article!r} ({len(lacking)} such); rank every article of the threads"
        )
    judged_keys = set(judged.keys)
    missing = sum(key not in scores for key in judged_keys)
    unknown = sum(key not in judged_keys for key in scores)
    return RankerScores(name, (_aligned(scores, judged),), missing, unknown)


def baseline_system(
    name: str, threads: Iterable[Thread], judged: Judged, seed: int = 0
) -> RankerScores:
    """Return the system of one of `BASELINES`; `random` has ten trials, each with its own seed."""
    if name not in BASELINES:
        raise ArgumentError(f"{name!r} is no baseline; there are: {', '.join(BASELINES)}")
    seeds = [{"seed": seed + trial} for trial in range(TRIALS)] if name == "random" else [{}]
    return system_of(name, [ranker(name, **settings) for settings in seeds], threads, judged)


def notes(judged: Judged, systems: Iterable[RankerScores] = ()) -> Iterator[str]:
    """Yield sentences about what was left out or is missing."""
    if judged.unjudged:
        yield f"left out: {plural(judged.unjudged, 'comment')} without a score"
    for system in systems:
        if system.missing:
            missing = plural(system.missing, "judged comment")
            yield f"{system.name} lacks {missing} (ranked last)"
        if system.unknown:
            unknown = plural(system.unknown, "unjudged comment")
            yield f"{system.name} ranks {unknown} (left out)"


def run_names(paths: Sequence[str]) -> list[str]:
    """Return the names of runs: the file name up to the first dot, the path where two would be equal.

    >>> run_names(["a/svr.jsonl", "b/run.trec", "c/run.trec"])
    ['svr', 'b/run.trec', 'c/run.trec']
    """
    stems = [file_stem(path) for path in paths]
    return [
        stem if stem and stems.count(stem) == 1 else path
        for path, stem in zip(paths, stems, strict=True)
    ]


def file_stem(path: str) -> str:
    """Return the name of a file up to its first dot.

    >>> file_stem("data/deep.jsonl.gz")
    'deep'
    """
    return Path(path).name.partition(".")[0]


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return names without their settings, where that leaves them distinct.

    >>> short_names(["svr(cost=1)/deep", "svr(cost=1)/shallow", "ranksvm(cost=1)", "ranksvm(cost=2)"])["svr(cost=1)/deep"]
    'svr/deep'
    """
    bare = {name: _SETTINGS.sub("", name) for name in names}
    counts = Counter(bare.values())
    return {name: short if counts[short] == 1 else name for name, short in bare.items()}


def _aligned(scores: Mapping[tuple[str, str], float], judged: Judged) -> Floats:
    """Return the scores in the order of the judged comments; one below all others where there is none."""
    last = min(scores.values(), default=0.0) - 1.0
    return np.array([scores.get(key, last) for key in judged.keys], dtype=np.float64)
