"""Scores and rankings over HTTP are those of the library; errors have one shape; keys of posts are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from newsdesk import samples
from newsdesk.metrics.systems import join, score_systems
from newsdesk.rankers.ranked import Ranking, explanations
from newsdesk.rankers.ranked_files import row
from newsdesk.rankers.ready import Models
from newsdesk.records.schema import schema_of
from newsdesk.registry import METRICS, SUMMARIZERS
from newsdesk.results.scores import score_rows
from newsdesk.service.work import FILE_SETTINGS
from newsdesk.types import Comment, Output, References, Thread
from tests.service.office import Office

LINES = {"accept": "application/x-ndjson"}
OUTPUT = {"id": "e1", "system": "ours", "text": "The dam was opened on Monday."}
REFERENCE = {
    "id": "e1",
    "references": ["On Monday the dam was opened.", {"text": "Water.", "weight": 0.5}],
}
SCORE = {"outputs": [OUTPUT], "references": [REFERENCE], "metrics": ["rouge-1", "w-meteor"]}


def small_thread() -> Thread:
    thread = samples.threads("en")[0]
    return Thread(thread.article, thread.comments[:8])


def encoded(record: Any) -> dict[str, Any]:
    return schema_of(type(record)).encode(record)


def test_scores_are_those_of_the_library(reader: TestClient) -> None:
    answer = reader.post("/api/v1/score", json=SCORE)
    assert answer.status_code == 200
    systems = join([schema_of(Output).decode(OUTPUT)], [schema_of(References).decode(REFERENCE)])
    expected = list(score_rows(score_systems(systems, ["rouge-1", "w-meteor"])))
    assert answer.json() == {"scores": json.loads(json.dumps(expected))}


def test_scores_have_intervals_items_and_tests_on_request(reader: TestClient) -> None:
    outputs = [{"id": f"e{n}", "system": s, "text": f"{s} {n}"} for s in "ab" for n in range(4)]
    references = [{"id": f"e{n}", "references": [f"a {n}"]} for n in range(4)]
    asked = {"outputs": outputs, "references": references, "metrics": ["rouge-1"], "ci": True,
             "samples": 50, "per_item": True, "test": "bootstrap"}  # fmt: skip
    body = reader.post("/api/v1/score", json=asked).json()
    assert [len(body[key]) for key in ("scores", "items", "comparisons")] == [2, 8, 1]
    assert body["scores"][0]["ci"] == [1.0, 1.0]
    lines = reader.post("/api/v1/score", json=asked, headers=LINES)
    assert lines.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in lines.text.splitlines()]
    assert rows == [*body["scores"], *body["items"], *body["comparisons"]]


@pytest.mark.parametrize("reasons", [False, True])
def test_a_ranking_is_that_of_the_command(reader: TestClient, reasons: bool) -> None:
    thread = small_thread()
    answer = reader.post(
        "/api/v1/rank", json={"threads": [encoded(thread)], "reasons": reasons, "top": 5}
    )
    ranked = next(iter(Ranking(Models("ready"), explained=reasons).of([thread])))
    expected = [row(ranked, each) for each in ranked.comments[:5]]
    assert answer.json()["comments"] == json.loads(json.dumps(expected))
    assert all(each["standing"] and "probability" not in each for each in answer.json()["comments"])


def test_a_gate_lists_what_is_held_back_last_and_drops_nothing(reader: TestClient) -> None:
    thread = small_thread()
    rude = Comment("rude", "What idiots! Shut up, you pathetic morons.")
    asked = {"threads": [encoded(Thread(thread.article, (rude, *thread.comments)))], "gate": True}
    rows = reader.post("/api/v1/rank", json=asked).json()["comments"]
    assert len(rows) == len(thread.comments) + 1
    assert rows[-1]["comment"] == "rude" and rows[-1]["standing"] == "held back"
    assert rows[-1]["held"]["kind"] == "insult" and "idiots" in rows[-1]["held"]["words"]
    assert {row["held"] for row in rows[:-1]} == {None}
    too_many = reader.post("/api/v1/rank", json={**asked, "hold_back": 0.5})
    assert too_many.status_code == 400 or too_many.status_code == 422


def test_explanations_are_those_of_the_command(reader: TestClient) -> None:
    thread = small_thread()
    answer = reader.post("/api/v1/explain", json={"threads": [encoded(thread)], "most": 3})
    expected = list(explanations(Models("ready"), [thread], 3))
    rows = answer.json()["explanations"]
    assert [(r["comment"], r["score"]) for r in rows] == [(e.comment, e.score) for e in expected]
    refused = reader.post("/api/v1/explain", json={"threads": [encoded(thread)], "model": "length"})
    assert refused.status_code == 400 and "gives no reasons" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "object"),
        (b'{"outputs": [], "outputs": []}', "stands twice"),
        (b'{"outputs": [], "references": NaN}', "NaN"),
        (b'{"outputs": [], "references": ["\\ud800"]}', "surrogate"),
        (b'{"outputs": [{"id": "a", "sistem": 1}], "references": []}', "did you mean `system`?"),
        (b'{"outputs": [], "references": [], "metrics": ["rouge-1"], "extra": 1}', "extra"),
    ],
)  # fmt: skip
def test_a_body_that_does_not_fit_is_refused_in_the_one_shape(
    reader: TestClient, body: bytes, said: str
) -> None:
    answer = reader.post(
        "/api/v1/score", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error.keys() == {"code", "message", "detail"} and error["code"] == "invalid"
    assert said.lower() in str(error).lower()


def test_other_types_and_lists_that_are_too_long_are_refused(reader: TestClient) -> None:
    form = reader.post("/api/v1/score", data={"outputs": "1"})
    assert (form.status_code, form.json()["error"]["code"]) == (415, "media-type")
    long = reader.post("/api/v1/score", json={**SCORE, "outputs": [OUTPUT] * 201})
    assert (long.status_code, long.json()["error"]["code"]) == (413, "too-large")
    thread = {"article": {"id": "a", "text": ""}, "comments": [{"id": str(n), "text": "x"} for n in range(201)]}  # fmt: skip
    assert reader.post("/api/v1/rank", json={"threads": [thread]}).status_code == 413


@pytest.mark.parametrize("name", ["no-such", "../service", "/etc", "ready-xx", "ranksvm", ".."])
def test_only_models_that_ship_or_lie_in_the_data_folder_are_loaded(
    reader: TestClient, name: str
) -> None:
    answer = reader.post("/api/v1/rank", json={"threads": [], "model": name})
    assert answer.status_code == 400
    assert "there are: ready" in answer.json()["error"]["message"]


def test_no_setting_of_a_spec_may_name_a_file(reader: TestClient) -> None:
    for spec in ("cider(idf='/etc/passwd')", "meteor(synonyms='/usr/share')"):
        answer = reader.post("/api/v1/score", json={**SCORE, "metrics": [spec]})
        assert answer.status_code == 400 and "names a file" in answer.json()["error"]["message"]


def test_every_text_setting_of_a_table_is_known_to_name_a_file_or_not() -> None:
    import inspect

    harmless = {
        "alignment", "bp", "combine", "criterion", "function_words", "models", "order", "parameters", "prefix", "profile", "reading",
        "recall", "report", "smooth", "spec", "stages", "tokenizer", "unit", "version",
    }  # fmt: skip
    for table in (METRICS, SUMMARIZERS):
        for name in table:
            for setting in inspect.signature(table.load(name)).parameters.values():
                if "str" in str(setting.annotation) or "Path" in str(setting.annotation):
                    assert setting.name in harmless | FILE_SETTINGS, (name, setting)


def test_the_same_key_with_another_body_is_refused_and_with_the_same_is_answered(
    api: Office,
) -> None:
    client, other = api.program("read"), api.program("read")
    headers = {"idempotency-key": "one"}
    first = client.post("/api/v1/score", json=SCORE, headers=headers)
    again = client.post("/api/v1/score", json=SCORE, headers=headers)
    assert first.status_code == 200 and first.content == again.content
    changed = client.post("/api/v1/score", json={**SCORE, "seed": 1}, headers=headers)
    assert (changed.status_code, changed.json()["error"]["code"]) == (409, "idempotency")
    assert client.post("/api/v1/rank", json={"threads": []}, headers=headers).status_code == 409
    assert other.post("/api/v1/score", json={**SCORE, "seed": 1}, headers=headers).is_success
    assert client.post("/api/v1/score", json=SCORE, headers={b"idempotency-key": "ü".encode()}).status_code == 400  # fmt: skip


def test_a_key_of_a_failed_request_can_be_used_again(reader: TestClient) -> None:
    headers = {"idempotency-key": "failing"}
    bad = {**SCORE, "outputs": []}
    assert reader.post("/api/v1/score", json=bad, headers=headers).status_code == 400
    assert reader.post("/api/v1/score", json=SCORE, headers=headers).status_code == 200


def test_a_key_needs_the_scope_read(api: Office) -> None:
    answer = api.program("judge").post("/api/v1/score", json=SCORE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "scope")
