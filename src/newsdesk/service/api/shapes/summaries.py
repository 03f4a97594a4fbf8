"""The shapes of summaries of clusters."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from newsdesk.service.api.shapes.common import ClusterRecord, Name, Seed, Shape


class SummarizeRequest(Shape):
    """Clusters to summarize, by a method such as `centroid`; `model` names a fitted one of the data folder."""

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
