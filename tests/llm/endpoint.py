"""An endpoint on loopback that speaks chat completions, answers as a test says, and misbehaves on request."""

from __future__ import annotations

import atexit
import functools
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_FENCED = re.compile(r"^<<<(.+)\n(?:.*\n)*?^>>>\1$", re.MULTILINE)
INJECTIONS = tuple(
    part.strip("\n")
    for part in Path(__file__).with_name("injections.txt").read_text("utf-8").split("\n----\n")
)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the endpoint does with a request; the default is a good answer."""

    text: str = "yes"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # in place of a chat completion
    first: dict[str, float] = field(default_factory=dict)  # log-probabilities of the first token
    finish: str = "stop"
    refusal: str | None = None
    cut_after: int | None = None  # bytes of the body, then the connection breaks
    hang_s: float = 0.0


class Endpoint:
    """What a test sees of the server: its spec, and the requests so far."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.spec = f"openai:{self.url}#fake"
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answered: list[str] = []  # the prompts whose answers were sent whole


Answering = Callable[[dict[str, Any]], Reply | str]


def prompt_of(body: dict[str, Any]) -> str:
    """Return all that a request says."""
    return "\n".join(message["content"] for message in body["messages"])


def outside_data(body: dict[str, Any]) -> str:
    """Return what a request says outside its fenced data: what a perfect model would obey."""
    return _FENCED.sub("", prompt_of(body))


@contextmanager
def endpoint(answer: Answering | Reply | str) -> Iterator[Endpoint]:
    """Serve answers: one for all requests, or what a function returns for the body of each."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                seen.requests.append(body)
                seen.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = answer(body) if callable(answer) else answer
            reply = Reply(text=reply) if isinstance(reply, str) else reply
            if reply.hang_s:
                time.sleep(reply.hang_s)
            data = reply.body if reply.body is not None else json.dumps(completion(reply)).encode()
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data if reply.cut_after is None else data[: reply.cut_after])
            except OSError:  # the other side went away
                self.close_connection = True
                return
            if reply.cut_after is not None:
                self.close_connection = True
            with lock:
                seen.answered.append(prompt_of(body))

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    seen = Endpoint(server.server_address[1])
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(reply: Reply) -> dict[str, Any]:
    """Return a good answer as the JSON of a chat completion."""
    message = {"role": "assistant", "content": None if reply.refusal else reply.text}
    if reply.refusal:
        message["refusal"] = reply.refusal
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reply.finish}
    if reply.first:
        rows = [{"token": token, "logprob": value} for token, value in reply.first.items()]
        choice["logprobs"] = {"content": [{**rows[0], "top_logprobs": rows}]}
    tokens = {"prompt_tokens": 10, "completion_tokens": len(reply.text.split())}
    return {"object": "chat.completion", "choices": [choice], "usage": tokens}


@functools.cache
def answering(text: str) -> str:
    """Return the spec of a model that always says this, for as long as the tests run."""
    running = endpoint(text)
    atexit.register(running.__exit__, None, None, None)
    return running.__enter__().spec
