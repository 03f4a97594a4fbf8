"""Annotators in Chromium: each protocol from the invitation to the report, by keyboard alone, without JavaScript, and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.desk import DESKTOP, PHONE, TASKS_EACH, Served, check

FORMS = ("rank", "grade", "constructive", "relate")
# What an annotator types to answer one task, and what is stored of the first.
KEYS = {"grade": "4", "relate": "2", "constructive": "13", "rank": "121" * 4}


def saved(page: Page) -> str:
    page.locator(".saved").wait_for()
    return page.locator(".saved").inner_text()


def type_answer(page: Page, form: str) -> None:
    """Answer a task by digits; where a task has one question, the digit saves it."""
    address = page.url
    for key in KEYS[form]:
        page.keyboard.press(key)
    if form in ("rank", "constructive"):
        page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != address)


@pytest.mark.parametrize("form", FORMS)
def test_each_protocol_by_keyboard_alone_from_the_invitation_to_the_report(
    served: Served, shots: Path, form: str
) -> None:
    name = f"keys-{form}"
    served.campaign(name, form)
    with served.page() as page:
        served.join(page, name)
        for number in range(TASKS_EACH):
            type_answer(page, form)
            assert "Saved" in saved(page)
            assert served.done(name) == number + 1  # it was stored before it was said
        assert "All your tasks are done" in page.inner_text("main")
        check(page, shots / f"{form}-done.png")
    values = served.values(name)
    assert len(values) == {"grade": 3, "relate": 3, "constructive": 15, "rank": 36}[form]
    if form == "grade":
        assert values == [4, 4, 4]
    if form == "constructive":
        assert sum(value is True for value in values) == 2 * TASKS_EACH
    with served.page() as page:
        served.sign_in(page)
        page.goto(f"/campaigns/{name}/report")
        assert f"Campaign {name}" in page.inner_text("h1")
        page.screenshot(path=shots / f"{form}-report.png")


@pytest.mark.parametrize("form", FORMS)
def test_each_protocol_without_javascript_and_with_the_keyboard(served: Served, form: str) -> None:
    name = f"plain-{form}"
    served.campaign(name, form)
    with served.page(script=False) as page:
        served.join(page, name)
        for number in range(TASKS_EACH):
            groups = page.locator("[data-group]")
            for place in range(groups.count()):
                groups.nth(place).locator("input").first.focus()
                page.keyboard.press("Space")
            page.locator("button.main").focus()
            page.keyboard.press("Enter")
            page.locator(".saved").wait_for()
            assert served.done(name) == number + 1
    assert "cannot-judge" not in served.values(name)


@pytest.mark.parametrize("form", FORMS)
def test_each_protocol_on_a_phone_without_overflow_and_to_axe(
    served: Served, shots: Path, form: str
) -> None:
    name = f"phone-{form}"
    served.campaign(name, form)
    for label, size in (("phone", PHONE), ("desktop", DESKTOP), ("dark", DESKTOP)):
        with served.page(size, dark=label == "dark") as page:
            served.join(page, name)
            check(page, shots / f"{form}-{label}.png")
            if form == "rank":
                assert all(each.is_visible() for each in page.locator(".ends").all())
                assert page.locator(".ends").count() == page.locator("fieldset").count() > 0
            if label == "phone":
                page.locator("summary").first.click()
                groups = page.locator("[data-group]")
                for place in range(groups.count()):
                    groups.nth(place).locator("label").first.click()
                if form in ("rank", "constructive"):
                    page.click("button.main")
                saved(page)
                check(page, shots / f"{form}-phone-saved.png")
                page.goto(f"/annotate/{name}")
                check(page, shots / f"{form}-phone-overview.png")
    assert served.done(name) == 1


def test_undo_by_keyboard_shows_the_task_again(served: Served) -> None:
    served.campaign("undo", "grade")
    with served.page() as page:
        served.join(page, "undo")
        first = page.url
        type_answer(page, "grade")
        page.keyboard.press("u")
        page.wait_for_url(lambda url: url.startswith(first) and "undone" in url)
        assert "Undone" in saved(page)
        assert served.values("undo") == ["cannot-judge"] and served.done("undo") == 0
        page.keyboard.press("5")
        page.wait_for_url("**saved=**")
    assert served.values("undo") == [5]


def test_a_ranking_that_is_not_complete_survives_a_reload_and_says_what_is_missing(
    served: Served, shots: Path
) -> None:
    served.campaign("draft", "rank")
    with served.page() as page:
        served.join(page, "draft")
        for key in "12":
            page.keyboard.press(key)
        page.reload()
        assert page.locator("input:checked").count() == 2
        assert "not saved yet" in page.locator(".state").inner_text()
        page.locator("button.main").focus()
        page.keyboard.press("Enter")
        page.locator(".fault").wait_for()
        assert "no answer yet" in page.locator(".fault").inner_text()
        assert page.locator("input:checked").count() == 2
        check(page, shots / "rank-fault.png")
    assert served.values("draft") == []


def test_zero_means_cannot_judge_and_the_article_opens_by_a_key(served: Served) -> None:
    served.campaign("zero", "grade")
    with served.page() as page:
        served.join(page, "zero")
        page.keyboard.press("a")
        assert page.locator("details.article").get_attribute("open") is not None
        page.keyboard.press("0")
        page.wait_for_url("**saved=**")
        assert "cannot judge" in saved(page)
    assert served.values("zero") == ["cannot-judge"]
