"""The shapes of scores: outputs of systems against references."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from newsdesk.service.api.shapes.common import (
    Lang,
    Name,
    OutputRecord,
    ReferencesRecord,
    Samples,
    Seed,
    Shape,
)

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
