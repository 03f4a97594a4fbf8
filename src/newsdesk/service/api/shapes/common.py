"""What all shapes share: strict models, records of newsdesk as fields, and the shape of errors.

A record is checked by its own schema (`newsdesk.records.schema`), the same that reads files, so that a request is refused for the same reasons and in the same words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

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
