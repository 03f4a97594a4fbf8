"""Files of comments in the browser: dropped, recognised, ranked, put in order by sliders, moderated, taken along."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, csrf

_CSV = """article,title,comment_id,text,likes,at,author
a1,The harbour budget,c1,"The budget does not add up: page 12 counts the same 4 million twice, so the repair of the east pier would start in 2028 and not in 2026, as the council said.",3,2026-05-01T10:00:00Z,ann
a1,The harbour budget,c2,Nonsense.,40,2026-05-02T10:00:00Z,ben
a1,The harbour budget,c3,"I worked on the pier for ten years. The piles were tested in 2019 and 2022, both reports are public, and both say that the wood is sound for another decade if it is kept wet.",12,2026-05-03T10:00:00Z,cy
a1,The harbour budget,c4,"You are all idiots, you stupid morons.",5,2026-05-03T11:00:00Z,dan
a1,The harbour budget,c5,"I worked on the pier for ten years. The piles were tested in 2019 and 2022, both reports are public, and both say that the wood is sound for another decade if it is kept wet.",0,2026-05-04T11:00:00Z,eve
a2,A ferry in the fog,d1,"Why was the horn on the wrong side? My brother crossed an hour before and heard it clearly from the north.",1,2026-05-04T11:00:00Z,ann
a2,A ferry in the fog,d2,Sad.,2,2026-05-04T11:30:00Z,ben
"""


def dropped(client: TestClient, content: bytes, name: str) -> str:
    """Drop a file and return the address that it leads to."""
    answer = client.post(
        "/files", files={"file": (name, io.BytesIO(content))}, data={"csrf": csrf(client)}
    )
    assert answer.status_code == 303, re.findall(r'class="fault"[^>]*>([^<]*)', answer.text)
    return answer.headers["location"]


def ended(client: TestClient, path: str, most_s: float = 60) -> tuple[str, str]:
    """The address and the text of a page once what it waits for is done."""
    until = time.monotonic() + most_s
    while time.monotonic() < until:
        answer = client.get(path, headers=HTML)
        if answer.status_code == 303:
            path = answer.headers["location"]
        elif 'http-equiv="refresh"' not in answer.text:
            return path, answer.text
        else:
            time.sleep(0.05)
    raise AssertionError(f"{path} was not done in {most_s} s")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("comments") / "data"
    settings = ServiceSettings(data=data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
    with Office.opened(create_app(settings)) as opened:
        yield opened


@pytest.fixture(scope="module")
def admin(office: Office) -> TestClient:
    return office.admin()


@pytest.fixture(scope="module")
def threads(admin: TestClient) -> str:
    """The address of the threads of a file, ranked."""
    path, _ = ended(admin, dropped(admin, _CSV.encode(), "harbour.csv"))
    return path


def order(page: str) -> list[str]:
    """The texts of the comments of a page, in order, shortened."""
    return [text[:12] for text in re.findall(r'<li class="comment".*?<div class="said">([^<]+)', page, re.DOTALL)]  # fmt: skip


def test_a_dropped_file_leads_to_its_threads(admin: TestClient, threads: str) -> None:
    page = admin.get(threads, headers=HTML).text
    assert "The harbour budget" in page and "A ferry in the fog" in page
    assert "5 comments · 2 held back or repeated" in page
    found = admin.get(threads, params={"q": "horn"}, headers=HTML).text
    assert "A ferry in the fog" in found and "The harbour budget" not in found


def test_a_thread_is_ranked_with_reasons_and_what_is_held_back_apart(
    admin: TestClient, threads: str
) -> None:
    page = admin.get(f"{threads}/a1", headers=HTML).text
    assert order(page)[-1] == "Nonsense."
    assert "idiots" not in page
    assert "1 near-copy" in page
    assert page.count('<ul class="reasons"') == 3
    assert all(len(re.findall("<li class", some)) <= 3 for some in re.findall(r'<ul class="reasons".*?</ul>', page, re.DOTALL))  # fmt: skip
    held = admin.get(f"{threads}/a1", params={"show": "held"}, headers=HTML).text
    assert "Insults: “idiots”" in held and "Nonsense." not in held
