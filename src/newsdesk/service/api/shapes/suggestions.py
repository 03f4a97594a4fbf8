"""The shapes of suggested comments."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from newsdesk.service.api.shapes.common import ArticleRecord, Name, Shape


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
