"""A suggested comment with its provenance: which system and model it comes from, from which source, when, and the label that says so.

Nothing here or elsewhere in the package posts a comment. A retrieved comment is somebody's words: its source says so (`quotation`), names the article and the comment, and never an author.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from newsdesk.errors import DataError

LABEL = "machine-suggested"
# The fields of a suggestion as JSON, in order; the seal covers all but itself.
FIELDS = (
    "article",
    "text",
    "score",
    "system",
    "label",
    "source",
    "model",
    "at",
    "seal",
    "signature",
)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggested comment. `at` is passed in by the caller; `seal` is None until `provenance.sealed` signs the other fields."""

    article: str
    text: str
    score: float
    system: str
    source: Mapping[str, Any]
    model: str
    signature: str
    at: str | None = None
    label: str = LABEL
    seal: Mapping[str, Any] | None = field(default=None)

    def __post_init__(self) -> None:
        if self.at is not None and not _MOMENT.fullmatch(self.at):
            raise DataError(f"`at` is {self.at!r}, not a UTC moment like 2019-05-01T09:30:00Z")

    def as_json(self) -> dict[str, Any]:
        """The suggestion as a JSON object, fields in the documented order."""
        return {name: getattr(self, name) for name in FIELDS}

    @property
    def shown(self) -> str:
        """The text as people see it: words of a reader are put in quotation marks."""
        return f"“{self.text}”" if self.source.get("quotation") else self.text


def dated(suggestions: Iterable[Suggestion], at: str | None) -> Iterator[Suggestion]:
    """The same suggestions with the time at which they were asked for."""
    return (dataclasses.replace(suggestion, at=at) for suggestion in suggestions)
