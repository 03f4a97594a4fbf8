"""Serve votes on comments: one button for constructive and one for not, and the page on which a model is adapted to them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.errors import ArgumentError
from newsdesk.files import make_folder
from newsdesk.service import votes
from newsdesk.service.desk import Desk, desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.library import NewsFile
from newsdesk.service.pages import page, see, waiting
from newsdesk.service.pages.comments import (
    File,
    address_with,
    model_of,
    opened_index,
    ranked_threads,
    thread_of,
)
from newsdesk.service.principals import Moderator, Reader

router = APIRouter(include_in_schema=False)


@router.post("/comments/{file_id}/{article}/vote")
async def vote(
    request: Request,
    file: File,
    moderator: Moderator,
    article: str,
    comment: Annotated[str, Form(max_length=1000)],
    yes: Annotated[bool, Form()],
    back: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Store a vote on a comment; the first one of a file makes the campaign of its votes."""
    desk = desk_of(request)
    folder, job = await ranked_threads(desk, file)
    if job.state != "done":
        return waiting(request, moderator, job, file.name, file)
    campaign = votes.campaign_of(file)
    if not await run_in_threadpool(votes.has_votes, desk.store, campaign):
        await desk.workers.run(
            votes.open_votes,
            desk.store_url,
            campaign,
            str(file.path),
            file.name,
            dict(file.mapping),
        )

    def store() -> str:
        with opened_index(folder) as index:
            thread = thread_of(index, article)
            row = index.rows_of(thread, [comment]).get(comment)
        if row is None:
            raise Problem(404, "not-found", "there is no such comment in this thread")
        task = votes.task_of(thread.id, row)
        votes.vote(desk.store, campaign, moderator.name, task, comment, yes=yes, at=desk.now())
        return address_with(file, thread, back) + f"#c{row}"

    return see(await run_in_threadpool(store))


@router.get("/votes/{file_id}")
async def votes_page(request: Request, file: File, reader: Reader) -> Response:
    """Return the votes on a file's comments, and what adapting the model to them gains on held-out votes."""
    desk = desk_of(request)
    count = await run_in_threadpool(_count, desk, file)
    folder = _folder(file, count)
    job = None
    if await run_in_threadpool(folder.is_dir):
        job = desk.jobs.ensure(
            folder, votes.adapt, desk.store_url, votes.campaign_of(file), str(file.path), file.name,
            dict(file.mapping), str(desk.folder.models / _model(file, count)),
        )  # fmt: skip
        if job.state == "running":
            return waiting(request, reader, job, file.name, file)
    model = await run_in_threadpool(model_of, desk, file)
    done = job is not None and job.state == "done"
    return page(
        request, "votes.html", reader, file=file, count=count, model=model, campaign=votes.campaign_of(file),
        fault=job.step if job is not None and job.state == "failed" else "",
        adaptation=await run_in_threadpool(votes.adaptation_in, folder) if done else None,
    )  # fmt: skip


@router.post("/votes/{file_id}/adapt")
def adapt(request: Request, file: File, moderator: Moderator) -> Response:
    """Begin to adapt a model to the votes on a file's comments."""
    desk = desk_of(request)
    count = _count(desk, file)
    if not count:
        raise ArgumentError("nobody has voted on these comments yet; vote first")
    folder = make_folder(_folder(file, count))
    desk.jobs.again(folder)
    return see(f"/votes/{file.id}")


@router.post("/votes/{file_id}/use")
def use(
    request: Request,
    file: File,
    moderator: Moderator,
    model: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Rank a file by its adapted model, or without a name by the ready one again."""
    desk = desk_of(request)
    for action in desk.moderation.standing(file.id):
        if action.action == "adapt" and action.comment != model:
            desk.moderation.undo("adapt", moderator.name, file.id, comment=action.comment)
    if model:
        if model != _model(file, _count(desk, file)) or not (desk.folder.models / model).is_dir():
            raise Problem(404, "not-found", "there is no such model of this file; adapt it again")
        desk.moderation.act("adapt", moderator.name, file.id, comment=model)
    return see(f"/comments/{file.id}")


def _count(desk: Desk, file: NewsFile) -> int:
    """Return the number of votes on a file's comments."""
    campaign = votes.campaign_of(file)
    return desk.store.status(campaign).judgments if votes.has_votes(desk.store, campaign) else 0


def _folder(file: NewsFile, count: int) -> Path:
    return file.work(f"adapt-{count}")


def _model(file: NewsFile, count: int) -> str:
    return f"votes-{file.id}-{count}"
