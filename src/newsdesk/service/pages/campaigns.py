"""Serve the pages of campaigns for admins, and for leads those of their own: progress, invitations, exclusions, sheets and exports."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form
from fastapi.responses import HTMLResponse, Response
from starlette.requests import Request

from newsdesk.campaigns.campaign import Side
from newsdesk.service import uploads, work
from newsdesk.service.desk import desk_of, name_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.limits import REPORT_POLICY
from newsdesk.service.pages import page, see
from newsdesk.service.principals import Lead, Principal

router = APIRouter(include_in_schema=False)


def campaign_name(request: Request, campaign: str, lead: Lead) -> str:
    """Return the campaign of a path; one that somebody does not lead is to them as one that there is not."""
    name = name_of(campaign)
    stored = (each.name for each in desk_of(request).store.campaigns())
    if not lead.sees(name) or name not in stored:
        raise Problem(404, "not-found", "there is no such campaign")
    return name


Name = Annotated[str, Depends(campaign_name)]


@router.get("/campaigns/{campaign}")
def campaign_page(request: Request, name: Name, lead: Lead) -> Response:
    """Return progress, annotators, conflicts, and the way to sheets, exports and the report."""
    desk = desk_of(request)
    return page(
        request,
        "campaign.html",
        lead,
        campaign=name,
        described=desk.store.campaign(name),
        state=desk.store.status(name),
        conflicts=desk.store.conflicts(name),
        imports=desk.store.imports(name)[::-1],
        invited=desk.access.invited(name),
        exports=list(work.EXPORTS),
    )


@router.post("/campaigns/{campaign}/invite")
def invite(
    request: Request,
    name: Name,
    lead: Lead,
    annotator: Annotated[str, Form(max_length=100)] = "",
    whom: Annotated[str, Form(max_length=20)] = "one",
) -> Response:
    """Make invitation links: for one annotator, for all, or for whoever joins.

    An annotator whose name is new is added.
    """
    desk = desk_of(request)
    annotators = desk.store.status(name).annotators
    if whom == "all":
        names: list[str | None] = [who.name for who in annotators if who.excluded_at is None]
    elif whom == "anybody":
        if not desk.store.campaign(name).open:
            raise Problem(400, "closed", "this campaign is not open: invite annotators by name")
        names = [None]
    else:
        annotator = annotator.strip()
        if annotator not in (who.name for who in annotators):
            desk.store.join(name, annotator, invited=True)
        names = [annotator]
    base = str(request.base_url).rstrip("/")
    links = [(who, f"{base}/join/{desk.access.invite(name, who).token}") for who in names]
    return page(request, "links.html", lead, campaign=name, links=links)


@router.post("/campaigns/{campaign}/uninvite")
def uninvite(
    request: Request, name: Name, lead: Lead, annotator: Annotated[str, Form(max_length=100)]
) -> Response:
    """Make an annotator's links invalid and end their sessions; their answers stay."""
    desk_of(request).access.revoke_annotator(name, annotator)
    return see(f"/campaigns/{slug(name)}")


@router.post("/campaigns/{campaign}/exclude")
def exclude(
    request: Request,
    name: Name,
    lead: Lead,
    annotator: Annotated[str, Form(max_length=100)],
    reason: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Exclude an annotator: their judgments do not count, and others get their tasks."""
    desk = desk_of(request)
    desk.store.exclude(name, annotator, reason.strip() or "excluded by a lead", at=desk.now())
    return see(f"/campaigns/{slug(name)}")


@router.post("/campaigns/{campaign}/include")
def include(
    request: Request, name: Name, lead: Lead, annotator: Annotated[str, Form(max_length=100)]
) -> Response:
    """Reverse the exclusion of an annotator."""
    desk_of(request).store.include(name, annotator)
    return see(f"/campaigns/{slug(name)}")


_WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_TYPES = {"xlsx": _WORKBOOK, "csv": "text/csv; charset=utf-8"}


@router.get("/campaigns/{campaign}/sheet")
async def sheet(
    request: Request,
    name: Name,
    lead: Lead,
    annotator: str,
    format: Literal["xlsx", "csv"] = "xlsx",
) -> Response:
    """Return the blinded sheet of one annotator, with the answers given so far."""
    desk = desk_of(request)
    content = await desk.workers.run(work.sheet, desk.store_url, name, annotator, format)
    return _download(content, f"{annotator}.{format}", _TYPES[format])


@router.get("/campaigns/{campaign}/sheets.zip")
async def sheets(request: Request, name: Name, lead: Lead) -> Response:
    """Return the sheets of all annotators in one archive."""
    desk = desk_of(request)
    content = await desk.workers.run(work.sheets, desk.store_url, name)
    return _download(content, f"{name} sheets.zip", "application/zip")


@router.post("/campaigns/{campaign}/import")
async def import_(request: Request, name: Name, lead: Lead) -> Response:
    """Import returned sheets and judgments, and say what came of each file."""
    desk = desk_of(request)
    with uploads.folder() as folder:
        async with request.form(max_files=uploads.MAX_FILES) as form:
            names = [uploads.save(file, folder).name for file in uploads.files_of(form, "files")]
            side, trust = form.get("prefer"), form.get("trust_unsealed") is not None
        sides: dict[object, Side] = {"theirs": "theirs", "ours": "ours"}
        prefer = sides.get(side)  # None: conflicts are kept
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
            trust_unsealed=trust,
            by=_by(lead),
        )
    return page(request, "imported.html", lead, campaign=name, results=results)


@router.post("/campaigns/{campaign}/imports/{number}/undo")
def undo_import(request: Request, name: Name, number: int, lead: Lead) -> Response:
    """Take an import back as a whole: its answers are as before."""
    desk = desk_of(request)
    known = number if 0 < number < 2**31 else 0
    desk.store.undo_import(name, known, at=desk.now(), by=_by(lead))
    return see(f"/campaigns/{slug(name)}#imports")


def _by(lead: Principal) -> str:
    return f"{'key' if lead.kind == 'key' else 'web'}: {lead.name}"


@router.post("/campaigns/{campaign}/resolve")
def resolve(
    request: Request,
    name: Name,
    lead: Lead,
    side: Annotated[Literal["theirs", "ours"], Form()],
    annotator: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Decide conflicts of all annotators, or of one, for the sheet or for the store."""
    desk = desk_of(request)
    desk.store.resolve(name, side, annotator or None, at=desk.now())
    return see(f"/campaigns/{slug(name)}")


@router.get("/campaigns/{campaign}/audit")
async def audit(request: Request, name: Name, lead: Lead) -> Response:
    """Return the page with agreement, and the audit of each annotator by name."""
    desk = desk_of(request)
    content = await desk.workers.run(work.panel, desk.store_url, name)
    return page(request, "audit.html", lead, campaign=name, content=content)


@router.get("/campaigns/{campaign}/report")
async def report(request: Request, name: Name, lead: Lead) -> Response:
    """Return the self-contained report, sandboxed under a policy of its own."""
    desk = desk_of(request)
    content = await desk.workers.run(work.report, desk.store_url, name)
    return HTMLResponse(content, headers={"content-security-policy": REPORT_POLICY})


@router.get("/campaigns/{campaign}/exports/{file}")
async def export(request: Request, name: Name, file: str, lead: Lead) -> Response:
    """Return an export: judgments, weights, gains or pairs."""
    if file not in work.EXPORTS:
        raise Problem(404, "not-found", "there is no such export")
    desk = desk_of(request)
    content = await desk.workers.run(work.export, desk.store_url, name, file)
    return _download(content.encode(), f"{name} {file}", "application/octet-stream")


def _download(content: bytes, name: str, media_type: str) -> Response:
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(content, media_type=media_type, headers={"content-disposition": disposition})
