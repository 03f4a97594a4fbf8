"""Files as people have them, dropped into the browser: each ends on a ranked page; a large one with progress, while others are answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from newsdesk.service.app import create_app
from newsdesk.service.desk import slug
from newsdesk.service.settings import ServiceSettings
from newsdesk.types import Thread
from tests.records.comments import test_files_as_people_have_them as people
from tests.records.comments.test_exports import DISQUS, WORDPRESS
from tests.service.office import HTML, Office, csrf
from tests.service.test_comments import dropped, ended

Maker = Callable[[Path], tuple[Path, list[Thread]]]
# How a file is made, and what is chosen by menus where it cannot be recognised.
FILES: list[tuple[Maker, dict[str, str]]] = [
    (people.german_workbook, {}),
    (people.german_table, {}),
    (people.french_table, {}),
    (people.spanish_table, {}),
    (people.portuguese_table, {}),
    (people.chinese_table, {}),
    (people.japanese_table, {}),
    (people.headline_and_section, {}),
    (people.nested_by_path, {"comments": "stories.discussion.comments"}),
    (people.mastodon_context, {}),
    (people.activity_streams, {}),
    (people.bluesky_thread, {}),
    (people.coral_export, {}),
]
_TEXTS = {
    "cms.csv": (
        b"id,post_id,content,created_at,upvotes\n1,99,<p>The pier &amp; the quay.</p>,2026-05-01 10:00,3\n"
    ),
    "bom.csv": "\ufeffsep=;\nArtikel;Kommentar;Datum\nb1;Die Rechnung stimmt nicht.;31.12.2025\n".encode(),
    "day-first.tsv": (
        b"article\ttext\tdate\na\tThe pier is sound.\t5/11/2026 10:30\na\tNo.\t25/11/2026 11:00\n"
    ),
    "utf16.txt": "article\tcomment\na\tThe pier & the quay.\n".encode("utf-16"),
    "disqus.xml": DISQUS.encode(),
    "wordpress.xml": WORDPRESS.encode(),
    "lines.jsonl": b'{"article": "a", "text": "The pier is sound."}\n{"article": "a", "text": "No."}\n',
}  # fmt: skip
_SHOWN = {
    "cms.csv": "The pier & the quay.",
    "bom.csv": "Die Rechnung stimmt nicht.",
    "utf16.txt": "The pier & the quay.",
    "disqus.xml": "Then <roads>",
    "wordpress.xml": "Good & late",
}


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    data = tmp_path_factory.mktemp("dropped") / "data"
    settings = ServiceSettings(data=data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
    with Office.opened(create_app(settings)) as office:
        yield office.admin()


@pytest.mark.parametrize(("make", "chosen"), FILES, ids=[make.__name__ for make, _ in FILES])
def test_a_file_as_people_have_it_ends_on_a_ranked_page(
    admin: TestClient, tmp_path: Path, make: Maker, chosen: dict[str, str]
) -> None:
    path, threads = make(tmp_path)
    address = dropped(admin, path.read_bytes(), path.name)
    if chosen:
        file = address.replace("/comments/", "/files/")
        answer = admin.post(f"{file}/columns", data={"csrf": csrf(admin), **chosen})
        address = answer.headers["location"]
    address, page = ended(admin, address)
    for thread in threads:
        if len(threads) > 1:
            page = admin.get(f"{address}/{slug(thread.article.id)}", headers=HTML).text
        assert '<ol class="thread">' in page
        for comment in thread.comments:
            assert comment.text.splitlines()[0] in unescape(page)
            assert comment.author is None or comment.author in unescape(page) or chosen


@pytest.mark.parametrize("name", _TEXTS)
def test_a_table_or_export_ends_on_a_ranked_page(admin: TestClient, name: str) -> None:
    _, page = ended(admin, dropped(admin, _TEXTS[name], name))
    assert '<ol class="thread">' in page
    assert _SHOWN.get(name, "The pier is sound.") in unescape(page)
    if name == "day-first.tsv":
        assert '<time datetime="2026-11-05T10:30:00Z">' in page


def test_a_large_file_shows_progress_while_others_are_answered(admin: TestClient) -> None:
    rows = [
        f"a{number % 40},The pier number {number} was tested in {1900 + number % 120} and again.\n"
        for number in range(4_000)  # 30,000 of them: `python -m bench.newsroom dropped`
    ]
    address = dropped(admin, ("article,text\n" + "".join(rows)).encode(), "large.csv")
    admin.get(address, headers=HTML)
    waits: list[float] = []
    shares: set[str] = set()
    while True:
        started = time.perf_counter()
        page = admin.get("/files", headers=HTML)
        waits.append(time.perf_counter() - started)
        assert page.status_code == 200
        text = admin.get(address, headers=HTML).text
        if 'http-equiv="refresh"' not in text:
            break
        shares.update(part.partition(" %")[0] for part in text.split("<span>")[1:])
        time.sleep(0.1)
    assert "4,000 comments of 40 articles" in text
    assert len(shares) > 1
    assert sorted(waits)[len(waits) // 2] < 0.1, waits
