"""Serve the front page: the latest events, what is said about them, campaigns, reports and files; and the sample newsroom for an empty folder."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from fastapi import APIRouter
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.service import work
from newsdesk.service.desk import Desk, desk_of, slug
from newsdesk.service.errors import Problem
from newsdesk.service.jobs import DeskJob, job_of
from newsdesk.service.library import NewsFile
from newsdesk.service.pages import page, see
from newsdesk.service.pages.comments import opened_index, ranked_folder
from newsdesk.service.pages.events import indexed_events, opened_events
from newsdesk.service.pages.files import address_of
from newsdesk.service.pages.studies import reports_below
from newsdesk.service.principals import Admin, Lead, Principal, optional_principal
from newsdesk.service.threads import ListedThread, ThreadIndex, ToldComment
from newsdesk.service.votes import is_of_votes

router = APIRouter(include_in_schema=False)

_EVENTS = 7  # stories on the front page, the first one large
_THREADS = 4
_LATEST = 5  # campaigns, reports and files


@dataclass(frozen=True, slots=True)
class FrontThread:
    """A thread on the front page, with the comment that stands first in it, if one does."""

    file: NewsFile
    thread: ListedThread
    best: ToldComment | None


@router.get("/")
async def home(request: Request) -> Response:
    """Return an annotator's campaign, or for those who may read the front page."""
    principal = await optional_principal(request)
    if principal is None:
        raise Problem(401, "sign-in", "sign in, or send an API key")
    if principal.campaign is not None:
        return see(f"/annotate/{slug(principal.campaign)}")
    if "read" not in principal.scopes:
        raise Problem(403, "scope", "this needs the scope read")
    desk = desk_of(request)
    files = await run_in_threadpool(desk.library.all)
    news = next((each for kind in ("clusters", "events") for each in files if each.kind == kind), None)  # fmt: skip
    talk = next((each for each in files if each.kind == "comments"), None)
    # Events are indexed when somebody first comes here; ranking threads takes longer, and waits until somebody asks.
    job = indexed_events(request, news) if news is not None else None
    return await run_in_threadpool(_front, request, principal, files, (news, job), talk)


def _front(
    request: Request,
    principal: Principal,
    files: list[NewsFile],
    news: tuple[NewsFile | None, DeskJob | None],
    talk: NewsFile | None,
) -> Response:
    desk = desk_of(request)
    may_lead = "lead" in principal.scopes
    campaigns = [
        each
        for each in desk.store.campaigns()
        if may_lead and principal.sees(each.name) and not is_of_votes(each.name)
    ]
    progress = [(each, desk.store.status(each.name)) for each in campaigns[: -_LATEST - 1 : -1]]
    return page(
        request, "front.html", principal, files=[(file, address_of(file)) for file in files[:_LATEST]],
        news=news[0], events=_latest_events(*news), news_job=news[1], talk=talk,
        discussions=_discussions(desk, talk), campaigns=sorted(progress, key=lambda each: each[1].done == each[1].slots),
        more_campaigns=len(campaigns) > _LATEST, may_lead=may_lead, empty=not campaigns and not files,
        reports=list(islice(reports_below(desk.folder.root, levels=2), _LATEST)),
    )  # fmt: skip


def _latest_events(file: NewsFile | None, job: DeskJob | None) -> list[Any]:
    if file is None or job is None or job.state != "done":
        return []
    with opened_events(file) as index:
        days = index.days(most=_EVENTS)
    return [event for day in days for _, some in day.categories for event in some][:_EVENTS]


def _discussions(desk: Desk, file: NewsFile | None) -> list[FrontThread]:
    folder = ranked_folder(desk, file) if file is not None else None
    if file is None or folder is None or job_of(folder).state != "done":
        return []
    with opened_index(folder) as index:
        threads = index.threads(most=_THREADS)
        return [
            FrontThread(file, each, _first_comment(desk, file, index, each)) for each in threads
        ]


def _first_comment(
    desk: Desk, file: NewsFile, index: ThreadIndex, thread: ListedThread
) -> ToldComment | None:
    """Return the comment that was pinned last, else the one of the highest quality that is neither held back nor hidden."""
    actions = desk.moderation.standing(file.id, thread.id)
    rows = index.rows_of(thread, {action.comment for action in actions})
    chosen = {name: [rows[each.comment] for each in actions if each.action == name and each.comment in rows] for name in ("pin", "hide")}  # fmt: skip
    parts = index.parts(thread)
    scores = np.where(parts.kept, parts.scores, -np.inf)
    scores[chosen["hide"]] = -np.inf
    best = chosen["pin"][-1] if chosen["pin"] else int(scores.argmax()) if len(scores) else None
    if best is None or (not chosen["pin"] and scores[best] == -np.inf):
        return None
    return next(iter(index.comments(thread, [best])), None)


@router.get("/campaigns")
def campaigns_page(request: Request, lead: Lead) -> Response:
    """Return the list of the campaigns that somebody leads."""
    store = desk_of(request).store
    campaigns = [campaign for campaign in store.campaigns() if lead.sees(campaign.name)]
    rows = [(campaign, store.status(campaign.name)) for campaign in campaigns]
    return page(request, "campaigns.html", lead, rows=rows)


@router.post("/sample")
async def sample(request: Request, admin: Admin) -> Response:
    """Lay out the sample newsroom: its files, its campaigns, and an open campaign to try."""
    desk = desk_of(request)
    await desk.workers.run(work.sample, desk.store_url, str(desk.folder.root))
    return see("/")
