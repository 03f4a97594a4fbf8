"""The JSON Schema of each record type takes what the strict reader takes, and refuses what it refuses."""

from __future__ import annotations

import json

import jsonschema
import pytest

from newsdesk import samples
from newsdesk.errors import DataError
from newsdesk.records import KINDS, name_of, record_text
from newsdesk.records.json_schema import json_schema
from newsdesk.records.schema import schema_of

SAMPLES = [
    *samples.events()[:3],
    *samples.clusters()[:2],
    *samples.threads("en")[:2],
    *samples.outputs()[:3],
    *samples.references("en")[:1],
    *list(samples.judgments("rank"))[:3],
    *samples.controls()[:3],
    samples.threads("zh")[0].article,
]
WRONG = {
    "article": {"id": 1, "text": "x"},
    "event": {"id": "e", "date": "2019-05-01"},
    "cluster": {"id": "c", "articles": [{"text": 1}]},
    "thread": {"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "likes": "x"}]},
    "references": {"id": "r", "references": "no list"},
    "output": {"id": "o", "system": "s", "text": "t", "colour": "red"},
    "judgment": {"campaign": "c"},
    "control": {"text": "t"},
    "run": {"article": "a", "comment": "c", "score": "high"},
    "pairs": {"article": "a", "better": "b"},
}


@pytest.mark.parametrize("record", SAMPLES, ids=lambda record: name_of(type(record)))
def test_what_is_written_fits_its_schema(record: object) -> None:
    schema = json_schema(name_of(type(record)))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(record_text(record)), schema)


@pytest.mark.parametrize("name", list(KINDS))
def test_what_the_reader_refuses_does_not_fit(name: str) -> None:
    with pytest.raises(DataError):
        schema_of(KINDS[name]).decode(WRONG[name])
    assert not jsonschema.Draft202012Validator(json_schema(name)).is_valid(WRONG[name])


def test_a_reference_may_be_its_bare_text_and_an_optional_key_null() -> None:
    good = {"id": "r", "lang": None, "references": ["one", {"text": ["two", "lines"]}]}
    schema_of(KINDS["references"]).decode(good)
    jsonschema.validate(good, json_schema("references"))
