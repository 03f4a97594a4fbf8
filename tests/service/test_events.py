"""Events in the browser: the front page by day, search in three languages, an event with its marked sentences, a story as a timeline."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from newsdesk import records, samples
from newsdesk.service.app import create_app
from newsdesk.service.events import EventIndex, index_events
from newsdesk.service.settings import ServiceSettings
from newsdesk.types import Cluster, ClusterArticle, Event
from newsdesk.work.progress import silent
from tests.service.office import HTML, Office

_FERRY = "2031-03-03-ferry-collision"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("events") / "data"
    (data / "newsroom").mkdir(parents=True)
    records.write(data / "newsroom" / "clusters.jsonl", samples.clusters())
    records.write(data / "newsroom" / "events.jsonl", samples.events())
    with Office.opened(create_app(ServiceSettings(data=data))) as opened:
        yield opened


@pytest.fixture(scope="module")
def front(office: Office) -> tuple[TestClient, str]:
    """An admin, and the address of the events once they are indexed."""
    admin = office.admin()
    path = admin.get("/events", headers=HTML).headers["location"]
    for _ in range(300):
        if "refresh" not in admin.get(path, headers=HTML).text:
            return admin, path
        time.sleep(0.05)
    raise AssertionError("the index was never ready")


def test_the_front_page_shows_days_latest_first_with_categories(
    front: tuple[TestClient, str],
) -> None:
    admin, path = front
    page = admin.get(path, headers=HTML).text
    days = re.findall(r'<h2 id="d\d+"><time datetime="([^"]+)"', page)
    assert days == sorted({event.date for event in samples.events()}, reverse=True)
    assert "Three dead, 27 injured as ferry hits breakwater in fog" in page
    sports = admin.get(path, params={"category": "Sports"}, headers=HTML).text
    assert "Football" in sports and "ferry" not in sports


def test_search_finds_words_of_articles_and_nothing_for_nonsense(
    front: tuple[TestClient, str],
) -> None:
    admin, path = front
    assert "Teachers" in admin.get(path, params={"q": "strike pupils"}, headers=HTML).text
    for nonsense in ("zzyzx", '" OR 1', "*", "a NEAR b)"):
        page = admin.get(path, params={"q": nonsense}, headers=HTML)
        assert page.status_code == 200, nonsense


def test_chosen_sentences_are_marked_in_their_articles(front: tuple[TestClient, str]) -> None:
    admin, path = front
    page = admin.get(
        f"{path}/{_FERRY}", params={"method": "lead", "beside": "centroid"}, headers=HTML
    ).text
    marked = re.findall(r"<mark>([^<]+)</mark>", page)
    assert marked[0].startswith("ALDINE (CW) - A passenger ferry struck")
    assert page.count('<p class="kicker">centroid') == 1
    assert "2031 Marrow Bay ferry collision" in page  # the story, from the file of events


def test_a_story_says_what_is_new_since_a_day(front: tuple[TestClient, str]) -> None:
    admin, path = front
    story = re.search(rf'{path}/stories/[^"]+', admin.get(f"{path}/{_FERRY}", headers=HTML).text)
    assert story is not None
    page = admin.get(story[0], params={"since": "2031-03-03"}, headers=HTML).text
    assert "Before that day, or on it." in page
    assert "radar" in page
    assert admin.get(story[0], params={"since": "soon"}, headers=HTML).status_code == 422


@pytest.mark.parametrize("path", ["nothing", "stories/nothing", "~x"])
def test_what_is_not_there_is_not_found(front: tuple[TestClient, str], path: str) -> None:
    admin, base = front
    assert admin.get(f"{base}/{path}", headers=HTML).status_code == 404


def test_chinese_and_japanese_are_found_by_word(tmp_path: Path) -> None:
    texts = {"zh": "政府宣布提高最低工资标准。", "ja": "政府は最低賃金の引き上げを発表した。"}
    clusters = [
        Cluster(lang, (ClusterArticle("1", text, title=text, lang=lang),), date="2026-01-01")
        for lang, text in texts.items()
    ]
    records.write(tmp_path / "c.jsonl", clusters)
    index_events(tmp_path, silent, str(tmp_path / "c.jsonl"), "clusters")
    index = EventIndex(tmp_path, "clusters")
    assert [event.id for event in index.search("工资")] == ["zh"]
    assert [event.id for event in index.search("賃金")] == ["ja"]
    index.close()


def test_reading_a_front_page_does_not_grow_with_the_number_of_events(tmp_path: Path) -> None:
    def indexed(count: int) -> EventIndex:
        folder = tmp_path / str(count)
        folder.mkdir()
        days = [f"20{year:02}-{month:02}-01" for year in range(10, 60) for month in range(1, 13)]
        events = (
            Event(
                f"e{number}", days[number % len(days)], f"Event {number} happens.", category="News"
            )
            for number in range(count)
        )
        records.write(folder / "e.jsonl", events)
        index_events(folder, silent, str(folder / "e.jsonl"), "events")
        return EventIndex(folder, "events")

    small, large = indexed(1_000), indexed(4_000)
    assert sum(len(events) for day in large.days() for _, events in day.categories) >= 60
    started = time.process_time()
    for _ in range(20):
        small.days()
    middle = time.process_time()
    for _ in range(20):
        large.days()
    assert time.process_time() - middle < 3 * (middle - started) + 0.02
