"""A worker process: takes tasks as lines of JSON, answers with lines of JSON, and dies with the process that started it.

Answers: `["unit", number, position]` before a unit and `["end"]` after it, then `["done", result]`, `["error", class, text]`
for an error of newsdesk's own, or `["bug", traceback]`. The lines written before a crash are still in the pipe after it, which
is how the other side knows the unit that did it.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import traceback
from typing import IO, Any

from newsdesk.corpus.engine.failures import packed_error
from newsdesk.corpus.engine.tasks import Timer
from newsdesk.errors import NewsdeskError

_PR_SET_PDEATHSIG = 1


def main(parent: int) -> None:
    """Serve tasks until the pipe closes."""
    _die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other side decides when to stop
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    for line in sys.stdin:
        _answer(answers, *_run(json.loads(line), answers))


def _run(task: dict[str, Any], answers: IO[str]) -> tuple[Any, ...]:
    watch = Timer(
        task["timeout_s"],
        lambda number, position: _answer(answers, "unit", number, position),
        lambda: _answer(answers, "end"),
        {int(number): reason for number, reason in task["skip"].items()},
    )
    try:
        return "done", load(task["function"])(watch, **task["arguments"])
    except NewsdeskError as error:
        return "error", *packed_error(error)
    except Exception:  # noqa: BLE001 - the edge of the process: the other side raises it again
        return "bug", traceback.format_exc()


def load(function: str) -> Any:
    """The function that "module:attribute" names."""
    module, _, attribute = function.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _answer(answers: IO[str], *parts: Any) -> None:
    answers.write(json.dumps(parts) + "\n")


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent is gone; elsewhere the closed pipe ends it at the next unit."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
