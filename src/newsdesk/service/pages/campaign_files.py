"""What goes out of and into a campaign: sheets, uploads, conflicts, audit, report, exports."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, Response
from starlette.requests import Request

from newsdesk.campaigns.campaign import Side
from newsdesk.service import uploads, work
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.limits import REPORT_POLICY
from newsdesk.service.pages.campaigns import Admin, Name
from newsdesk.service.pages.rendering import page, see, slug

router = APIRouter(prefix="/campaigns/{campaign}", include_in_schema=False)

_WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_TYPES = {"xlsx": _WORKBOOK, "csv": "text/csv; charset=utf-8"}


@router.get("/sheet")
async def sheet(
    request: Request,
    name: Name,
    admin: Admin,
    annotator: str,
    format: Literal["xlsx", "csv"] = "xlsx",
) -> Response:
    """The blinded sheet of one annotator, with the answers given so far."""
    desk = desk_of(request)
    content = await desk.workers.run(work.sheet, desk.store_url, name, annotator, format)
    return _download(content, f"{annotator}.{format}", _TYPES[format])


@router.get("/sheets.zip")
async def sheets(request: Request, name: Name, admin: Admin) -> Response:
    """The sheets of all annotators in one archive."""
    desk = desk_of(request)
    content = await desk.workers.run(work.sheets, desk.store_url, name)
    return _download(content, f"{name} sheets.zip", "application/zip")


@router.post("/import")
async def import_(request: Request, name: Name, admin: Admin) -> Response:
    """Import returned sheets and judgments, and say what came of each file."""
    desk = desk_of(request)
    with uploads.folder() as folder:
        async with request.form(max_files=uploads.MAX_FILES) as form:
            names = [uploads.save(file, folder).name for file in uploads.files_of(form, "files")]
            side = form.get("prefer")
        prefer: Side | None = "theirs" if side == "theirs" else "ours" if side == "ours" else None
        if not names:
            raise Problem(400, "files", "choose at least one file")
        results = await desk.workers.run(
            work.import_files,
            desk.store_url,
            name,
            str(folder),
            names,
            at=desk.now(),
            prefer=prefer,
        )
    return page(request, "imported.html", admin, campaign=name, results=results)


@router.post("/resolve")
def resolve(
    request: Request,
    name: Name,
    admin: Admin,
    side: Annotated[Literal["theirs", "ours"], Form()],
    annotator: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Decide conflicts of all annotators, or of one, for the sheet or for the store."""
    desk = desk_of(request)
    desk.store.resolve(name, side, annotator or None, at=desk.now())
    return see(f"/campaigns/{slug(name)}")


@router.get("/audit")
async def audit(request: Request, name: Name, admin: Admin) -> Response:
    """Agreement, and the audit of each annotator by name."""
    desk = desk_of(request)
    content = await desk.workers.run(work.panel, desk.store_url, name)
    return page(request, "audit.html", admin, campaign=name, content=content)


@router.get("/report")
async def report(request: Request, name: Name, admin: Admin) -> Response:
    """The self-contained report, sandboxed under a policy of its own."""
    desk = desk_of(request)
    content = await desk.workers.run(work.report, desk.store_url, name)
    return HTMLResponse(content, headers={"content-security-policy": REPORT_POLICY})


@router.get("/exports/{file}")
async def export(request: Request, name: Name, file: str, admin: Admin) -> Response:
    """An export: judgments, weights, gains or pairs."""
    if file not in work.EXPORTS:
        raise Problem(404, "not-found", "there is no such export")
    desk = desk_of(request)
    content = await desk.workers.run(work.export, desk.store_url, name, file)
    return _download(content.encode(), f"{name} {file}", "application/octet-stream")


def _download(content: bytes, name: str, media_type: str) -> Response:
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=media_type, headers={"content-disposition": disposition})
