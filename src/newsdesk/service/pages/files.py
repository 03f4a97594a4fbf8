"""Serve the files of the data folder: drop one, see how its columns were read and choose others, name, download and delete it."""

from __future__ import annotations

from typing import Annotated, Any, get_args
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form
from fastapi.responses import FileResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.records.comments.flat import FIELDS, LIST, SHEET, check_fields
from newsdesk.service import uploads
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem
from newsdesk.service.jobs import DeskJob, job_of
from newsdesk.service.library import FileKind, NewsFile
from newsdesk.service.limits import REPORT_POLICY
from newsdesk.service.pages import page, see
from newsdesk.service.pages.comments import ranked_folder
from newsdesk.service.principals import Moderator, Principal, Reader
from newsdesk.service.ranking import DATES, columns_in, recognised
from newsdesk.service.threads import read_reading

router = APIRouter(prefix="/files", include_in_schema=False)

# What the menus call the fields of comments.
_LABELS = {
    "article": "Article that it belongs to", "text": "Text of the comment", "comment": "Id of the comment", "title": "Title of the article",
    "category": "Category", "url": "Address of the article", "article_text": "Text of the article", "lang": "Language", "likes": "Likes", "dislikes": "Dislikes",
    "score": "Score of the comment", "yes": "Votes that say yes", "votes": "Votes in all", "at": "Time", "position": "Place on the page", "author": "Author", "toxicity": "Toxicity, 0 to 1", "parent": "Comment that it replies to",
}  # fmt: skip
_AUTO, _NONE, _COLUMN = "auto", "none", "column "
_PAGES: dict[FileKind, str] = {"comments": "/comments", "clusters": "/events", "events": "/events"}


def listed_file(request: Request, file_id: str, reader: Reader) -> NewsFile:
    """Return the file of a path, for somebody who may read."""
    return desk_of(request).library.file(file_id)


File = Annotated[NewsFile, Depends(listed_file)]


def address_of(file: NewsFile) -> str:
    """Return the page that a file leads to: its threads, its events, or the file itself."""
    return f"{_PAGES.get(file.kind, '/files')}/{file.id}"


@router.get("")
def files_page(request: Request, reader: Reader) -> Response:
    """Return the list of all files."""
    return _list(request, reader)


@router.post("")
async def drop(request: Request, moderator: Moderator) -> Response:
    """Keep a file that somebody brings, and go to the page for what is in it."""
    desk = desk_of(request)
    with uploads.folder() as folder:
        async with request.form(max_files=1) as form:
            files = uploads.files_of(form, "file")
            if not files:
                return _list(request, moderator, "choose a file first")
            path = await run_in_threadpool(uploads.save, files[0], folder)
        try:
            kind, fault = await desk.workers.run(recognised, str(path))
        except NewsdeskError as error:
            return _list(request, moderator, str(error))
        with path.open("rb") as content:
            file = await run_in_threadpool(
                desk.library.add, content, path.name, kind, moderator.name
            )
    return see(f"/files/{file.id}" if fault else address_of(file))


@router.get("/{file_id}")
async def file_page(request: Request, file: File, reader: Reader) -> Response:
    """Return what a file holds, how its columns were read, and menus to read them otherwise."""
    desk = desk_of(request)
    columns: dict[str, str] = {}
    fault, reading = "", None
    folder = await run_in_threadpool(ranked_folder, desk, file)
    job = job_of(folder) if file.kind == "comments" else DeskJob("running")
    if job.state == "done":
        reading = await run_in_threadpool(read_reading, folder)
        columns = dict(reading.columns)
    elif file.kind == "comments":
        columns, fault = await desk.workers.run(columns_in, str(file.path), file.mapping)
        fault = job.step if job.state == "failed" else fault
    return page(
        request, "file.html", reader, file=file, reading=reading, fault=fault, columns=columns, labels=_LABELS,
        fields=_menus(file, columns), kinds=get_args(FileKind), address=address_of(file),
        dates=file.mapping.get(DATES, ""), sheet=file.mapping.get(SHEET, ""), list_path=file.mapping.get(LIST, ""),
    )  # fmt: skip


@router.post("/{file_id}/name")
def rename(
    request: Request,
    file: File,
    moderator: Moderator,
    name: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Give a file another name."""
    desk_of(request).library.rename(file, name)
    return see(f"/files/{file.id}")


@router.post("/{file_id}/columns")
async def read_as(request: Request, file: File, moderator: Moderator) -> Response:
    """Read a file as another kind or by other columns, and go to what comes of it."""
    async with request.form(max_files=0) as form:
        values = {key: value for key, value in form.items() if isinstance(value, str)}
    chosen = values.get("kind", file.kind)
    kind: FileKind | None = next((kind for kind in get_args(FileKind) if kind == chosen), None)
    if kind is None:
        raise ArgumentError(f"no file holds {chosen[:40]!r}")
    changed = await run_in_threadpool(
        desk_of(request).library.read_as, file, kind, _mapping(values)
    )
    return see(address_of(changed))


@router.get("/{file_id}/download")
def download(file: File, reader: Reader) -> Response:
    """Return a file as it came."""
    name = file.name if file.name.endswith(file.path.suffix) else file.name + file.path.suffix
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(uploads.plain_name(name))}",
        "content-security-policy": REPORT_POLICY,
    }
    return FileResponse(file.path, media_type="application/octet-stream", headers=headers)


@router.post("/{file_id}/delete")
def delete(
    request: Request,
    file: File,
    moderator: Moderator,
    sure: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Delete a file and what was computed from it, if the box is ticked."""
    if not sure:
        raise Problem(400, "request", "tick the box to delete the file; nothing was deleted")
    desk_of(request).library.delete(file)
    return see("/files")


def _list(request: Request, reader: Principal, fault: str = "") -> Response:
    desk = desk_of(request)
    rows = [(file, address_of(file)) for file in desk.library.all()]
    return page(request, "files.html", reader, status=400 if fault else 200, rows=rows, fault=fault)


def _menus(file: NewsFile, columns: dict[str, str]) -> list[dict[str, Any]]:
    """Return the menu of each field: the column that is read for it now, and what was chosen."""
    used = {field: column for column, field in columns.items() if field}
    return [
        {
            "field": field,
            "recognised": "" if field in file.mapping else used.get(field, ""),
            "chosen": _chosen(file, field),
        }
        for field in FIELDS
    ]


def _chosen(file: NewsFile, field: str) -> str:
    if field not in file.mapping:
        return _AUTO
    return f"{_COLUMN}{file.mapping[field]}" if file.mapping[field] else _NONE


def _mapping(values: dict[str, str]) -> dict[str, str]:
    """Return the mapping of columns that a form chose."""
    mapping: dict[str, str] = {}
    for field in FIELDS:
        value = values.get(f"field-{field}", _AUTO)
        if value == _NONE:
            mapping[field] = ""
        elif value.startswith(_COLUMN):
            mapping[field] = value.removeprefix(_COLUMN)
    check_fields(mapping)
    if values.get(DATES) in ("dmy", "mdy"):
        mapping[DATES] = values[DATES]
    for name in (SHEET, LIST):
        if text := values.get(name, "").strip():
            mapping[name] = text[:200]
    return mapping
