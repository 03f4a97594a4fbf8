"""What is wrong with a form: named above it with a link, marked and said beside its field, which has the focus; never in words of a command."""

from __future__ import annotations

import re
from typing import Any

import pytest

from newsdesk.service.pages import form_words
from tests.service.office import HTML, Office, csrf
from tests.service.test_annotate import filled


def _created(office: Office, **fields: str) -> str:
    values = {"name": "x", "protocol": "grade", "annotators": "ann,ben", "per_item": "2", **fields}
    admin = office.admin()
    answer: Any = admin.post("/campaigns/new", data={"csrf": csrf(admin), **values}, headers=HTML)
    assert answer.status_code == 400
    text: str = answer.text
    return text


def _marked(page: str, field: str) -> bool:
    """Whether a field is marked as wrong, and described by a sentence that is there."""
    tag = re.search(rf'<(?:input|select) id="{field}"[^>]*>', page)
    assert tag, field
    described = f'aria-describedby="wrong-{field}"' in tag[0] and f'id="wrong-{field}"' in page
    return 'aria-invalid="true"' in tag[0] and described


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"name": ""}, ["name", "upload-threads"]),
        ({"annotators": "ann,,ben"}, ["annotators", "upload-threads"]),
        ({"per_item": "two"}, ["per_item", "upload-threads"]),
        ({"per_item": "3"}, ["per_item", "upload-threads"]),
        ({"protocol": "relate", "sample": "all"}, ["sample", "upload-clusters"]),
        ({"protocol": "rank"}, ["upload-outputs", "upload-references"]),
    ],
)
def test_each_field_that_is_wrong_is_marked_and_named(
    shared_office: Office, fields: dict[str, str], wrong: list[str]
) -> None:
    page = _created(shared_office, **fields)
    assert re.findall(r'<li><a href="#([a-z_-]+)">', page) == wrong
    assert all(_marked(page, field) for field in wrong)
    assert page.count(" autofocus") == 1
    assert re.search(r'id="([a-z_-]+)"[^>]* autofocus', page)[1] == wrong[0]
    assert "--" not in re.sub(r"<[^>]*>", "", page)


def test_an_answer_that_is_missing_is_marked_linked_and_has_the_focus(office: Office) -> None:
    office.campaign("pilot", "rank")
    ann = office.annotator("pilot", "ann")
    path = f"/annotate/pilot/tasks/{office.numbers('pilot', 'ann')['e0']}"
    fields = filled(ann.get(path, headers=HTML).text)
    missing = next(name for name in fields if name.endswith(".coherent"))
    del fields[missing]
    page = ann.post(path, data=fields, headers=HTML).text
    assert re.findall(r'<a href="#q-([\w.]+)">', page) == [missing]
    group = re.search(rf'<fieldset[^>]*id="q-{missing}"[^>]*>.*?</fieldset>', page, re.DOTALL)
    assert group and 'aria-invalid="true"' in group[0]
    assert f'id="w-{missing}"' in group[0] and "autofocus" in group[0]
    assert page.count(" autofocus") == 1


def test_menus_offer_only_files_of_the_right_kind(office: Office) -> None:
    newsroom = office.desk.folder.newsroom
    newsroom.mkdir()
    (newsroom / "threads.jsonl").write_text(
        '{"article": {"id": "a", "text": "A."}, "comments": []}\n'
    )
    (newsroom / "outputs.jsonl").write_text('{"id": "a", "system": "s", "text": "A."}\n')
    page = office.admin().get("/campaigns/new", headers=HTML).text
    menus = dict(re.findall(r'<select id="file-(\w+)"(.*?)</select>', page, re.DOTALL))
    assert {kind: "threads.jsonl" in menu for kind, menu in menus.items()} == {
        "threads": True, "real_from": True, "outputs": False,
    }  # fmt: skip
    assert "outputs.jsonl" in menus["outputs"]


def test_the_words_of_a_page_name_no_option() -> None:
    said = "there are no references to score against; name their file with --references"
    assert form_words(said) == "there are no references to score against"
    assert "--" not in form_words("a campaign with the protocol 'grade' needs --real-from FILE")
