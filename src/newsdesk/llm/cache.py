"""Answers on disk, one file per request: a second run asks nothing again, and a killed one goes on where it stopped.

A file is named by the hash of the whole request and holds the request and its answer, so that it can be read and checked. It is written atomically
as soon as the answer is there, and readable by its owner alone: requests hold texts of articles and comments. Keys are no part of a request.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from newsdesk.errors import FileError
from newsdesk.files import atomic, make_folder, read_whole
from newsdesk.jsonl import json_line, json_value
from newsdesk.llm.questions import Completion
from newsdesk.signatures import sha256_of

_FORMAT = 1
OFF = "none"


def cache_folder(setting: str | None) -> Path | None:
    """Return where answers are kept: the folder set, $NEWSDESK_LLM_CACHE, or the user's own; None for `none`."""
    setting = setting or os.environ.get("NEWSDESK_LLM_CACHE")
    if setting == OFF:
        return None
    if setting:
        return Path(setting)
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "newsdesk" / "llm"


def request_key(request: Mapping[str, Any]) -> str:
    """Return the hash of a whole request, whatever the order of its keys."""
    return sha256_of(json_line({name: request[name] for name in sorted(request)}))


class CompletionCache:
    """A folder of answers; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, request: Mapping[str, Any]) -> Completion | None:
        """Return the answer to a request that was asked before; None if there is none, or its file is damaged."""
        if self.folder is None:
            return None
        try:
            stored = json_value(read_whole(self._path(request)))
            if stored["format"] != _FORMAT or stored["request"] != request:
                return None
            answer = stored["answer"]
            first = tuple((str(token), float(value)) for token, value in answer.pop("first"))
            return Completion(first=first, **answer)
        except (FileError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, request: Mapping[str, Any], answer: Completion) -> None:
        """Store an answer."""
        if self.folder is None:
            return
        path = self._path(request)
        make_folder(path.parent)
        with atomic(path, private=True) as stream:
            stream.write(
                json_line({"format": _FORMAT, "request": request, "answer": asdict(answer)})
            )

    def _path(self, request: Mapping[str, Any]) -> Path:
        assert self.folder is not None
        key = request_key(request)
        return self.folder / key[:2] / f"{key[2:]}.json"
