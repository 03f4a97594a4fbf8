"""The contract of the Prosocial Ranking Challenge: every id comes back once, replies stay below what they reply to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from starlette.testclient import TestClient

from newsdesk.service.api.challenge import arranged, grouped
from newsdesk.service.api.platform_shapes import ChallengeItem
from tests.service.office import Office

PATH = "/api/v1/ranking-challenge/rank"
GOOD = "I disagree, because the study counted trips twice: its table 4 lists the same buses for May and for June."
WEAK = "lol"
# Not the same words again: of copies the first counts.
ALSO_GOOD = "The depot could open earlier, since two of the three drivers interviewed said that their first tour starts at six."


def item(name: str, text: str, kind: str = "comment", **more: Any) -> dict[str, Any]:
    """An item with all the keys of the contract."""
    return {
        "id": name,
        "original_rank": 1,
        "post_id": None,
        "parent_id": None,
        "title": None,
        "text": text,
        "author_name_hash": "0d231f75",
        "type": kind,
        "embedded_urls": ["https://example.org/"],
        "created_at": "2026-05-13T21:08:32.210288Z",
        "engagements": {"score": -2, "comment": 12, "award": 4},
        "language": None,
        **more,
    }


def asked(*items: dict[str, Any]) -> dict[str, Any]:
    session = {
        "session_id": "fd5d9298",
        "user_id": "41d01393",
        "user_name_hash": "62a7c415",
        "cohort": "AB",
        "cohort_index": "1000",
        "platform": "reddit",
        "url": "https://reddit.com/r/technology",
        "current_time": "2026-05-13T21:08:32.211000Z",
    }
    return {"session": session, "survey": {"party_id": "other", "age": 3}, "items": list(items)}


def ids(client: TestClient, *items: dict[str, Any]) -> list[str]:
    answer = client.post(PATH, json=asked(*items))
    assert answer.status_code == 200, answer.text
    ranked: list[str] = answer.json()["ranked_ids"]
    return ranked


def test_comments_of_a_post_are_ordered_below_it(reader: TestClient) -> None:
    page = [
        item("post", "The council counts trips.", "post", title="Trips"),
        item("weak", WEAK, post_id="post"),
        item("good", GOOD, post_id="post"),
    ]
    answer = reader.post(PATH, json=asked(*page)).json()
    assert answer == {
        "ranked_ids": ["post", "good", "weak"],
        "metadata": {"intervention_on": True},
    }


def test_a_reply_stays_below_its_parent_and_is_ordered_among_its_siblings(
    reader: TestClient,
) -> None:
    page = [
        item("weak", WEAK),
        item("weak-1", WEAK, parent_id="weak"),
        item("weak-2", ALSO_GOOD, parent_id="weak"),
        item("good", GOOD),
        item("good-1", WEAK, parent_id="good"),
    ]
    assert ids(reader, *page) == ["good", "good-1", "weak", "weak-2", "weak-1"]


def test_the_posts_of_a_feed_are_ordered_with_their_comments(reader: TestClient) -> None:
    page = [
        item("a", "", "post"),
        item("a-1", WEAK, post_id="a"),
        item("b", GOOD, "post"),
        item("b-1", WEAK, post_id="b"),
        item("b-2", ALSO_GOOD, post_id="b"),
    ]
    assert ids(reader, *page) == ["b", "b-2", "b-1", "a", "a-1"]


def test_a_language_without_a_model_keeps_its_places(reader: TestClient) -> None:
    page = [
        item("de-1", WEAK, language="de"),
        item("weak", WEAK, language="und"),
        item("ru", "Это неплохо."),
        item("good", GOOD, language="en-US"),
        item("de-2", "Nein, denn die Studie zählt doppelt.", language="de"),
    ]
    assert ids(reader, *page) == ["de-1", "good", "ru", "weak", "de-2"]
    german = [one for one in page if one["language"] == "de"]
    answer = reader.post(PATH, json=asked(*german)).json()
    assert answer == {"ranked_ids": ["de-1", "de-2"], "metadata": {"intervention_on": False}}


def test_chinese_comments_are_ordered_by_the_chinese_model(reader: TestClient) -> None:
    good = "我不同意，因为这项研究把行程计算了两次：表4列出了五月和六月的同一批公交车。"
    assert ids(reader, item("weak", "哈哈"), item("good", good)) == ["good", "weak"]


def test_the_key_may_be_sent_in_the_address_and_a_stranger_is_refused(api: Office) -> None:
    key = api.desk.access.add_key("router", ["read"]).token
    assert api.stranger().post(f"{PATH}?key={key}", json=asked()).json()["ranked_ids"] == []
    assert api.stranger().post(PATH, json=asked()).status_code == 401
    assert api.program("judge").post(PATH, json=asked()).status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"items": [item("a", WEAK), item("a", GOOD)]}, 422),
        ({"items": [item("", WEAK)]}, 422),
        ({"items": [item("a", WEAK, "tweet")]}, 422),
        ({"items": [{"id": "a", "type": "post"}]}, 422),
        ({"items": [item(str(n), WEAK) for n in range(201)]}, 413),
        ({"items": [item("a", "x" * (9 << 20))]}, 413),
    ],
    ids=["nothing", "twice", "empty id", "type", "no text", "many", "huge"],
)
def test_what_is_malformed_or_huge_is_refused(
    reader: TestClient, body: dict[str, Any], status: int
) -> None:
    answer = reader.post(PATH, json=body)
    assert answer.status_code == status and {"code", "message"} <= answer.json()["error"].keys()


_REFERENCE = st.none() | st.integers(0, 12).map(str)


@given(
    st.lists(st.tuples(st.sampled_from(("post", "comment")), _REFERENCE, _REFERENCE), max_size=12),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None, database=None, derandomize=True)
def test_whatever_replies_to_what_each_item_is_shown_once(rows: Any, random: Any) -> None:
    items = [
        ChallengeItem.model_validate(item(str(n), WEAK, kind, post_id=post, parent_id=parent))
        for n, (kind, post, parent) in enumerate(rows)
    ]
    groups = grouped(items, "ready")
    ranks = {row: random.random() for rows in groups.values() for row in rows}
    assert sorted(arranged(items, groups, ranks)) == list(range(len(items)))
