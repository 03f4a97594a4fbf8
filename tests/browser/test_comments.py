"""Comments in Chromium: a file is dropped and leads to its ranked thread, sliders answer at once, a moderator pins; without scripts too; every page to axe."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.desk import DESKTOP, PHONE, Served, check
from tests.service.test_comments import ROWS


def _drop(served: Served, page: Page, folder: Path) -> None:
    """Bring a file by the field of the front page, and wait for its threads."""
    path = folder / "harbour.csv"
    path.write_text(ROWS)
    served.sign_in(page)
    page.set_input_files("#file", path)
    page.click("text=Open it")
    page.wait_for_selector("text=A ferry in the fog")


@pytest.mark.parametrize(
    ("label", "size"), [("desktop", DESKTOP), ("phone", PHONE), ("dark", PHONE)]
)
def test_pages_of_files_and_threads_fit_and_pass_axe(
    served: Served,
    shots: Path,
    tmp_path: Path,
    label: str,
    size: tuple[int, int],
) -> None:
    with served.page(size, dark=label == "dark") as page:
        _drop(served, page, tmp_path)
        check(page, shots / f"threads-{label}.png")
        page.click("text=How it was read")
        check(page, shots / f"file-{label}.png")
        page.goto("/files")
        check(page, shots / f"files-{label}.png")
        page.goto("/")
        check(page, shots / f"front-{label}.png")
        page.click("text=harbour.csv")
        page.click("text=The harbour budget")
        check(page, shots / f"thread-{label}.png")
        page.click("text=Held back")
        check(page, shots / f"held-{label}.png")
        page.goto(page.url.partition("?")[0])
        page.locator("button:has-text('Pin')").last.click()
        page.wait_for_selector("text=pinned")
        check(page, shots / f"pinned-{label}.png")


def test_a_slider_re_ranks_at_once_and_by_keyboard(served: Served, tmp_path: Path) -> None:
    with served.page() as page:
        _drop(served, page, tmp_path)
        page.click("text=The harbour budget")
        page.select_option("#order", "likes")
        page.wait_for_url("**order=likes**")
        assert "Nonsense." in page.locator(".comment").first.inner_text()
        page.focus("#age")
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**age=1**")
        assert page.locator("output[for=age]").inner_text() == "half after 7 days"
        assert page.evaluate("document.activeElement.id") == "age"


def test_without_scripts_a_button_ranks_and_the_page_waits_by_itself(
    served: Served, tmp_path: Path
) -> None:
    with served.page(PHONE, script=False) as page:
        _drop(served, page, tmp_path)
        page.click("text=The harbour budget")
        page.select_option("#order", "likes")
        page.click("button.unscripted")
        page.wait_for_url("**order=likes**")
        assert "Nonsense." in page.locator(".comment").first.inner_text()


def test_a_file_that_is_dropped_on_its_field_is_sent(served: Served) -> None:
    with served.page() as page:
        served.sign_in(page)
        page.evaluate(
            """rows => {
              const data = new DataTransfer();
              data.items.add(new File([rows], "dropped.csv"));
              const target = document.querySelector("form[data-drop]");
              for (const kind of ["dragover", "drop"])
                target.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
            }""",
            ROWS,
        )
        page.wait_for_selector("text=A ferry in the fog")
