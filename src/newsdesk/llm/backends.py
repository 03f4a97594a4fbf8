"""What a backend is, and the request and answer of chat endpoints, which servers and local files share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from newsdesk.llm.questions import (
    REFUSED,
    TOO_LONG,
    Completion,
    LanguageModelError,
    Prompt,
    TryAgainError,
)
from newsdesk.network import BROKEN_ANSWER
from newsdesk.wording import excerpt

_LONGEST_MESSAGE = 200


class Backend(Protocol):
    """What answers questions."""

    @property
    def name(self) -> str:
        """The model as signatures name it."""

    @property
    def parallel(self) -> bool:
        """True if several questions can be asked at once."""

    def request(self, question: Prompt) -> dict[str, Any]:
        """Return the whole request as JSON: what the answer depends on, and no key."""

    def send(self, question: Prompt) -> Completion:
        """Ask once; TryAgainError if a later try may have an answer, LanguageModelError if none will."""


def chat_request(model: str, question: Prompt) -> dict[str, Any]:
    """Return the body of a request for a chat completion."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.user},
        ],
        "max_tokens": question.max_tokens,
        "temperature": question.temperature,
        "seed": question.seed,
        "stream": False,
    }
    if question.top:
        body |= {"logprobs": True, "top_logprobs": question.top}
    return body


def chat_answer(value: Any) -> Completion:
    """Return the answer in the JSON of a chat completion; TryAgainError if it has another shape."""
    try:
        choice = value["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        refusal = message.get("refusal")
        finish = str(choice.get("finish_reason") or "stop")
        usage = value.get("usage") or {}
        if not isinstance(text, str) or not isinstance(usage, Mapping):
            raise TypeError("not text")
        return Completion(
            text=text if text.strip() or not refusal else str(refusal),
            finish=REFUSED if refusal or finish == "content_filter" else finish,
            first=_first_token(choice.get("logprobs")),
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise TryAgainError(BROKEN_ANSWER) from error


def _first_token(logprobs: Any) -> tuple[tuple[str, float], ...]:
    """Return the alternatives of the first token that shows something, with their log-probabilities; () without any."""
    if not isinstance(logprobs, Mapping) or not isinstance(logprobs.get("content"), list):
        return ()
    for token in logprobs["content"]:
        if str(token["token"]).strip():
            rows = token.get("top_logprobs") or [token]
            return tuple((str(row["token"]), float(row["logprob"])) for row in rows)
    return ()


def refused_request(status: int, value: Any, name: str) -> Completion:
    """Return the answer that an error of the client's kind stands for; LanguageModelError where it concerns every question."""
    error = value.get("error") if isinstance(value, Mapping) else None
    fields = error if isinstance(error, Mapping) else {"message": error or value}
    message = str(fields.get("message") or "")
    kind = f"{fields.get('code')} {fields.get('type')} {message}".lower()
    if "content_filter" in kind or "content management policy" in kind:
        return Completion(finish=REFUSED)
    if status == 413 or any(
        mark in kind
        for mark in (
            "context_length",
            "context length",
            "context size",
            "exceed_context",
            "too long",
            "maximum context",
        )
    ):
        return Completion(failure=TOO_LONG)
    hint = {
        401: "; the key is read from NEWSDESK_LLM_KEY or OPENAI_API_KEY",
        403: "; the key may not use it",
        404: "; is the address right, and does the server have this model?",
    }
    said = excerpt(" ".join(message.split()), _LONGEST_MESSAGE)
    raise LanguageModelError(
        f"{name}: status {status}{f' ({said})' if said else ''}{hint.get(status, '')}"
    )
