"""`openai:URL#MODEL`: an endpoint that speaks the chat completions of OpenAI, as vLLM, llama.cpp, Ollama and many services do.

The key comes from the environment alone. Whatever the server sends back, an error included, has the key struck out before anybody reads it.
"""

from __future__ import annotations

import os
import weakref
from typing import Any
from urllib.parse import urlsplit

from newsdesk.errors import ArgumentError
from newsdesk.jsonl import json_line, json_value
from newsdesk.llm.backends import chat_answer, chat_request, refused_request
from newsdesk.llm.questions import Completion, LanguageModelError, Prompt, TryAgainError
from newsdesk.network import (
    BAD_ADDRESS,
    BROKEN_ANSWER,
    SERVER_ERROR,
    SLOW_DOWN,
    TOO_MANY,
    UNREACHABLE,
    Client,
    NoAnswerError,
    retry_after,
)

_MAX_BYTES = 16 * 1024 * 1024
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_STRUCK = b"[key]"
_AGENT = "newsdesk"


class ChatEndpoint:
    """A model behind an address."""

    parallel = True

    def __init__(self, address: str, *, timeout_s: float, connections: int) -> None:
        url, mark, model = address.partition("#")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or not mark or not model:
            raise ArgumentError(
                f"openai:{_without_user(url)} is not openai:URL#MODEL, as in openai:http://127.0.0.1:8080/v1#smol"
            )
        if parts.username or parts.password or parts.query:
            raise ArgumentError(
                "an address of a model holds no user, password or query: the key is read from NEWSDESK_LLM_KEY"
            )
        self.name = f"openai:{url}#{model}"
        self._model = model
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._key = _key(parts.scheme, parts.hostname)
        self._client = Client(
            agent=_AGENT,
            timeout_s=timeout_s,
            max_bytes=_MAX_BYTES,
            connections=connections,
            extra="llm",
            what="a model by openai:URL",
            trust_env=parts.hostname not in _LOOPBACK,  # no proxy stands before one's own machine
        )
        weakref.finalize(self, self._client.close)

    def request(self, question: Prompt) -> dict[str, Any]:
        """Return the body that is sent, with the address it is sent to."""
        return {"url": self._url, **chat_request(self._model, question)}

    def send(self, question: Prompt) -> Completion:
        """Send one request and read its answer."""
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            answer = self._client.post(
                self._url, json_line(chat_request(self._model, question)), headers
            )
        except NoAnswerError as error:
            if error.reason == BAD_ADDRESS:
                raise LanguageModelError(f"{self.name}: {BAD_ADDRESS}") from None
            raise TryAgainError(error.reason) from None
        if answer.status in SLOW_DOWN:
            pause = retry_after(answer.headers.get("retry-after"), -1.0)
            reason = TOO_MANY if answer.status == SLOW_DOWN[0] else SERVER_ERROR
            raise TryAgainError(reason, pause if pause >= 0 else None)
        if answer.status >= 500 or answer.status == 408:
            raise TryAgainError(SERVER_ERROR)
        if 300 <= answer.status < 400:
            raise LanguageModelError(f"{self.name}: the address is redirected; name the new one")
        value = self._read(answer.body, answer.status)
        if answer.status >= 400:
            return refused_request(answer.status, value, self.name)
        return chat_answer(value)

    def _read(self, body: bytes, status: int) -> Any:
        """Return the JSON of a body without the key, or its text where an error is no JSON."""
        if self._key:
            body = body.replace(self._key.encode(), _STRUCK)
        try:
            return json_value(body)
        except ValueError as error:
            if status >= 400:
                return body[:500].decode("utf-8", "replace")
            raise TryAgainError(BROKEN_ANSWER) from error


def is_out_of_reach(reason: str) -> bool:
    """Return whether a failure means that nobody is there, which no other question will change."""
    return reason == UNREACHABLE


def _key(scheme: str, host: str) -> str:
    """Return the key for an endpoint; that of OpenAI goes only where nobody can listen."""
    if key := os.environ.get("NEWSDESK_LLM_KEY", "").strip():
        return key
    safe = scheme == "https" or host in _LOOPBACK
    return os.environ.get("OPENAI_API_KEY", "").strip() if safe else ""


def _without_user(url: str) -> str:
    """Return an address without what may be a password."""
    before, at, after = url.rpartition("@")
    return f"…@{after}" if at else before + after
