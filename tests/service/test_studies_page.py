"""Studies in the browser: reports of the folder are listed and shown harmless, and a form starts a study that ends in a report."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from newsdesk.demo.campaigns import lay_out
from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, csrf


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("studies") / "data"
    with Office.opened(create_app(ServiceSettings(data=data))) as opened:
        lay_out(data, opened.desk.store)
        yield opened


def _asked(office: Office, admin: TestClient, **fields: str) -> tuple[int, str]:
    """Send the form and follow the study to its end: the status and the text of the last page."""
    answer = admin.post("/studies", data={"csrf": csrf(admin), **fields}, headers=HTML)
    if answer.status_code != 303:
        return answer.status_code, answer.text
    path = answer.headers["location"]
    for _ in range(600):
        answer = admin.get(path, headers=HTML)
        if answer.status_code == 303:
            return 200, admin.get(answer.headers["location"], headers=HTML).text
        if answer.status_code == 422:
            return 422, answer.text
        time.sleep(0.05)
    raise AssertionError("the study did not end")


def _ids(office: Office) -> dict[str, str]:
    return {file.name: file.id for file in office.desk.library.all()}


def test_systems_are_compared_from_a_form_and_the_report_is_listed(office: Office) -> None:
    admin, ids = office.admin(), _ids(office)
    status, page = _asked(
        office, admin, question="compare", outputs=ids["outputs.jsonl"],
        references=ids["clusters.jsonl"], campaign="ranks", metrics="rouge-1",
    )  # fmt: skip
    assert status == 200
    assert "Systems compared" in page
    assert "Systems compared" in admin.get("/studies", headers=HTML).text


def test_a_metric_is_correlated_with_a_campaign(office: Office) -> None:
    admin, ids = office.admin(), _ids(office)
    status, page = _asked(
        office, admin, question="correlate", outputs=ids["outputs.jsonl"],
        references=ids["clusters.jsonl"], campaign="ranks", metrics="rouge-1, meteor",
    )  # fmt: skip
    assert status == 200
    assert "Metrics against people" in page


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, "name metrics, or choose a campaign"),
        ({"metrics": "rouge-1"}, "choose both files"),
        ({"metrics": "nonsense"}, "nonsense"),
        ({"metrics": "soft-recall(encoder='hf:/etc')", "campaign": "ranks"}, "names a file"),
        ({"question": "correlate", "campaign": "ranks"}, "name metrics and choose a campaign"),
        ({"campaign": "grades"}, "are these comments?"),
    ],
)
def test_what_cannot_be_studied_says_why(
    office: Office, fields: dict[str, str], fault: str
) -> None:
    status, page = _asked(office, office.admin(), **{"question": "compare", **fields})
    assert status in (400, 422)
    assert fault in page


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "campaigns/newsdesk.db", "service/secret", "x.html"]
)
def test_only_reports_of_the_folder_are_shown(office: Office, path: str) -> None:
    assert office.admin().get(f"/studies/reports/{path}", headers=HTML).status_code == 404


def test_a_report_of_the_folder_runs_no_script(office: Office) -> None:
    (office.desk.folder.root / "mine.html").write_text(
        "<title>Mine</title><script>alert(1)</script>"
    )
    answer = office.admin().get("/studies/reports/mine.html", headers=HTML)
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert "script-src" not in answer.headers["content-security-policy"]
