"""The report of a campaign as a result: what `newsdesk campaign report --json` prints, and its verdict in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newsdesk.results.page import Verdict
from newsdesk.results.part import ResultPart, json_of
from newsdesk.results.standings import Ends, RankStanding
from newsdesk.results.table import Cell, number_text, p_text, ranged
from newsdesk.results.verdict import SURE, SystemValue
from newsdesk.wording import plural


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateRow(ResultPart):
    """One number of a campaign with its interval over items, from `n` targets."""

    name: str
    value: float | None = None
    ci: Ends | None = None
    n: int

    @property
    def shown(self) -> SystemValue:
        """The number as a value of what it is named after; 0 where it is undefined."""
        return SystemValue(self.name, self.value or 0.0, self.ci)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow(ResultPart):
    """One measure of agreement by one question, and a note on its limits."""

    question: str
    measure: str
    value: float | None = None
    ci: Ends | None = None
    items: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow(ResultPart):
    """The audit of one annotator: controls, agreement plain and corrected for chance, findings."""

    annotator: str
    tasks: int
    controls: int
    correct: int
    agreement: float | None = None
    kappa: float | None = None
    kappa_ci: Ends | None = None
    others_kappa: float | None = None
    p: float | None = None
    median_seconds: float | None = None
    agreement_without: float | None = None
    drift: float | None = None
    drift_ci: Ends | None = None
    straight: int = 0
    lines: int = 0
    careless: tuple[str, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The first cells of its row in a table, those that every page shows."""
        return (
            self.annotator,
            self.tasks,
            f"{self.correct} of {self.controls}" if self.controls else None,
            self.agreement,
            ranged(self.kappa, self.kappa_ci),
            self.others_kappa,
            self.agreement_without,
            self.median_seconds,
            ranged(self.drift, self.drift_ci),
            f"{self.straight} of {self.lines}" if self.lines else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureWithout(ResultPart):
    """A leading number of a campaign, and the same without one annotator."""

    name: str
    value: float | None = None
    ci: Ends | None = None
    without: float | None = None
    without_ci: Ends | None = None


@dataclass(frozen=True, slots=True)
class ResultsWithout(ResultPart):
    """The verdict and the leading numbers without an annotator who looks careless."""

    annotator: str
    verdict: str
    measures: tuple[MeasureWithout, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelledAnswer(ResultPart):
    """An answer as people gave it (`votes`), over targets, by majority and by a model, and why these differ."""

    answer: str
    votes: float
    targets: float
    majority: float | None = None
    model: float
    model_ci: Ends | None = None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorSkill(ResultPart):
    """How often an annotator is right, or how mild and how noisy they are, by a model."""

    annotator: str
    accuracy: float | None = None
    accuracy_ci: Ends | None = None
    bias: float | None = None
    bias_ci: Ends | None = None
    noise: float | None = None
    noise_ci: Ends | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResult(ResultPart):
    """A model of who is right about one question: its answers beside what people said, and the annotators."""

    question: str
    method: str
    answers: tuple[ModelledAnswer, ...]
    annotators: tuple[AnnotatorSkill, ...]


@dataclass(frozen=True, slots=True)
class DatasheetEntry(ResultPart):
    """A question of the datasheet and its answer."""

    topic: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRow(ResultPart):
    """How often a text or system was shown, best and worst, its score (best less worst), and its strength."""

    system: str
    n: int
    best: int
    worst: int
    score: float
    score_ci: Ends | None = None
    strength: float | None = None
    strength_ci: Ends | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult(ResultPart):
    """The result of one question: systems by its measure, estimates over all targets, and choices.

    `raw` has systems by scores as given, where `systems` has them standardised; `high`: more is better.
    """

    question: str
    text: str
    measure: str
    systems: tuple[EstimateRow, ...] = ()
    raw: tuple[EstimateRow, ...] = ()
    estimates: tuple[EstimateRow, ...] = ()
    choices: tuple[ChoiceRow, ...] = ()
    high: bool = True
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """The best system by this measure, else the first estimate or choice."""
        if self.systems:
            pick = max if self.high else min
            best = pick((row.shown for row in self.systems), key=lambda value: value.value)
            order = "highest" if self.high else "lowest"
            sentence = f"People give {best.system} the {order} {self.measure} of {len(self.systems)} systems ({self.question})."
            return Verdict(sentence, best.value, best.ci, f"{self.measure} of {best.system}")
        if self.estimates:
            first = self.estimates[0]
            sentence = f"Over {plural(first.n, 'judged target')} the {first.name} is {number_text(first.shown.value)} ({self.question})."
            return Verdict(sentence, first.shown.value, first.ci, first.name)
        if self.choices:
            top = self.choices[0]
            sentence = f"{top.system} was best {plural(top.best, 'time')} and worst {plural(top.worst, 'time')} of {top.n} ({self.question})."
            return Verdict(sentence, top.score, top.score_ci, f"{self.measure} of {top.system}")
        return Verdict("There are no judgments yet.")


@dataclass(frozen=True, slots=True)
class CampaignResults(ResultPart):
    """Standings by question, or estimates and systems by mean grade; None for what the protocol has not."""

    kind: str
    estimates: tuple[EstimateRow, ...] | None = None
    systems: tuple[EstimateRow, ...] | None = None
    questions: tuple[RankStanding, ...] | None = None
    criteria: tuple[CriterionResult, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the results without what this kind of protocol has none of."""
        return {name: value for name, value in json_of(self).items() if value is not None}

    @property
    def leading(self) -> RankStanding | None:
        """The standing that the verdict rests on: by `overall` where it was asked, else by the last question."""
        by_name = {standing.question: standing for standing in self.questions or ()}
        return by_name.get("overall", self.questions[-1]) if self.questions else None

    @property
    def leading_criterion(self) -> CriterionResult | None:
        """The criterion that the verdict rests on: `overall` where it was asked, else the first."""
        by_name = {criterion.question: criterion for criterion in self.criteria or ()}
        return by_name.get("overall", self.criteria[0]) if self.criteria else None

    @property
    def verdict(self) -> Verdict:
        """The system that people rank or grade highest, else the first estimate."""
        if leading := self.leading:
            return _rank_verdict(leading)
        if criterion := self.leading_criterion:
            return criterion.verdict
        if self.systems:
            best = max((row.shown for row in self.systems), key=lambda value: value.value)
            sentence = (
                f"People give {best.system} the highest mean grade of {len(self.systems)} systems."
            )
            return Verdict(sentence, best.value, best.ci, f"mean grade of {best.system}")
        if self.estimates:
            first = self.estimates[0]
            value = first.shown.value
            sentence = (
                f"Over {plural(first.n, 'judged target')} the {first.name} is {number_text(value)}."
            )
            return Verdict(sentence, value, first.ci, first.name)
        return Verdict("There are no judgments yet.")


@dataclass(frozen=True, slots=True)
class JudgedResults(ResultPart):
    """What `newsdesk study agreement --json` prints: results of judgments, and how far people agree."""

    protocol: str
    judgments: int
    annotators: int
    results: CampaignResults
    agreement: tuple[AgreementRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReport(ResultPart):
    """What `newsdesk campaign report --json` prints."""

    campaign: str
    protocol: Mapping[str, Any]
    progress: Mapping[str, int]
    results: CampaignResults
    agreement: tuple[AgreementRow, ...] = ()
    annotators: tuple[AuditRow, ...] = ()
    without: tuple[ResultsWithout, ...] = ()
    models: tuple[ModelResult, ...] = ()
    datasheet: tuple[DatasheetEntry, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {**json_of(self), "results": self.results.as_json()}


def campaign_verdict(results: Mapping[str, Any]) -> Verdict:
    """Return the verdict of a campaign from the results in the JSON of its report."""
    return CampaignResults.decode(results).verdict


def _rank_verdict(standing: RankStanding) -> Verdict:
    """Return which system people rank highest by one question, and whether the systems differ."""
    ranked = [each for each in standing.systems if each.strength is not None]
    if not ranked:
        return Verdict(f"No order of systems: {standing.note}.")
    best = max(ranked, key=lambda each: each.strength or 0.0)
    p = standing.friedman.p
    if p is None:
        certainty = f"no test of the differences: {standing.friedman.note}"
    elif p < SURE:
        certainty = f"the systems differ (Friedman, p {p_text(p)})"
    else:
        certainty = f"the systems cannot be told apart (Friedman, p {p_text(p)})"
    sentence = f"People rank {best.system} highest by “{standing.question}”; {certainty}."
    label = f"mean rank of {best.system}, 1 is best"
    return Verdict(sentence, best.mean_rank, best.mean_rank_ci, label)


def leading_values(results: CampaignResults) -> Sequence[EstimateRow]:
    """Return the leading numbers: mean ranks by the first question, mean grades of systems, or estimates."""
    if results.questions:
        return [
            EstimateRow(name=f"mean rank of {each.system}", value=each.mean_rank, ci=each.mean_rank_ci, n=each.n)
            for each in results.questions[0].systems
        ]  # fmt: skip
    if criterion := results.leading_criterion:
        return criterion.systems or criterion.estimates
    return results.systems or results.estimates or ()
