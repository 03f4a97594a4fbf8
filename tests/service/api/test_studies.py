"""Summaries, suggestions, studies and registered attributes over HTTP are those of the library."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from newsdesk import samples
from newsdesk.commenters import commenter
from newsdesk.commenters.suggestion import verify_all
from newsdesk.rankers import ranker
from newsdesk.records.schema import schema_of
from newsdesk.registry import COMMENTERS
from newsdesk.summarizers import summarizer
from newsdesk.types import Article, Cluster
from tests.service.office import Office

CLUSTERS = samples.clusters()[:3]
ENCODED = [schema_of(Cluster).encode(each) for each in CLUSTERS]


def test_summaries_are_those_of_the_library_and_come_a_line_each(reader: TestClient) -> None:
    body = {"clusters": ENCODED, "method": "centroid", "max_words": 30}
    answer = reader.post("/api/v1/summarize", json=body).json()["summaries"]
    method = summarizer("centroid", max_words=30)
    expected = [method.summarize(cluster) for cluster in CLUSTERS]
    assert [row["text"] for row in answer] == [each.text for each in expected]
    assert [row["signature"] for row in answer] == [each.signature for each in expected]
    lines = reader.post("/api/v1/summarize", json=body, headers={"accept": "application/x-ndjson"})
    assert [json.loads(line) for line in lines.text.splitlines()] == answer
    traced = reader.post("/api/v1/summarize", json={**body, "trace": True}).json()["summaries"]
    assert any(each["outcome"] == "taken" for each in traced[0]["trace"])
    assert reader.post("/api/v1/summarize", json={"clusters": []}).json() == {"summaries": []}


@pytest.mark.parametrize(
    "change",
    [
        {"method": "no-such"},
        {"method": "tsr(model='/etc')"},
        {"model": "../x"},
        {"method": "lead("},
    ],
)
def test_methods_and_models_that_are_not_there_are_refused(
    reader: TestClient, change: dict[str, str]
) -> None:
    answer = reader.post("/api/v1/summarize", json={"clusters": ENCODED, **change})
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "request"


def test_studies_print_what_their_commands_print(reader: TestClient) -> None:
    names = [each["name"] for each in reader.get("/api/v1/studies").json()["studies"]]
    assert names == ["lengths", "curve", "table5"]
    fast = {"clusters": ENCODED, "samples": 20}
    lengths = reader.post("/api/v1/studies/lengths", json={**fast, "lengths": [20, 40]}).json()
    assert [row["max_words"] for row in lengths["lengths"]] == [20, 40]
    curve = reader.post(
        "/api/v1/studies/curve", json={**fast, "methods": ["lead"], "added": [0, 2]}
    ).json()
    assert curve["clusters"] == 3 and "signature" in curve
    table = reader.post(
        "/api/v1/studies/table5", json={**fast, "methods": ["lead", "random"], "against": "lead"}
    )
    assert table.status_code == 200, table.text
    assert reader.post("/api/v1/studies/curve", json={**fast, "methods": ["x"]}).status_code == 400


def test_suggestions_are_labelled_and_sealed(api: Office, reader: TestClient) -> None:
    assert "ir-t" in COMMENTERS
    threads = samples.threads("en")
    commenter("ir-t").fit(threads[1:]).save(api.desk.folder.models / "neighbours")
    article = schema_of(Article).encode(threads[0].article)
    body = {"articles": [article], "model": "neighbours", "n": 2}
    answer = reader.post("/api/v1/suggest", json=body)
    assert answer.status_code == 200, answer.text
    rows = answer.json()["suggestions"]
    assert [row["label"] for row in rows] == ["machine-suggested"] * 2
    assert all(verdict.good for verdict in verify_all(rows))
    assert reader.post("/api/v1/suggest", json={**body, "model": "none"}).status_code == 400


def test_an_admin_registers_any_ranker_under_a_name(
    api: Office, admin: TestClient, reader: TestClient
) -> None:
    folder = api.desk.folder.models / "our-svm"
    ranker("ranksvm(cost=0.01)").fit(samples.threads("en")[:3]).save(folder)
    path = "/api/v1/attributes/OUR_SVM"
    assert reader.put(path, json={"model": "our-svm"}).status_code == 403
    assert admin.put(path, json={"model": "no-such"}).status_code == 400
    assert admin.put(path, json={"model": "our-svm", "inverted": True}).status_code == 200
    listed = reader.get("/api/v1/attributes").json()["attributes"]
    assert [each["name"] for each in listed] == ["CONSTRUCTIVE", "UNCONSTRUCTIVE", "OUR_SVM"]
    request = {"comment": {"text": "I think so."}, "requestedAttributes": {"OUR_SVM": {}}}
    answer = reader.post("/v1alpha1/comments:analyze", json=request)
    value = answer.json()["attributeScores"]["OUR_SVM"]["summaryScore"]["value"]
    assert 0 <= value <= 1
    assert admin.put("/api/v1/attributes/CONSTRUCTIVE", json={"model": "length"}).status_code == 400
    assert [admin.delete(path).status_code for _ in range(2)] == [204, 404]
    assert reader.post("/v1alpha1/comments:analyze", json=request).status_code == 400
