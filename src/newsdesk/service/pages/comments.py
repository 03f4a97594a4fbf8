"""Serve threads of comments: ranked by quality, likes or time, with sliders, what is held back, moderation, and exports of the order as shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.rankers.ready import READY
from newsdesk.service.desk import Desk, desk_of, name_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.jobs import DeskJob
from newsdesk.service.library import NewsFile
from newsdesk.service.moderation import Moderated
from newsdesk.service.pages import page, see, waiting
from newsdesk.service.principals import Moderator, Principal, Reader
from newsdesk.service.ranking import rank_threads
from newsdesk.service.threads import (
    HALF_LIVES_H,
    ORDERS,
    ArrangedThread,
    ListedThread,
    ThreadIndex,
    ThreadOrder,
    ThreadSliders,
    ToldComment,
    read_reading,
)
from newsdesk.service.votes import campaign_of, task_of, votes_by

router = APIRouter(include_in_schema=False)

CommentAction = Literal["pin", "hide", "release"]
ThreadList = Literal["ranked", "held", "hidden"]

_OPPOSITES: dict[CommentAction, CommentAction] = {"pin": "hide", "hide": "pin"}
_EACH = 50  # comments or threads on a page
_SHORT = 8  # comments in the orders beside
_BESIDE: dict[ThreadOrder, str] = {
    "quality": "By quality", "likes": "Most liked", "time": "Newest first",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ThreadView:
    """A thread as it is looked at: the sliders, which list, and from which comment on."""

    sliders: ThreadSliders
    length: int
    diversity: int
    age: int
    show: ThreadList
    first: int

    @property
    def query(self) -> str:
        """The view as a query, without what is usual."""
        values = {
            "order": (self.sliders.order, "quality"), "length": (self.length, 100), "diversity": (self.diversity, 0),
            "age": (self.age, 0), "show": (self.show, "ranked"), "first": (self.first, 0),
        }  # fmt: skip
        return urlencode({key: value for key, (value, usual) in values.items() if value != usual})

    def with_list(self, show: ThreadList) -> str:
        """Return the query of another list, from its beginning."""
        return replace(self, show=show, first=0).query

    def from_place(self, first: int) -> str:
        """Return the query of the same list from another place on."""
        return replace(self, first=first).query


def thread_view(
    order: ThreadOrder = "quality",
    length: Annotated[int, Query(ge=0, le=200)] = 100,
    diversity: Annotated[int, Query(ge=0, le=100)] = 0,
    age: Annotated[int, Query(ge=0, lt=len(HALF_LIVES_H))] = 0,
    show: ThreadList = "ranked",
    first: Annotated[int, Query(ge=0, le=10**6)] = 0,
) -> ThreadView:
    """Return what the query of an address asks for."""
    sliders = ThreadSliders(order, length / 100, diversity / 100, HALF_LIVES_H[age])
    return ThreadView(sliders, length, diversity, age, show, first)


View = Annotated[ThreadView, Depends(thread_view)]


def _file(request: Request, file_id: str) -> NewsFile:
    """Return the file of a path, if it holds comments."""
    file = desk_of(request).library.file(file_id)
    if file.kind != "comments":
        raise Problem(404, "not-found", f"{file.name} holds {file.kind}, not comments")
    return file


async def comments_file(request: Request, file_id: str, reader: Reader) -> NewsFile:
    """Return the file of a path, for somebody who may read."""
    return await run_in_threadpool(_file, request, file_id)


File = Annotated[NewsFile, Depends(comments_file)]


def model_of(desk: Desk, file: NewsFile) -> str:
    """Return the name of the model that ranks a file: the one that was adapted to it last, or the ready one."""
    standing = desk.moderation.standing(file.id)
    adapted = [action.comment for action in standing if action.action == "adapt"]
    return adapted[-1] if adapted else READY


def ranked_folder(desk: Desk, file: NewsFile) -> Path:
    """Return the folder of a file's ranked threads, by the model that ranks it now."""
    return file.work(f"threads-{model_of(desk, file)}")


@router.get("/comments")
def first_file(request: Request, reader: Reader) -> Response:
    """Go to the comments of the newest file that has some; say so where there is none."""
    file = next(iter(desk_of(request).library.all("comments")), None)
    if file is None:
        return page(request, "no-comments.html", reader)
    return see(f"/comments/{file.id}")


@router.get("/comments/{file_id}")
async def threads_page(
    request: Request,
    file: File,
    reader: Reader,
    q: Annotated[str, Query(max_length=200)] = "",
    first: Annotated[int, Query(ge=0, le=10**6)] = 0,
) -> Response:
    """Return the threads of a file, or those that a search finds; a file of one thread leads to it."""
    desk = desk_of(request)
    folder, job = await ranked_threads(desk, file)
    if job.state != "done":
        return waiting(request, reader, job, file.name, file)

    def values() -> dict[str, Any]:
        with opened_index(folder) as index:
            threads = index.threads(q, first=first, most=_EACH + 1)
            return {"threads": threads[:_EACH], "more": len(threads) > _EACH, "count": index.count()}  # fmt: skip

    shown = await run_in_threadpool(values)
    if shown["count"] == 1 and not q:
        return see(_address(file, shown["threads"][0]))
    return page(
        request, "threads.html", reader, file=file, q=q, first=first, each=_EACH,
        files=await run_in_threadpool(desk.library.all, "comments"), reading=await run_in_threadpool(read_reading, folder),
        embedded=await run_in_threadpool(is_embedded, desk, file), **shown,
    )  # fmt: skip


@router.get("/comments/{file_id}/{article}")
async def thread_page(
    request: Request, file: File, reader: Reader, article: str, view: View
) -> Response:
    """Return a thread in the order of the sliders, with reasons, and what is held back or hidden in lists of their own."""
    desk = desk_of(request)
    folder, job = await ranked_threads(desk, file)
    if job.state != "done":
        return waiting(request, reader, job, file.name, file)
    return await run_in_threadpool(_thread_page, request, file, reader, folder, article, view)


def _thread_page(
    request: Request,
    file: NewsFile,
    reader: Principal,
    folder: Path,
    article: str,
    view: ThreadView,
) -> Response:
    desk = desk_of(request)
    with opened_index(folder) as index:
        thread = thread_of(index, article)
        standing = desk.moderation.standing(file.id, thread.id)
        arranged = arranged_by(index, thread, view.sliders, standing)
        rows = {"ranked": arranged.shown.tolist(), "held": arranged.held.tolist(), "hidden": list(arranged.hidden)}[view.show]  # fmt: skip
        shown = index.comments(thread, rows[view.first : view.first + _EACH])
        copies = {told.row: index.comments(thread, arranged.copies.get(told.row, ())) for told in shown}  # fmt: skip
        beside = [(title, _beside(index, thread, arranged, order)) for order, title in _BESIDE.items() if order != view.sliders.order]  # fmt: skip
        count = index.count()
    return page(
        request, "thread.html", reader, file=file, thread=thread, article=slug(thread.id), view=view, arranged=arranged,
        comments=shown, copies=copies, beside=[part for part in beside if part[1]], total=len(rows), each=_EACH, orders=ORDERS, half_lives=[*map(_half_life, HALF_LIVES_H)],
        may_moderate="moderate" in reader.scopes, votes=_votes(desk, file, thread, reader), history=desk.moderation.history(file.id, thread.id), embedded=is_embedded(desk, file), alone=count == 1,
    )  # fmt: skip


def _votes(desk: Desk, file: NewsFile, thread: ListedThread, reader: Principal) -> dict[int, bool]:
    """Return what somebody voted in a thread, by row."""
    if "moderate" not in reader.scopes:
        return {}
    own = votes_by(desk.store, campaign_of(file), reader.name)
    tasks = {task_of(thread.id, row): row for row in range(thread.comments)} if own else {}
    return {tasks[task]: yes for task, yes in own.items() if task in tasks}


def _beside(
    index: ThreadIndex, thread: ListedThread, arranged: ArrangedThread, order: ThreadOrder
) -> list[tuple[int, ToldComment]]:
    """Return the first comments in another order, each with its place in the order that is shown."""
    places = {row: place for place, row in enumerate(arranged.shown.tolist(), 1)}
    firsts = arranged.first_by[order][:_SHORT]
    return [(places[told.row], told) for told in index.comments(thread, firsts)]


@router.post("/comments/{file_id}/{article}/moderate")
async def moderate(
    request: Request,
    file: File,
    moderator: Moderator,
    article: str,
    comment: Annotated[str, Form(max_length=1000)],
    action: Annotated[CommentAction, Form()],
    undo: Annotated[bool, Form()] = False,
    back: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    """Pin, hide or release a comment, or undo it; both are kept with who and when."""
    desk = desk_of(request)
    folder, job = await ranked_threads(desk, file)
    if job.state != "done":
        return waiting(request, moderator, job, file.name, file)

    def change() -> str:
        with opened_index(folder) as index:
            thread = thread_of(index, article)
            if comment not in index.rows_of(thread, [comment]):
                raise Problem(404, "not-found", "there is no such comment in this thread")
        target = moderator.name, file.id, thread.id, comment
        if undo:
            desk.moderation.undo(action, *target)
        else:
            desk.moderation.act(action, *target, instead_of=_OPPOSITES.get(action))
        return address_with(file, thread, back)

    return see(await run_in_threadpool(change))


@router.post("/comments/{file_id}/embed")
def embed(
    request: Request,
    file: File,
    moderator: Moderator,
    on: Annotated[bool, Form()] = False,
) -> Response:
    """Allow the threads of a file to be shown on other sites, or end it."""
    moderation = desk_of(request).moderation
    (moderation.act if on else moderation.undo)("embed", moderator.name, file.id)
    return see(f"/comments/{file.id}")


async def ranked_threads(desk: Desk, file: NewsFile) -> tuple[Path, DeskJob]:
    """Return the folder of a file's ranked threads, and how far its job is, which starts when somebody first asks."""
    model = await run_in_threadpool(model_of, desk, file)
    folder = file.work(f"threads-{model}")
    path = model if model == READY else str(desk.folder.models / model)
    return folder, desk.jobs.ensure(
        folder, rank_threads, str(file.path), file.name, dict(file.mapping), path
    )


@contextmanager
def opened_index(folder: Path) -> Iterator[ThreadIndex]:
    """Open the ranked threads of a folder for a block."""
    index = ThreadIndex(folder)
    try:
        yield index
    finally:
        index.close()


def thread_of(index: ThreadIndex, article: str) -> ListedThread:
    """Return the thread of a path; an unknown one is a 404."""
    thread = index.thread(name_of(article))
    if thread is None:
        raise Problem(404, "not-found", "there is no such thread")
    return thread


def _address(file: NewsFile, thread: ListedThread) -> str:
    return f"/comments/{file.id}/{slug(thread.id)}"


def address_with(file: NewsFile, thread: ListedThread, back: str) -> str:
    """Return the address of a thread with the query that a form was sent from."""
    return f"{_address(file, thread)}?{urlencode(parse_qsl(back))}".rstrip("?")


def is_embedded(desk: Desk, file: NewsFile) -> bool:
    """Return True if other sites may show the threads of a file."""
    return any(action.action == "embed" for action in desk.moderation.standing(file.id))


def arranged_by(
    index: ThreadIndex, thread: ListedThread, sliders: ThreadSliders, actions: list[Moderated]
) -> ArrangedThread:
    """Return the lists of a thread by the sliders and the actions of moderators that stand."""
    rows = index.rows_of(thread, {action.comment for action in actions})
    lists: dict[str, list[int]] = {"pin": [], "hide": [], "release": []}
    for action in actions:
        if action.comment in rows:
            lists[action.action].append(rows[action.comment])
    return ArrangedThread.of(
        index.parts(thread), sliders, lists["pin"], lists["hide"], lists["release"]
    )


def _half_life(hours: float | None) -> str:
    if hours is None:
        return "off"
    return f"half after {hours / 24:g} days" if hours > 24 else f"half after {hours:g} hours"
