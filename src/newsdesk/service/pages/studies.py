"""Serve the reports of the folder, and studies from a form: systems compared, metrics correlated with people."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form
from fastapi.responses import FileResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.registry import METRICS
from newsdesk.service import work
from newsdesk.service.desk import Desk, desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.limits import REPORT_POLICY
from newsdesk.service.pages import page, see, waiting
from newsdesk.service.principals import Principal, Reader
from newsdesk.service.settings import NEWSROOM

router = APIRouter(prefix="/studies", include_in_schema=False)

Question = Literal["compare", "correlate"]
_TITLE = re.compile(r"<title>([^<]{1,200})</title>")
_DEEPEST = 4  # folders below the data folder in which reports are looked for
_SOURCES = {NEWSROOM, "pages"}  # folders of pages that were read, not written
_MADE = re.compile(r"[0-9a-f]{12}")


@router.get("")
def studies_page(request: Request, reader: Reader) -> Response:
    """Return the reports of the folder and the form of a new study."""
    return _page(request, reader, {})


@router.get("/reports/{path:path}")
def report(request: Request, path: str, reader: Reader) -> Response:
    """Return a report of the folder, in which no script runs."""
    root = desk_of(request).folder.root
    if path not in (shown for shown, _ in reports_below(root)):
        raise Problem(404, "not-found", "there is no such report")
    headers = {"content-security-policy": REPORT_POLICY}
    return FileResponse(root / path, media_type="text/html", headers=headers)


@router.post("")
async def start(
    request: Request,
    reader: Reader,
    question: Annotated[Question, Form()],
    outputs: Annotated[str, Form(max_length=100)] = "",
    references: Annotated[str, Form(max_length=100)] = "",
    campaign: Annotated[str, Form(max_length=500)] = "",
    metrics: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Start a study of files and campaigns of the folder, and go to its page."""
    desk = desk_of(request)
    values = {
        "question": question, "outputs": outputs, "references": references, "campaign": campaign, "metrics": metrics,
    }  # fmt: skip
    try:
        study = await run_in_threadpool(_study, desk, reader, values)
    except NewsdeskError as error:
        return await run_in_threadpool(_page, request, reader, values, str(error))
    number = secrets.token_hex(6)
    desk.jobs.ensure(desk.folder.studies / number, work.study, study)
    return see(f"/studies/{number}")


@router.get("/{number}")
async def study_page(request: Request, number: str, reader: Reader) -> Response:
    """Return how far a study is, or go to its report."""
    desk = desk_of(request)
    folder = desk.folder.studies / number
    if not _MADE.fullmatch(number):
        raise Problem(404, "not-found", "there is no such study")
    job = desk.jobs.running(folder)
    if job is None:
        raise Problem(404, "not-found", "there is no such study; start it again")
    if job.state == "done":
        return see(f"/studies/reports/{folder.relative_to(desk.folder.root)}/report.html")
    return waiting(request, reader, job, "Study")


def _study(desk: Desk, reader: Principal, values: dict[str, str]) -> dict[str, Any]:
    """Return what a worker needs for a study: checked specs, and paths of files by their ids."""
    from newsdesk.metrics.systems import split_specs

    specs = split_specs(values["metrics"]) if values["metrics"].strip() else []
    for spec in specs:
        work.check_spec(METRICS, spec)
    files = {
        field: str(desk.library.file(values[field]).path)
        for field in ("outputs", "references")
        if values[field]
    }
    campaign = values["campaign"]
    if campaign and not reader.sees(campaign):
        raise ArgumentError("there is no such campaign for you")
    if specs and len(files) < 2:
        raise ArgumentError("metrics need outputs and references: choose both files")
    if not specs and not campaign:
        raise ArgumentError("name metrics, or choose a campaign, or both")
    if values["question"] == "correlate" and not (specs and campaign):
        raise ArgumentError(
            "a metric is correlated with people: name metrics and choose a campaign"
        )
    return {
        "question": values["question"],
        "metrics": ",".join(specs),
        "campaign": campaign or None,
        "store": desk.store_url,
        **files,
    }


def reports_below(root: Path, levels: int = _DEEPEST + 1) -> Iterator[tuple[str, str]]:
    """Yield the reports of a folder and those below it, some levels deep: path and title, the newest first."""
    patterns = ("/".join([*["*"] * depth, "*.html"]) for depth in range(levels))
    paths = [path for pattern in patterns for path in root.glob(pattern) if path.is_file()]
    paths = [path for path in paths if not _SOURCES & set(path.relative_to(root).parts[:-1])]
    paths.sort(key=lambda path: (-path.stat().st_mtime, str(path)))
    return ((str(path.relative_to(root)), title_of(path)) for path in paths)


def title_of(path: Path) -> str:
    """Return the title of a page, or its name."""
    with path.open(encoding="utf-8", errors="replace") as stream:
        titled = _TITLE.search(stream.read(4096))
    return titled[1] if titled else path.stem


def _page(request: Request, reader: Principal, values: dict[str, str], fault: str = "") -> Response:
    desk = desk_of(request)
    campaigns = [stored.name for stored in desk.store.campaigns() if reader.sees(stored.name)]
    return page(
        request,
        "studies.html",
        reader,
        status=400 if fault else 200,
        fault=fault,
        values=values,
        reports=list(reports_below(desk.folder.root)),
        outputs=desk.library.all("outputs"),
        references=[*desk.library.all("references"), *desk.library.all("clusters")],
        campaigns=campaigns,
    )
