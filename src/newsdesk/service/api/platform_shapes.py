"""Describe the requests of other people's platforms: Coral's moderation phases and the Prosocial Ranking Challenge.

They are versioned elsewhere, so keys that are not used here are accepted and ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field

from newsdesk.service.api.shapes import Shape

ItemId: TypeAlias = Annotated[str, Field(min_length=1, max_length=1_000)]


class ForeignShape(Shape):
    """The root of shapes that others define: keys that are not used are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class CoralComment(ForeignShape):
    """The comment that is created or edited, as plain text or HTML."""

    body: str


class CoralRequest(ForeignShape):
    """What Coral sends to an external moderation phase; author, story and site are not used."""

    action: Literal["NEW", "EDIT"]
    comment: CoralComment


class CoralAnswer(Shape):
    """What Coral adds to the comment; a status or a flag is never sent."""

    tags: list[Literal["FEATURED"]]


class ChallengeItem(ForeignShape):
    """A post or a comment of a page; times, authors, links and engagements are not used."""

    id: ItemId
    type: Literal["post", "comment"]
    text: str
    title: str | None = None
    post_id: str | None = None
    parent_id: str | None = None
    language: str | None = None


class ChallengeRequest(ForeignShape):
    """A request of the Prosocial Ranking Challenge; session and survey are accepted and not used."""

    items: list[ChallengeItem]
    session: dict[str, Any] | None = None
    survey: dict[str, Any] | None = None


class ChallengeMetadata(Shape):
    """Whether the order was made by the ranker."""

    intervention_on: bool


class ChallengeAnswer(Shape):
    """The ids of all items, in the order they should be shown."""

    ranked_ids: list[str]
    metadata: ChallengeMetadata
