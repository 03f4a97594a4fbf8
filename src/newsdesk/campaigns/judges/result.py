"""What the answers of a judge are worth: position bias, agreement with people, and people's result estimated from both.

**Position bias.** Each pair of texts of a task is seen in both orders. Per turn the text shown earlier wins (1), loses (−1) or ties (0); the bias is the mean over
pairs and turns, 0 for a judge that looks at the texts alone, 1 for one that always takes the first. `same` is the share of pairs with the same verdict in both turns. Of tasks with one text
it is the mean difference of the values with the answers listed in their order and turned round.

**People's result** is prediction-powered (`newsdesk.stats.prediction_powered`) with the mean of both turns as the judge's value and items as units: the mean grade or share of yes, the share of each label, the
mean of each system, and the difference of every two. It holds if the items that people judged are a random sample of all. All values are higher is better; a rank counts as the share of
the other texts ranked below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.campaigns.aggregate import Tally, values_of
from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.store.models import TURNED
from newsdesk.campaigns.tasks import REAL
from newsdesk.errors import ArgumentError
from newsdesk.results.table import Cell, table, with_ends
from newsdesk.stats.prediction_powered import PoweredEstimate, prediction_powered
from newsdesk.stats.units import over_items
from newsdesk.types import Estimate, Judgment
from newsdesk.wording import plural

_MOST_SYSTEMS = 12
_SAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class OrderBias:
    """How the place of a text, or the order of the answers, moved the judge; `same` is the share of equal verdicts."""

    value: float
    ci: tuple[float, float] | None
    same: float
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedEstimate:
    """One result of people, estimated with the judge, beside people alone and the judge alone."""

    question: str
    name: str
    kind: str  # mean, share, system or difference
    value: float
    ci: tuple[float, float] | None
    people: float
    people_ci: tuple[float, float] | None
    judge: float
    agreement: float | None
    agreement_ci: tuple[float, float] | None
    weight: float
    helps: bool
    items: int
    people_items: int
    saved_items: int
    saved_ci: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """What `campaign judge --json` prints."""

    campaign: str
    judge: str
    tasks: int
    unusable: int
    votes_per_item: float
    position_bias: dict[str, OrderBias | None]
    estimates: tuple[JudgedEstimate, ...]
    verdict: str

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return asdict(self)

    def text(self) -> str:
        """Return the result as tables for the terminal."""
        blocks = [self.verdict, ""]
        rows: list[list[Cell]] = [
            [question, with_ends(bias.value, bias.ci, 3), f"{bias.same:.3f}", bias.pairs] if bias else [question, None, None, 0]
            for question, bias in self.position_bias.items()
        ]  # fmt: skip
        blocks += [table(["question", "position bias", "same verdict", "pairs"], rows), ""]
        header = ["question", "result", "people and judge", "people alone", "judge alone", "agreement", "saved"]  # fmt: skip
        shown = [
            [
                each.question,
                each.name,
                with_ends(each.value, each.ci, 3),
                with_ends(each.people, each.people_ci, 3),
                f"{each.judge:.3f}",
                None if each.agreement is None else with_ends(each.agreement, each.agreement_ci, 3),
                f"{each.saved_items} of {each.people_items + each.saved_items}",
            ]
            for each in self.estimates
        ]
        return "\n".join([*blocks, table(header, shown)] if shown else blocks)


def judge_result(store: Store, campaign: str, judge: str) -> JudgeResult:
    """Return what the stored answers of a judge are worth."""
    form = store.campaign(campaign).protocol
    answers = store.model_answers(campaign, judge)
    if not answers:
        raise ArgumentError(f"{judge!r} has answered nothing in campaign {campaign!r} yet")
    people = [each for each in store.judgments(campaign, control=False) if not each.withdrawn]
    said = [each for each in store.model_judgments(campaign, judge, control=False) if not each.withdrawn]  # fmt: skip
    estimates: list[JudgedEstimate] = []
    biases: dict[str, OrderBias | None] = {}
    for question in form.questions:
        mine = [each for each in said if each.question == question.name]
        theirs = [each for each in people if each.question == question.name]
        biases[question.name] = _position_bias(mine, form)
        estimates += _estimates(question.name, theirs, mine, form)
    votes = len({(each.annotator, each.task) for each in people}) / max(len({each.item for each in people}), 1)  # fmt: skip
    result = JudgeResult(
        campaign,
        judge,
        tasks=len({answer.task for answer in answers}),
        unusable=sum(not answer.usable for answer in answers),
        votes_per_item=votes,
        position_bias=biases,
        estimates=tuple(estimates),
        verdict="",
    )
    return replace(result, verdict=_verdict(result))


def _verdict(result: JudgeResult) -> str:
    """Say whether the judge helps, where most, and whether its verdicts depend on the order."""
    unusable = f" {plural(result.unusable, 'answer')} of it could not be read." if result.unusable else ""  # fmt: skip
    biased = [f"{name} ({with_ends(bias.value, bias.ci, 3)})" for name, bias in result.position_bias.items() if bias and bias.ci and (bias.ci[0] > 0 or bias.ci[1] < 0)]  # fmt: skip
    order = f" Its verdicts depend on the order: {', '.join(biased)}." if biased else ""
    if not result.estimates:
        return f"There is nothing to compare the judge with: people answered fewer than two of its items.{order}{unusable}"
    helping = [each for each in result.estimates if each.helps]
    if all(each.people_items == each.items for each in result.estimates):
        return f"People judged all items that the judge did: there is nothing to save.{order}{unusable}"
    if not helping:
        return f"The judge does not help: for no result does the interval of its agreement with people lie above zero.{order}{unusable}"
    best = max(helping, key=lambda each: each.saved_items)
    answers = round(best.saved_items * result.votes_per_item)
    low, high = best.saved_ci or (0, 0)
    return (
        f"The judge helps with {len(helping)} of {plural(len(result.estimates), 'result')}, most with {best.question} ({best.name}): "
        f"with it {plural(best.people_items, 'item')} of people are worth {best.people_items + best.saved_items}, "
        f"{plural(best.saved_items, 'item')} [{low}, {high}] and about {plural(answers, 'answer')} of people saved.{order}{unusable}"
    )


def _position_bias(judgments: Sequence[Judgment], form: Protocol) -> OrderBias | None:
    """Return the bias of one question over the tasks answered in both turns; None without any."""
    if form.kind == "label":
        order: dict[Any, float] = {value: float(at) for at, value in enumerate(form.values)}
        judgments = [replace(each, value=order[each.value]) for each in judgments]
    turns: dict[tuple[str, str], dict[int, dict[str, Judgment]]] = {}
    for each in judgments:
        by_turn = turns.setdefault((each.item, each.task), {})
        by_turn.setdefault(int(each.annotator.endswith(TURNED)), {})[each.target] = each
    rows: dict[str, list[float]] = {}  # item → sums of bias, of equal verdicts, and of pairs
    for (item, _), by_turn in turns.items():
        if len(by_turn) == 2:
            sums = rows.setdefault(item, [0.0, 0.0, 0.0])
            for value, same in _biases(by_turn[0], by_turn[1], low_is_best=form.kind == "rank"):
                sums[0] += value
                sums[1] += same
                sums[2] += 1
    counted = np.array([sums for sums in rows.values() if sums[2]])
    if not len(counted):
        return None
    spread = over_items(counted, lambda sums: sums[:, :2] / np.maximum(sums[:, 2:], 1), samples=_SAMPLES)  # fmt: skip
    low, high = float(spread.low[0]), float(spread.high[0])
    ends = None if np.isnan(low) else (low, high)
    return OrderBias(float(spread.value[0]), ends, float(spread.value[1]), int(counted[:, 2].sum()))  # fmt: skip


def _biases(first: dict[str, Judgment], second: dict[str, Judgment], *, low_is_best: bool) -> Iterable[tuple[float, float]]:  # fmt: skip
    """Yield the bias and whether the verdicts are equal, of each pair of texts, or of a text alone."""
    shared = [target for target in first if target in second]
    values = [[float(turn[target].value) * (-1 if low_is_best else 1) for target in shared] for turn in (first, second)]  # fmt: skip
    if len(shared) == 1:
        difference = values[0][0] - values[1][0]
        yield difference, float(difference == 0)
        return
    for one, other in combinations(range(len(shared)), 2):
        verdicts = [float(np.sign(turn[one] - turn[other])) for turn in values]
        place, against = (first[shared[at]].shown or "" for at in (one, other))
        leads = (
            1.0 if (len(place), place) < (len(against), against) else -1.0
        )  # `one` is shown earlier in turn 0
        yield leads * (verdicts[0] - verdicts[1]) / 2, float(verdicts[0] == verdicts[1])


def _estimates(
    question: str, people: Sequence[Judgment], said: Sequence[Judgment], form: Protocol
) -> list[JudgedEstimate]:
    """Return people's results of one question, each estimated with the judge."""
    if form.kind == "label":
        rows = list[JudgedEstimate]()
        for label in form.values:
            shares = [
                _tallied([replace(each, value=each.value == label) for each in side])
                for side in (people, said)
            ]
            rows += _of_means(question, str(label), "share", *shares)
        return rows
    ours, theirs = (_tallied_by(side, form, question) for side in (people, said))
    rows = []
    if form.kind != "rank":
        kind = "share" if form.kind == "select" else "mean"
        rows += _of_means(question, kind, kind, ours, theirs)
    systems = sorted({_system(target) for _, target in theirs})
    several = {_system(target) for _, target in theirs if sum(_system(other) == _system(target) for _, other in theirs) > 1}  # fmt: skip
    if form.kind == "select" or len(several) < 2 or len(systems) > _MOST_SYSTEMS:
        return rows
    grids = {system: _by_item(system, ours, theirs) for system in systems}
    for system in systems:
        rows += _powered(question, system, "system", grids[system])
    for one, other in combinations(systems, 2):
        shared = [item for item in grids[one] if item in grids[other]]
        pairs = {item: (grids[one][item][0] - grids[other][item][0], grids[one][item][1] - grids[other][item][1]) for item in shared}  # fmt: skip
        rows += _powered(question, f"{one} − {other}", "difference", pairs)
    return rows


_Means = dict[tuple[str, str], float]  # (item, target) → mean value


def _tallied_by(judgments: Sequence[Judgment], form: Protocol, question: str) -> _Means:
    return _means(values_of(judgments, form, question)) if judgments else {}


def _tallied(judgments: Sequence[Judgment]) -> _Means:
    values: dict[tuple[str, str], list[float]] = {}
    for each in judgments:
        values.setdefault((each.item, each.target), []).append(float(each.value))
    return {key: sum(listed) / len(listed) for key, listed in values.items()}


def _means(rows: Iterable[Tally]) -> _Means:
    return {(row.item, row.target): row.mean for row in rows}


def _system(target: str) -> str:
    return "readers" if target.startswith(REAL) else target


def _by_item(system: str, ours: _Means, theirs: _Means) -> dict[str, tuple[float, float]]:
    """Return the values of people (nan without) and judge for each item of a system."""
    return {item: (ours.get((item, target), np.nan), value) for (item, target), value in theirs.items() if _system(target) == system}  # fmt: skip


def _of_means(question: str, name: str, kind: str, ours: _Means, theirs: _Means) -> list[JudgedEstimate]:  # fmt: skip
    keys = list(theirs)
    people: Floats = np.array([ours.get(key, np.nan) for key in keys])
    judge: Floats = np.array([theirs[key] for key in keys])
    return _row(question, name, kind, people, judge, [item for item, _ in keys])


def _powered(question: str, name: str, kind: str, rows: dict[str, tuple[float, float]]) -> list[JudgedEstimate]:  # fmt: skip
    values = np.array(list(rows.values())).reshape(-1, 2)
    return _row(question, name, kind, values[:, 0], values[:, 1], list(rows))


def _row(question: str, name: str, kind: str, people: Floats, judge: Floats, items: Sequence[str]) -> list[JudgedEstimate]:  # fmt: skip
    """Return the estimate as a row; none where people judged fewer than two items."""
    judged = {item for item, value in zip(items, people.tolist(), strict=True) if not np.isnan(value)}  # fmt: skip
    if len(judged) < 2:
        return []
    powered = prediction_powered(people, judge, units=items)
    return [
        JudgedEstimate(
            question=question,
            name=name,
            kind=kind,
            value=powered.estimate.value,
            ci=powered.estimate.ci,
            people=powered.people.value,
            people_ci=powered.people.ci,
            judge=powered.judge.value,
            agreement=_or_none(powered.agreement),
            agreement_ci=powered.agreement.ci,
            weight=powered.weight,
            helps=powered.helps,
            items=powered.estimate.n,
            people_items=powered.people.n,
            saved_items=powered.saved,
            saved_ci=_saved_ends(powered),
        )
    ]


def _or_none(estimate: Estimate) -> float | None:
    return None if np.isnan(estimate.value) else estimate.value


def _saved_ends(powered: PoweredEstimate) -> tuple[int, int] | None:
    if not powered.helps or powered.effective_ci is None:
        return None
    low, high = (max(int(end - powered.people.n), 0) for end in powered.effective_ci)
    return low, high
