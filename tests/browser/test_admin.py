"""Admins in Chromium: every page at both widths to axe, and a campaign created, shared and read in clicks."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import samples
from newsdesk.records import record_text
from tests.browser.desk import DESKTOP, PHONE, Served, check


@pytest.mark.parametrize(
    ("label", "size"), [("desktop", DESKTOP), ("phone", PHONE), ("dark", DESKTOP)]
)
def test_every_page_of_admins_fits_and_passes_axe(
    served: Served, shots: Path, label: str, size: tuple[int, int]
) -> None:
    name = f"admin {label}"
    served.campaign(name, "grade")
    served.desk.access.add_key("a platform", ["read"])
    with served.page(size, dark=label == "dark") as page:
        page.goto("/sign-in")
        check(page, shots / f"sign-in-{label}.png")
        page.goto(f"/join/{served.desk.access.invite(name, 'ann').token}")
        check(page, shots / f"join-{label}.png")
        page.goto("/join/nothing")
        check(page, shots / f"error-{label}.png")
        served.sign_in(page)
        check(page, shots / f"home-{label}.png")
        page.goto("/campaigns/new")
        check(page, shots / f"new-{label}.png")
        page.goto("/access")
        check(page, shots / f"access-{label}.png")
        page.goto("/campaigns")
        check(page, shots / f"campaigns-{label}.png")
        page.click(f"text={name}")
        check(page, shots / f"campaign-{label}.png")
        page.click("text=Make links for all")
        check(page, shots / f"links-{label}.png")
        page.click("text=To the campaign")
        page.click("text=Agreement and audit")
        check(page, shots / f"audit-{label}.png")


def test_a_campaign_is_created_by_upload_and_its_link_leads_to_the_first_task(
    served: Served, tmp_path: Path
) -> None:
    threads = tmp_path / "threads.jsonl"
    threads.write_text("".join(f"{record_text(each)}\n" for each in samples.threads("en")[:1]))
    with served.page() as page:
        served.sign_in(page)
        page.click("nav >> text=Campaigns")
        page.click("text=New campaign")
        page.fill("#name", "by hand")
        page.select_option("#protocol", "constructive")
        page.fill("#annotators", "ann, ben")
        page.set_input_files("#upload-threads", threads)
        page.click("text=Create the campaign")
        page.click("text=Make the invitation links")
        link = page.locator("code.link").first.inner_text()
    with served.page(PHONE) as page:
        page.goto(link)
        page.click("text=Begin")
        page.click("a.button.main")
        assert "Tick every comment" in page.inner_text("main")
