"""Serve the form of a new campaign: what is asked, who answers, and files of the right kinds; what is wrong is said beside its field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request

from newsdesk.campaigns.campaign import check_annotator, check_name
from newsdesk.campaigns.plans import KINDS_OF_FILE, CampaignPlan, annotator_names, read_plan
from newsdesk.campaigns.protocols import protocol
from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.registry import PROTOCOLS
from newsdesk.service import uploads, work
from newsdesk.service.desk import Desk, desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.library import record_kind
from newsdesk.service.pages import form_words, page
from newsdesk.service.principals import Lead, Principal

router = APIRouter(include_in_schema=False)

# What the form calls the kinds of files, and the protocols that take them; the style sheet hides those that the chosen one does not.
_LABELS = {
    "threads": "Threads of comments", "clusters": "Clusters of articles", "outputs": "Outputs of systems", "references": "References",
    "articles": "Articles", "real_from": "Real comments (threads)", "controls": "Control questions",
}  # fmt: skip
_FREE = tuple(name for name in PROTOCOLS if protocol(name).unit)  # of outputs or comments alike
_WANTED_BY = {
    "threads": ("grade", "constructive", *_FREE), "clusters": ("rank", "relate", *_FREE), "outputs": ("rank", "grade", *_FREE),
    "references": ("rank", "grade", *_FREE), "articles": ("rank", "grade", *_FREE), "real_from": ("grade",), "controls": tuple(PROTOCOLS),
}  # fmt: skip
_RECORDS = {
    "threads": ("thread",), "clusters": ("cluster",), "outputs": ("output",), "references": ("references", "cluster"), "articles": ("article",), "real_from": ("thread",),
    "controls": ("control",),
}  # fmt: skip
_FIELDS = {
    "name": "Name", "annotators": "Annotators", "per_item": "Annotators per item", "seed": "Seed", "sample": "Articles to judge", "own-form": "A form of your own",
    **{f"{way}-{kind}": label for kind, label in _LABELS.items() for way in ("file", "upload")},
}  # fmt: skip


class FormFaultsError(ArgumentError):
    """What is wrong with a form, by field."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(faults.values()))
        self.faults = dict(faults)


async def planner(lead: Lead) -> Principal:
    """Return a lead who may create campaigns; a key for one campaign is refused."""
    if lead.campaign is not None:
        raise Problem(403, "scope", "this key is for one campaign")
    return lead


Planner = Annotated[Principal, Depends(planner)]


@router.get("/campaigns/new")
def new_page(request: Request, lead: Planner) -> Response:
    """Return the form of a new campaign."""
    return _page(request, lead, {}, None)


@router.post("/campaigns/new")
async def new(request: Request, lead: Planner) -> Response:
    """Create a campaign from the form or from a plan, with uploaded files or those of the newsroom.

    A lead who creates one leads it.
    """
    desk = desk_of(request)
    with uploads.folder() as folder:
        async with request.form(max_files=uploads.MAX_FILES) as form:
            values = {key: value for key, value in form.items() if isinstance(value, str)}
            try:
                plan, paths = await run_in_threadpool(_planned, desk, form, values, folder)
            except NewsdeskError as error:
                return await run_in_threadpool(_page, request, lead, values, error)
        try:
            reasons = await desk.workers.run(work.create, desk.store_url, plan, paths, str(folder))
        except NewsdeskError as error:
            return await run_in_threadpool(_page, request, lead, values, error)
    if lead.led is not None and lead.person is not None:
        await run_in_threadpool(desk.access.lead, lead.person, plan.name)
    return page(request, "created.html", lead, campaign=plan.name, reasons=reasons, plan=plan)


def _planned(
    desk: Desk, form: FormData, values: dict[str, str], folder: Path
) -> tuple[CampaignPlan, dict[str, str]]:
    """Return the plan of a form, and the paths of files by name; uploads are saved in `folder`."""
    paths = {name: str(desk.folder.record_file(name)) for name in desk.folder.record_files()}
    files: dict[str, tuple[str, ...]] = {}
    for kind in KINDS_OF_FILE:
        chosen = tuple(name for name in form.getlist(kind) if isinstance(name, str) and name)
        for file in uploads.files_of(form, f"upload-{kind}"):
            path = uploads.save(file, folder)
            paths[path.name] = str(path)
            chosen += (path.name,)
        if chosen:
            files[kind] = chosen
    plan_files = uploads.files_of(form, "plan")
    if plan_files:
        for file in uploads.files_of(form, "files"):
            path = uploads.save(file, folder)
            paths[path.name] = str(path)
        return read_plan(
            uploads.text_of(plan_files[0]), uploads.plain_name(plan_files[0].filename or "")
        ), paths
    own_form = uploads.files_of(form, "own-form")
    text = uploads.text_of(own_form[0]) + "\n" if own_form else values.get("protocol", "")
    return _checked(desk, values, text, files), paths


def _checked(
    desk: Desk, values: dict[str, str], text: str, files: dict[str, tuple[str, ...]]
) -> CampaignPlan:
    """Return the plan of the fields of a form; everything that is wrong with them is one error."""
    faults: dict[str, str] = {}
    name = values.get("name", "").strip()
    try:
        check_name(name, "the name")
    except ArgumentError as error:
        faults["name"] = str(error)
    if name in [campaign.name for campaign in desk.store.campaigns()]:
        faults["name"] = "there is a campaign of this name already; choose another"
    annotators: tuple[str, ...] | None = None
    try:
        annotators = annotator_names(values.get("annotators", ""))
        for who in annotators or ():
            check_annotator(who)
    except ArgumentError as error:
        faults["annotators"] = str(error)
    numbers = {"per_item": 2, "seed": 0, "sample": 0}
    for key in numbers:
        number = values.get(key, "").strip() or str(numbers[key])
        if number.isdecimal() and len(number) <= 18:
            numbers[key] = int(number)
        else:
            faults[key] = f"{number[:40]!r} is not a whole number"
    if not numbers["per_item"]:
        faults["per_item"] = "at least one annotator judges each item"
    elif annotators is not None and len(annotators) < numbers["per_item"]:
        faults["per_item"] = f"there are only {len(annotators)} annotators"
    one_by_one = "one_by_one" in values
    faults |= _missing(text, files, one_by_one=one_by_one)
    if faults:
        raise FormFaultsError(faults)
    return CampaignPlan(
        name=name,
        protocol=text,
        annotators=annotators,
        per_item=numbers["per_item"],
        seed=numbers["seed"],
        sample=numbers["sample"] or None,
        one_by_one=one_by_one,
        files=files,
    )


def _missing(text: str, files: dict[str, tuple[str, ...]], *, one_by_one: bool) -> dict[str, str]:
    """Return the kinds of files that a protocol needs and a form did not choose, by field."""
    needed: tuple[str, ...] = ()
    match text:
        case "constructive":
            needed = ("threads",)
        case "relate":
            needed = ("clusters",)
        case "rank":
            tables = [name for name in files.get("outputs", ()) if not name.endswith((".jsonl", ".gz"))]  # fmt: skip
            needed = ("outputs",) if tables else ("outputs", "references")
        case "grade":
            beside = () if one_by_one else ("real_from", "references")
            needed = ("articles", *beside) if "outputs" in files else ("threads",)
    return {
        f"file-{kind}": f"choose a file of {_LABELS[kind][:1].lower()}{_LABELS[kind][1:]}, or upload one"
        for kind in needed
        if kind not in files
    }


def _page(
    request: Request, lead: Principal, values: dict[str, str], error: NewsdeskError | None
) -> Response:
    """Return the form with the values sent so far, and what is wrong: beside its field, or above the form."""
    folder = desk_of(request).folder
    kinds = {name: record_kind(folder.record_file(name)) for name in folder.record_files()}
    files = {
        kind: [name for name, record in kinds.items() if record in wanted]
        for kind, wanted in _RECORDS.items()
    }
    faults = error.faults if isinstance(error, FormFaultsError) else {}
    for kind in (kind for kind, listed in files.items() if not listed):  # without a menu
        faults = {name.replace(f"file-{kind}", f"upload-{kind}"): why for name, why in faults.items()}  # fmt: skip
    return page(
        request,
        "new.html",
        lead,
        status=200 if error is None else 400,
        values=values,
        fault="" if error is None or faults else form_words(str(error)),
        faults=faults,
        fields=_FIELDS,
        protocols=[protocol(name) for name in PROTOCOLS],
        labels=_LABELS,
        wanted_by=_WANTED_BY,
        files=files,
    )
