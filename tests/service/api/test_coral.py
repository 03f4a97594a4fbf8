"""Coral's external moderation phase: signed requests in, tags out, and never a status or a flag."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from newsdesk.service.settings import CORAL
from tests.service.office import Office

PATH = "/api/v1/coral"
SECRET, OLD = "phase-secret-of-the-tests", "an-earlier-secret-of-it"
TEXT = "I disagree because the study counted trips twice. The council should publish the data, as it did in May."
_STORIES = itertools.count()


@pytest.fixture(autouse=True)
def secrets(api: Office) -> Iterator[None]:
    path = api.desk.folder.root / CORAL
    path.write_text(f"{OLD}\n{SECRET}\n")
    yield
    path.unlink()


def sent(text: str = TEXT, **change: Any) -> bytes:
    """A request as Coral writes it, of a story of its own."""
    request = {
        "action": "NEW",
        "comment": {"body": text, "parentID": None},
        "author": {"id": "baf4e943", "role": "COMMENTER"},
        "story": {"id": f"story-{next(_STORIES)}", "url": "http://localhost/a-story/"},
        "site": {"id": "a4bede88"},
        "tenantID": "19ba5794",
        "tenantDomain": "localhost",
    }
    return json.dumps({**request, **change}, indent=2, ensure_ascii=False).encode()


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def post(api: Office, body: bytes, header: str | bytes | None = None, **query: Any) -> Any:
    header = signature(body) if header is None else header
    headers: Any = {"content-type": "application/json", "x-coral-signature": header}
    return api.stranger().post(PATH, content=body, headers=headers, params=query)


def test_a_comment_above_the_threshold_is_featured_and_others_are_left_alone(api: Office) -> None:
    high = post(api, sent(), feature=0.001)
    assert (high.status_code, high.json()) == (200, {"tags": ["FEATURED"]})
    low = post(api, sent("You are all idiots."), feature=0.999)
    assert (low.status_code, low.content) == (204, b"")


def test_after_a_rotation_either_secret_and_any_of_several_signatures_counts(api: Office) -> None:
    body = sent()
    wrong = signature(body, "a secret of somebody else")
    assert post(api, body, f"{wrong},{signature(body, OLD)}", feature=0.001).status_code == 200


@pytest.mark.parametrize(
    "forge",
    [
        lambda body: "",
        lambda body: "sha256=",
        lambda body: signature(body, "a secret of somebody else"),
        lambda body: signature(body + b" "),
        lambda body: signature(body).removeprefix("sha256="),
        lambda body: signature(body).replace("sha256", "sha1"),
        lambda body: signature(body)[:-1],
        lambda body: ",".join(["sha256=é".encode("latin-1").decode("latin-1")] * 3),
    ],
)
def test_what_is_not_signed_by_a_secret_is_refused_in_the_error_shape(
    api: Office, forge: Any
) -> None:
    body = sent()
    answer = post(api, body, forge(body).encode("latin-1"))
    assert answer.status_code == 401
    assert answer.json()["error"].keys() == {"code", "message"}
    assert answer.json()["error"]["code"] == "signature"


def test_without_a_secret_nobody_is_let_in_not_even_with_the_empty_one(api: Office) -> None:
    (api.desk.folder.root / CORAL).write_text("\n")
    body = sent()
    assert post(api, body, signature(body, "")).status_code == 401


def test_a_secret_that_is_too_short_is_said_in_the_log_alone(api: Office) -> None:
    (api.desk.folder.root / CORAL).write_text("short\n")
    body = sent()
    answer = post(api, body, signature(body, "short"))
    assert answer.status_code == 503 and "short" not in answer.text


def test_a_key_is_no_signature(api: Office) -> None:
    answer = api.program("admin").post(PATH, content=sent())
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "signature")


def test_a_replay_is_refused_for_a_minute(api: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    body = sent()
    assert post(api, body, feature=0.001).status_code == 200
    again = post(api, body, feature=0.001)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "replayed")
    assert post(api, sent(), feature=0.001).status_code == 200  # the same text on another story
    # With buckets of its own: the clock goes back afterwards.
    monkeypatch.setattr(api.desk.rates, "_buckets", dict(api.desk.rates._buckets))
    monkeypatch.setattr(api.desk.rates, "_clock", lambda: time.monotonic() + 61)
    assert post(api, body, feature=0.001).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 422),
        (b"\xff", 422),
        (b"[]", 422),
        (sent(action="DELETE"), 422),
        (sent(comment={"body": None}), 422),
        (sent("é" * 10_241), 413),
        (sent("x" * (9 << 20)), 413),
    ],
    ids=["cut", "bytes", "list", "action", "body", "long", "huge"],
)
def test_what_is_signed_and_malformed_or_huge_is_refused(
    api: Office, body: bytes, status: int
) -> None:
    answer = post(api, body)
    assert answer.status_code == status
    assert {"code", "message"} <= answer.json()["error"].keys()


def test_an_empty_comment_and_a_language_without_a_model_are_left_alone(api: Office) -> None:
    for text, query in (("  ", {}), ("Это неплохо, потому что так.", {}), (TEXT, {"lang": "de"})):
        assert post(api, sent(text), feature=0.001, **query).status_code == 204
    chinese = post(api, sent("我不同意，因为这项研究把行程计算了两次。"), feature=0.001)
    assert chinese.json() == {"tags": ["FEATURED"]}


def test_settings_that_mean_nothing_are_refused(api: Office) -> None:
    assert post(api, sent(), feature=0).status_code == 422
    assert post(api, sent(), model="../secret").status_code == 400
