"""The shapes of studies of summarizers."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from newsdesk.service.api.shapes.common import ClusterRecord, Name, Samples, Seed, Shape

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
