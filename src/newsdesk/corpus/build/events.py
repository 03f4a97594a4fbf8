"""The events step of a build: one task a portal page, each remembered by its content, so that a new day parses one page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from newsdesk import __version__
from newsdesk.corpus.articles import Running
from newsdesk.corpus.forgotten import Forgotten
from newsdesk.corpus.portal.collect import Collected, Parsed, Refusal, find_pages, gather, read_page
from newsdesk.corpus.tally import StepTally
from newsdesk.files import atomic, make_folder
from newsdesk.records.schema import schema_of
from newsdesk.types import Event
from newsdesk.work import Digests, Task, UnitTimeout, Watch, digest_of, run_tasks
from newsdesk.work.tasks import TIMEOUT

_TASK = "newsdesk.corpus.build.events:parse_task"


@dataclass(frozen=True, slots=True)
class PortalFile:
    """A portal page: its name in reports, its path, and the key of its content and of what it is read with."""

    name: str
    path: str
    key: str


def portal_pages(
    inputs: Sequence[str], digests: Digests, *, root: Path, output: Path, date: str | None
) -> list[PortalFile]:
    """The pages among the inputs, which are relative to `root`; those of the build itself, in `output`, are none."""
    pages = []
    for path in find_pages([str(root / each) for each in inputs], output=output):
        name = Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else path
        pages.append(PortalFile(name, path, digest_of([__version__, name, digests.of(path), date])))
    return pages


def collect_pages(
    pages: Sequence[PortalFile],
    work: Path,
    running: Running,
    *,
    date: str | None,
    forgotten: str | None = None,
) -> Collected:
    """The events of the pages; only those that are new in the folder `work` are parsed.

    Sources that the list in the folder `forgotten` names are left out of events.
    """
    refused = {"forgotten": forgotten} if forgotten else {}
    make_folder(work)
    outs = [work / f"{page.key[:32]}.json" for page in pages]
    tasks = [
        Task(
            page.name,
            _TASK,
            {"name": page.name, "path": page.path, "out": str(out), "date": date, **refused},
        )
        for page, out in zip(pages, outs, strict=True)
        if not out.is_file()
    ]
    run_tasks(
        tasks,
        engine=running.engine,
        workers=running.workers,
        timeout_s=running.timeout_s,
        report=running.report,
    )
    for path in set(work.iterdir()) - set(outs):
        path.unlink()
    return gather(_result(json.loads(out.read_bytes())) for out in outs)


def parse_task(
    watch: Watch,
    *,
    name: str,
    path: str,
    out: str,
    date: str | None,
    forgotten: str | None = None,
) -> None:
    """Parse one page and write what came of it to `out`."""
    result: Parsed | Refusal
    if 0 in watch.skip:
        result = Refusal(name, watch.skip[0])
    else:
        try:
            with watch.unit(0, 0):
                result = read_page(path, date=date, name=name)
        except UnitTimeout:
            result = Refusal(name, TIMEOUT)
    if isinstance(result, Parsed):
        result = _without(result, Forgotten.load(forgotten))
    with atomic(out) as stream:
        stream.write(json.dumps(_as_json(result), ensure_ascii=False).encode("utf-8"))


def _without(parsed: Parsed, refused: Forgotten) -> Parsed:
    events = tuple(
        replace(event, sources=tuple(s for s in event.sources if not refused.refuses(url=s.url)))
        for event in parsed.events
    )
    return replace(parsed, events=events)


def _as_json(result: Parsed | Refusal) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return {"page": result.page, "reason": result.reason}
    events = [schema_of(Event).encode(event) for event in result.events]
    return {"events": events, "tally": result.tally.as_json()}


def _result(value: dict[str, Any]) -> Parsed | Refusal:
    if "reason" in value:
        return Refusal(value["page"], value["reason"])
    events = tuple(schema_of(Event).decode(event) for event in value["events"])
    return Parsed(events, StepTally(**value["tally"]))
