"""`POST /v1alpha1/comments:analyze` in the shape of the Perspective API, so that a platform that speaks to that service can point here.

Attributes are those of `attributes`; nothing is stored, whatever `doNotStore` says; the context is accepted and not used, as in that API. `begin` and `end` of spans
count characters. What cannot be answered is said in that API's own error form (`google`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from newsdesk.errors import ArgumentError, DataError
from newsdesk.languages import check_language
from newsdesk.rankers.ready import READY, ready_name
from newsdesk.records.schema import parse_line
from newsdesk.service.api import work
from newsdesk.service.api.answers import documented, read_body, takes, whole
from newsdesk.service.api.campaign_shapes import (
    AnalyzeAnswer,
    AnalyzeRequest,
    AttributeList,
    AttributeRequest,
    AttributeRow,
    GoogleError,
)
from newsdesk.service.api.work import ranker_source
from newsdesk.service.database import Attribute
from newsdesk.service.desk import desk_of
from newsdesk.service.errors import Problem, google_body, google_detail
from newsdesk.service.principals import Admin, Principal, Reader, require
from newsdesk.text import language, sentences

router = APIRouter(tags=["perspective"])


@router.get("/api/v1/attributes", responses=documented(AttributeList))
def attributes(request: Request, principal: Reader) -> Response:
    """List the attributes that comments:analyze knows."""
    attributes = desk_of(request).attributes.all()
    return whole({"attributes": [asdict(attribute) for attribute in attributes.values()]})


@router.put(
    "/api/v1/attributes/{name}",
    responses=documented(AttributeRow, body=True),
    openapi_extra=takes(AttributeRequest, once=False),
)
async def register(request: Request, name: str, principal: Admin) -> Response:
    """Register a ready model or a ranker of the data folder under a name."""
    body = await read_body(request, AttributeRequest)
    desk = desk_of(request)
    ranker_source(desk.folder, body.model)  # a model that is not there is refused now
    attribute = Attribute(name, body.model, body.inverted)
    await run_in_threadpool(desk.attributes.register, attribute)
    return whole(asdict(attribute))


@router.delete(
    "/api/v1/attributes/{name}", status_code=204, responses=documented(None, 400, 404, status=204)
)
def remove(request: Request, name: str, principal: Admin) -> Response:
    """Remove a registered attribute."""
    if not desk_of(request).attributes.remove(name):
        raise Problem(404, "not-found", "there is no such attribute")
    return Response(status_code=204)


MOST_BYTES = 20 * 1024
MOST_SPANS = 100  # of a comment; what follows is one more
_PLAIN = (None, "PLAIN_TEXT", "TEXT_TYPE_UNSPECIFIED")
_PROBABILITY = (None, "PROBABILITY", "SCORE_TYPE_UNSPECIFIED")
_ERRORS = {
    400: "The request cannot be answered; `details` say why.",
    401: "No key, or one that is not valid.",
    403: "The key lacks the scope.",
    413: "The body is too large.",
    429: "Too many requests.",
    503: "The server cannot do this now.",
}


class AnalyzeError(Exception):
    """A request that comments:analyze cannot answer."""

    def __init__(self, message: str, kind: str = "INVALID_REQUEST", **fields: Any) -> None:
        super().__init__(message)
        self.details = [google_detail(kind, **fields)]


@router.post(
    "/v1alpha1/comments:analyze",
    responses={
        200: {"model": AnalyzeAnswer, "description": "Scores by attribute."},
        **{code: {"model": GoogleError, "description": said} for code, said in _ERRORS.items()},
    },
    openapi_extra=takes(AnalyzeRequest, once=False),
)
async def analyze(
    request: Request, principal: Annotated[Principal, Depends(require("read", query_key="key"))]
) -> Response:
    """Score a comment by attributes such as CONSTRUCTIVE; the key may be sent as `?key=`."""
    try:
        body = _parsed(await request.body())
        text = _text(body)
        attributes = await run_in_threadpool(desk_of(request).attributes.all)
        asked = _asked(body, attributes)
        languages = _languages(body, text)
        supported = _supported(body, asked, languages, text)
        scores = {
            attribute.name: await _scores(request, attribute, text, languages[0], body)
            for attribute in supported
        }
    except AnalyzeError as error:
        return JSONResponse(google_body(400, str(error), error.details), 400)
    answer: dict[str, Any] = {
        "attributeScores": {name: score for name, score in scores.items() if score is not None},
        "languages": languages,
    }
    if not body.languages:
        answer["detectedLanguages"] = languages
    if body.clientToken is not None:
        answer["clientToken"] = body.clientToken
    return whole(answer)


def _parsed(raw: bytes) -> AnalyzeRequest:
    """Return the body of a request; `AnalyzeError` in that API's words where it does not fit."""
    try:
        return AnalyzeRequest.model_validate(parse_line(raw.decode("utf-8")))
    except UnicodeDecodeError as error:
        raise AnalyzeError("Invalid JSON payload received: not UTF-8.") from error
    except DataError as error:
        raise AnalyzeError(f"Invalid JSON payload received: {error.reason}.") from error
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        at = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "extra_forbidden":
            message = f'Invalid JSON payload received. Unknown name "{at}": Cannot find field.'
        else:
            message = f"Invalid value at '{at}': {fault['msg']}"
        raise AnalyzeError(message) from error


def _text(body: AnalyzeRequest) -> str:
    """Return the text to analyze; `AnalyzeError` if it is empty, too long or not plain text."""
    entries = [body.comment] if body.comment else []
    if body.context is not None:
        if body.context.entries and body.context.articleAndParentComment:
            raise AnalyzeError(
                "Context can have either entries or article_and_parent_comment, not both."
            )
        entries += body.context.entries or []
    for entry in entries:
        if entry.type not in _PLAIN:
            raise AnalyzeError("Currently, only 'PLAIN_TEXT' comments are supported.")
    text = body.comment.text if body.comment else ""
    if not text.strip():
        raise AnalyzeError("Comment must be non-empty.", "COMMENT_EMPTY")
    if len(text.encode("utf-8")) > MOST_BYTES:
        raise AnalyzeError("Comment text too long.", "COMMENT_TOO_LONG")
    return text


def _asked(body: AnalyzeRequest, attributes: Mapping[str, Attribute]) -> list[Attribute]:
    """Return the attributes asked for; unknown ones are dropped if allowed, else refused."""
    if not body.requestedAttributes:
        raise AnalyzeError("Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES")
    asked = []
    for name, parameters in body.requestedAttributes.items():
        if name not in attributes:
            if body.dropUnsupportedAttributes:
                continue
            there = ", ".join(attributes)
            raise AnalyzeError(f"Unknown requested attribute: {name}; there are: {there}")
        if parameters.scoreType not in _PROBABILITY:
            raise AnalyzeError(
                f"Requested score type {parameters.scoreType} is not supported by attribute {name}"
            )
        asked.append(attributes[name])
    return asked


def _languages(body: AnalyzeRequest, text: str) -> list[str]:
    """Return the languages as asked for, the one the text is in first; or the one that its script shows."""
    shown = language(text)
    if not body.languages:
        return [shown]
    codes = list(dict.fromkeys(code.partition("-")[0].lower() for code in body.languages))
    return sorted(codes, key=lambda code: code != shown)


def _supported(
    body: AnalyzeRequest, asked: list[Attribute], languages: list[str], text: str
) -> list[Attribute]:
    """Return the attributes that know all the languages; the rest are dropped if allowed, else refused."""
    supported = []
    for attribute in asked:
        if all(_knows(attribute, lang) for lang in languages):
            supported.append(attribute)
        elif not body.dropUnsupportedAttributes:
            raise AnalyzeError(
                f"Attribute {attribute.name} does not support request languages: {', '.join(languages)}",
                "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
                languageNotSupportedByAttributeError={
                    "detectedLanguages": [language(text)],
                    "requestedLanguages": languages if body.languages else [],
                    "attribute": attribute.name,
                },
            )
    return supported


def _knows(attribute: Attribute, lang: str) -> bool:
    """Return True if a language can be scored by an attribute's model.

    The ready model has some languages, others take what can be cut into words.
    """
    try:
        check_language(lang)
    except ArgumentError:
        return False
    return attribute.model != READY or ready_name(lang) is not None


async def _scores(
    request: Request, attribute: Attribute, text: str, lang: str, body: AnalyzeRequest
) -> dict[str, Any] | None:
    """Return the score of the text and of its spans; None if it is below the threshold."""
    desk = desk_of(request)
    whole_text = [(0, len(text))]
    spans = whole_text
    if body.spanAnnotations:
        spans = await run_in_threadpool(_sentence_spans, text, lang) or spans
    model = ranker_source(desk.folder, attribute.model)
    texts = [text] if spans == whole_text else [text, *(text[begin:end] for begin, end in spans)]
    values = await desk.workers.run(work.probabilities, model, texts, lang)
    values = [1 - value if attribute.inverted else value for value in values]
    threshold = ((body.requestedAttributes or {})[attribute.name]).scoreThreshold
    text_value, *span_values = values
    if threshold is not None and text_value < threshold:
        return None
    return {
        "spanScores": [
            {"begin": begin, "end": end, "score": _score(value)}
            for (begin, end), value in zip(spans, span_values or values, strict=True)
        ],
        "summaryScore": _score(text_value),
    }


def _score(value: float) -> dict[str, Any]:
    return {"value": round(value, 6), "type": "PROBABILITY"}


def _sentence_spans(text: str, lang: str) -> list[tuple[int, int]]:
    """Return where each sentence begins and ends; after a hundred the rest is one, to bound the time."""
    spans: list[tuple[int, int]] = []
    end = 0
    for sentence in sentences(text, lang):
        begin = text.find(sentence, end)
        if begin < 0 or len(spans) == MOST_SPANS:  # or a sentence whose white space was changed
            return [*spans, (end if begin < 0 else begin, len(text))]
        end = begin + len(sentence)
        spans.append((begin, end))
    return spans
