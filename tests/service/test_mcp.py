"""The Model Context Protocol server: a real client of the SDK calls every tool, and gets nowhere outside of the folder."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.records import write
from newsdesk.service.confined import Confined, NotAllowedError
from newsdesk.types import Output
from tests.eval_logs import inspect_log, write_json
from tests.service.crowds import run_in_thread

Call = Callable[..., Coroutine[Any, Any, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    clusters = list(samples.clusters())[:3]
    write(data / "clusters.jsonl", clusters)
    for system in ("one", "two"):
        texts = [(cluster.summary or "").split() for cluster in clusters]
        kept = [" ".join(words[: 5 if system == "one" else 20]) for words in texts]
        outputs = [Output(cluster.id, system, text) for cluster, text in zip(clusters, kept, strict=True)]  # fmt: skip
        write(data / f"{system}.jsonl", outputs)
    write(data / "threads.jsonl", list(samples.threads())[:1])
    for name, verdict in (("a", "C"), ("b", "I")):
        write_json(data / f"{name}.json", inspect_log(name, {str(item): verdict for item in range(8)}))  # fmt: skip
    (tmp_path / "secret.jsonl").write_text('{"id":"1","system":"s","text":"secret"}\n')
    (data / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (data / "numpy.py").write_text("raise SystemExit('a module of the folder was imported')\n")
    return data


def test_a_client_calls_every_tool_and_is_kept_inside_the_folder(folder: Path) -> None:
    async def calls() -> None:
        command = [*("-m", "newsdesk", "mcp"), *("--data", str(folder), "--max-megabytes", "1")]
        environment = {"NEWSDESK_TEST_KEY": "secret", "PATH": os.environ["PATH"]}
        server = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with Client(stdio_client(server)) as client:
            await _answers(client)
            await _refusals(client, folder)

    run_in_thread(asyncio.wait_for(calls(), 300))
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["a.json", "b.json", "big.jsonl", "clusters.jsonl", "link.jsonl", "numpy.py", "one.jsonl", "threads.jsonl", "two.jsonl"]
    )  # fmt: skip


async def _answers(client: Client) -> None:
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == {"score", "summarize", "rank_apply", "study_compare", "records_check"}
    for tool in listed.values():
        assert tool.description and tool.annotations and tool.annotations.read_only_hint
    scored = await _result(client, "score", outputs=["one.jsonl", "two.jsonl"], references="clusters.jsonl", metrics="rouge-1")  # fmt: skip
    assert [row["system"] for row in scored["scores"]] == ["one", "two"]
    assert scored["scores"][1]["ci"] and scored["scores"][1]["signature"].startswith("rouge-1|")
    summaries = await _result(client, "summarize", clusters="clusters.jsonl", method="lead", max_words=20)  # fmt: skip
    assert len(summaries["outputs"]) == 3 and summaries["outputs"][0]["text"]
    ranked = await _result(client, "rank_apply", threads="threads.jsonl", top=3)
    assert "score" in json.dumps(ranked)
    compared = await _result(client, "study_compare", outputs=["a.json", "b.json"], cluster_by="passage")  # fmt: skip
    assert compared["comparisons"][0]["clusters"] == 3
    checked = await _result(client, "records_check", files=["one.jsonl"])
    assert "output" in json.dumps(checked)


async def _refusals(client: Client, folder: Path) -> None:
    (folder / "big.jsonl").write_text(" " * (1 << 20) + "  ")
    for name, said in (
        ("../secret.jsonl", "is not inside the data folder"),
        (str(folder.parent / "secret.jsonl"), "is not inside the data folder"),
        ("link.jsonl", "is not inside the data folder"),
        ("/etc/passwd", "is not inside the data folder"),
        ("s3://bucket/x.jsonl", "no such file"),
        ("-", "no such file"),
        (".", "is not inside the data folder"),
        ("big.jsonl", "larger than 1 MB"),
        ("numpy.py", "numpy.py:1:"),
    ):
        assert said in await _refused(client, "records_check", files=[name]), name
    for spec in ("cider(idf='link.jsonl')", "soft-recall(encoder='hf:x')", "soft-recall(encoder='onnx:/etc/x')"):  # fmt: skip
        refused = await _refused(client, "score", outputs=["one.jsonl"], references="clusters.jsonl", metrics=spec)  # fmt: skip
        assert "not inside the data folder" in refused or "more than names" in refused
    assert "no such model" in await _refused(client, "rank_apply", threads="threads.jsonl", model="x")  # fmt: skip
    assert "did you mean" in await _refused(client, "summarize", clusters="clusters.jsonl", method="leed")  # fmt: skip


async def _result(client: Client, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return answer.structured_content["result"]


async def _refused(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    text: str = answer.content[0].text  # type: ignore[union-attr]
    assert "\n" not in text
    return text


def test_a_command_is_stopped_when_its_time_is_over_and_an_answer_that_is_too_large_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confined = Confined(folder, timeout_s=1)
    monkeypatch.setattr("newsdesk.service.confined._START", "import time; time.sleep(60)")
    with pytest.raises(NotAllowedError, match="not finished after 1 s"):
        run_in_thread(confined.run([]))
    monkeypatch.setattr("newsdesk.service.confined._START", "print('x' * (5 << 20))")
    with pytest.raises(NotAllowedError, match="larger than 4 MB"):
        run_in_thread(Confined(folder, timeout_s=30).run([]))
    with pytest.raises(ArgumentError, match="is not a folder"):
        Confined(folder / "nothing")


def test_a_command_can_write_no_file_and_sees_no_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    code = "import os; assert 'OPENAI_API_KEY' not in os.environ\nopen('new', 'wb', buffering=0).write(b'x' * 99)"
    start = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n" + code
    monkeypatch.setattr("newsdesk.service.confined._START", start)
    with pytest.raises(NotAllowedError, match="File too large"):
        run_in_thread(Confined(folder, timeout_s=30).run([]))
    out = ["summarize", "./clusters.jsonl", "--method", "lead", "-o", "new.jsonl"]
    monkeypatch.undo()
    with pytest.raises(NotAllowedError):
        run_in_thread(Confined(folder, timeout_s=60).run(out))
    assert not (folder / "new.jsonl").exists()
