"""Campaigns and judgments over HTTP: created, judged, exported; an annotator's key reaches the own tasks alone, and those blinded."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from starlette.testclient import TestClient

from newsdesk import samples
from newsdesk.records.schema import schema_of
from newsdesk.types import Judgment
from tests.service.office import Office

LINES = {"accept": "application/jsonl"}


def create(admin: TestClient, name: str, **changes: Any) -> dict[str, Any]:
    thread = samples.threads("en")[0]
    comments = [{"id": each.id, "text": each.text} for each in thread.comments[:4]]
    body = {
        "name": name, "protocol": "grade", "annotators": ["ann", "ben"], "questions": ["grade"],
        "threads": [{"article": {"id": "a1", "text": "The text."}, "comments": comments}], **changes,
    }  # fmt: skip
    answer = admin.post("/api/v1/campaigns", json=body)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


def create_ranking(admin: TestClient, name: str) -> None:
    outputs = [{"id": "e1", "system": f"sys-{n}", "text": f"Summary {n}."} for n in range(3)]
    create(
        admin, name, protocol="rank", questions=["overall"], threads=[], outputs=outputs,
        references=[{"id": "e1", "references": ["What happened."]}],
    )  # fmt: skip


def answers(tasks: list[dict[str, Any]], annotator: str, value: Any = 4) -> list[dict[str, Any]]:
    return [
        {"campaign": task["campaign"], "task": task["task"], "item": task["task"], "target": target["target"],
         "question": question, "value": value, "annotator": annotator}
        for task in tasks for target in task["targets"] for question in task["questions"]
    ]  # fmt: skip


@pytest.fixture(scope="module")
def judged(api: Office, admin: TestClient) -> str:
    """A campaign whose annotators have answered everything through their own keys."""
    create(admin, "judged")
    for who, value in (("ann", 4), ("ben", 5)):
        client = api.program("judge", campaign="judged", annotator=who)
        tasks = client.get("/api/v1/campaigns/judged/tasks").json()["tasks"]
        rows = answers(tasks, who, value)
        assert client.post("/api/v1/judgments", json={"judgments": rows}).json()["new"] == 4
    return "judged"


def test_a_campaign_goes_from_creation_to_report_and_exports(
    admin: TestClient, reader: TestClient, judged: str
) -> None:
    listed = reader.get("/api/v1/campaigns").json()["campaigns"]
    row = {"name": judged, "path": judged, "protocol": "grade", "per_item": 2, "open": False}
    assert row in listed
    status = reader.get(f"/api/v1/campaigns/{judged}").json()
    assert (status["done"], status["judgments"]) == (8, 8)
    assert all("name" not in each for each in status["annotators"])
    named = admin.get(f"/api/v1/campaigns/{judged}").json()["annotators"]
    assert [each["name"] for each in named] == ["ann", "ben"]
    report = reader.get(f"/api/v1/campaigns/{judged}/report")
    assert report.headers["content-security-policy"].startswith("sandbox")
    assert "Campaign judged" in report.text
    exports = {
        kind: reader.get(f"/api/v1/campaigns/{judged}/exports/{kind}").json()[kind]
        for kind in ("judgments", "references", "threads", "pairs")
    }
    assert [len(exports[kind]) for kind in exports] == [8, 1, 1, 0]
    assert exports["threads"][0]["comments"][0]["score"] == 4.5
    qrels = reader.get(f"/api/v1/campaigns/{judged}/exports/qrels")
    assert qrels.headers["content-type"].startswith("text/plain") and qrels.text.count("\n") == 4


def test_judgments_are_streamed_as_records_without_names(
    admin: TestClient, reader: TestClient, judged: str
) -> None:
    answer = reader.get("/api/v1/judgments", params={"campaign": judged}, headers=LINES)
    assert answer.headers["content-type"] == "application/jsonl"
    rows = [schema_of(Judgment).decode(json.loads(line)) for line in answer.text.splitlines()]
    assert len(rows) == 8 and {"ann", "ben"}.isdisjoint(row.annotator for row in rows)
    named = admin.get("/api/v1/judgments", params={"campaign": judged}).json()["judgments"]
    assert {row["annotator"] for row in named} == {"ann", "ben"}
    # The export of one is the import of the other: nothing changes.
    again = admin.post("/api/v1/judgments", json={"judgments": named}).json()
    assert again == {"new": 0, "corrected": 0, "unchanged": 8, "rejected": [], "warnings": []}


def test_sheets_are_downloaded_and_come_back(admin: TestClient, judged: str) -> None:
    archive = zipfile.ZipFile(io.BytesIO(admin.get(f"/api/v1/campaigns/{judged}/sheets").content))
    assert sorted(archive.namelist()) == ["ann.xlsx", "ben.xlsx"]
    sheet = admin.get(f"/api/v1/campaigns/{judged}/sheets/ann")
    assert sheet.content[:2] == b"PK"
    path = f"/api/v1/campaigns/{judged}/sheets"
    back = admin.post(path, params={"file": "ann.xlsx"}, content=sheet.content)
    assert back.status_code == 200 and back.json()["unchanged"] == 4
    bad = admin.post(path, params={"file": "../../x.xlsx"}, content=b"PK no workbook")
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, "sheet")
    assert "newsdesk-upload" not in bad.text
    assert admin.get(f"/api/v1/campaigns/{judged}/sheets/nobody").status_code == 404


def test_an_annotators_key_sees_neither_systems_nor_controls(
    api: Office, admin: TestClient
) -> None:
    create_ranking(admin, "blind")
    client = api.program("judge", campaign="blind", annotator="ann")
    tasks = client.get("/api/v1/campaigns/blind/tasks").json()["tasks"]
    assert [target["target"] for target in tasks[0]["targets"]] == ["A", "B", "C"]
    assert tasks[0]["task"].startswith("#")
    assert client.post("/api/v1/campaigns/blind/claims").json()["task"] == tasks[0]
    rows = answers(tasks, "ann", 1)
    stored = client.post("/api/v1/judgments", json={"judgments": rows})
    assert stored.json() == {
        "new": 3,
        "corrected": 0,
        "unchanged": 0,
        "rejected": [],
        "warnings": [],
    }
    own = client.get("/api/v1/judgments", params={"campaign": "blind"})
    assert [row["target"] for row in own.json()["judgments"]] == ["A", "B", "C"]
    refused = client.post("/api/v1/judgments", json={"judgments": rows[:2]})
    assert refused.status_code == 422 and "no answer for" in refused.json()["error"]["message"]
    wrong = client.post("/api/v1/judgments", json={"judgments": answers(tasks, "ann", 9)})
    for answer in (own, stored, refused, wrong):
        assert "sys-" not in answer.text
    assert client.post("/api/v1/campaigns/blind/claims").json() == {"task": None}


def test_an_annotators_key_reaches_the_own_tasks_alone(api: Office, admin: TestClient) -> None:
    for name in ("mine", "theirs"):
        create(admin, name, annotators=["ann", "ben", "cy"], per_item=1)
    client = api.program("judge", campaign="mine", annotator="ann")
    other = api.program("judge", campaign="mine", annotator="ben")
    tasks = client.get("/api/v1/campaigns/mine/tasks").json()["tasks"]
    rows = answers(tasks, "ann")
    foreign = answers(other.get("/api/v1/campaigns/mine/tasks").json()["tasks"], "ann")
    refused = {
        "another's name": client.post("/api/v1/judgments", json={"judgments": [{**rows[0], "annotator": "ben"}]}),
        "another's task": client.post("/api/v1/judgments", json={"judgments": foreign}),
        "another campaign": client.post("/api/v1/judgments", json={"judgments": [{**rows[0], "campaign": "theirs"}]}),
        "another's tasks": client.get("/api/v1/campaigns/mine/tasks", params={"annotator": "ben"}),
        "another campaign's tasks": client.get("/api/v1/campaigns/theirs/tasks"),
        "its judgments": client.get("/api/v1/judgments", params={"campaign": "theirs"}),
        "the list": client.get("/api/v1/campaigns"),
        "the status": client.get("/api/v1/campaigns/mine"),
        "sheets": client.get("/api/v1/campaigns/mine/sheets"),
        "a creation": client.post("/api/v1/campaigns", json={}),
        "a score": client.post("/api/v1/score", json={}),
    }  # fmt: skip
    codes = {what: answer.status_code for what, answer in refused.items()}
    assert set(codes.values()) <= {400, 403, 404}, codes
    judgments = admin.get("/api/v1/judgments", params={"campaign": "mine"}).json()["judgments"]
    assert judgments == []
    assert api.program("judge").get("/api/v1/judgments?campaign=mine").status_code == 403


def test_a_post_with_a_key_is_done_once_and_its_answer_is_replayed(
    api: Office, admin: TestClient
) -> None:
    create(admin, "once")
    client = api.program("judge", campaign="once", annotator="ann")
    rows = answers(client.get("/api/v1/campaigns/once/tasks").json()["tasks"], "ann")
    headers = {"idempotency-key": "judged-1"}
    first = client.post("/api/v1/judgments", json={"judgments": rows}, headers=headers)
    again = client.post("/api/v1/judgments", json={"judgments": rows}, headers=headers)
    assert first.json()["new"] == 4 and first.content == again.content
    assert again.headers["idempotency-replayed"] == "true"
    changed = client.post("/api/v1/judgments", json={"judgments": rows[:1]}, headers=headers)
    assert (changed.status_code, changed.json()["error"]["code"]) == (409, "idempotency")
    bodies = {"name": "keyed", "protocol": "grade", "annotators": 2,
              "threads": [{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "x"}]}]}  # fmt: skip
    created = [
        admin.post("/api/v1/campaigns", json=bodies, headers={"idempotency-key": "new-1"})
        for _ in range(2)
    ]
    assert [each.status_code for each in created] == [201, 201]
    assert admin.post("/api/v1/campaigns", json=bodies).status_code == 409


def test_kept_answers_survive_a_restart(api: Office, admin: TestClient) -> None:
    from newsdesk.service.database import KeptAnswer, Requests
    from newsdesk.service.errors import Problem

    desk = api.desk
    desk.requests.begin("key-0", "k", "digest", keeps=True)
    with pytest.raises(Problem, match="not answered yet"):
        Requests(desk.store.database, desk.clock).begin("key-0", "k", "digest", keeps=True)
    desk.requests.keep("key-0", "k", KeptAnswer(200, "application/json", b"{}"))
    opened = Requests(desk.store.database, desk.clock)
    assert opened.begin("key-0", "k", "digest", keeps=True) == KeptAnswer(
        200, "application/json", b"{}"
    )


def test_a_campaign_with_a_name_for_no_path_is_found_by_its_path(admin: TestClient) -> None:
    created = create(admin, "a/b ü")
    assert admin.get(f"/api/v1/campaigns/{created['path']}").json()["campaign"] == "a/b ü"
    assert admin.get("/api/v1/campaigns/nothing").status_code == 404


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"protocol": "no-such"}, 400),
        ({"protocol": "/etc/passwd.toml"}, 400),
        ({"threads": []}, 400),
        ({"annotators": []}, 400),
        ({"annotators": 0}, 400),
        ({"name": " "}, 400),
        ({"files": {"threads": "/etc/passwd"}}, 422),
    ],
)
def test_a_campaign_that_cannot_be_created_leaves_nothing(
    admin: TestClient, change: dict[str, Any], status: int
) -> None:
    body = {"name": "broken", "protocol": "grade", "annotators": ["ann"], "per_item": 1,
            "threads": [{"article": {"id": "a", "text": ""}, "comments": [{"id": "c", "text": "x"}]}]}  # fmt: skip
    answer = admin.post("/api/v1/campaigns", json={**body, **change})
    assert answer.status_code == status, answer.text
    assert "/tmp" not in answer.text
    names = [each["name"] for each in admin.get("/api/v1/campaigns").json()["campaigns"]]
    assert "broken" not in names
