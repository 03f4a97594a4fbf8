"""`/api/v1/campaigns`: list, create, status, report, exports and sheets; the name in a path is plain or as `path` says in the list."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk import records
from newsdesk.campaigns.campaign import Campaign
from newsdesk.campaigns.plans import KINDS_OF_FILE, CampaignPlan, annotator_names
from newsdesk.errors import ArgumentError
from newsdesk.service import uploads, work
from newsdesk.service.api.answers import (
    documented,
    listed,
    once,
    read_body,
    takes,
    takes_bytes,
    whole,
)
from newsdesk.service.api.campaign_shapes import (
    CampaignRequest,
    Campaigns,
    CampaignStatus,
    CreatedCampaign,
    ImportedSheet,
)
from newsdesk.service.api.work import encoded
from newsdesk.service.desk import Desk, desk_of, name_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.limits import REPORT_POLICY
from newsdesk.service.principals import Admin, Principal, Reader

router = APIRouter(prefix="/api/v1/campaigns", tags=["campaigns"])


# kind of export → the file that the store's exports call it.
_EXPORTS = {
    "judgments": "judgments.jsonl",
    "history": "history.jsonl",
    "references": "weights.jsonl",
    "threads": "gains.jsonl",
    "pairs": "pairs.jsonl",
}
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_BINARY = {"schema": {"type": "string", "format": "binary"}}


def seen_campaign(desk: Desk, principal: Principal, path: str) -> str:
    """Return the campaign of a path, if there is one and the principal may see it."""
    name = name_of(path)
    sees = principal.sees(name, principal.annotator)
    if not sees or name not in (campaign.name for campaign in desk.store.campaigns()):
        raise Problem(404, "not-found", "there is no such campaign")
    return name


@router.get("", responses=documented(Campaigns, lines=True))
async def campaigns(request: Request, principal: Reader) -> Response:
    """List the campaigns that the key may see."""
    desk = desk_of(request)
    stored = await run_in_threadpool(desk.store.campaigns)
    rows = [_row(each) for each in stored if principal.sees(each.name, principal.annotator)]
    return listed(request, {"campaigns": encoded(rows)})


@router.post(
    "",
    status_code=201,
    responses=documented(CreatedCampaign, 409, body=True, status=201),
    openapi_extra=takes(CampaignRequest),
)
async def create(request: Request, principal: Admin) -> Response:
    """Create a campaign from the records of the request."""
    body = await read_body(request, CampaignRequest)
    desk = desk_of(request)
    return await once(request, principal, lambda: _created(desk, body), keeps=True)


async def _created(desk: Desk, body: CampaignRequest) -> Response:
    """Write the records of a request to files and create the campaign in a worker."""
    if body.name in [campaign.name for campaign in await run_in_threadpool(desk.store.campaigns)]:
        raise Problem(409, "exists", f"there is a campaign {body.name!r} already")
    with uploads.folder() as folder:
        paths = await run_in_threadpool(_written, body, folder)
        plan = CampaignPlan(
            name=body.name,
            protocol=body.protocol,
            annotators=_annotators(body),
            per_item=body.per_item,
            seed=body.seed,
            questions=tuple(body.questions),
            sample=body.sample,
            in_order=body.in_order,
            one_by_one=body.one_by_one,
            files={kind: (kind,) for kind in paths},
        )
        warnings = await desk.workers.run(work.create, desk.store_url, plan, paths, str(folder))
    row = _row(await run_in_threadpool(desk.store.campaign, body.name))
    return whole({**row, "warnings": warnings}, 201)


def _annotators(body: CampaignRequest) -> tuple[str, ...] | None:
    """Return the names of annotators; None for an open campaign."""
    if isinstance(body.annotators, list):
        if not body.annotators:
            raise ArgumentError("name at least one annotator, or send a number or `open`")
        return tuple(body.annotators)
    return annotator_names(str(body.annotators))


def _written(body: CampaignRequest, folder: Path) -> dict[str, str]:
    """Write the records of a request as files; return their paths by kind."""
    paths = {}
    for kind in KINDS_OF_FILE:
        if rows := getattr(body, kind):
            paths[kind] = str(folder / f"{kind}.jsonl")
            records.write(paths[kind], rows)
    return paths


@router.get("/{campaign}", responses=documented(CampaignStatus, 404))
def status(request: Request, campaign: str, principal: Reader) -> Response:
    """Return the progress of a campaign; annotators have names for admins alone."""
    desk = desk_of(request)
    name = seen_campaign(desk, principal, campaign)
    progress = asdict(desk.store.status(name))
    if "admin" not in principal.scopes:
        for annotator in progress["annotators"]:
            del annotator["name"]
    form = desk.store.campaign(name).protocol.name
    return whole({"campaign": name, "protocol": form, **progress})


@router.get(
    "/{campaign}/report",
    responses=documented(None, 404, content={"text/html": {"schema": {"type": "string"}}}),
)
async def report(request: Request, campaign: str, principal: Reader) -> Response:
    """Return the report of a campaign as one HTML page without scripts."""
    desk = desk_of(request)
    name = await run_in_threadpool(seen_campaign, desk, principal, campaign)
    page = await desk.workers.run(work.report, desk.store_url, name)
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(page, media_type="text/html", headers=headers)


@router.get(
    "/{campaign}/exports/{kind}",
    responses=documented(
        None,
        400,
        404,
        422,
        content={
            "application/json": {"schema": {"type": "object"}},
            "application/x-ndjson": {"schema": {"type": "string"}},
            "application/jsonl": {"schema": {"type": "string"}},
            "text/plain": {"schema": {"type": "string"}},
        },
    ),
)
async def export(
    request: Request,
    campaign: str,
    kind: Literal["judgments", "history", "references", "threads", "pairs", "qrels"],
    principal: Reader,
) -> Response:
    """Return an export of a campaign, by its kind; `qrels` are plain text.

    Judgments (or their whole history), references with weights, threads with gains, training pairs.
    """
    desk = desk_of(request)
    name = await run_in_threadpool(seen_campaign, desk, principal, campaign)
    file = _EXPORTS.get(kind, "gains.qrels")
    text = await desk.workers.run(work.export, desk.store_url, name, file)
    if kind == "qrels":
        return Response(text, media_type="text/plain")
    return listed(request, {kind: text.encode("utf-8").split(b"\n")[:-1]})


@router.get(
    "/{campaign}/sheets",
    responses=documented(None, 400, 404, content={"application/zip": _BINARY}),
)
async def sheets(request: Request, campaign: str, principal: Admin) -> Response:
    """Return the workbooks of all annotators in a zip archive; open slots are handed out first."""
    desk = desk_of(request)
    name = await run_in_threadpool(seen_campaign, desk, principal, campaign)
    content = await desk.workers.run(work.sheets, desk.store_url, name)
    return Response(content, media_type="application/zip")


@router.get(
    "/{campaign}/sheets/{annotator}",
    responses=documented(
        None, 400, 404, 422, content={_XLSX: _BINARY, "text/csv": {"schema": {"type": "string"}}}
    ),
)
async def sheet(
    request: Request,
    campaign: str,
    annotator: str,
    principal: Admin,
    format: Literal["xlsx", "csv"] = "xlsx",
) -> Response:
    """Return the sheet of one annotator, blinded, with the answers so far."""
    desk = desk_of(request)
    name = await run_in_threadpool(seen_campaign, desk, principal, campaign)
    progress = await run_in_threadpool(desk.store.status, name)
    if annotator not in (person.name for person in progress.annotators):
        raise Problem(404, "not-found", "there is no such annotator")
    content = await desk.workers.run(work.sheet, desk.store_url, name, annotator, format)
    return Response(content, media_type=_XLSX if format == "xlsx" else "text/csv")


@router.post(
    "/{campaign}/sheets",
    responses=documented(ImportedSheet, 400, 404, 409, 413, 422),
    openapi_extra=takes_bytes(_XLSX, "text/csv", "application/x-ndjson"),
)
async def import_sheet(
    request: Request,
    campaign: str,
    principal: Admin,
    file: Annotated[str, Query(min_length=1, max_length=200, examples=["ann.xlsx"])],
    prefer: Literal["theirs", "ours"] | None = None,
    trust_unsealed: bool = False,
) -> Response:
    """Import a returned sheet (.xlsx, .csv) or judgments (.jsonl), whose bytes are the body.

    `file` is its name, `prefer` decides conflicts. A sheet without its seal is refused unless `trust_unsealed`.
    """
    desk = desk_of(request)
    name = await run_in_threadpool(seen_campaign, desk, principal, campaign)
    content = await request.body()
    settings = {"prefer": prefer, "trust_unsealed": trust_unsealed, "by": f"key: {principal.name}"}
    return await once(
        request, principal, lambda: _imported(desk, name, file, content, settings), keeps=True
    )


async def _imported(
    desk: Desk, campaign: str, file: str, content: bytes, settings: dict[str, Any]
) -> Response:
    """Import a file of these bytes in a worker; a file that cannot be read is an error 400."""
    with uploads.folder() as folder:
        path = folder / uploads.plain_name(file)
        await run_in_threadpool(path.write_bytes, content)
        [imported] = await desk.workers.run(
            work.import_files, desk.store_url, campaign, str(folder), [path.name],
            at=desk.now(), **settings,
        )  # fmt: skip
    if imported["error"]:
        raise Problem(400, "sheet", imported["error"])
    return whole(imported)


def _row(campaign: Campaign) -> dict[str, Any]:
    """Return a campaign as JSON."""
    return {
        "name": campaign.name,
        "path": slug(campaign.name),
        "protocol": campaign.protocol.name,
        "per_item": campaign.per_item,
        "open": campaign.open,
    }
