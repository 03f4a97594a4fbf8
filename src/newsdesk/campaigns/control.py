"""Audit of annotators: control questions, agreement with others, speed and repeated patterns; careless ones are flagged by a stated rule.

Four findings make an annotator look careless. Each needs enough answers, and each is compared with the other annotators of the same
campaign, so that a hard question, a quick one or a rare "yes" is nobody's fault:

- **controls**: fewer right answers to control questions than `min_accuracy`, and fewer than chance explains (one-sided binomial test, p <
  `alpha`) for somebody as good as the others are together;
- **fast**: more than `max_fast` of their tasks took less than `fast` of the median time of all tasks;
- **habit**: `max_same` or more of their tasks got the same answers in the same places (all ticked, 1-2-3-4 from left to right), and more
  than chance explains if they gave these answers as often as the others do;
- **agreement**: their kappa with the others is less than half of what the others have among themselves, and lower than chance explains for
  one more annotator like the others (p < `panel_alpha`, corrected for the number of annotators; see `agreement.leave_one_out`). In simulated
  campaigns with ten annotators who differ in strictness and noise one who answers at random is found in 93 % or more (by design), and in at most 3 % anybody
  is flagged where nobody is careless (`python -m bench careless`).

Less disagreement than that is reported and is no finding: who disagrees may be the one who reads. A finding is a suggestion; people decide
whom to exclude.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from scipy import special

from newsdesk.campaigns.campaign import answered, same_value
from newsdesk.campaigns.tasks import LAST, Answer, Task
from newsdesk.errors import ArgumentError
from newsdesk.stats.annotators import OwnAgreement, own_agreements
from newsdesk.types import Judgment, Value
from newsdesk.wording import natural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

Known: TypeAlias = Mapping[tuple[str, str], Answer]  # (task, target) → answer
Place: TypeAlias = tuple[str, str, str]  # (task, target, question)
Pattern: TypeAlias = tuple[Value, ...]

_SMALLEST_P = 0.001


@dataclass(frozen=True, slots=True)
class Rule:
    """Thresholds of the findings; `tolerance` is in steps of a scale, of answers to controls."""

    min_controls: int = 5
    min_accuracy: float = 0.7
    tolerance: float = 0.0
    min_tasks: int = 20
    fast: float = 1 / 3
    max_fast: float = 0.5
    max_same: float = 0.9
    alpha: float = 0.01
    min_compared: int = 20
    panel_alpha: float = 0.03

    def __post_init__(self) -> None:
        for name in ("min_accuracy", "fast", "max_fast", "max_same", "alpha", "panel_alpha"):
            if not 0 <= getattr(self, name) <= 1:
                raise ArgumentError(f"{name} is {getattr(self, name)}, not a number from 0 to 1")
        if min(self.min_controls, self.min_tasks, self.min_compared) < 1 or self.tolerance < 0:
            raise ArgumentError(
                "min_controls, min_tasks and min_compared start at 1, tolerance at 0"
            )


@dataclass(frozen=True, slots=True)
class AnnotatorAudit:
    """The audit of one annotator.

    A share is None where there is nothing to count, and so is `own`, the agreement with the others
    corrected for chance.

    `careless` lists the findings.
    """

    annotator: str
    tasks: int
    judgments: int
    controls: int
    correct: int
    compared: int
    agreeing: int
    median_seconds: float | None
    fast_share: float | None
    same_share: float
    counts: tuple[tuple[Value, int], ...]
    own: OwnAgreement | None
    careless: tuple[str, ...]

    @property
    def accuracy(self) -> float | None:
        """The share of control questions answered correctly."""
        return self.correct / self.controls if self.controls else None

    @property
    def agreement(self) -> float | None:
        """The share of judgments that equal the majority of the other annotators."""
        return self.agreeing / self.compared if self.compared else None


def known_answers(tasks: Iterable[Task]) -> dict[tuple[str, str], Answer]:
    """Return the known answers of control questions, by task and target."""
    return {
        (task.id, target.id): target.answer
        for task in tasks
        for target in task.targets
        if target.answer is not None
    }


def audit(
    judgments: Iterable[Judgment],
    known: Known,
    rule: Rule | None = None,
    *,
    ranks: bool = False,
    compared: Sequence[Judgment] | None = None,
) -> list[AnnotatorAudit]:
    """Audit every annotator, w2 before w10.

    `judgments` has one judgment per key, withdrawn ones are left out.

    `ranks` says that values are ranks within their task, 1 the best. `compared` are the judgments in which annotators can agree, such as
    the tokens that they marked, if not these.
    """
    rule = rule or Rule()
    by_annotator: dict[str, list[Judgment]] = defaultdict(list)
    votes: dict[Place, Counter[Value]] = defaultdict(Counter)
    rows = answered(judgments)
    shared = rows if compared is None else compared
    own = own_agreements(shared, ranks=ranks, fewest=rule.min_compared, alpha=rule.panel_alpha)
    for judgment in rows:
        by_annotator[judgment.annotator].append(judgment)
        votes[_place(judgment)][judgment.value] += 1
    works = [_work(by_annotator[name], known, rule) for name in sorted(by_annotator, key=natural)]
    all_seconds = [each for work in works for each in work.seconds]
    everybody = _Work(
        judgments=[],
        correct=sum(work.correct for work in works),
        controls=sum(work.controls for work in works),
        seconds=all_seconds,
        patterns=sum((work.patterns for work in works), Counter()),
    )
    fast_limit = rule.fast * median(all_seconds) if all_seconds else 0.0
    return [
        _row(work, everybody, votes, own.get(work.judgments[0].annotator), fast_limit, rule)
        for work in works
    ]


@dataclass(frozen=True, slots=True)
class _Work:
    """The work of one annotator, or of all together."""

    judgments: list[Judgment]
    correct: int
    controls: int
    seconds: list[float]
    patterns: Counter[Pattern]


def _place(judgment: Judgment) -> Place:
    return (judgment.task, judgment.target, judgment.question)


def _work(judgments: list[Judgment], known: Known, rule: Rule) -> _Work:
    """Count the control questions, times and patterns of one annotator."""
    by_task: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_task[judgment.task].append(judgment)
    right = [
        _is_right(each, known[key], by_task[each.task], rule.tolerance)
        for each in judgments
        if (key := (each.task, each.target)) in known
    ]
    # Every row of a task has the time of the whole task; a correction of one row has a shorter one of its own.
    times = [
        [each.seconds for each in task if each.seconds is not None] for task in by_task.values()
    ]
    return _Work(
        judgments=judgments,
        correct=sum(right),
        controls=len(right),
        seconds=[max(each) for each in times if each],
        patterns=Counter(_pattern(task) for task in by_task.values()),
    )


def _is_right(
    judgment: Judgment, answer: Answer, task: Sequence[Judgment], tolerance: float
) -> bool:
    """Return True if a control was answered rightly; `task` has all answers to its task."""
    value = judgment.value
    if answer == LAST and not isinstance(value, str):
        ranks = (each.value for each in task if each.question == judgment.question)
        return all(float(rank) <= float(value) for rank in ranks)
    if isinstance(answer, tuple):
        low, high = answer
        return low - tolerance <= float(value) <= high + tolerance
    if isinstance(value, bool | str) or isinstance(answer, bool | str):
        return same_value(value, answer)
    return abs(value - answer) <= tolerance


def failed(audits: Iterable[AnnotatorAudit], min_right: float = 1.0) -> list[AnnotatorAudit]:
    """Return who answered less than this share of their control questions rightly; by default not all."""
    if not 0 < min_right <= 1:
        raise ArgumentError(f"min_right is {min_right}, not a share above 0")
    return [each for each in audits if each.controls and each.correct < min_right * each.controls]


def _pattern(task: list[Judgment]) -> Pattern:
    """Return the values of a task in the order the annotator saw the cells: by question, then by letter."""
    ordered = sorted(
        task, key=lambda each: (each.question, len(each.shown or ""), each.shown or "")
    )
    return tuple(each.value for each in ordered)


def _row(
    work: _Work,
    everybody: _Work,
    votes: Mapping[Place, Counter[Value]],
    own: OwnAgreement | None,
    limit: float,
    rule: Rule,
) -> AnnotatorAudit:
    """Return the audit of one annotator beside that of all; below `limit` seconds a task is too fast."""
    agreeing, compared = _agreement(work.judgments, votes)
    fast = sum(each < limit for each in work.seconds)
    findings = (
        _controls_finding(work, everybody, rule),
        _fast_finding(fast, len(work.seconds), rule),
        _habit_finding(work, everybody, rule),
        _agreement_finding(own),
    )
    counts = Counter(judgment.value for judgment in work.judgments)
    ordered = sorted(counts, key=lambda value: (isinstance(value, str), value))
    return AnnotatorAudit(
        annotator=work.judgments[0].annotator,
        tasks=work.patterns.total(),
        judgments=len(work.judgments),
        controls=work.controls,
        correct=work.correct,
        compared=compared,
        agreeing=agreeing,
        median_seconds=median(work.seconds) if work.seconds else None,
        fast_share=fast / len(work.seconds) if work.seconds else None,
        same_share=max(work.patterns.values()) / work.patterns.total(),
        counts=tuple((value, counts[value]) for value in ordered),
        own=own,
        careless=tuple(finding for finding in findings if finding),
    )


def _agreement(judgments: list[Judgment], votes: Mapping[Place, Counter[Value]]) -> tuple[int, int]:
    """Return how many judgments equal the majority of the others, and how many have such a majority."""
    agreeing = compared = 0
    for judgment in judgments:
        others = votes[_place(judgment)] - Counter([judgment.value])
        highest = max(others.values(), default=0)
        winners = [value for value, count in others.items() if count == highest]
        if len(winners) != 1:  # nobody else judged, or a tie
            continue
        compared += 1
        agreeing += winners == [judgment.value]
    return agreeing, compared


def _controls_finding(work: _Work, everybody: _Work, rule: Rule) -> str | None:
    """Return the finding if too few controls were right, fewer than chance explains; else None."""
    if work.controls < rule.min_controls or work.correct / work.controls >= rule.min_accuracy:
        return None
    others = _share(everybody.correct - work.correct, everybody.controls - work.controls)
    if special.bdtr(work.correct, work.controls, others) >= rule.alpha:
        return None
    return f"{work.correct} of {work.controls} control questions right"


def _fast_finding(fast: int, timed: int, rule: Rule) -> str | None:
    """Return the finding if too many of the timed tasks were fast; else None."""
    if timed < rule.min_tasks or fast <= rule.max_fast * timed:
        return None
    return f"{fast} of {timed} tasks too fast"


def _habit_finding(work: _Work, everybody: _Work, rule: Rule) -> str | None:
    """Return the finding if one pattern is too common, more than chance explains; else None."""
    tasks = work.patterns.total()
    [(pattern, same)] = work.patterns.most_common(1)
    if tasks < rule.min_tasks or same < rule.max_same * tasks:
        return None
    others = _share(everybody.patterns[pattern] - same, everybody.patterns.total() - tasks)
    if special.bdtrc(same - 1, tasks, others) >= rule.alpha:
        return None
    return f"the same answers to {same} of {tasks} tasks"


def _agreement_finding(own: OwnAgreement | None) -> str | None:
    """Return the finding if the agreement with the others is too low; else None."""
    if own is None or not own.below:
        return None
    p = f"p = {own.p:.3f}" if own.p is not None and own.p >= _SMALLEST_P else "p < 0.001"
    return (
        f"agreement with the others {own.kappa:.2f} [{own.low:.2f}, {own.high:.2f}] (kappa), "
        f"of the others among themselves {own.others:.2f}, {p}"
    )


def _share(count: int, total: int) -> float:
    """Return a share that is never 0 or 1 (Laplace's rule): little evidence proves little."""
    return (count + 1) / (total + 2)


def exclude_failed(
    store: Store, campaign: str, *, at: str, min_right: float = 1.0
) -> list[AnnotatorAudit]:
    """Exclude all with less than this share of control questions right, and open their slots.

    By default who answered one wrongly is excluded. Returns the audits of the excluded.
    """
    answers = known_answers(store.tasks(campaign))
    audits = failed(audit(store.judgments(campaign, names=True), answers), min_right)
    for failing in audits:
        reason = f"{failing.correct} of {failing.controls} control questions right"
        store.exclude(campaign, failing.annotator, reason, at=at)
    return audits
