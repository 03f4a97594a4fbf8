"""The pages of annotators: their list of tasks, one task at a time, saving and undoing. Every action is a plain form."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.campaigns.campaign import OpenedTask, TaskPlace, TaskView
from newsdesk.campaigns.screens import (
    Fields,
    answers_of,
    faults_of,
    guidance_of,
    one_click,
    screen_of,
    summary_of,
)
from newsdesk.campaigns.upkeep import LONGEST_NOTE, note_task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.service.desk import Desk, desk_of, name_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.pages import page, see
from newsdesk.service.principals import Principal, require_annotator

router = APIRouter(prefix="/annotate/{campaign}", include_in_schema=False)

TaskFilter = Literal["all", "open", "done"]

_EACH = 200  # tasks on a page of the list
_PLACE = "newsdesk_place"  # a cookie: the task that was open last
_LONGEST_S = 24 * 3600
_NUMBER_LIMIT = 2**31  # what the database can hold as the number of a task
_REMEMBERED_S = 30 * 24 * 3600


async def own_campaign(
    request: Request, campaign: str, principal: Annotated[Principal, Depends(require_annotator)]
) -> Principal:
    """Return the annotator, if the campaign of the path is theirs."""
    if not principal.sees(name_of(campaign), principal.annotator):
        raise Problem(404, "not-found", "there is no such campaign for you")
    return principal


Annotator = Annotated[Principal, Depends(own_campaign)]


@router.get("")
def overview(
    request: Request,
    annotator: Annotator,
    saved: int = -1,
    only: TaskFilter = "all",
    first: Annotated[int, Query(ge=0, le=10**7)] = 0,
) -> Response:
    """Return the page with progress, guidance, the way to the next task, and a list of the tasks in pages."""
    desk = desk_of(request)
    name, who = _names(annotator)
    campaign = desk.store.campaign(name)
    tasks = desk.store.places(name, who)
    status = next(each for each in desk.store.status(name).annotators if each.name == who)
    is_number = 0 <= saved < _NUMBER_LIMIT
    answered = desk.store.open_task(name, who, saved, article=False) if is_number else None
    done = sum(task.state == "done" for task in tasks)
    wanted = [
        (number, task)
        for number, task in enumerate(tasks, 1)
        if only == "all" or (task.state == "done") == (only == "done")
    ]
    last = _last_task(request, tasks)
    if "first" not in request.query_params:
        first = _page_of(wanted, last)
    return page(
        request,
        "annotate.html",
        annotator,
        campaign=name,
        form=campaign.protocol,
        guidance=guidance_of(campaign.protocol),
        places=wanted[first : first + _EACH],
        pages=[(start, wanted[start][0], wanted[min(start + _EACH, len(wanted)) - 1][0]) for start in range(0, len(wanted), _EACH)],
        first=first,
        only=only,
        filters=(("all", "All", len(tasks)), ("open", "To do", len(tasks) - done), ("done", "Done", done)),
        count=len(tasks),
        done=done,
        open=campaign.open,
        excluded=status.excluded_at is not None,
        last=last,
        note=_note(desk, name, answered),
    )  # fmt: skip


def _page_of(wanted: list[tuple[int, TaskPlace]], last: TaskPlace | None) -> int:
    """Return where the page begins on which the work goes on: at the task that was open last, else the first to do."""
    for place, (_, task) in enumerate(wanted):
        if task == last if last is not None else task.state != "done":
            return place // _EACH * _EACH
    return 0


@router.get("/continue")
def continue_(request: Request, annotator: Annotator) -> Response:
    """Return where the annotator was, or the next task to do."""
    desk = desk_of(request)
    name, who = _names(annotator)
    tasks = desk.store.places(name, who)
    last = _last_task(request, tasks)
    if last is not None and last.state != "done":
        return see(_task_path(name, last.number))
    return see(_first_path(desk, name, who, tasks))


@router.get("/tasks/{number}")
def task_page(request: Request, number: int, annotator: Annotator, saved: int = -1) -> Response:
    """Return one task; `saved` is the number of the task that was answered before, which can be undone."""
    desk = desk_of(request)
    name, who = _names(annotator)
    before = saved if 0 <= saved < _NUMBER_LIMIT else None
    view = _view(desk, name, who, number, before)
    response = _task(request, annotator, view, note=_note(desk, name, view.before))
    response.set_cookie(
        _PLACE, str(number), max_age=_REMEMBERED_S, path=f"/annotate/{slug(name)}",
        httponly=True, samesite="lax", secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


@router.post("/tasks/{number}")
async def answer(request: Request, number: int, annotator: Annotator) -> Response:
    """Store the answers to a task, durably, and go on to the next.

    A task that is not complete is shown again with what is missing.
    """
    async with request.form() as sent:
        fields = {key: [str(value) for value in sent.getlist(key)] for key in sent}
    return await run_in_threadpool(_answered, request, number, annotator, fields)


def _answered(request: Request, number: int, annotator: Principal, fields: Fields) -> Response:
    """Store the answers of a form and go to the next task, or show what is missing."""
    desk = desk_of(request)
    name, who = _names(annotator)
    opened = _opened(desk, name, who, number)
    form = desk.store.campaign(name).protocol
    try:
        answers = answers_of(form, opened, fields)
        following = desk.store.submit(
            name, who, opened, answers, at=desk.now(), seconds=_seconds(fields)
        )
        _keep_note(desk, name, who, number, fields)
    except DataError as error:
        faults = faults_of(form, opened, fields)
        view = _view(desk, name, who, number)
        return _task(request, annotator, view, fault=error.reason, fields=fields, faults=faults)
    path = f"/annotate/{slug(name)}" if following is None else _task_path(name, following)
    return see(f"{path}?saved={number}")


@router.post("/tasks/{number}/undo")
def undo(request: Request, number: int, annotator: Annotator) -> Response:
    """Undo the last answer to a task and show it again."""
    desk = desk_of(request)
    name, who = _names(annotator)
    _opened(desk, name, who, number)
    desk.store.undo(name, who, number, at=desk.now())
    return see(f"{_task_path(name, number)}?undone=1")


def _note(desk: Desk, campaign: str, before: OpenedTask | None) -> tuple[int, str] | None:
    """Return the number of the task answered just now and its answers in a few words; None if none."""
    if before is None or not before.answers:
        return None
    form = desk.store.campaign(campaign).protocol
    return before.number, summary_of(form, screen_of(form, before))


def _task(
    request: Request,
    annotator: Principal,
    view: TaskView,
    *,
    note: tuple[int, str] | None = None,
    fault: str | None = None,
    fields: Fields | None = None,
    faults: Mapping[str, str] | None = None,
) -> Response:
    """Return the page of a task; after a fault with the `fields` that were sent, and what is wrong with each."""
    desk = desk_of(request)
    name, _ = _names(annotator)
    form = desk.store.campaign(name).protocol
    screen, tasks = screen_of(form, view.opened), view.places
    numbers = [task.number for task in tasks]
    place = numbers.index(view.opened.number)
    chosen = screen.chosen if fields is None else {key: values[0] for key, values in fields.items()}
    return page(
        request,
        "task.html",
        annotator,
        status=200 if fault is None else 422,
        campaign=name,
        form=form,
        guidance=guidance_of(form, linked="url" in dict(screen.context)),
        screen=screen,
        chosen=chosen,
        position=place + 1,
        count=len(tasks),
        done=sum(task.state == "done" for task in tasks),
        before=numbers[place - 1] if place else None,
        after=numbers[place + 1] if place + 1 < len(numbers) else None,
        note=note,
        undone="undone" in request.query_params,
        fault=fault,
        faults=faults or {},
        opened_at=int(time.time()),
        single=one_click(form, len(screen.texts)),
    )


def _first_path(desk: Desk, campaign: str, annotator: str, tasks: Sequence[TaskPlace]) -> str:
    """Return the path of the first of the tasks to do, claimed if need be, else of the overview."""
    number = _first_unfinished(tasks)
    if number is None:
        with contextlib.suppress(ArgumentError):  # excluded: the overview says so
            desk.store.claim(campaign, annotator, at=desk.now())
            number = _first_unfinished(desk.store.places(campaign, annotator))
    return f"/annotate/{slug(campaign)}" if number is None else _task_path(campaign, number)


def _first_unfinished(tasks: Sequence[TaskPlace]) -> int | None:
    return next((task.number for task in tasks if task.state != "done"), None)


def _opened(desk: Desk, campaign: str, annotator: str, number: int) -> OpenedTask:
    """Return a task of the annotator, without its article; 404 if it is not theirs."""
    is_number = 0 <= number < _NUMBER_LIMIT
    opened = desk.store.open_task(campaign, annotator, number, article=False) if is_number else None
    if opened is None:
        raise _not_theirs()
    return opened


def _view(
    desk: Desk, campaign: str, annotator: str, number: int, before: int | None = None
) -> TaskView:
    """Return all that the page of a task shows; 404 if it is not theirs."""
    is_number = 0 <= number < _NUMBER_LIMIT
    view = desk.store.view_task(campaign, annotator, number, before=before) if is_number else None
    if view is None:
        raise _not_theirs()
    return view


def _not_theirs() -> Problem:
    return Problem(404, "not-found", "this task is not one of yours")


def _keep_note(desk: Desk, campaign: str, annotator: str, number: int, fields: Fields) -> None:
    """Store the note of a form; an empty field leaves an earlier note as it is."""
    if note := fields.get("note", [""])[0].strip()[:LONGEST_NOTE]:
        note_task(desk.store, campaign, annotator, number, note, at=desk.now())


def _seconds(fields: Fields) -> float | None:
    """Return the seconds from opening a task to its answer, less those hidden; None if not sensible."""
    try:
        opened_at, away_s = (float(fields.get(key, ["0"])[0]) for key in ("opened_at", "away"))
    except ValueError:
        return None
    seconds = time.time() - opened_at - max(away_s, 0.0)
    return round(seconds, 1) if 0 <= seconds <= _LONGEST_S else None


def _last_task(request: Request, tasks: list[TaskPlace]) -> TaskPlace | None:
    last = request.cookies.get(_PLACE, "")
    return next((task for task in tasks if str(task.number) == last), None)


def _names(annotator: Principal) -> tuple[str, str]:
    """Return the campaign of an annotator, and their name in it."""
    return str(annotator.campaign), str(annotator.annotator)


def _task_path(campaign: str, number: int) -> str:
    return f"/annotate/{slug(campaign)}/tasks/{number}"
