"""The one door: questions go through the cache, the ceilings and the retries to whatever answers them.

Answers come in the order of the questions, whatever their number at once. The same question is asked once, also when it is asked twice at the same
time. An answer is in the cache before anybody sees it.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

from newsdesk.errors import ArgumentError
from newsdesk.llm.backends import Backend
from newsdesk.llm.budget import Budget, Ceilings, Usage
from newsdesk.llm.cache import CompletionCache, cache_folder, request_key
from newsdesk.llm.endpoint import ChatEndpoint, is_out_of_reach
from newsdesk.llm.gguf import GgufModel
from newsdesk.llm.hugging_face import TransformersModel, is_causal
from newsdesk.llm.questions import Completion, LanguageModelError, Prompt, TryAgainError
from newsdesk.registry import offer

_IN_A_ROW = 5  # questions without an answer that end a run
_MAX_PAUSE_S = 60.0
_FILLER = "word"
_counting: ContextVar[Usage | None] = ContextVar("counting", default=None)


@contextmanager
def counted_only() -> Iterator[Usage]:
    """Send nothing inside the block, and yield what would be used: `--dry-run`.

    Every question gets a filler of its longest length, so that questions about answers are counted too.
    """
    usage = Usage()
    token = _counting.set(usage)
    try:
        yield usage
    finally:
        _counting.reset(token)


def is_counting() -> bool:
    """Return whether questions are only counted."""
    return _counting.get() is not None


class LanguageModel:
    """A model with its cache, ceilings and retries; safe to share among threads."""

    def __init__(
        self,
        backend: Backend,
        cache: CompletionCache,
        ceilings: Ceilings,
        *,
        concurrency: int,
        attempts: int,
        backoff_s: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._backend = backend
        self._cache = cache
        self._budget = Budget(ceilings)
        self._attempts = attempts
        self._backoff_s = backoff_s
        self._sleep = sleep
        self._at_once = concurrency if backend.parallel else 1
        self._running: dict[str, Future[Completion]] = {}
        self._counted: set[str] = set()
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # of backends that answer one question at a time
        self._failed_in_a_row = 0

    @property
    def name(self) -> str:
        """The model as signatures name it: address and name, or file name and digest."""
        return self._backend.name

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._budget.usage

    def ask(self, question: Prompt) -> Completion:
        """Return the answer to one question, from the cache where it is there."""
        request = self._backend.request(question)
        if (usage := _counting.get()) is not None:
            return self._count(question, request_key(request), usage)
        key = request_key(request)
        with self._lock:
            running = self._running.get(key)
            own: Future[Completion] = Future()
            if running is None:
                self._running[key] = own
        if running is not None:
            return running.result()
        try:
            answer = self._cache.get(request)
            if answer is not None:
                self._budget.count(cached=1)
            else:
                answer = self._asked(question)
                if not answer.failure:
                    self._cache.put(request, answer)
            own.set_result(answer)
            return answer
        except BaseException as error:
            own.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._running[key]

    def ask_all(self, questions: Iterable[Prompt]) -> Iterator[Completion]:
        """Yield the answer to each question in order; several are asked at once where the backend can."""
        if self._at_once == 1 or is_counting():
            yield from map(self.ask, questions)
            return
        rest = iter(questions)
        with ThreadPoolExecutor(self._at_once) as pool:
            waiting = deque(
                pool.submit(self.ask, each) for each in itertools.islice(rest, 2 * self._at_once)
            )
            try:
                while waiting:
                    yield waiting.popleft().result()
                    waiting.extend(
                        pool.submit(self.ask, each) for each in itertools.islice(rest, 1)
                    )
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _asked(self, question: Prompt) -> Completion:
        """Return the answer of the backend after as many tries as it takes, or the failure after the last."""
        reason = ""
        for attempt in range(self._attempts):
            if attempt:
                self._budget.count(retries=1)
            self._budget.reserve(question)
            answer = None
            try:
                answer = self._sent(question)
                break
            except TryAgainError as error:
                reason = error.reason
                pause = self._backoff_s * 2**attempt if error.pause_s is None else error.pause_s
            finally:
                self._budget.settle(question, answer)
            if attempt + 1 < self._attempts:
                self._sleep(min(pause, _MAX_PAUSE_S))
        else:
            answer = Completion(failure=reason)
        self._note(answer)
        return answer

    def _sent(self, question: Prompt) -> Completion:
        if self._backend.parallel:
            return self._backend.send(question)
        with self._turn:
            return self._backend.send(question)

    def _note(self, answer: Completion) -> None:
        """Count failures; LanguageModelError where going on makes no sense."""
        if not answer.failure:
            self._failed_in_a_row = 0
            return
        self._budget.count(failures=1)
        self._failed_in_a_row += 1
        if is_out_of_reach(answer.failure):
            raise LanguageModelError(f"{self.name}: nobody answers there ({answer.failure})")
        if self._failed_in_a_row >= _IN_A_ROW:
            raise LanguageModelError(
                f"{self.name}: {_IN_A_ROW} questions in a row had no answer ({answer.failure}); run again later: the answers so far are in the cache"
            )

    def _count(self, question: Prompt, key: str, usage: Usage) -> Completion:
        """Count a question instead of asking it; return its cached answer, or a filler."""
        answer = self._cache.get(self._backend.request(question))
        if answer is not None or key in self._counted:
            usage.cached += 1
            return answer or _filler(question)
        self._counted.add(key)
        foreseen = Budget(self._budget.ceilings)
        foreseen.foresee(question)
        usage.requests += 1
        usage.prompt_tokens += foreseen.usage.prompt_tokens
        usage.completion_tokens += foreseen.usage.completion_tokens
        usage.cost += foreseen.usage.cost
        return _filler(question)


def _filler(question: Prompt) -> Completion:
    return Completion(text=" ".join([_FILLER] * question.max_tokens), finish="length")


def language_model(
    spec: str,
    *,
    cache: str | None = None,
    concurrency: int = 4,
    timeout_s: float = 120.0,
    attempts: int = 5,
    backoff_s: float = 1.0,
    ceilings: Ceilings | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> LanguageModel:
    """Return the model that a spec names: `openai:URL#MODEL`, `gguf:PATH` or `hf:PATH`.

    `cache` is a folder, `none`, or the user's own; a failed request is tried `attempts` times with a pause of `backoff_s` that doubles.
    """
    kind, colon, place = spec.partition(":")
    if not colon or not place or kind not in _KINDS:
        raise ArgumentError(
            f"{spec!r} names no model; there are openai:URL#MODEL, gguf:PATH and hf:PATH"
            if colon
            else f"{spec!r} names no model; {offer(spec, [f'{kind}:…' for kind in _KINDS])}"
        )
    backend = _backend(kind, place, timeout_s, concurrency)
    return LanguageModel(
        backend,
        CompletionCache(cache_folder(cache)),
        ceilings or Ceilings(),
        concurrency=concurrency,
        attempts=attempts,
        backoff_s=backoff_s,
        sleep=sleep,
    )


_KINDS = ("openai", "gguf", "hf")


def is_language_model(spec: str) -> bool:
    """Return whether a spec names a model that is asked, not one that rewrites: an endpoint, a GGUF file, a causal transformers model."""
    kind, colon, place = spec.partition(":")
    return bool(colon) and (kind in ("openai", "gguf") or (kind == "hf" and is_causal(place)))


def _backend(kind: str, place: str, timeout_s: float, concurrency: int) -> Backend:
    if kind == "openai":
        return ChatEndpoint(place, timeout_s=timeout_s, connections=concurrency)
    return _local(kind, place)


@functools.lru_cache(maxsize=2)
def _local(kind: str, path: str) -> Backend:
    """Return a model of a local file or folder; loaded once, whoever asks."""
    return GgufModel(path) if kind == "gguf" else TransformersModel(path)
