"""Describe the bodies of campaigns, judgments, attributes and comments:analyze."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from newsdesk.service.api.shapes import (
    ArticleRecord,
    ClusterRecord,
    ControlRecord,
    JudgmentRecord,
    Name,
    OutputRecord,
    ReferencesRecord,
    Seed,
    Shape,
    ThreadRecord,
)
from newsdesk.types import Judgment, Value


class CampaignRequest(Shape):
    """A campaign to create: its protocol, who judges (names, a number, or `open` for whoever joins), and the records that the protocol needs."""

    name: Name
    protocol: str = Field(min_length=1, max_length=100_000)
    annotators: list[Name] | int | Literal["open"]
    per_item: int = Field(default=2, ge=1, le=1000)
    seed: Seed = 0
    questions: list[Name] = Field(default_factory=list)
    sample: int | None = Field(default=None, ge=1)
    in_order: bool = False
    one_by_one: bool = False
    outputs: list[OutputRecord] = Field(default_factory=list)
    references: list[ReferencesRecord] = Field(default_factory=list)
    clusters: list[ClusterRecord] = Field(default_factory=list)
    articles: list[ArticleRecord] = Field(default_factory=list)
    threads: list[ThreadRecord] = Field(default_factory=list)
    real_from: list[ThreadRecord] = Field(default_factory=list)
    controls: list[ControlRecord] = Field(default_factory=list)


class CampaignRow(Shape):
    """A campaign; `path` is its name as part of an address."""

    name: str
    path: str
    protocol: str
    per_item: int
    open: bool


class CreatedCampaign(CampaignRow):
    """A new campaign, and why its control questions could be recognised, if they could."""

    warnings: list[str]


class Campaigns(Shape):
    """The campaigns that the key may see, the oldest first."""

    campaigns: list[CampaignRow]


class AnnotatorRow(Shape):
    """Progress of one annotator; `name` is for admins alone."""

    id: str
    slots: int
    done: int
    excluded_at: str | None
    reason: str | None
    name: str | None = None


class CampaignStatus(Shape):
    """Progress of a campaign: its slots by state, its judgments, corrections and conflicts, and each annotator."""

    campaign: str
    protocol: str
    tasks: int
    slots: int
    open: int
    claimed: int
    done: int
    judgments: int
    corrections: int
    withdrawn: int
    conflicts: int
    annotators: list[AnnotatorRow]


class TargetText(Shape):
    """A text to judge, under its letter."""

    target: str
    text: str


class Labelled(Shape):
    """A labelled text of the context."""

    label: str
    text: str


class GivenAnswer(Shape):
    """An answer that was given."""

    target: str
    question: str
    value: Value


class TaskRow(Shape):
    """A task as its annotator sees it, blinded: the task is called by a number and its texts by letters."""

    campaign: str
    task: str
    state: str
    context: list[Labelled]
    article: str
    targets: list[TargetText]
    questions: list[str]
    answers: list[GivenAnswer]


class Tasks(Shape):
    """An annotator's tasks, in their order."""

    tasks: list[TaskRow]


class NextTask(Shape):
    """The next task, or null if nothing is left."""

    task: TaskRow | None


class JudgmentsRequest(Shape):
    """Judgments to store; all those of one task and annotator together."""

    judgments: list[JudgmentRecord]


class RejectedTask(Shape):
    """A task whose judgments were rejected, and why."""

    task: str
    annotator: str
    judgments: int
    reason: str


class StoredJudgments(Shape):
    """How many judgments were new, corrected earlier ones or were stored already.

    Which tasks were rejected, and what was stored with a warning.
    """

    new: int
    corrected: int
    unchanged: int
    rejected: list[RejectedTask]
    warnings: list[str]


class Judgments(Shape):
    """Judgments, in the order stored."""

    judgments: list[Judgment]


class ImportedSheet(Shape):
    """What was imported from a returned sheet or a file of judgments."""

    file: str
    new: int
    corrected: int
    unchanged: int
    faults: list[str]
    conflicts: list[dict[str, Value | None]]
    warnings: list[str]
    number: int | None = Field(alias="import")
    seal: Literal["sealed", "unsealed", "trusted"] | None
    error: str | None


class AttributeRequest(Shape):
    """A ranker for an attribute of comments:analyze; inverted, its score is one less the probability."""

    model: Name
    inverted: bool = False


class AttributeRow(AttributeRequest):
    """An attribute of comments:analyze."""

    name: str


class AttributeList(Shape):
    """All attributes, the included ones first."""

    attributes: list[AttributeRow]


class TextEntry(Shape):
    """A text and its type; only plain text is analyzed."""

    text: str = ""
    type: str | None = None


class ArticleAndParentComment(Shape):
    """What a comment replies to."""

    article: TextEntry | None = None
    parentComment: TextEntry | None = None  # noqa: N815


class Context(Shape):
    """The context of a comment: accepted, and not used."""

    entries: list[TextEntry] | None = None
    articleAndParentComment: ArticleAndParentComment | None = None  # noqa: N815


class AttributeParameters(Shape):
    """How an attribute is scored: scores below the threshold are left out."""

    scoreType: str | None = None  # noqa: N815
    scoreThreshold: float | None = None  # noqa: N815


class AnalyzeRequest(Shape):
    """A comment, and the attributes to score it by."""

    comment: TextEntry | None = None
    requestedAttributes: dict[str, AttributeParameters] | None = Field(  # noqa: N815
        default=None, examples=[{"CONSTRUCTIVE": {}}]
    )
    languages: list[str] | None = None
    doNotStore: bool | None = None  # noqa: N815
    clientToken: str | None = None  # noqa: N815
    sessionId: str | None = None  # noqa: N815
    communityId: str | None = None  # noqa: N815
    context: Context | None = None
    spanAnnotations: bool | None = None  # noqa: N815
    dropUnsupportedAttributes: bool | None = None  # noqa: N815


class ScoreValue(Shape):
    """A score from 0 to 1."""

    value: float
    type: Literal["PROBABILITY"] = "PROBABILITY"


class SpanScore(Shape):
    """The score of a part of the text; `begin` and `end` count characters."""

    begin: int
    end: int
    score: ScoreValue


class AttributeScores(Shape):
    """The score of the whole text, and of its parts."""

    summaryScore: ScoreValue  # noqa: N815
    spanScores: list[SpanScore]  # noqa: N815


class AnalyzeAnswer(Shape):
    """Scores by attribute, and the languages that were used."""

    attributeScores: dict[str, AttributeScores]  # noqa: N815
    languages: list[str]
    detectedLanguages: list[str] | None = None  # noqa: N815
    clientToken: str | None = None  # noqa: N815


class GoogleErrorBody(Shape):
    """An error: the status as a number and by name, a sentence, and details."""

    code: int
    message: str
    status: str
    details: list[dict[str, Any]] | None = None


class GoogleError(Shape):
    """The shape of errors of comments:analyze."""

    error: GoogleErrorBody
