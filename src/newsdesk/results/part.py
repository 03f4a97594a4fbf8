"""Results as values: a part of a result reads itself from the JSON that a command printed, and writes itself as that JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from newsdesk.records.schema import schema_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class ResultPart:
    """A dataclass that is printed as JSON; `null` means left out, and keys without a field are left alone."""

    __slots__ = ()
    OPEN: ClassVar[bool] = True

    @classmethod
    def decode(cls, content: Mapping[str, Any]) -> Self:
        """Return the result that a command printed.

        DataError names the key that is missing or of another type.
        """
        part: Self = schema_of(cls).decode(content)
        return part

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values, every field with its name."""
        return json_of(self)  # type: ignore[arg-type]


def gathered(
    content: Mapping[str, Any], rows: str, fields: Collection[str], name: str
) -> Mapping[str, Any]:
    """Return the content with the keys of each row that are no `fields` gathered in one key, `name`.

    >>> gathered({"systems": [{"system": "a", "f": 1, "r": 2}]}, "systems", ["system"], "scores")
    {'systems': [{'system': 'a', 'scores': {'f': 1, 'r': 2}}]}
    """
    gathered_rows = [
        {key: row[key] for key in fields if key in row}
        | {name: {key: value for key, value in row.items() if key not in fields}}
        for row in content[rows]
    ]
    return {**content, rows: gathered_rows}


def json_of(result: DataclassInstance) -> dict[str, Any]:
    """Return a result as JSON values, every field with its name."""
    values: dict[str, Any] = plain(dataclasses.asdict(result))
    return values


def plain(value: Any) -> Any:
    """Return a value for JSON: tuples as lists, numbers that are not finite as null."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
