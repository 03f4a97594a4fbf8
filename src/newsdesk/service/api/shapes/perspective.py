"""The shapes of comments:analyze, as clients of the Perspective API know them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from newsdesk.service.api.shapes.common import Shape


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
