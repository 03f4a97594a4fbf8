"""Describe the bodies of requests and answers as pydantic models: scores, rankings, summaries, studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from newsdesk.errors import DataError
from newsdesk.records.schema import schema_of
from newsdesk.types import (
    Article,
    Cluster,
    ControlQuestion,
    Judgment,
    Output,
    References,
    Thread,
)


class Shape(BaseModel):
    """The root of all shapes: an unknown key or a wrong type is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@dataclass(frozen=True, slots=True)
class Record:
    """Marks a field as a record, which is checked by the schema of its type."""

    kind: type[Any]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Decode by the schema of records; the document shows the fields of the type."""
        return core_schema.no_info_plain_validator_function(
            self._decode,
            json_schema_input_schema=handler.generate_schema(self.kind),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: schema_of(self.kind).encode(value),
                return_schema=handler.generate_schema(self.kind),
            ),
        )

    def _decode(self, value: Any) -> Any:
        try:
            return schema_of(self.kind).decode(value)
        except DataError as error:
            raise PydanticCustomError("record", "{reason}", {"reason": error.reason}) from error


ArticleRecord: TypeAlias = Annotated[Article, Record(Article)]
ClusterRecord: TypeAlias = Annotated[Cluster, Record(Cluster)]
ControlRecord: TypeAlias = Annotated[ControlQuestion, Record(ControlQuestion)]
JudgmentRecord: TypeAlias = Annotated[Judgment, Record(Judgment)]
OutputRecord: TypeAlias = Annotated[Output, Record(Output)]
ReferencesRecord: TypeAlias = Annotated[References, Record(References)]
ThreadRecord: TypeAlias = Annotated[Thread, Record(Thread)]

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Lang: TypeAlias = Annotated[str, Field(min_length=2, max_length=35, examples=["en"])]
Seed: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
Samples: TypeAlias = Annotated[int, Field(ge=1, le=100_000)]


class Fault(Shape):
    """Where a request is wrong, and why."""

    at: str
    message: str


class ErrorBody(BaseModel):
    """What was wrong: a short code for programs, a sentence for people, and more where there is more."""

    code: str
    message: str
    detail: Any = None


class Error(BaseModel):
    """The JSON shape of every error of the API."""

    error: ErrorBody


METRICS = ("rouge-1", "rouge-2", "rouge-l", "bleu-4", "meteor")


class ScoreRequest(Shape):
    """Outputs of one or more systems, references by the same ids, and the metrics to compute."""

    outputs: list[OutputRecord]
    references: list[ReferencesRecord]
    metrics: list[Name] = Field(default=list(METRICS), min_length=1, max_length=50)
    lang: Lang | None = None
    ci: bool = False
    test: Literal["bootstrap", "randomization"] | None = None
    correction: Literal["holm", "bonferroni", "bh"] = "holm"
    samples: Samples = 1000
    seed: Seed = 0
    per_item: bool = False


class ScoreRow(Shape):
    """A score of one system by one metric."""

    system: str
    metric: str
    signature: str
    value: float
    parts: dict[str, float] | None = None
    ci: list[float] | None = None
    n: int


class ItemRow(Shape):
    """The value of one item."""

    id: str
    system: str
    metric: str
    value: float


class ComparisonRow(Shape):
    """A paired test of two systems by one metric."""

    metric: str
    first: str
    second: str
    difference: float
    ci: list[float]
    p: float
    p_corrected: float
    n: int
    signature: str


class Scores(Shape):
    """Scores, systems in the order of their first output, for each the metrics as asked."""

    scores: list[ScoreRow]
    items: list[ItemRow] | None = None
    comparisons: list[ComparisonRow] | None = None


class RankRequest(Shape):
    """Threads to rank, by a ready model or one of the data folder."""

    threads: list[ThreadRecord]
    model: Name = "ready"
    top: int | None = Field(default=None, ge=1)
    diversity: float = Field(default=0.0, ge=0, le=1)
    half_life_h: float | None = Field(default=None, gt=0, le=1e6)
    reasons: bool = False
    gate: bool = False
    hold_back: float = Field(default=0.01, ge=0, le=0.05)


class HeldBack(Shape):
    """Why a comment is held back: the kind, the words that caused it, a line for readers, and the comment that it copies."""

    kind: str
    words: list[str]
    text: str
    copy_of: str | None = None


class RankingLabel(Shape):
    """A reason for a score in a few words, the words that show it, and its effect on the score.

    `share` is that of all that sets the comment apart; `quote` is a place that shows it, or empty.
    """

    text: str
    words: list[str]
    effect: float
    share: float
    quote: str


class RankedRow(Shape):
    """A comment at its rank in its thread, from 1.

    `value` is what it is ranked by, where that is not the score; `probability` is there only where votes have calibrated it. With a gate `held` is why it is held back, null where it is not.
    """

    article: str
    rank: int
    comment: str
    text: str
    score: float
    value: float | None = None
    standing: str | None = None
    probability: float | None = None
    probability_error: float | None = None
    reasons: list[RankingLabel] | None = None
    held: HeldBack | None = None
    signature: str


class Rankings(Shape):
    """The comments of all threads, best first within each thread."""

    comments: list[RankedRow]


class ExplainRequest(Shape):
    """Threads whose scores are to be explained, at most so many reasons per comment."""

    threads: list[ThreadRecord]
    model: Name = "ready"
    most: int = Field(default=3, ge=1, le=100)


class RankingReason(Shape):
    """A part of a score: which part, what the comment does, the words that show it, and its effect on the log-odds."""

    part: str
    text: str
    words: list[str]
    effect: float
    share: float
    quote: str


class ExplainedRow(Shape):
    """A comment's score, standing and (after votes) probability, the parts that sum to the score, sentences taken for padding, and the point it replies to."""

    article: str
    comment: str
    score: float
    probability: float | None
    reasons: list[RankingReason]
    padding: list[str]
    point: str = ""
    standing: str
    probability_error: float | None


class Explanations(Shape):
    """What each comment's score is made of, in the order of the threads."""

    explanations: list[ExplainedRow]


class SummarizeRequest(Shape):
    """Clusters to summarize, by a method such as `centroid`.

    `model` names a fitted one of the data folder.
    """

    clusters: list[ClusterRecord]
    method: Name = "newsdesk"
    max_words: int | None = Field(default=None, ge=1, le=100_000)
    unit: Literal["words", "tokens", "characters", "sentences"] | None = None
    order: Literal["selection", "chronological"] | None = None
    redundancy: float | None = Field(default=None, ge=0, le=1)
    model: Name | None = None
    seed: Seed = 0
    clean: bool = False
    trace: bool = False


class SummaryRow(Shape):
    """The summary of one cluster: an output with the signature that reproduces it, and on request every candidate sentence."""

    id: str
    system: str
    text: str
    signature: str
    trace: list[dict[str, Any]] | None = None


class Summaries(Shape):
    """Summaries in the order of the clusters."""

    summaries: list[SummaryRow]


class SuggestRequest(Shape):
    """Articles to suggest comments for, by a fitted commenter of the data folder."""

    articles: list[ArticleRecord]
    model: Name
    n: int = Field(default=3, ge=1, le=100)


class SuggestionRow(Shape):
    """A suggested comment with its label, source, model and seal. Nothing posts it."""

    article: str
    text: str
    score: float
    system: str
    label: str
    source: dict[str, Any]
    model: str
    at: str | None
    seal: dict[str, Any] | None
    signature: str


class Suggestions(Shape):
    """Suggestions, best first for each article."""

    suggestions: list[SuggestionRow]


Words: TypeAlias = Annotated[int, Field(ge=1, le=10_000)]
Methods: TypeAlias = Annotated[list[Name], Field(min_length=1, max_length=50)]


class LengthsRequest(Shape):
    """Clusters, and the lengths that an oracle has to fill."""

    clusters: list[ClusterRecord]
    oracle: Name = "oracle-multi"
    lengths: list[Words] = Field(default=[25, 30, 35, 40, 45, 50], min_length=1, max_length=50)
    sample: int | None = Field(default=None, ge=1)
    samples: Samples = 1000
    seed: Seed = 0


class CurveRequest(Shape):
    """Clusters, methods, and the numbers of articles to add to those that editors cited."""

    clusters: list[ClusterRecord]
    methods: Methods
    added: list[Annotated[int, Field(ge=0, le=10_000)]] = Field(
        default=[0, 5, 10, 20, 50, 100], min_length=1, max_length=50
    )
    max_words: Words = 40
    sample: int | None = Field(default=None, ge=1)
    samples: Samples = 1000
    seed: Seed = 0


class Table5Request(Shape):
    """Clusters and methods to compare on them, on request against one of them."""

    clusters: list[ClusterRecord]
    methods: Methods
    against: Name | None = None
    folds: int = Field(default=5, ge=2, le=100)
    max_words: Words = 40
    unit: Literal["tokens", "words"] = "tokens"
    samples: Samples = 1000
    seed: Seed = 0


class StudyRow(Shape):
    """A study that can be run, and what it says."""

    name: str
    about: str


class Studies(Shape):
    """The studies that can be run."""

    studies: list[StudyRow]


class StudyResult(BaseModel):
    """The result of a study, as its command prints it as JSON."""

    model_config = ConfigDict(extra="allow")
