"""What a campaign found, computed once from its store for the pages and the JSON of its report.

The questions of the datasheet follow the idea of the Human Evaluation Datasheet (Shimorina and Belz 2022), in our words: what the campaign
knows is filled in, what only people know is left open and marked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

from newsdesk.campaigns import aggregate
from newsdesk.campaigns.aggregate import rank_table
from newsdesk.campaigns.campaign import Campaign, Status, answered
from newsdesk.campaigns.conduct import Conduct, conduct_of
from newsdesk.campaigns.control import AnnotatorAudit, audit, known_answers
from newsdesk.campaigns.protocols import Protocol, Question
from newsdesk.campaigns.report.agreements import agreement_of, agreement_without
from newsdesk.campaigns.report.models import models_of
from newsdesk.campaigns.report.outcomes import (
    Texts,
    criteria_of,
    ends,
    estimate_rows,
    has_criteria,
    number,
)
from newsdesk.campaigns.report.result import (
    AgreementRow,
    AuditRow,
    CampaignReport,
    CampaignResults,
    DatasheetEntry,
    MeasureWithout,
    ModelResult,
    ResultsWithout,
    leading_values,
)
from newsdesk.campaigns.spans import token_votes
from newsdesk.campaigns.tasks import Task, texts_of
from newsdesk.results.standings import (
    FriedmanResult,
    PairwiseWins,
    RankStanding,
    SystemStanding,
)
from newsdesk.results.table import interval_text, number_text
from newsdesk.stats import rankings
from newsdesk.stats.strengths import bradley_terry
from newsdesk.types import Judgment
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.campaigns.store import Store

OPEN = "to be filled in"
_BY_HAND = (
    ("people", "How were the annotators recruited, and what do they know about the subject?"),
    ("people", "How were they paid, and how much for an hour?"),
    ("ethics", "Did they consent, and did a board review the study?"),
    ("ethics", "Can the texts harm or identify somebody, and what was done about it?"),
    ("release", "Where are the judgments published, and under which licence?"),
)


@dataclass(frozen=True)
class Evidence:
    """A campaign with its judgments: those that results use, and all, with controls and the excluded."""

    campaign: Campaign
    status: Status
    tasks: Sequence[Task]
    judgments: Sequence[Judgment]
    audited: Sequence[Judgment]
    seed: int
    unsealed: Sequence[int] = ()  # imports of sheets without a seal that count

    @classmethod
    def read(cls, store: Store, name: str, *, seed: int = 0, names: bool = False) -> Evidence:
        """Read a campaign; annotators appear by hashed ids, or with `names` by name."""
        return cls(
            campaign=store.campaign(name),
            status=store.status(name),
            tasks=list(store.tasks(name)),
            judgments=answered(store.judgments(name, control=False, names=names)),
            audited=list(store.judgments(name, include_excluded=True, names=names)),
            seed=seed,
            unsealed=[each.number for each in store.imports(name) if each.unsealed],
        )

    @cached_property
    def results(self) -> CampaignResults:
        """The results by the kind of the protocol."""
        return results_of(self.campaign.protocol, self.judgments, self.seed, self.texts)

    @cached_property
    def texts(self) -> dict[tuple[str, str], str]:
        """The texts by item and target, in which passages are counted."""
        return texts_of(self.tasks)

    @cached_property
    def agreement(self) -> tuple[AgreementRow, ...]:
        """Every measure of agreement with its interval, by question; none before the first judgment."""
        return agreement_of(self.campaign.protocol, self.judgments, self.seed, self.texts)

    def _asked(self, question: Question) -> list[Judgment]:
        return [judgment for judgment in self.judgments if judgment.question == question.name]

    @cached_property
    def audits(self) -> list[AnnotatorAudit]:
        """The audit of each annotator."""
        form = self.campaign.protocol
        marked = form.kind == "spans"
        compared = list(token_votes(answered(self.audited), self.texts)) if marked else None
        known = known_answers(self.tasks)
        return audit(self.audited, known, ranks=form.kind == "rank", compared=compared)

    @cached_property
    def audit_rows(self) -> tuple[AuditRow, ...]:
        """The audit of each annotator as a row of the report."""
        form = self.campaign.protocol
        conduct = conduct_of(answered(self.audited))
        without = agreement_without(form, self.judgments, self.texts)
        return tuple(
            audit_row(each, conduct.get(each.annotator), without.get(each.annotator))
            for each in self.audits
        )

    @cached_property
    def models(self) -> tuple[ModelResult, ...]:
        """The models of who is right."""
        return models_of(self.campaign.protocol, self.judgments, self.seed)

    @cached_property
    def without(self) -> tuple[ResultsWithout, ...]:
        """The verdict and the leading numbers with and without each annotator who looks careless and counts."""
        counted = {judgment.annotator for judgment in self.judgments}
        flagged = [each.annotator for each in self.audits if each.careless and each.annotator in counted]  # fmt: skip
        if not flagged:
            return ()
        everybody = leading_values(self._leading_results(self.judgments))
        rows = []
        left_out = {name: {name} for name in flagged}
        if len(flagged) > 1:
            left_out["all who look careless"] = set(flagged)
        for name, people in left_out.items():
            rest = [judgment for judgment in self.judgments if judgment.annotator not in people]
            results_without = self._leading_results(rest)
            by_name = {each.name: each for each in leading_values(results_without)}
            measures = tuple(
                MeasureWithout(
                    name=each.name,
                    value=each.value,
                    ci=each.ci,
                    without=by_name[each.name].value if each.name in by_name else None,
                    without_ci=by_name[each.name].ci if each.name in by_name else None,
                )
                for each in everybody
            )
            rows.append(ResultsWithout(name, results_without.verdict.sentence, measures))
        return tuple(rows)

    def _leading_results(self, judgments: Sequence[Judgment]) -> CampaignResults:
        """Return the results; of rankings by the leading question alone, which the verdict rests on."""
        if self.campaign.protocol.kind == "rank":
            names = [question.name for question in self.campaign.protocol.questions]
            first = "overall" if "overall" in names else names[-1]
            judgments = [judgment for judgment in judgments if judgment.question == first]
        return results_of(self.campaign.protocol, judgments, self.seed, self.texts)

    @cached_property
    def datasheet(self) -> tuple[DatasheetEntry, ...]:
        """The datasheet: what the campaign knows, then what only its authors know."""
        entries = (*self._known_entries(), *((topic, question, OPEN) for topic, question in _BY_HAND))  # fmt: skip
        return tuple(DatasheetEntry(*entry) for entry in entries)

    def _known_entries(self) -> list[tuple[str, str, str]]:
        """Return what the campaign itself knows: topic, question and answer."""
        campaign, status, form = self.campaign, self.status, self.campaign.protocol
        controls = sum(task.control for task in self.tasks)
        excluded = [annotator for annotator in status.annotators if annotator.reason is not None]
        values = ", ".join(map(str, form.values)) or "ranks, with ties"
        questions = "; ".join(f"{each.name}: {each.text}" for each in form.questions)
        targets = {(judgment.item, judgment.target) for judgment in self.judgments}
        return [
            ("what", "Which protocol was used?", f"{form.name}, version {form.version} ({form.kind})"),
            ("what", "What was asked?", questions),
            ("what", "Which answers were possible?", values),
            ("what", "What were annotators told?", " ".join(form.guidance) or OPEN),
            ("sample", "How many items and outputs were judged?",
             f"{plural(len({item for item, _ in targets}), 'item')}, {plural(len(targets), 'output')}"),
            ("sample", "How many judgments are there?",
             f"{status.judgments:,}, {status.withdrawn:,} of them cannot-judge, {plural(status.corrections, 'correction')}"),
            ("people", "How many annotators took part, and how many judged an item?",
             f"{len(status.annotators)}, {campaign.per_item} per item"),
            ("design", "How were items assigned, and were systems blinded?",
             f"at random, seed {campaign.seed}; systems appear by letters whose key stays in the store"),
            ("design", "How much of the plan was done?", f"{status.done:,} of {plural(status.slots, 'slot')}"),
            ("quality", "Were there control questions?",
             f"{plural(controls, 'task')} of {len(self.tasks):,} with a known answer" if controls else "none"),
            ("quality", "Were annotators excluded, and why?",
             "; ".join(f"{each.id}: {each.reason}" for each in excluded) or "none"),
            ("quality", "How long did a task take?", self._seconds()),
            ("quality", "How far do annotators agree?", self._agreement()),
        ]  # fmt: skip

    def _seconds(self) -> str:
        seconds = [judgment.seconds for judgment in self.audited if judgment.seconds is not None]
        return f"{number_text(median(seconds))} seconds (median)" if seconds else "not recorded"

    def _agreement(self) -> str:
        """Return the first measure of agreement of each question."""
        first = {row.question: row for row in reversed(self.agreement)}
        measures = [
            f"{row.measure} {interval_text(row.value, *row.ci) if row.ci else number_text(row.value)}"
            for question in self.campaign.protocol.questions
            if (row := first.get(question.name)) and row.value is not None and self._asked(question)
        ]
        return "; ".join(measures) or "not known"

    @property
    def report(self) -> CampaignReport:
        """The whole report: protocol, progress, results, agreement, audit and datasheet."""
        return CampaignReport(
            campaign=self.campaign.name,
            protocol=_protocol_content(self.campaign.protocol),
            progress=_progress_content(self.campaign, self.status),
            results=self.results,
            agreement=self.agreement,
            annotators=self.audit_rows,
            without=self.without,
            models=self.models,
            datasheet=self.datasheet,
        )


def audit_row(
    annotator_audit: AnnotatorAudit,
    conduct: Conduct | None = None,
    agreement_without: float | None = None,
) -> AuditRow:
    """Return the audit of an annotator as a row of the report, with how they worked."""
    own = annotator_audit.own
    return AuditRow(
        annotator=annotator_audit.annotator,
        tasks=annotator_audit.tasks,
        controls=annotator_audit.controls,
        correct=annotator_audit.correct,
        agreement=annotator_audit.agreement,
        kappa=own.kappa if own else None,
        kappa_ci=(own.low, own.high) if own and math.isfinite(own.low) else None,
        others_kappa=own.others if own else None,
        p=own.p if own else None,
        median_seconds=annotator_audit.median_seconds,
        agreement_without=number(agreement_without),
        drift=conduct.drift if conduct else None,
        drift_ci=conduct.drift_ci if conduct else None,
        straight=conduct.straight if conduct else 0,
        lines=conduct.lines if conduct else 0,
        careless=annotator_audit.careless,
    )


def _protocol_content(form: Protocol) -> dict[str, Any]:
    """Return the form: its questions, values and guidance."""
    return {
        "name": form.name,
        "version": form.version,
        "kind": form.kind,
        "title": form.title,
        "questions": [dataclasses.asdict(question) for question in form.questions],
        "values": list(form.values),
        "guidance": list(form.guidance),
    }


def _progress_content(campaign: Campaign, status: Status) -> dict[str, Any]:
    """Return counts of slots and judgments, and how many annotators there are and were excluded."""
    return {
        "tasks": status.tasks,
        "slots": status.slots,
        "done": status.done,
        "judgments": status.judgments,
        "corrections": status.corrections,
        "cannot_judge": status.withdrawn,
        "conflicts": status.conflicts,
        "per_item": campaign.per_item,
        "seed": campaign.seed,
        "annotators": len(status.annotators),
        "excluded": sum(annotator.reason is not None for annotator in status.annotators),
    }


def results_of(
    form: Protocol, judgments: Sequence[Judgment], seed: int, texts: Texts | None = None
) -> CampaignResults:
    """Compute standings by question, or estimates and systems by mean grade, as the protocol asks.

    `texts` by item and target are those that passages stand in.
    """
    if not judgments:
        return CampaignResults(form.kind)
    if has_criteria(form):
        return CampaignResults(form.kind, criteria=criteria_of(form, judgments, texts or {}, seed))
    if form.kind == "rank":
        return CampaignResults(form.kind, questions=_standings(form, judgments, seed))
    if form.kind == "label":
        labels = [str(value) for value in form.values]
        estimates = aggregate.label_estimates(judgments, labels, seed=seed)
        return CampaignResults(form.kind, estimate_rows(estimates))
    rows = aggregate.tallies(judgments)
    if form.kind == "select":
        return CampaignResults(
            form.kind, estimate_rows(aggregate.vote_estimates(rows, seed=seed)), ()
        )
    top = max(float(value) for value in form.values)
    grades = aggregate.grade_estimates(rows, top=top, seed=seed)
    systems = aggregate.system_estimates(rows, seed=seed)
    return CampaignResults(form.kind, estimate_rows(grades), estimate_rows(systems))


def _standings(
    form: Protocol, judgments: Sequence[Judgment], seed: int
) -> tuple[RankStanding, ...]:
    """Return a standing for each question that was answered."""
    asked = (
        (question, [judgment for judgment in judgments if judgment.question == question.name])
        for question in form.questions
    )
    return tuple(_standing(question, rows, seed) for question, rows in asked if rows)


def _standing(question: Question, judgments: Sequence[Judgment], seed: int) -> RankStanding:
    """Return ranks, wins, strengths and places of the systems for one question."""
    systems, ranks, items = rank_table(judgments)
    means = rankings.mean_ranks(ranks, items, seed=seed)
    strengths = bradley_terry(ranks, items, names=systems, seed=seed)
    duels = rankings.duels(ranks)
    test = rankings.friedman(ranks, items)
    places = rankings.place_counts(ranks)
    wins, ties = (tuple(map(tuple, table.tolist())) for table in (duels.wins, duels.ties))
    rows = (
        SystemStanding(
            system=system,
            n=means.rankings[place],
            places=tuple(places[place].tolist()),
            mean_rank=number(means.values[place]),
            mean_rank_ci=ends(means.low[place], means.high[place]),
            strength=number(strengths.values[place]),
            strength_ci=ends(strengths.low[place], strengths.high[place]),
            wins=int(duels.wins[place].sum()),
            ties=int(duels.ties[place].sum()),
            losses=int(duels.wins[:, place].sum()),
        )
        for place, system in enumerate(systems)
    )
    return RankStanding(
        question=question.name,
        text=question.text,
        friedman=FriedmanResult(statistic=test.statistic, p=test.p, note=test.note),
        systems=tuple(rows),
        duels=PairwiseWins(tuple(systems), wins, ties),
        note=strengths.note,
    )
