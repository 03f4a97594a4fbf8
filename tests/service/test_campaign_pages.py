"""Campaigns in a client: created by form and file, invited, excluded, imported, exported; a sheet and the web lose nothing in turn."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from starlette.testclient import TestClient

from newsdesk import samples
from newsdesk.demo.campaigns import campaigns_stage
from newsdesk.demo.newsroom import newsroom_stage
from newsdesk.files import make_folder
from newsdesk.records import record_text
from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.campaigns.worlds import numbers_of
from tests.service.office import HTML, Office, csrf

_LINK = re.compile(r'<code class="link">https?://[^/]+(/[^<]+)</code>')


def post(client: TestClient, path: str, fields: dict[str, Any] | None = None, **rest: Any) -> Any:
    return client.post(path, data={"csrf": csrf(client), **(fields or {})}, headers=HTML, **rest)


def threads_file() -> bytes:
    return "".join(f"{record_text(each)}\n" for each in samples.threads("en")[:2]).encode()


def test_an_empty_folder_offers_the_sample_newsroom_and_lays_it_out(office: Office) -> None:
    admin = office.admin()
    assert "Lay out the sample newsroom" in admin.get("/", headers=HTML).text
    assert post(admin, "/sample").status_code == 303
    names = [each.name for each in office.desk.store.campaigns()]
    assert names == ["grades", "votes", "ranks", "try-it"]
    assert "threads-en.jsonl" in office.desk.folder.record_files()
    page = admin.get("/", headers=HTML).text
    assert "try-it" in page and "Lay out the sample" not in page
    assert post(admin, "/sample").status_code == 303  # again: nothing is doubled
    assert len(office.desk.store.campaigns()) == 4
    created = post(
        admin,
        "/campaigns/new",
        {"name": "from the newsroom", "protocol": "relate", "annotators": "2", "per_item": "1",
         "clusters": "clusters.jsonl", "sample": "5"},
    )  # fmt: skip
    assert created.status_code == 200, created.text
    assert office.desk.store.status("from the newsroom").tasks == 5


def test_the_folder_that_the_demo_writes_is_served(tmp_path: Path) -> None:
    for name, stage in {"newsroom": newsroom_stage, "campaigns": campaigns_stage}.items():
        stage(make_folder(tmp_path / "demo" / name))
    with Office.opened(create_app(ServiceSettings(tmp_path / "demo"))) as office:
        page = office.admin().get("/", headers=HTML).text
        assert "ranks" in page and "Lay out the sample" not in page
        assert "clusters.jsonl" in office.admin().get("/campaigns/new", headers=HTML).text


def test_a_campaign_is_created_from_a_form_with_an_upload_and_its_links_work(
    office: Office,
) -> None:
    admin = office.admin()
    fields = {
        "name": "a/b ü",
        "protocol": "constructive",
        "annotators": "ann, ben",
        "per_item": "2",
    }
    files = {"upload-threads": ("../../threads.jsonl", threads_file())}
    page = post(admin, "/campaigns/new", fields, files=files)
    assert page.status_code == 200, page.text
    action = re.search(r'action="(/campaigns/[^"]+/invite)"', page.text)
    assert action
    links = _LINK.findall(post(admin, action[1], {"whom": "all"}).text)
    assert len(links) == 2
    ann = office.stranger()
    begun = ann.post(links[0])
    assert ann.get(begun.headers["location"], headers=HTML).status_code == 200


def test_a_campaign_is_created_from_a_file(office: Office) -> None:
    plan = b'name = "p"\nprotocol = "grade"\nannotators = ["ann", "ben"]\nseed = 3\n[files]\nthreads = "t.jsonl"\n'
    files = [("plan", ("plan.toml", plan)), ("files", ("t.jsonl", threads_file()))]
    assert post(office.admin(), "/campaigns/new", files=files).status_code == 200
    assert office.desk.store.campaign("p").seed == 3


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": ""}, "is empty or has spaces"),
        ({"per_item": "many"}, "not a whole number"),
        ({"annotators": "ann,,ben"}, "empty"),
        ({"protocol": "gradee"}, "grade"),
        ({"protocol": "/etc/passwd.toml"}, "not its file"),
        ({"threads": "../service/secret"}, "there is no file"),
        ({"annotators": "99999999"}, "annotators"),
    ],
)
def test_what_is_wrong_with_a_form_is_said_and_nothing_is_created(
    shared_office: Office, fields: dict[str, str], said: str
) -> None:
    good = {"name": "x", "protocol": "grade", "annotators": "ann,ben", "per_item": "2"}
    files = {} if "threads" in fields else {"upload-threads": ("t.jsonl", threads_file())}
    page = post(shared_office.admin(), "/campaigns/new", {**good, **fields}, files=files)
    assert page.status_code == 400
    assert said in page.text
    assert not shared_office.desk.store.campaigns()
    assert "newsdesk-upload-" not in page.text  # no path of the server


def test_a_broken_or_compressed_upload_is_named_with_its_line(shared_office: Office) -> None:
    import gzip

    good = {"name": "x", "protocol": "grade", "annotators": "ann,ben", "per_item": "2"}
    admin = shared_office.admin()
    for content, said in (
        (b'{"article": 1}\n', "t.jsonl:1"),
        (gzip.compress(b"\0" * 50_000_000), "unpack it first"),
    ):
        page = post(admin, "/campaigns/new", good, files={"upload-threads": ("t.jsonl", content)})
        assert page.status_code == 400 and said in page.text
        assert "newsdesk-upload-" not in page.text


def test_inviting_adds_an_annotator_and_withdrawing_ends_the_session(office: Office) -> None:
    office.campaign("pilot", "grade")
    admin = office.admin()
    [link] = _LINK.findall(post(admin, "/campaigns/pilot/invite", {"annotator": "cy"}).text)
    cy = office.stranger()
    cy.post(link)
    assert cy.get("/annotate/pilot", headers=HTML).status_code == 200
    post(admin, "/campaigns/pilot/uninvite", {"annotator": "cy"})
    assert cy.get("/annotate/pilot", headers=HTML).headers["location"] == "/sign-in"
    assert office.stranger().get(link).status_code == 403


def test_excluding_and_including_is_a_form(office: Office) -> None:
    office.campaign("pilot", "grade")
    admin = office.admin()
    post(admin, "/campaigns/pilot/exclude", {"annotator": "ann", "reason": "<b>too fast"})
    page = admin.get("/campaigns/pilot", headers=HTML).text
    assert "&lt;b&gt;too fast" in page
    post(admin, "/campaigns/pilot/include", {"annotator": "ann"})
    assert "excluded" not in admin.get("/campaigns/pilot", headers=HTML).text


def with_grades(content: bytes, grades: dict[int, object]) -> bytes:
    """A workbook of grades with some answers filled in, by row of the sheet."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    sheet = book["Answers"]
    header = next(row for row in sheet.iter_rows() if str(row[0].value).startswith("task"))
    column = next(
        cell.column for cell in header if str(cell.value).strip().lower().startswith("grade")
    )
    for row, grade in grades.items():
        sheet.cell(header[0].row + row, column).value = grade
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def test_a_sheet_and_the_web_in_turn_lose_nothing_and_conflicts_are_decided(
    office: Office,
) -> None:
    office.campaign("pilot", "grade")
    admin, ann = office.admin(), office.annotator("pilot", "ann")
    token = csrf(ann)
    numbers = numbers_of(office.desk.store, "pilot", "ann")
    tasks, places = list(numbers), list(numbers.values())

    def grade(place: int, value: int) -> None:
        fields = {"csrf": token, "A.grade": str(value)}
        assert ann.post(f"/annotate/pilot/tasks/{places[place]}", data=fields).status_code == 303

    def stored() -> list[object]:
        cells = office.desk.store.cells("pilot", "ann")
        return [cells.get((task, task, "grade"), (None,))[0] for task in tasks]

    grade(0, 1)
    sheet = admin.get("/campaigns/pilot/sheet?annotator=ann").content
    grade(0, 2)  # since the sheet was written: its untouched cell must not bring the 1 back
    grade(1, 5)  # the sheet will say otherwise: a conflict
    returned = with_grades(sheet, {2: 3, 3: 4})
    path, files = "/campaigns/pilot/import", {"files": ("ann.xlsx", returned)}
    page = post(admin, path, files=files)
    assert page.status_code == 200, page.text
    assert stored() == [2, 5, 4, None, None, None]
    assert len(office.desk.store.conflicts("pilot")) == 1
    assert "Conflicts" in admin.get("/campaigns/pilot", headers=HTML).text
    post(admin, "/campaigns/pilot/resolve", {"side": "theirs", "annotator": "ann"})
    assert stored() == [2, 3, 4, None, None, None]
    grade(3, 1)
    assert post(admin, path, files=files).status_code == 200  # the same file again changes nothing
    assert stored() == [2, 3, 4, 1, None, None]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ann.xlsx", b"not a workbook"),
        ("../../../etc/cron.d/x.xlsx", b"PK\x03\x04"),
        ("x.csv", b"=HYPERLINK(1),2\n"),
        ("x.jsonl", b'{"campaign": "pilot"}\n'),
        ("x.jsonl", b"\x1f\x8b\x08\x00" + b"\0" * 20),
        ("x.ods", b"PK"),
        ("", b"nothing"),
    ],
)
def test_a_file_that_is_no_sheet_is_reported_and_changes_nothing(
    shared_office: Office, name: str, content: bytes
) -> None:
    if not shared_office.desk.store.campaigns():
        shared_office.campaign("pilot", "grade")
    page = post(shared_office.admin(), "/campaigns/pilot/import", files={"files": (name, content)})
    assert page.status_code in (200, 400, 422)
    assert "not imported" in page.text or page.status_code >= 400
    assert "newsdesk-upload-" not in page.text
    assert not list(shared_office.desk.store.judgments("pilot"))


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(shared_office: Office) -> None:
    if not shared_office.desk.store.campaigns():
        shared_office.campaign("pilot", "grade")
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(300):
            part.write(b"\0" * (1 << 20))
    admin = shared_office.admin()
    page = post(admin, "/campaigns/pilot/import", files={"files": ("b.xlsx", packed.getvalue())})
    assert "unpacks to more than" in page.text


def test_exports_report_audit_and_sheets_are_served(office: Office) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    for place, number in enumerate(office.numbers("pilot", "ann").values()):
        fields = {"csrf": token, "A.grade": str(1 + place % 5)}
        ann.post(f"/annotate/pilot/tasks/{number}", data=fields)
    admin = office.admin()
    for file in (
        "judgments.jsonl",
        "history.jsonl",
        "weights.jsonl",
        "gains.jsonl",
        "gains.qrels",
        "pairs.jsonl",
    ):
        answer = admin.get(f"/campaigns/pilot/exports/{file}")
        assert answer.status_code == 200, (file, answer.text)
        assert answer.headers["content-disposition"].startswith("attachment")
        assert '"ann"' not in answer.text  # a pseudonym
    assert len(admin.get("/campaigns/pilot/exports/judgments.jsonl").text.splitlines()) == 6
    report = admin.get("/campaigns/pilot/report")
    assert report.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "Campaign pilot" in report.text
    assert "How far annotators agree" in admin.get("/campaigns/pilot/audit", headers=HTML).text
    archive = zipfile.ZipFile(io.BytesIO(admin.get("/campaigns/pilot/sheets.zip").content))
    assert archive.namelist() == ["ann.xlsx", "ben.xlsx"]
    assert admin.get("/campaigns/pilot/exports/secret").status_code == 404


def test_keys_are_made_shown_once_and_revoked_on_their_page(office: Office) -> None:
    admin = office.admin()
    made = post(admin, "/access/keys", {"label": "a <b>", "scopes": ["read"]})
    [key] = re.findall(r'<code class="link">([^<]+)</code>', made.text)
    program = office.stranger()
    program.headers["x-api-key"] = key
    assert program.get("/openapi.json").status_code == 200
    page = admin.get("/access", headers=HTML).text
    assert key not in page and "a &lt;b&gt;" in page
    post(admin, "/access/keys/1/revoke")
    numbers = [each.id for each in office.desk.access.all_keys()]
    for number in numbers:
        post(admin, f"/access/keys/{number}/revoke")
    assert program.get("/openapi.json").status_code == 401


def test_an_annotator_gets_no_page_of_admins(office: Office) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    for path in (
        "",
        "/sheet?annotator=ben",
        "/sheets.zip",
        "/audit",
        "/report",
        "/exports/judgments.jsonl",
    ):
        assert ann.get(f"/campaigns/pilot{path}").status_code == 403
    assert ann.get("/campaigns/nothing").status_code == 403
    for path in ("invite", "exclude", "include", "import", "resolve"):
        fields = {"csrf": token, "annotator": "ann", "side": "ours"}
        assert ann.post(f"/campaigns/pilot/{path}", data=fields).status_code == 403
    assert ann.get("/access").status_code == ann.get("/openapi.json").status_code == 403
