"""A Model Context Protocol server: five commands of newsdesk as read-only tools over the files of one folder.

The tools print what the commands print with `--json`, in `result`, and their messages in `notes`. Extra `mcp`, the official SDK; standard input and output.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from newsdesk import __version__
from newsdesk.errors import NewsdeskError
from newsdesk.registry import require
from newsdesk.service.confined import Confined

_INSTRUCTIONS = (
    "Tools of newsdesk over one data folder, read-only. Files are named by their path inside the folder. "
    "Every number comes with its interval and signature: quote both, and call nothing better whose interval holds zero."
)
_Answered = dict[str, Any]


class Tools:
    """The five tools, each a command with checked arguments."""

    def __init__(self, confined: Confined) -> None:
        self._confined = confined

    async def score(
        self,
        outputs: list[str],
        references: str,
        metrics: str = "rouge-1,rouge-2,rouge-l",
        intervals: bool = True,
    ) -> _Answered:
        """Score files of outputs (JSONL: id, system, text) against a file of references, by metrics, comma-separated."""
        named = ["--references", self._file(references), "--metrics", self._confined.spec(metrics)]
        return await self._json(
            "score", [*self._files(outputs), *named, *(["--ci"] if intervals else [])]
        )

    async def summarize(
        self, clusters: str, method: str = "newsdesk", max_words: int = 40
    ) -> _Answered:
        """Summarize the clusters of articles of a file (JSONL) with a summarizer of newsdesk; returns one output per cluster."""
        named = ["--method", self._confined.spec(method), "--max-words", str(max_words)]
        answer = await self._confined.run(["summarize", self._file(clusters), *named])
        outputs = [json.loads(line) for line in answer.output.splitlines()]
        return {"result": {"outputs": outputs}, "notes": list(answer.notes)}

    async def rank_apply(self, threads: str, model: str = "ready", top: int = 10) -> _Answered:
        """Rank the comments of each thread of a file, best first, with the model that ships (`ready`) or one of the folder."""
        named = [self._confined.model(model), self._file(threads), "--top", str(top)]
        return await self._json("rank apply", named)

    async def study_compare(
        self,
        outputs: list[str] | None = None,
        references: str | None = None,
        metrics: str | None = None,
        human: str | None = None,
        judgments: str | None = None,
        protocol: Literal["rank", "grade"] | None = None,
        cluster_by: str | None = None,
    ) -> _Answered:
        """Compare systems with intervals, paired tests and groups that do not differ: outputs by metrics, human scores, or logs of inspect-ai, lighteval and deepeval."""
        arguments = self._files(outputs or [])
        for option, name in (
            ("--references", references),
            ("--human", human),
            ("--judgments", judgments),
        ):
            arguments += [option, self._file(name)] if name else []
        arguments += ["--metrics", self._confined.spec(metrics)] if metrics else []
        arguments += ["--protocol", protocol] if protocol else []
        arguments += [f"--cluster-by={cluster_by}"] if cluster_by else []
        return await self._json("study compare", arguments)

    async def records_check(self, files: list[str]) -> _Answered:
        """Check files of records: what each holds, or its first error with its line."""
        return await self._json("records check", self._files(files))

    def _file(self, name: str) -> str:
        return self._confined.file(name)

    def _files(self, names: Sequence[str]) -> list[str]:
        return [self._file(name) for name in names]

    async def _json(self, command: str, arguments: Sequence[str]) -> _Answered:
        answer = await self._confined.run([*command.split(), *arguments, "--json"])
        return {"result": json.loads(answer.output), "notes": list(answer.notes)}


def serve_tools(confined: Confined) -> None:
    """Serve the tools over standard input and output until the client closes them."""
    require("mcp", extra="mcp", what="the Model Context Protocol server")
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    server = MCPServer(
        "newsdesk", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    tools = Tools(confined)
    read_only = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    def told(tool: Any) -> Any:
        """Tell our own errors as answers, in one line."""
        from functools import wraps

        @wraps(tool)
        async def answered(*arguments: Any, **named: Any) -> _Answered:
            try:
                answer: _Answered = await tool(*arguments, **named)
                return answer
            except NewsdeskError as error:
                raise ToolError(" ".join(str(error).split())) from None

        return answered

    for tool in (
        tools.score,
        tools.summarize,
        tools.rank_apply,
        tools.study_compare,
        tools.records_check,
    ):
        server.add_tool(told(tool), annotations=read_only)
    server.run("stdio")
