"""Serve the page of metrics: a pasted candidate and its references, or two files; every score with its signature, and the words that matched."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.datastructures import FormData
from starlette.requests import Request

from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.registry import METRICS, MODEL_METRICS
from newsdesk.service import uploads, work
from newsdesk.service.desk import desk_of
from newsdesk.service.pages import page
from newsdesk.service.principals import Principal, Reader
from newsdesk.types import Output, Reference, References

router = APIRouter(prefix="/score", include_in_schema=False)

_DEFAULT = ("rouge-1", "rouge-2", "rouge-l", "bleu-4", "meteor", "chrf")
_WEIGHT = re.compile(r"\s*([01](?:[.,]\d*)?|[.,]\d+)\s*\|\s*(.*)", re.DOTALL)
_LONGEST = 20_000  # characters of a pasted text


@router.get("")
def score_page(request: Request, reader: Reader) -> Response:
    """Return the form."""
    return _page(request, reader, {})


@router.post("")
async def score(request: Request, reader: Reader) -> Response:
    """Return the form with what was scored, by every chosen metric."""
    desk = desk_of(request)
    with uploads.folder() as folder:
        async with request.form(max_files=2) as form:
            values = {key: value for key, value in form.items() if isinstance(value, str)}
            metrics = [name for name in METRICS if name in form.getlist("metric")] or [*_DEFAULT]
            try:
                pair = _pair(form, values, folder)
            except NewsdeskError as error:
                return _page(request, reader, values, metrics, fault=str(error))
        try:
            scored = await desk.workers.run(work.score_pair, *pair, metrics, str(folder))
        except NewsdeskError as error:
            return _page(request, reader, values, metrics, fault=str(error))
    return _page(request, reader, values, metrics, scored=scored)


def _pair(form: FormData, values: dict[str, str], folder: Any) -> tuple[Any, Any]:
    """Return outputs and references: the pasted ones, or the names of two uploaded files."""
    files = [uploads.files_of(form, field) for field in ("outputs", "references-file")]
    if all(files):
        return tuple(uploads.save(some[0], folder).name for some in files)  # type: ignore[return-value]
    if any(files):
        raise ArgumentError("a file of outputs and a file of references go together")
    candidate, references = values.get("candidate", ""), values.get("references", "")
    if not candidate.strip() or not references.strip():
        raise ArgumentError("paste a candidate and at least one reference, or choose two files")
    if len(candidate) + len(references) > _LONGEST:
        raise ArgumentError(f"more than {_LONGEST:,} characters; put them into files")
    lines = [line for line in references.splitlines() if line.strip()]
    return [Output("pasted", "candidate", candidate)], [
        References("pasted", tuple(map(_reference, lines)))
    ]


def _reference(line: str) -> Reference:
    """Return a reference of a pasted line, whose weight may stand before a bar.

    >>> _reference("0,5 | A ferry sank.")
    Reference(text='A ferry sank.', weight=0.5)
    """
    weighted = _WEIGHT.fullmatch(line)
    if weighted is None:
        return Reference(line.strip())
    return Reference(weighted[2].strip(), float(weighted[1].replace(",", ".")))


def _page(
    request: Request,
    reader: Principal,
    values: dict[str, str],
    metrics: list[str] | None = None,
    *,
    fault: str = "",
    scored: dict[str, Any] | None = None,
) -> Response:
    return page(
        request, "score.html", reader, status=400 if fault else 200, values=values, fault=fault, scored=scored,
        all_metrics=[name for name in METRICS if "soft-" not in name and name not in MODEL_METRICS], metrics=metrics or _DEFAULT,
    )  # fmt: skip
