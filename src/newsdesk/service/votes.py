"""Votes on comments, constructive or not: judgments of one standing campaign for each file, and the model that they adapt.

The campaign has a task for each comment, open to all moderators, so that reports and exports of campaigns serve votes too. Adapting fits `argument` on the votes with the ready model as prior, and measures both on votes
that were held out, article by article: the share of pairs of one article, one comment voted constructive and one not, that stand in the right order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from newsdesk.campaigns import Store, protocol
from newsdesk.campaigns.tasks import constructive_tasks
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import write_text
from newsdesk.jsonl import json_text
from newsdesk.service.library import NewsFile
from newsdesk.service.ranking import threads_in
from newsdesk.signatures import sha256_of
from newsdesk.types import Comment, Thread
from newsdesk.work.progress import OnProgress, Progress

if TYPE_CHECKING:
    from newsdesk.arrays import Floats
    from newsdesk.rankers.ranker import Ranker

QUESTION = "constructive"

_VOTERS = 5  # that each comment takes
_LEAST_ARTICLES = 3  # two to learn from, one to test on
_MOST_FOLDS = 5
_RESULT = "adapted.json"


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What votes made of a model: the shares of held-out pairs in the right order, before and after, with intervals."""

    model: str
    articles: int
    comments: int
    pairs: int
    before: float
    after: float
    difference: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Whether the votes have shown a gain."""
        if self.low > 0:
            return "The adapted model is better on held-out votes."
        if self.high < 0:
            return "The adapted model is worse on held-out votes: keep the one that ranks now."
        return "The votes do not show a difference yet; more of them may."


def campaign_of(file: NewsFile) -> str:
    """Return the name of the campaign of a file's votes; read by other columns, a file has other comments."""
    read = json.dumps(sorted(file.mapping.items()))
    return f"votes-{file.id}" + (f"-{sha256_of(read, 6)}" if file.mapping else "")


def is_of_votes(campaign: str) -> bool:
    """Return True if a campaign holds the votes of a file, by its name."""
    return re.fullmatch(r"votes-(newsroom-)?[0-9a-f]{16}(-[0-9a-f]{6})?", campaign) is not None


def task_of(article: str, row: int) -> str:
    """Return the task of a comment, by its row in the thread."""
    return f"{article}+{row + 1}"


def has_votes(store: Store, campaign: str) -> bool:
    """Return True if somebody has voted, so that there is a campaign."""
    return any(stored.name == campaign for stored in store.campaigns())


def votes_by(store: Store, campaign: str, voter: str) -> dict[str, bool]:
    """Return what somebody voted, by task; nothing where they have not."""
    try:
        cells = store.cells(campaign, voter)
    except ArgumentError:
        return {}
    return {task: bool(value) for (task, _, _), (value, _) in cells.items()}


def vote(
    store: Store, campaign: str, voter: str, task: str, comment: str, *, yes: bool, at: str
) -> None:
    """Store a vote; a later one of the same person corrects it."""
    answers = {(comment, QUESTION): yes}
    if all(known.name != voter for known in store.status(campaign).annotators):
        store.join(campaign, voter)
    store.answer(campaign, voter, task, answers, at=at)


def open_votes(url: str, campaign: str, path: str, name: str, mapping: Mapping[str, str]) -> None:
    """Create the campaign of a file's votes, as a worker, unless there is one."""
    _, threads = threads_in(path, name, mapping)
    tasks = constructive_tasks(threads, bundle=1, seed=0, in_order=True)
    with Store.open(url) as store:
        if not has_votes(store, campaign):
            store.create(campaign, protocol(QUESTION), tasks, None, per_item=_VOTERS, seed=0)


def adapt(
    folder: Path,
    report: OnProgress,
    url: str,
    campaign: str,
    path: str,
    name: str,
    mapping: Mapping[str, str],
    model: str,
) -> None:
    """Fit a model on the votes, save it at the path `model`, and write what it gains on held-out votes; the work of a job."""
    from newsdesk.rankers.argument.model import Argument
    from newsdesk.rankers.evaluation.compare import cross_folds
    from newsdesk.rankers.ready import READY, Models

    report(Progress("reading votes"))
    threads = _voted(url, campaign, threads_in(path, name, mapping)[1])
    if len(threads) < _LEAST_ARTICLES:
        raise DataError(
            f"there are votes on the comments of {len(threads)} articles; vote on those of {_LEAST_ARTICLES} or more"
        )
    ready = Models(READY)
    rows: list[tuple[Floats, Floats]] = []
    folds = cross_folds(threads, min(_MOST_FOLDS, len(threads)))
    for done, fold in enumerate(folds):
        report(Progress("testing on held-out votes", done, len(folds) + 1))
        adapted = Argument().fit((*fold.train, *fold.dev))
        rows += [
            (_pairs(ready.of(thread), thread), _pairs(adapted, thread)) for thread in fold.test
        ]
    report(Progress("fitting on all votes", len(folds), len(folds) + 1))
    result = _compared(rows, Path(model).name, threads)
    Argument().fit(threads).save(model, overwrite=True)
    write_text(folder / _RESULT, json_text(asdict(result)))


def adaptation_in(folder: Path) -> Adaptation:
    """Return what a job of `adapt` found."""
    return Adaptation(**json.loads((folder / _RESULT).read_bytes()))


def _voted(url: str, campaign: str, threads: Iterable[Thread]) -> list[Thread]:
    """Return the threads that were voted on, their comments with yes and votes and nothing else to learn from."""
    counts: dict[tuple[str, str], list[bool]] = {}
    with Store.open(url) as store:
        for judgment in store.judgments(campaign):
            if not judgment.withdrawn:
                counts.setdefault((judgment.item, judgment.target), []).append(bool(judgment.value))
    voted = {article for article, _ in counts}

    def counted(article: str, comment: Comment) -> Comment:
        own = counts.get((article, comment.id))
        return replace(
            comment, score=None, yes=sum(own) if own else None, votes=len(own) if own else None
        )

    return [
        Thread(
            thread.article,
            tuple(counted(thread.article.id, comment) for comment in thread.comments),
        )
        for thread in threads
        if thread.article.id in voted
    ]


def _pairs(model: Ranker, thread: Thread) -> Floats:
    """Return how many pairs of a thread, one of more yes than no and one of less, stand in the right order, and all of them."""
    scores = model.scores(thread)
    shares = np.array(
        [comment.yes / comment.votes if comment.votes and comment.yes is not None else np.nan for comment in thread.comments]
    )  # fmt: skip
    good, poor = scores[shares > 0.5], scores[shares < 0.5]
    lead = np.sign(good[:, None] - poor[None, :])  # good × poor
    return np.array([((1 + lead) / 2).sum(), lead.size], dtype=np.float64)


def _compared(
    rows: Sequence[tuple[Floats, Floats]], model: str, threads: Sequence[Thread]
) -> Adaptation:
    from newsdesk.stats.significance import paired_bootstrap

    before = np.array([ready for ready, _ in rows if ready[1]])  # articles × 2
    after = np.array([adapted for _, adapted in rows if adapted[1]])
    if len(before) < 2:
        raise DataError(
            "too few articles have both comments voted constructive and comments voted not; vote on more"
        )
    difference = paired_bootstrap(after, before, lambda sums: sums[:, 0] / sums[:, 1])
    votes = [comment.votes or 0 for thread in threads for comment in thread.comments]
    return Adaptation(
        model=model,
        articles=len(threads),
        comments=sum(count > 0 for count in votes),
        pairs=int(before[:, 1].sum()),
        before=float(before[:, 0].sum() / before[:, 1].sum()),
        after=float(after[:, 0].sum() / after[:, 1].sum()),
        difference=difference.difference,
        low=difference.low,
        high=difference.high,
    )
