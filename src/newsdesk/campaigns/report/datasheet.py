"""The datasheet of a human evaluation: what the campaign knows is filled in, what only people know is left open and marked.

The questions follow the idea of the Human Evaluation Datasheet (Shimorina and Belz 2022), in our words.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from newsdesk.campaigns.campaign import Campaign, Status
from newsdesk.campaigns.report.panel import agreements
from newsdesk.campaigns.tasks import Task
from newsdesk.results.numbers import interval_text, number_text
from newsdesk.results.page import Section
from newsdesk.types import Judgment
from newsdesk.wording import plural

OPEN = "to be filled in"
_BY_HAND = (
    ("people", "How were the annotators recruited, and what do they know about the subject?"),
    ("people", "How were they paid, and how much for an hour?"),
    ("ethics", "Did they consent, and did a board review the study?"),
    ("ethics", "Can the texts harm or identify somebody, and what was done about it?"),
    ("release", "Where are the judgments published, and under which licence?"),
)


def datasheet(
    campaign: Campaign,
    status: Status,
    tasks: Sequence[Task],
    audited: Sequence[Judgment],
    judgments: Sequence[Judgment],
    seed: int,
) -> list[tuple[str, str, str]]:
    """Topic, question and answer of each entry; `audited` are all judgments, `judgments` those that results use."""
    form = campaign.protocol
    controls = [task for task in tasks if task.control]
    excluded = [annotator for annotator in status.annotators if annotator.reason is not None]
    values = ", ".join(map(str, form.values)) or "ranks, with ties"
    questions = "; ".join(f"{each.name}: {each.text}" for each in form.questions)
    targets = {(judgment.item, judgment.target) for judgment in judgments}
    entries = [
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
         f"{plural(len(controls), 'task')} of {len(tasks):,} with a known answer" if controls else "none"),
        ("quality", "Were annotators excluded, and why?",
         "; ".join(f"{each.id}: {each.reason}" for each in excluded) or "none"),
        ("quality", "How long did a task take?", _seconds(audited)),
        ("quality", "How far do annotators agree?", _agreement(campaign, judgments, seed)),
    ]  # fmt: skip
    return [*entries, *((topic, question, OPEN) for topic, question in _BY_HAND)]


def datasheet_section(entries: Sequence[tuple[str, str, str]]) -> Section:
    """The datasheet as a section of a page."""
    section = Section("Datasheet of the human evaluation")
    section.text(f"Filled from the campaign; “{OPEN}” marks what only its authors know.")
    return section.table(("topic", "question", "answer"), entries)


def _seconds(judgments: Sequence[Judgment]) -> str:
    seconds = [judgment.seconds for judgment in judgments if judgment.seconds is not None]
    return f"{number_text(median(seconds))} seconds (median)" if seconds else "not recorded"


def _agreement(campaign: Campaign, judgments: Sequence[Judgment], seed: int) -> str:
    measures = []
    for question in campaign.protocol.questions:
        asked = [judgment for judgment in judgments if judgment.question == question.name]
        first = next(iter(agreements(campaign.protocol, question.name, asked, seed)), None) if asked else None  # fmt: skip
        if first is not None and first.value is not None:
            value = (
                number_text(first.value)
                if first.low is None or first.high is None
                else interval_text(first.value, first.low, first.high)
            )
            measures.append(f"{first.name} {value}")
    return "; ".join(measures) or "not known"
