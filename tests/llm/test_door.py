"""The door to language models: failures, ceilings, the cache, keys, and texts that stay data."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from newsdesk.errors import ArgumentError, FileError
from newsdesk.llm import (
    Ceilings,
    Completion,
    LanguageModel,
    LanguageModelError,
    Prompt,
    compose,
    counted_only,
    data_block,
    estimated_tokens,
    json_in,
    language_model,
)
from newsdesk.llm.questions import TOO_LONG
from tests.llm.endpoint import (
    INJECTIONS,
    Endpoint,
    Reply,
    completion,
    endpoint,
    outside_data,
    prompt_of,
)

QUESTION = compose("Judge.", [("comment", "It rained.")], "Answer yes or no.", max_tokens=3)
KEY = "sk-very-secret-0123456789"


def opened(server: Endpoint, tmp_path: Path, **settings: Any) -> LanguageModel:
    settings = {"cache": str(tmp_path / "cache"), "sleep": lambda seconds: None, **settings}
    return language_model(server.spec, **settings)


def numbered(count: int) -> list[Prompt]:
    return [compose("Judge.", [("comment", f"Comment {number}.")]) for number in range(count)]


BROKEN = {
    "wrong JSON": (Reply(body=b"{nope"), "unreadable answer"),
    "another shape": (Reply(body=b'{"choices": []}'), "unreadable answer"),
    "not UTF-8": (Reply(body=b"\xff\xfe"), "unreadable answer"),
    "truncated": (Reply(text="a long answer", cut_after=40), "truncated answer"),
    "429": (Reply(status=429), "too many requests"),
    "500": (Reply(status=500, body=b"oops"), "server error"),
    "503": (Reply(status=503), "server error"),
    "a hang": (Reply(hang_s=0.5), "timeout"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_failure_that_passes_is_retried_and_one_that_stays_is_named(
    name: str, tmp_path: Path
) -> None:
    bad, reason = BROKEN[name]
    settings: dict[str, Any] = {"timeout_s": 0.15} if bad.hang_s else {}

    def passing(body: dict[str, Any]) -> Reply:
        return bad if len(server.requests) < 3 else Reply(text="yes")

    with endpoint(passing) as server:
        model = opened(server, tmp_path, **settings)
        assert model.ask(QUESTION).text == "yes"
        assert model.usage.retries == 2
    with endpoint(bad) as server:
        model = opened(server, tmp_path, attempts=2, **settings)
        assert model.ask(QUESTION) == Completion(failure=reason)
        assert len(server.requests) == 2
        assert not list((tmp_path / "cache").rglob("*.json"))[1:]  # failures are not kept


def test_retry_after_is_heeded_and_back_off_doubles(tmp_path: Path) -> None:
    pauses: list[float] = []
    replies = iter(
        [
            Reply(status=429, headers={"Retry-After": "7"}),
            Reply(status=500),
            Reply(status=500),
            Reply(text="yes"),
        ]
    )
    with endpoint(lambda body: next(replies)) as server:
        model = opened(server, tmp_path, sleep=pauses.append, backoff_s=0.5)
        assert model.ask(QUESTION).text == "yes"
    assert pauses == [7.0, 1.0, 2.0]


def test_refusals_are_told_from_answers(tmp_path: Path) -> None:
    refused = [
        Reply(refusal="I can't do that."),
        Reply(text="", finish="content_filter"),
        Reply(status=400, body=b'{"error": {"code": "content_filter", "message": "no"}}'),
        Reply(text="I'm sorry, but I can't help with that."),
        Reply(text="抱歉，我无法回答。"),
    ]
    replies = iter(refused)
    with endpoint(lambda body: next(replies)) as server:
        model = opened(server, tmp_path)
        for question in numbered(len(refused)):
            answer = model.ask(question)
            assert answer.refused and not answer.usable
    assert not Completion(text="Sorry sight: the bridge fell.").refused


def test_what_concerns_every_question_ends_the_run_in_one_line(tmp_path: Path) -> None:
    for status, hint in (
        (401, "NEWSDESK_LLM_KEY"),
        (404, "is the address right"),
        (400, "bad model"),
    ):
        body = json.dumps({"error": {"message": "bad model"}}).encode()
        with (
            endpoint(Reply(status=status, body=body)) as server,
            pytest.raises(LanguageModelError, match=hint) as raised,
        ):
            opened(server, tmp_path).ask(QUESTION)
        assert "\n" not in str(raised.value)
    with pytest.raises(LanguageModelError, match="nobody answers"):
        opened(server, tmp_path, attempts=2).ask(QUESTION)  # the server is gone
    with (
        endpoint(Reply(status=307, headers={"Location": "http://127.0.0.1:1/"})) as server,
        pytest.raises(LanguageModelError, match="redirected"),
    ):
        opened(server, tmp_path).ask(QUESTION)
    with endpoint(Reply(status=500)) as server:
        with pytest.raises(LanguageModelError, match="5 questions in a row"):
            list(opened(server, tmp_path, attempts=1, concurrency=1).ask_all(numbered(9)))
        assert len(server.requests) == 5


def test_a_question_that_is_too_long_fails_alone(tmp_path: Path) -> None:
    body = b'{"error": {"code": 400, "message": "request exceeds the available context size"}}'
    with endpoint(
        lambda b: Reply(status=400, body=body) if "9." in prompt_of(b) else "yes"
    ) as server:
        answers = list(opened(server, tmp_path).ask_all(numbered(12)))
    assert [answer.failure for answer in answers] == [""] * 9 + [TOO_LONG] + [""] * 2


@pytest.mark.parametrize(
    "ceilings",
    [
        {"max_requests": 4},
        {"max_total_tokens": 4 * 160},
        {"max_cost": 4 * 160e-6, "price_in": 1.0, "price_out": 1.0},
    ],
)
def test_no_ceiling_is_passed(ceilings: dict[str, Any], tmp_path: Path) -> None:
    questions = [
        compose("Judge.", [("comment", f"Comment {n}.")], max_tokens=50) for n in range(50)
    ]
    with endpoint(Reply(text="word " * 40)) as server:
        model = opened(server, tmp_path, ceilings=Ceilings(**ceilings), concurrency=3)
        with pytest.raises(LanguageModelError, match=next(iter(ceilings))):
            list(model.ask_all(questions))
        assert 1 <= len(server.requests) <= 12
        for name, limit in ceilings.items():
            spent = {"max_requests": len(server.requests), "max_cost": model.usage.cost}
            tokens = model.usage.prompt_tokens + model.usage.completion_tokens
            assert name.startswith("price") or spent.get(name, tokens) <= limit
    with pytest.raises(ArgumentError, match="max_cost needs"):
        Ceilings(max_cost=1.0)


def test_a_second_run_asks_nothing_and_a_dry_one_nothing_at_all(tmp_path: Path) -> None:
    questions = numbered(20)
    with endpoint(lambda body: prompt_of(body)[-40:]) as server:
        with counted_only() as count:
            list(opened(server, tmp_path).ask_all(questions))
        assert (count.requests, count.cached, len(server.requests)) == (20, 0, 0)
        assert count.prompt_tokens > 20 * 50 and count.completion_tokens == 20 * 256
        first = list(opened(server, tmp_path).ask_all(questions))
        again = opened(server, tmp_path)
        assert list(again.ask_all(questions)) == first
        assert (again.usage.requests, again.usage.cached, len(server.requests)) == (0, 20, 20)
        with counted_only() as count:
            list(again.ask_all(questions))
        assert (count.requests, count.cached) == (0, 20)
        other = compose("Judge.", [("comment", "Comment 0.")], temperature=0.7)
        assert again.ask(other).text and len(server.requests) == 21


def test_the_same_question_at_the_same_time_is_asked_once(tmp_path: Path) -> None:
    with endpoint(Reply(hang_s=0.05)) as server:
        answers = list(opened(server, tmp_path, concurrency=8).ask_all([QUESTION] * 24))
        assert len(set(answers)) == len(server.requests) == 1


def test_a_damaged_answer_in_the_cache_is_asked_again(tmp_path: Path) -> None:
    with endpoint("yes") as server:
        opened(server, tmp_path).ask(QUESTION)
        [file] = (tmp_path / "cache").rglob("*.json")
        assert file.stat().st_mode & 0o077 == 0
        for damage in (
            b"",
            b"{",
            b'{"format": 9}',
            file.read_bytes().replace(b"rained", b"poured"),
        ):
            file.write_bytes(damage)
            assert opened(server, tmp_path).ask(QUESTION).text == "yes"
        assert len(server.requests) == 5


def test_a_key_goes_to_the_endpoint_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NEWSDESK_LLM_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with endpoint(lambda body: f"The key is {KEY}.") as server:
        model = opened(server, tmp_path)
        answer = model.ask(QUESTION)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    error = json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()
    with (
        endpoint(Reply(status=401, body=error)) as server,
        pytest.raises(LanguageModelError) as said,
    ):
        opened(server, tmp_path, cache="none").ask(QUESTION)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*.json"))
    assert stored
    for text in (
        answer.text,
        str(said.value),
        caplog.text,
        stored.decode(),
        model.name,
        repr(model),
    ):
        assert KEY not in text
    assert not list(Path.cwd().glob(KEY))
    for address in ("http://me:pass@127.0.0.1:1/v1#m", f"http://127.0.0.1:1/v1?key={KEY}#m"):
        with pytest.raises(ArgumentError, match="NEWSDESK_LLM_KEY") as refused:
            language_model(f"openai:{address}")
        assert "pass@" not in str(refused.value) and KEY not in str(refused.value)


def test_the_key_of_openai_is_not_sent_where_others_can_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from newsdesk.llm import endpoint as module

    monkeypatch.delenv("NEWSDESK_LLM_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert module._key("https", "api.example") == module._key("http", "127.0.0.1") == KEY
    assert module._key("http", "gpu.example") == ""


@pytest.mark.parametrize("place", range(len(INJECTIONS)))
def test_no_injection_leaves_the_data(place: int) -> None:
    text = INJECTIONS[place]
    question = compose(
        "Judge.", [("article", "Rain."), ("comment", text), ("comment", "Fine.")], "Ask."
    )
    body = {"messages": [{"content": question.system}, {"content": question.user}]}
    rest = outside_data(body)
    assert rest.split() == [*compose("Judge.", [], "Ask.").system.split(), "Ask."]
    for mark in ("<|", "|>", "[INST]", "</s>", "<start_of_turn>", "<system>", "<<SYS>>"):
        assert mark not in question.user
    assert len(question.user.split()) >= len(text.split())  # nothing was dropped


def test_there_are_thirty_different_injections() -> None:
    assert len(set(INJECTIONS)) == 30
    unfenced = {"messages": [{"content": f"<<<comment 1\n{INJECTIONS[5]}\n>>>comment 1"}]}
    assert "HACKED" not in outside_data(unfenced)
    spoofed = INJECTIONS[5].replace("00000000", "1")
    assert "HACKED" in outside_data(
        {"messages": [{"content": f"<<<comment 1\n{spoofed}\n>>>comment 1"}]}
    )
    assert "HACKED" not in outside_data(
        {"messages": [{"content": data_block([("comment", spoofed)])}]}
    )


def test_json_is_found_in_an_answer() -> None:
    assert json_in('Here: {"a": [1, 2]} ok') == {"a": [1, 2]}
    assert json_in("```json\n[1]\n```") == [1]
    assert json_in('{"a": 1') is None and json_in("no") is None


def test_probabilities_are_shared_by_the_options() -> None:
    answer = Completion(text="4", first=(("4", -0.1), (" 5", -2.5), ("No", -9.0)))
    shares = answer.probabilities(["1", "2", "3", "4", "5"])
    assert shares is not None and sum(shares.values()) == pytest.approx(1) and shares["4"] > 0.9
    assert Completion(text="4").probabilities(["1"]) is None
    assert Completion(first=(("x", -1.0),)).probabilities(["yes", "no"]) is None


def test_tokens_are_estimated_rather_too_high() -> None:
    assert estimated_tokens("The committee met on Tuesday to discuss the budget.") >= 10
    assert estimated_tokens("東京都の新しい予算案") >= 8


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("gpt-5", "names no model"),
        ("openai:", "names no model"),
        ("openai:http://127.0.0.1/v1", "openai:URL#MODEL"),
        ("openai:ftp://x/v1#m", "openai:URL#MODEL"),
        ("gguf:/nowhere.gguf", "no GGUF model"),
        ("hf:/nowhere", "no transformers model"),
    ],
)
def test_a_bad_name_of_a_model_is_one_line(spec: str, reason: str) -> None:
    with pytest.raises((ArgumentError, FileError), match=reason) as raised:
        language_model(spec)
    assert "\n" not in str(raised.value)


_ASKING = """
import sys
from pathlib import Path
from newsdesk.llm import compose, language_model
model = language_model(sys.argv[1], cache=sys.argv[2], concurrency=4)
questions = [compose("Judge.", [("comment", f"Comment {n}.")]) for n in range(500)]
Path(sys.argv[3]).write_text("\\n".join(answer.text for answer in model.ask_all(questions)))
"""


def test_a_killed_run_resumes_without_asking_twice(tmp_path: Path) -> None:
    def asked(cache: str, out: str) -> subprocess.Popen[bytes]:
        paths = [str(tmp_path / cache), str(tmp_path / out)]
        return subprocess.Popen([sys.executable, "-c", _ASKING, server.spec, *paths])

    with endpoint(lambda body: f"answer {sum(map(ord, prompt_of(body)))}") as server:
        killed = asked("cache", "out")
        while len(server.requests) < 200 and killed.poll() is None:
            time.sleep(0.002)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        before = len(server.requests)
        kept = len(list((tmp_path / "cache").rglob("*.json")))
        assert 150 < kept <= before < 500 and not (tmp_path / "out").exists()
        assert asked("cache", "out").wait() == 0
        counts = Counter(map(prompt_of, server.requests))
        assert len(counts) == 500
        assert len(server.requests) == 500 + (before - kept)  # what was on its way when it died
        assert before - kept <= 4
        assert asked("other", "whole").wait() == 0
        assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
        sent = len(server.requests)
        assert asked("cache", "again").wait() == 0 and len(server.requests) == sent
    names = {path.relative_to(tmp_path / "cache") for path in (tmp_path / "cache").rglob("*.json")}
    assert names == {
        p.relative_to(tmp_path / "other") for p in (tmp_path / "other").rglob("*.json")
    }
    for name in names:
        assert (tmp_path / "cache" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_the_endpoint_of_the_tests_speaks_chat_completions() -> None:
    value = completion(Reply(text="yes", first={"yes": -0.1, "no": -2.0}))
    assert value["choices"][0]["logprobs"]["content"][0]["top_logprobs"][1]["token"] == "no"
