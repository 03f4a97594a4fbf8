"""Which items to label next: comments for a ranker, or outputs for a verdict between systems.

For the ranker: a vote whose answer is known in advance teaches nothing. Length alone explains most votes on comments, so the votes so far give the
probability p of a yes by length (isotonic regression; before the first votes, the curve of the ready model). The information of a vote about the weights
of a logistic regression beyond length is proportional to p (1 − p), and the comments with the most come first: those whose length does not
tell. It is uncertainty sampling (Lewis and Gale 1994) under the model by length alone; under the whole ranker it gains less (`research/next_labels.py`).

For the verdict: systems that are already told from the leader need no more judgments. On the means per item, each system is compared with the
leader by a paired t-test, Holm-corrected; the leader and those not told from it are judged next, first on items that none of them has been judged
on, since a new item tells more than a second vote on an old one, then on those with the fewest votes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints, best_first
from newsdesk.errors import ArgumentError
from newsdesk.rankers.argument.logistic import LengthCurve, sigmoid
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.ready import load_ready, ready_name
from newsdesk.results.part import ResultPart, json_of
from newsdesk.results.table import table
from newsdesk.settings import at_least
from newsdesk.signatures import signature
from newsdesk.stats.significance import correct
from newsdesk.streams import stream
from newsdesk.text.language import main_language
from newsdesk.types import Comment, Judgment, Output, Thread

_LEAST_LABELLED = 50
_LEAST_SHARED_ITEMS = 5  # for a t-test between two systems
_NO_GAP = 1e-12  # means that differ by less are equal


@dataclass(frozen=True, slots=True)
class NextComment:
    """A comment to vote on next: the probability of a yes by its length, and what a vote would tell.

    The information of a vote is 1 at p = .5.
    """

    article: str
    comment: str
    probability: float
    information: float


@dataclass(frozen=True, slots=True)
class NextComments(ResultPart):
    """Comments to vote on, most informative first.

    `labelled` comments have votes already, `waiting` have none.
    """

    comments: tuple[NextComment, ...]
    labelled: int
    waiting: int
    signature: str

    def text(self) -> str:
        """Return the comments as a table for the terminal."""
        header = ["article", "comment", "probability", "information"]
        rows = [dataclasses.astuple(comment) for comment in self.comments]
        return "\n".join([table(header, rows), "", self.signature])


@dataclass(frozen=True, slots=True)
class NextItem:
    """An item to judge next, and the votes that its contenders have already."""

    item: str
    votes: int


@dataclass(frozen=True, slots=True)
class NextItems(ResultPart):
    """Items to judge next for these systems: the leader first, then those not told from it.

    `settled` systems need no more judgments.
    """

    systems: tuple[str, ...]
    settled: tuple[str, ...]
    items: tuple[NextItem, ...]
    signature: str

    @property
    def verdict(self) -> str:
        """What is open in one sentence."""
        if len(self.systems) == 1:
            return f"{self.systems[0]} leads and every other system is told from it; no judgment is needed."
        return f"{self.systems[0]} leads; not told from it: {', '.join(self.systems[1:])}."

    def as_json(self) -> dict[str, Any]:
        """Return the items as JSON values, after what is open."""
        return {"verdict": self.verdict, **json_of(self)}

    def text(self) -> str:
        """Return what is open, and the items as a table for the terminal."""
        lines = [self.verdict]
        if self.items:
            rows = [(item.item, item.votes) for item in self.items]
            shown = table(["item", "votes so far"], rows)
            lines += ["", f"judge {', '.join(self.systems)} on", "", shown]
        return "\n".join([*lines, "", self.signature])


def information(probabilities: Floats) -> Floats:
    """Return the information of one vote about the weights of a logistic regression.

    It is 1 where the answer is open and 0 where it is certain.
    """
    return 4 * probabilities * (1 - probabilities)


def next_comments(
    threads: Iterable[Thread], *, count: int = 100, lang: str | None = None
) -> NextComments:
    """Return the comments without votes whose vote would teach a ranker most, given those with votes."""
    at_least("count", count, 1)
    listed = list(threads)
    voted = [comment for thread in listed for comment in thread.comments if comment.votes]
    waiting = [
        (thread.article.id, comment)
        for thread in listed
        for comment in thread.comments
        if not comment.votes
    ]
    if not voted and not waiting:
        raise ArgumentError("the threads have no comments")
    if not waiting:
        raise ArgumentError("every comment has votes already; there is nothing to label next")
    curve, source = _length_curve(voted, lang or main_language(listed) or "en")
    log_odds = curve(log_lengths([comment.text for _, comment in waiting]))
    probabilities = sigmoid(log_odds)
    gains = information(probabilities)
    rows = []
    for best in best_first(gains)[:count].tolist():
        article, comment = waiting[best]
        rows.append(
            NextComment(
                article,
                comment.id,
                probability=float(probabilities[best]),
                information=float(gains[best]),
            )
        )
    fields = {"rule": "uncertain-by-length", "curve": source, "labelled": len(voted)}
    return NextComments(tuple(rows), len(voted), len(waiting), signature("study-next", fields))


def log_lengths(texts: Sequence[str]) -> Floats:
    """Return the logarithm of the number of characters, at least one."""
    return np.log(np.maximum([len(text) for text in texts], 1)).astype(np.float64)


def next_items(
    outputs: Iterable[Output],
    judgments: Iterable[Judgment],
    *,
    count: int = 50,
    question: str | None = None,
    level: float = 0.05,
    seed: int = 0,
) -> NextItems:
    """Return the items and systems to judge next, so that the leader is told from the others."""
    at_least("count", count, 1)
    listed = list(outputs)
    items = list(dict.fromkeys(output.id for output in listed))
    systems = list(dict.fromkeys(output.system for output in listed))
    if len(systems) < 2:
        raise ArgumentError("a verdict needs the outputs of two systems or more")
    sums, votes = _table(items, systems, judgments, question)
    leader, unsettled = contenders(sums, votes, level=level)
    chosen = [leader, *unsettled]
    fewest_votes = votes[:, chosen].min(axis=1)  # items
    # Fewest votes first, items with equally many in random order; no item once the leader stands alone.
    order = stream("study-next", seed).permutation(len(items))
    order = order[np.argsort(fewest_votes[order], kind="stable")] if unsettled else order[:0]
    rows = tuple(
        NextItem(items[index], votes=int(fewest_votes[index])) for index in order[:count].tolist()
    )
    fields = {"rule": "contenders", "level": f"{level:g}", "test": "paired-t+holm", "seed": seed}
    settled = tuple(name for index, name in enumerate(systems) if index not in chosen)
    open_systems = tuple(systems[index] for index in chosen)
    return NextItems(open_systems, settled, rows, signature("study-next", fields))


def contenders(sums: Floats, votes: Ints, *, level: float = 0.05) -> tuple[int, list[int]]:
    """Return the column of the leader by mean grade, and those not told from it, best first.

    `sums` and `votes` are items × systems: the sum of the grades of an output and how many there are.

    A system is compared with the leader on the items where both have votes; with fewer than five of these it stays a contender.
    """
    from scipy.stats import ttest_rel

    means = np.divide(sums, votes, out=np.full(sums.shape, np.nan), where=votes > 0)
    order = best_first(_levels(means)).tolist()
    leader = order[0]
    p_values = []
    for other in order[1:]:
        both = (votes[:, leader] > 0) & (votes[:, other] > 0)
        gaps = means[both, leader] - means[both, other]
        if both.sum() < _LEAST_SHARED_ITEMS:
            p_values.append(1.0)
        elif np.ptp(gaps) < _NO_GAP:  # the t-test is undefined where all gaps are equal
            p_values.append(0.0 if abs(gaps[0]) > _NO_GAP else 1.0)
        else:
            p_values.append(float(ttest_rel(means[both, leader], means[both, other]).pvalue))
    corrected = correct(p_values, "holm")
    return leader, [other for other, p in zip(order[1:], corrected, strict=True) if p >= level]


def _levels(means: Floats) -> Floats:
    """Return the levels of systems by least squares with an effect per item; −inf where never judged.

    `means` is items × systems, nan where not judged: systems may be judged on different items.
    """
    judged = ~np.isnan(means)  # items × systems
    used = judged.any(axis=1)
    values = np.where(judged, means, 0.0)[used]  # used items × systems, as the next two
    mask = judged[used].astype(np.float64)
    shares = mask / mask.sum(axis=1, keepdims=True)
    # The normal equations after the effects of items are eliminated: systems × systems, systems.
    normal = np.diag(mask.sum(axis=0)) - mask.T @ shares
    right_side = values.sum(axis=0) - shares.T @ values.sum(axis=1)
    levels = np.linalg.pinv(normal) @ right_side
    return np.where(judged.any(axis=0), levels, -np.inf)


def _length_curve(voted: Sequence[Comment], lang: str) -> tuple[LengthCurve, str]:
    """Return the curve of the log-odds of a yes by length, and its source for the signature.

    It is fitted to the votes or, while there are few, taken from the ready model.
    """
    if len(voted) >= _LEAST_LABELLED:
        yes = np.array([float(comment.yes or 0) for comment in voted])
        votes = np.array([float(comment.votes or 0) for comment in voted])
        lengths = log_lengths([comment.text for comment in voted])
        return LengthCurve.of_votes(lengths, yes, votes), "votes"
    name = ready_name(lang, vectors=False)
    ready = load_ready(name) if name else None
    if not isinstance(ready, Argument):
        raise ArgumentError(
            f"{len(voted)} comments have votes, fewer than {_LEAST_LABELLED}, and no ready model is in {lang!r}; label some at random first"
        )
    return ready.weights_.curve, f"ready[{name}]"


def _table(
    items: Sequence[str],
    systems: Sequence[str],
    judgments: Iterable[Judgment],
    question: str | None,
) -> tuple[Floats, Ints]:
    """Return sums of grades and numbers of votes, items × systems.

    Judgments of control questions, withdrawn ones and those of another question are left out.
    """
    rows = {item: index for index, item in enumerate(items)}
    columns = {system: index for index, system in enumerate(systems)}
    sums = np.zeros((len(items), len(systems)))
    votes = np.zeros((len(items), len(systems)), dtype=np.int64)
    for judgment in judgments:
        if judgment.control or judgment.withdrawn or question not in (None, judgment.question):
            continue
        if isinstance(judgment.value, str):
            raise ArgumentError(f"the judgment {judgment.value!r} is no grade; next needs numbers")
        if judgment.item in rows and judgment.target in columns:
            sums[rows[judgment.item], columns[judgment.target]] += float(judgment.value)
            votes[rows[judgment.item], columns[judgment.target]] += 1
    return sums, votes
