"""Serve ranked threads to take along: the order as shown as CSV, JSON or HTML, and a page of a thread that other sites show in a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.jsonl import json_text
from newsdesk.service import uploads
from newsdesk.service.desk import Desk, desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.library import NewsFile
from newsdesk.service.limits import POLICY, REPORT_POLICY
from newsdesk.service.pages import page, waiting
from newsdesk.service.pages.comments import (
    File,
    View,
    arranged_by,
    is_embedded,
    opened_index,
    ranked_threads,
    thread_of,
)
from newsdesk.service.principals import Principal, Reader, optional_principal
from newsdesk.service.threads import ThreadIndex, ThreadSliders, ToldComment

router = APIRouter(include_in_schema=False)

ExportForm = Literal["csv", "json", "html"]

_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "html": "text/html"}
_MOST_EMBEDDED = 20  # comments on another site


@router.get("/comments/{file_id}/{article}/export/{form}")
async def export(
    request: Request, file: File, reader: Reader, article: str, form: ExportForm, view: View
) -> Response:
    """Return a thread in the order as shown: pinned comments first, those held back apart, hidden ones not at all."""
    desk = desk_of(request)
    folder, job = await ranked_threads(desk, file)
    if job.state != "done":
        return waiting(request, reader, job, file.name, file)
    name, content = await run_in_threadpool(
        _exported, desk, file, folder, article, view.sliders, form
    )
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(uploads.plain_name(name))}",
        "content-security-policy": REPORT_POLICY,
    }
    return Response(content, media_type=_TYPES[form], headers=headers)


def _exported(
    desk: Desk, file: NewsFile, folder: Path, article: str, sliders: ThreadSliders, form: ExportForm
) -> tuple[str, bytes]:
    """Return the name and the bytes of an export."""
    from newsdesk.rankers.gate.gate import Held
    from newsdesk.rankers.ranked import Placed, RankedThread
    from newsdesk.rankers.ranked_files import ranked_page, row, write_table

    with opened_index(folder) as index:
        thread = thread_of(index, article)
        actions = desk.moderation.standing(file.id, thread.id)
        arranged = arranged_by(index, thread, sliders, actions)
        copies = [row for rows in arranged.copies.values() for row in rows]
        shown = index.comments(thread, arranged.shown.tolist())
        held = index.comments(thread, [*arranged.held.tolist(), *copies])
        about = index.article(thread)

    def placed(comments: list[ToldComment], first: int) -> tuple[Placed, ...]:
        return tuple(
            Placed(
                comment=told.comment,
                rank=rank,
                score=told.score,
                value=float(arranged.values[told.row]) if first == 1 else told.score,
                standing=told.standing,
                probability=told.probability,
                probability_error=told.probability_error,
                reasons=told.reasons,
                held=Held(**{**told.gate, "words": tuple(told.gate["words"])})
                if told.gate and first > 1
                else None,
            )
            for rank, told in enumerate(comments, first)
        )

    settings = (f"{name}:{value}" for name, value in sliders.fields.items())
    ranked = RankedThread(
        article=about,
        comments=placed(shown, 1),
        signature="|".join([thread.signature, *settings]),
        by_score=not sliders.fields,
        caution=thread.caution,
        held_back=placed(held, len(shown) + 1),
    )
    name = f"{file.name.rpartition('.')[0] or file.name}-{thread.id}.{form}"
    if form == "html":
        return name, ranked_page([ranked]).encode()
    if form == "json":
        rows = [row(ranked, comment) for comment in ranked.everything]
        return name, json_text({"comments": rows}).encode()
    with uploads.folder() as folder:
        write_table(str(folder / "ranked.csv"), [ranked], overwrite=False)
        return name, (folder / "ranked.csv").read_bytes()


@router.get("/embed/{file_id}/{article}")
async def embedded_page(
    request: Request,
    file_id: str,
    article: str,
    principal: Annotated[Principal | None, Depends(optional_principal)],
) -> Response:
    """Return the first comments of a thread for a frame of another site, if a moderator allows it; no name of the staff."""
    desk = desk_of(request)
    file = await run_in_threadpool(_embedded_file, desk, file_id)
    folder, job = await ranked_threads(desk, file)
    if job.state != "done":
        raise Problem(503, "busy", "these comments are being ranked", headers={"Retry-After": "5"})

    def read() -> Response:
        with opened_index(folder) as index:
            return _frame(request, desk, file, index, article)

    return await run_in_threadpool(read)


def _embedded_file(desk: Desk, file_id: str) -> NewsFile:
    """Return a file that everybody may see; to strangers there is no other."""
    file = desk.library.file(file_id)
    if file.kind != "comments" or not is_embedded(desk, file):
        raise Problem(404, "not-found", "there is no such file; it may have been deleted")
    return file


def _frame(
    request: Request, desk: Desk, file: NewsFile, index: ThreadIndex, article: str
) -> Response:
    thread = thread_of(index, article)
    actions = desk.moderation.standing(file.id, thread.id)
    arranged = arranged_by(index, thread, ThreadSliders(), actions)
    comments = index.comments(thread, arranged.shown[:_MOST_EMBEDDED].tolist())
    ancestors = " ".join(desk.settings.embedders) or "'self'"
    headers = {
        "content-security-policy": POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {ancestors}"),
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "public, max-age=60",
    }  # fmt: skip
    return page(
        request, "embed.html", headers=headers, thread=thread, comments=comments,
        pinned=arranged.pinned, total=len(arranged.shown),
    )  # fmt: skip
