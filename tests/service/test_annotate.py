"""Annotators in a client without JavaScript: every protocol is a plain form; what is acknowledged is stored."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from newsdesk.campaigns.tasks import Target, Task, texts_of
from newsdesk.registry import PROTOCOLS
from tests.service.office import HTML, TASKS, Office, csrf

_ACTION = re.compile(r'<form method="post" action="(/annotate/[^"]+/tasks/\d+)" class="answers')
_RADIO = re.compile(r'<input type="radio" name="([^"]+)" value="([^"]+)"')
_NUMBER = re.compile(r'<input type="number" name="([^"]+)"')
_PASSAGES = re.compile(r'<textarea name="([^"]+)"')
_TICK = re.compile(r'<input type="checkbox" name="([^"]+)" value="yes"')


def get(client: TestClient, path: str) -> str:
    answer = client.get(path, headers=HTML, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    return answer.text


def filled(page: str) -> dict[str, str]:
    """A page's form, filled in: the first option of every group, the first tick."""
    fields = {"csrf": re.search(r'name="csrf" value="(\w+)"', page)[1], "opened_at": "0"}
    for name, value in _RADIO.findall(page):
        fields.setdefault(unescape(name), unescape(value))
    if ticks := _TICK.findall(page):
        fields[unescape(ticks[0])] = "yes"
    fields |= dict.fromkeys(_NUMBER.findall(page), "70")
    fields |= dict.fromkeys(_PASSAGES.findall(page), "It ended")
    if "kind-best-worst" in page:  # one best and one worst, all others neither
        texts = [name for name in fields if name.endswith(".overall")]
        fields |= dict.fromkeys(texts, "neither") | dict(
            zip(texts, ("best", "worst"), strict=False)
        )
    return fields


def answer_all(client: TestClient, campaign: str) -> int:
    """Answer task after task as a browser without JavaScript would; returns how many."""
    page = get(client, f"/annotate/{campaign}/continue")
    count = 0
    while action := _ACTION.search(page):
        answer = client.post(action[1], data=filled(page))
        assert answer.status_code == 303, answer.text
        count += 1
        page = get(client, answer.headers["location"])
        assert "Saved" in page
        if "All your tasks are done" in page:
            break
    return count


@pytest.mark.parametrize("form", list(PROTOCOLS))
def test_every_protocol_is_answered_from_the_invitation_to_the_end(
    office: Office, form: str
) -> None:
    office.campaign("pilot", form)
    ann = office.annotator("pilot", "ann")
    assert answer_all(ann, "pilot") == len(TASKS[form])
    status = office.desk.store.status("pilot")
    done = {each.name: (each.done, each.slots) for each in status.annotators}
    assert done == {"ann": (len(TASKS[form]),) * 2, "ben": (0, len(TASKS[form]))}
    judgments = list(office.desk.store.judgments("pilot"))
    assert {each.via for each in judgments} == {"web"}
    assert {each.task for each in judgments} == {task.id for task in TASKS[form]}


def test_an_annotator_never_gets_a_targets_name(office: Office) -> None:
    office.campaign("pilot", "rank")
    ann = office.annotator("pilot", "ann")
    pages = [
        get(ann, f"/annotate/pilot/tasks/{n}") for n in office.numbers("pilot", "ann").values()
    ]
    pages.append(get(ann, "/annotate/pilot"))
    assert not [page for page in pages if "system-" in page]
    assert "Same as" in pages[0]  # the fourth text repeats the first


def test_beside_every_scale_of_ranks_stands_what_its_ends_mean(office: Office) -> None:
    office.campaign("pilot", "rank")
    page = get(office.annotator("pilot", "ann"), "/annotate/pilot/continue")
    scales = re.findall(r"<fieldset.*?</fieldset>", page, re.DOTALL)
    assert len(scales) == 9  # three texts, the fourth repeats one, three questions
    assert all("1 best … 4 worst" in scale for scale in scales)


def test_an_incomplete_ranking_is_not_stored_and_says_what_is_missing(office: Office) -> None:
    office.campaign("pilot", "rank")
    ann = office.annotator("pilot", "ann")
    path = f"/annotate/pilot/tasks/{office.numbers('pilot', 'ann')['e0']}"
    fields = filled(get(ann, path))
    missing = next(name for name in fields if name.endswith(".overall"))
    del fields[missing]
    answer = ann.post(path, data=fields, headers=HTML)
    assert answer.status_code == 422
    assert f"{missing[0]} (overall): no answer yet" in answer.text
    assert answer.text.count("checked") >= 4  # the rest is not lost
    assert not list(office.desk.store.judgments("pilot"))


def test_undo_opens_the_task_again_and_a_correction_is_undone_to_the_earlier_value(
    office: Office,
) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    place = office.desk.store.places("pilot", "ann")[0].number
    path = f"/annotate/pilot/tasks/{place}"
    assert ann.post(path, data={"csrf": token, "A.grade": "4"}).status_code == 303
    undone = ann.post(f"{path}/undo", data={"csrf": token})
    assert undone.headers["location"].startswith(path)
    [judgment] = office.desk.store.judgments("pilot")
    assert judgment.value == "cannot-judge"
    assert office.desk.store.status("pilot").done == 0
    assert " checked" not in ann.get(path, headers=HTML).text  # nothing is chosen again
    ann.post(path, data={"csrf": token, "A.grade": "2"})
    assert office.desk.store.status("pilot").done == 1


def test_cannot_judge_is_an_answer(office: Office) -> None:
    office.campaign("pilot", "constructive")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    numbers = office.numbers("pilot", "ann")
    ann.post(f"/annotate/pilot/tasks/{numbers['b0']}", data={"csrf": token, "cannot": "1"})
    ann.post(
        f"/annotate/pilot/tasks/{numbers['b1']}",
        data={"csrf": token, "A.constructive": "yes", "B.constructive": "cannot-judge"},
    )
    values = [
        (judgment.task, judgment.shown, judgment.value)
        for judgment in office.desk.store.judgments("pilot")
    ]
    assert [value for task, _, value in values if task == "b0"] == ["cannot-judge"] * 5
    assert sorted((s, v) for task, s, v in values if task == "b1") == [
        ("A", True), ("B", "cannot-judge"), ("C", False), ("D", False), ("E", False),
    ]  # fmt: skip


def test_an_open_campaign_is_joined_by_name_and_hands_out_one_task_at_a_time(
    office: Office,
) -> None:
    office.campaign("crowd", "grade", None, per_item=1)
    token = office.desk.access.invite("crowd", None).token
    first, second = office.stranger(), office.stranger()
    assert first.post(f"/join/{token}", data={"name": "ann"}).status_code == 303
    taken = second.post(f"/join/{token}", data={"name": "ann"}, headers=HTML)
    assert taken.status_code == 400 and "already" in taken.text
    assert second.post(f"/join/{token}", data={"name": "ben"}).status_code == 303
    assert answer_all(first, "crowd") + answer_all(second, "crowd") == 6
    status = office.desk.store.status("crowd")
    assert (status.done, status.slots, status.judgments) == (6, 6, 6)


def test_the_page_remembers_where_one_was(office: Office) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    last = office.desk.store.places("pilot", "ann")[3].number
    get(ann, f"/annotate/pilot/tasks/{last}")
    again = ann.get("/annotate/pilot/continue")
    assert again.headers["location"] == f"/annotate/pilot/tasks/{last}"


def test_the_time_of_a_task_is_stored_without_the_time_away(office: Office) -> None:
    import time

    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    fields = {"csrf": csrf(ann), "A.grade": "4", "opened_at": str(int(time.time()) - 60)}
    numbers = office.numbers("pilot", "ann")
    for number, away in zip(list(numbers.values())[:3], ("20", "nonsense", "-5"), strict=True):
        ann.post(f"/annotate/pilot/tasks/{number}", data={**fields, "away": away})
    seconds = [each.seconds for each in office.desk.store.judgments("pilot")]
    assert 39 <= seconds[0] <= 45 and seconds[1] is None and 59 <= seconds[2] <= 65


def test_an_annotator_sees_the_own_tasks_and_nothing_else(office: Office) -> None:
    office.campaign("pilot", "grade", ["ann", "ben", "cy"], per_item=1)
    office.campaign("other", "grade")
    ann = office.annotator("pilot", "ann")
    token = csrf(ann)
    own = {place.number for place in office.desk.store.places("pilot", "ann")}
    assert 0 < len(own) < 6
    others = {number for who in ("ben", "cy") for number in office.numbers("pilot", who).values()}
    for number in own | others:
        status = 200 if number in own else 404
        assert ann.get(f"/annotate/pilot/tasks/{number}").status_code == status
        if number not in own:
            answer = ann.post(
                f"/annotate/pilot/tasks/{number}", data={"csrf": token, "A.grade": "1"}
            )
            assert answer.status_code == 404
    assert ann.get("/annotate/other").status_code == 404
    assert ann.get("/annotate/other/tasks/0").status_code == 404


def test_an_excluded_annotator_is_told_so(office: Office) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    office.desk.store.exclude("pilot", "ann", "too fast", at="2026-01-02T09:00:00Z")
    page = get(ann, "/annotate/pilot")
    assert "not part of this campaign any longer" in page and "too fast" not in page
    assert get(ann, "/annotate/pilot/continue")


@pytest.mark.parametrize("number", ["-1", "999", "99999999999999999999", "x", "1e3"])
def test_numbers_that_are_no_task_are_not_found(office: Office, number: str) -> None:
    office.campaign("pilot", "grade")
    ann = office.annotator("pilot", "ann")
    assert ann.get(f"/annotate/pilot/tasks/{number}", headers=HTML).status_code in (404, 422)


def test_text_that_looks_like_markup_or_a_template_is_shown_as_it_is(office: Office) -> None:
    from newsdesk.campaigns import Target, Task

    evil = "<script>alert(1)</script>{{ 7913*7919 }}{% raw %}\" onload='x' ${1}"
    tasks = [
        Task(
            "t", "a", (Target("t", evil),), (("title", evil), ("url", "javascript:alert(1)")), evil
        )
    ]
    office.campaign("pilot", "grade", tasks=tasks)
    page = get(office.annotator("pilot", "ann"), "/annotate/pilot/continue")
    assert "<script>alert" not in page and "{{ 7913*7919 }}" in page
    assert str(7913 * 7919) not in page
    assert 'href="javascript:' not in page


def test_marks_of_sentence_borders_are_shown_as_line_breaks(office: Office) -> None:
    marked = "<s>He was 88 .</s> </S>Best died ."
    target = (Target("c1", marked),)
    task = Task("c1", "a1", target, (("reference", marked),), f"{marked}</s>")
    office.campaign("pilot", "grade", tasks=[task])
    ann = office.annotator("pilot", "ann")
    page = get(ann, "/annotate/pilot/continue")
    assert "s&gt;" not in page.lower()
    assert page.count("<p>He was 88 .</p><p>Best died .</p>") == 2  # the article and the text
    assert "He was 88 .\nBest died .</p>" in page  # the reference
    answer_all(ann, "pilot")
    assert texts_of(office.desk.store.tasks("pilot")) == {("a1", "c1"): marked}
