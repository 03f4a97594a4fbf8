"""`gguf:PATH`: a model in one file, run in this process by llama.cpp (`xllamacpp`, extra `gguf`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from newsdesk.errors import FileError
from newsdesk.files import file_digest
from newsdesk.llm.backends import chat_answer, chat_request, refused_request
from newsdesk.llm.questions import Completion, LanguageModelError, Prompt
from newsdesk.registry import require

_CONTEXT = 8192
_MAGIC = b"GGUF"


class GgufModel:
    """A model in a GGUF file; loaded when the first question is asked."""

    parallel = False

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        try:
            with self._path.open("rb") as stream:
                magic = stream.read(len(_MAGIC))
        except OSError:
            magic = b""
        if magic != _MAGIC:
            raise FileError(f"{path}: no GGUF model there")
        self._runtime = require("xllamacpp", extra="gguf", what="a model by gguf:PATH")
        self._server: Any = None
        self.name = f"gguf:{self._path.name}:{file_digest(path)[:16]}"

    def request(self, question: Prompt) -> dict[str, Any]:
        """Return the body of the request, with the file's name and digest as the model."""
        return {"context": _CONTEXT, **chat_request(self.name, question)}

    def send(self, question: Prompt) -> Completion:
        """Run the model once."""
        answer = self._loaded().handle_chat_completions(chat_request(self.name, question))
        error = answer.get("error") if isinstance(answer, dict) else None
        if error:
            return refused_request(int(error.get("code") or 400), answer, self.name)
        return chat_answer(answer)

    def _loaded(self) -> Any:
        if self._server is None:
            params = self._runtime.CommonParams()
            params.model.path = str(self._path)
            params.n_ctx = _CONTEXT
            params.n_parallel = 1
            params.verbosity = -1
            params.cpuparams.n_threads = int(
                os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1
            )
            try:
                self._server = self._runtime.Server(params)
            except (RuntimeError, ValueError) as error:
                raise LanguageModelError(f"{self._path}: cannot be loaded ({error})") from error
        return self._server
