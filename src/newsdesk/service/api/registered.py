"""`/api/v1/attributes`: the attributes of comments:analyze, which an admin registers rankers under."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.service.access.principals import Principal, require, require_admin
from newsdesk.service.api.answers import documented, whole
from newsdesk.service.api.attributes import Attribute
from newsdesk.service.api.bodies import read_body
from newsdesk.service.api.documents import takes
from newsdesk.service.api.places import ranker_place
from newsdesk.service.api.shapes.campaigns import AttributeList, AttributeRequest, AttributeRow
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem

router = APIRouter(prefix="/api/v1/attributes", tags=["perspective"])

Admin = Annotated[Principal, Depends(require_admin)]


@router.get("", responses=documented(AttributeList))
def attributes(
    request: Request, principal: Annotated[Principal, Depends(require("read"))]
) -> Response:
    """List the attributes that comments:analyze knows."""
    known = desk_of(request).attributes.all()
    return whole({"attributes": [asdict(each) for each in known.values()]})


@router.put(
    "/{name}",
    responses=documented(AttributeRow, body=True),
    openapi_extra=takes(AttributeRequest, once=False),
)
async def register(request: Request, name: str, principal: Admin) -> Response:
    """Register a ready model or a ranker of the data folder under a name."""
    body = await read_body(request, AttributeRequest)
    desk = desk_of(request)
    ranker_place(desk.folder, body.model)  # a model that is not there is refused now
    attribute = Attribute(name, body.model, body.inverted)
    await run_in_threadpool(desk.attributes.register, attribute)
    return whole(asdict(attribute))


@router.delete("/{name}", status_code=204, responses=documented(None, 400, 404, status=204))
def remove(request: Request, name: str, principal: Admin) -> Response:
    """Remove a registered attribute."""
    if not desk_of(request).attributes.remove(name):
        raise Problem(404, "not-found", "there is no such attribute")
    return Response(status_code=204)
