"""comments:analyze answers as clients of the Perspective API expect, errors included."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.ready import load_ready
from newsdesk.types import Article, Comment, Thread
from tests.service.office import Office

PATH = "/v1alpha1/comments:analyze"
TEXT = "I disagree because the study counted trips twice. The council should publish the data."
REQUEST: dict[str, Any] = {"comment": {"text": TEXT}, "requestedAttributes": {"CONSTRUCTIVE": {}}}


@pytest.fixture(scope="module")
def platform(api: Office) -> TestClient:
    """A comment platform that sends its key in the address, as that API wants it."""
    client = api.stranger()
    client.params = {"key": api.desk.access.add_key("platform", ["read"]).token}
    return client


def test_a_comment_platform_gets_the_probability_of_the_ready_model(platform: TestClient) -> None:
    # The body that Coral sends.
    body = {"comment": {"text": TEXT}, "doNotStore": True,
            "requestedAttributes": {"CONSTRUCTIVE": {}}, "languages": ["en"]}  # fmt: skip
    answer = platform.post(PATH, json=body)
    assert answer.status_code == 200
    model = load_ready("ready", "en")
    assert isinstance(model, Argument)
    thread = Thread(Article("article", "", lang="en"), (Comment("comment", TEXT),))
    score = {"value": round(float(model.probability(thread)[0]), 6), "type": "PROBABILITY"}
    assert answer.json() == {
        "attributeScores": {
            "CONSTRUCTIVE": {
                "spanScores": [{"begin": 0, "end": len(TEXT), "score": score}],
                "summaryScore": score,
            }
        },
        "languages": ["en"],
    }


def test_spans_are_sentences_and_the_token_comes_back(platform: TestClient) -> None:
    body = {**REQUEST, "spanAnnotations": True, "clientToken": "comment:1", "sessionId": "s",
            "communityId": "c", "context": {"entries": [{"text": "An article."}]}}  # fmt: skip
    answer = platform.post(PATH, json=body).json()
    spans = answer["attributeScores"]["CONSTRUCTIVE"]["spanScores"]
    cut = [TEXT[span["begin"] : span["end"]] for span in spans]
    assert cut == [TEXT[:49], TEXT[50:]]
    assert answer["clientToken"] == "comment:1"
    assert answer["languages"] == answer["detectedLanguages"] == ["en"]


def test_the_inverted_attribute_is_high_where_the_other_is_low(platform: TestClient) -> None:
    both: dict[str, dict[str, str]] = {
        "CONSTRUCTIVE": {},
        "UNCONSTRUCTIVE": {"scoreType": "PROBABILITY"},
    }
    scores = platform.post(PATH, json={**REQUEST, "requestedAttributes": both}).json()
    values = [s["summaryScore"]["value"] for s in scores["attributeScores"].values()]
    assert sum(values) == pytest.approx(1, abs=2e-6)
    low = {"CONSTRUCTIVE": {"scoreThreshold": 0.999}}
    answer = platform.post(PATH, json={**REQUEST, "requestedAttributes": low})
    assert answer.json()["attributeScores"] == {}


@pytest.mark.parametrize(
    ("change", "message", "kind"),
    [
        ({"comment": {"text": "  "}}, "Comment must be non-empty.", "COMMENT_EMPTY"),
        ({"comment": None}, "Comment must be non-empty.", "COMMENT_EMPTY"),
        ({"comment": {"text": "é" * 10_241}}, "Comment text too long.", "COMMENT_TOO_LONG"),
        ({"requestedAttributes": {}}, "Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES"),
        ({"requestedAttributes": {"TOXICITY": {}}}, "Unknown requested attribute: TOXICITY", "INVALID_REQUEST"),
        ({"languages": ["de"]}, "Attribute CONSTRUCTIVE does not support request languages: de", "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"),
        ({"languages": ["en", "xx"]}, "en, xx", "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"),
        ({"comment": {"text": "Это неплохо."}}, "request languages: ru", "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE"),
        ({"comment": {"text": "x", "type": "HTML"}}, "only 'PLAIN_TEXT'", "INVALID_REQUEST"),
        ({"requestedAttributes": {"CONSTRUCTIVE": {"scoreType": "RANK"}}}, "score type RANK", "INVALID_REQUEST"),
        ({"colour": 1}, 'Unknown name "colour"', "INVALID_REQUEST"),
        ({"comment": {"text": 1}}, "comment.text", "INVALID_REQUEST"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_said_in_that_apis_own_form(
    platform: TestClient, change: dict[str, Any], message: str, kind: str
) -> None:
    answer = platform.post(PATH, json={**REQUEST, **change})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert message in error["message"] and error["details"][0]["errorType"] == kind


def test_an_attribute_that_is_not_supported_can_be_dropped(platform: TestClient) -> None:
    both: dict[str, dict[str, str]] = {"CONSTRUCTIVE": {}, "TOXICITY": {}}
    body = {**REQUEST, "requestedAttributes": both, "dropUnsupportedAttributes": True}
    assert list(platform.post(PATH, json=body).json()["attributeScores"]) == ["CONSTRUCTIVE"]
    other = platform.post(PATH, json={**body, "languages": ["de"]})
    assert other.json()["attributeScores"] == {}


def test_strangers_and_other_methods_get_that_apis_errors(
    api: Office, platform: TestClient
) -> None:
    for path, status, name in ((PATH, 401, "UNAUTHENTICATED"), (f"{PATH}?key=x", 401, "UNAUTHENTICATED"),
                               ("/v1alpha1/comments:suggestscore", 404, "NOT_FOUND")):  # fmt: skip
        answer = api.stranger().post(path, json=REQUEST)
        assert answer.status_code == status
        assert answer.json()["error"].keys() == {"code", "message", "status"}
        assert answer.json()["error"]["status"] == name
    assert platform.post(PATH, content=b"{").json()["error"]["status"] == "INVALID_ARGUMENT"
    large = platform.post(PATH, content=b" " * (9 << 20))
    assert large.status_code == 413 and large.json()["error"]["code"] == 413


def test_googles_clients_learn_where_the_method_is(api: Office, platform: TestClient) -> None:
    document = platform.get("/$discovery/rest?version=v1alpha1").json()
    method = document["resources"]["comments"]["methods"]["analyze"]
    address = document["rootUrl"] + document["servicePath"] + method["path"]
    assert platform.request(method["httpMethod"], address, json=REQUEST).status_code == 200
    assert api.stranger().get("/$discovery/rest").status_code in (303, 401)


def test_the_request_of_the_documentation_is_answered_with_every_documented_field(
    platform: TestClient,
) -> None:
    body = {
        "comment": {"text": TEXT, "type": "PLAIN_TEXT"},
        "context": {"articleAndParentComment": {"article": {"text": "x", "type": "PLAIN_TEXT"}}},
        "requestedAttributes": {"CONSTRUCTIVE": {"scoreType": "PROBABILITY", "scoreThreshold": 0}},
        "spanAnnotations": False,
        "languages": ["en"],
        "doNotStore": True,
        "clientToken": "token",
        "sessionId": "session",
        "communityId": "example.org/news",
    }
    answer = platform.post(f"{PATH}?alt=json&prettyPrint=false", json=body).json()
    assert answer.keys() == {"attributeScores", "languages", "clientToken"}
    score = answer["attributeScores"]["CONSTRUCTIVE"]
    assert score["summaryScore"].keys() == {"value", "type"}
    assert [span.keys() for span in score["spanScores"]] == [{"begin", "end", "score"}]
