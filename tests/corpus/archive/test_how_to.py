"""The commands of the how-to, run against the loopback archive; no other module than the client opens a connection."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.types import Event, Source
from tests.corpus.archive import server
from tests.corpus.archive.running import ROOT, loopback, outcomes
from tests.docs.test_docs import run_blocks

NETWORK = {"httpx2", "httpx", "socket", "requests", "urllib3", "urllib.request", "http.client"}


@pytest.mark.timeout(300)
def test_the_commands_of_the_how_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unarchived = 3 * list(server.FAULTS).index("none")
    with loopback(tmp_path) as archive:
        urls = [server.url_of(number, archive.ports) for number in (1, 2, unarchived)]
        event = Event("e", "2019-05-01", "It happened.", sources=tuple(map(Source, urls)))
        records.write(tmp_path / "events.jsonl", [event])
        monkeypatch.setenv("NEWSDESK_ARCHIVE", " ".join(archive.endpoints))
        assert run_blocks(ROOT / "docs/how-to/cited-sources.md") == 5
    assert set(_last(tmp_path / "archive").values()) == {"obtained"}
    [cluster] = records.read(tmp_path / "clusters.jsonl", records.KINDS["cluster"])
    assert [each.origin for each in cluster.articles] == ["cited"] * 3


def _last(out: Path) -> dict[str, str]:
    """The last outcome of each URL: with `--save` a URL gets a second one."""
    lines = (out / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (out / "ledger.jsonl").write_bytes(
        b"".join(line for line in lines if b"no snapshot" not in line)
    )
    return outcomes(out)


def test_only_the_client_opens_connections() -> None:
    source = ROOT / "src" / "newsdesk"
    users = set()
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require":
                names = [
                    str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant)
                ]
            if NETWORK & set(names):
                users.add(path.relative_to(source).as_posix())
    # A scheduler that the user names is asked whether it answers, before anything waits for it.
    assert users == {"network.py", "work/cluster.py"}
