"""Ceilings on requests, tokens and cost, and the estimate of tokens where no tokenizer is at hand."""

from __future__ import annotations

import math
import re
import threading
from dataclasses import dataclass

from newsdesk.errors import ArgumentError
from newsdesk.llm.questions import Completion, LanguageModelError, Prompt
from newsdesk.settings import above_zero, at_least
from newsdesk.wording import plural

_PER_MESSAGE = 8  # tokens of a message's frame
_LETTERS_PER_TOKEN = 3.5  # of Latin script; English news has 4.2 to 4.7 in usual vocabularies
_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    A token is 3.5 ASCII characters, 1.5 of other scripts, or one character of Chinese, Japanese or Korean.

    >>> estimated_tokens("The bridge fell."), estimated_tokens("大桥坍塌")
    (5, 4)
    """
    dense = len(_DENSE.findall(text))
    plain = len(text.encode("ascii", "ignore"))
    return math.ceil(plain / _LETTERS_PER_TOKEN + (len(text) - dense - plain) / 1.5 + dense)


def prompt_tokens(question: Prompt) -> int:
    """Return about how many tokens a question has."""
    return 2 * _PER_MESSAGE + estimated_tokens(question.system) + estimated_tokens(question.user)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """What a run may use; prices are per million tokens, in whatever currency `max_cost` is in."""

    max_requests: int | None = None
    max_total_tokens: int | None = None
    max_cost: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        for name in ("max_requests", "max_total_tokens", "max_cost"):
            above_zero(name, getattr(self, name))
        at_least("price_in", self.price_in, 0)
        at_least("price_out", self.price_out, 0)
        if self.max_cost is not None and not self.price_in + self.price_out:
            raise ArgumentError("max_cost needs price_in or price_out, per million tokens")

    def cost(self, prompt: int, completion: int) -> float:
        """Return the price of so many tokens."""
        return (prompt * self.price_in + completion * self.price_out) / 1e6


@dataclass(slots=True)
class Usage:
    """What was used so far: requests sent, answers from the cache, tokens, cost, retries, questions without an answer."""

    requests: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    retries: int = 0
    failures: int = 0

    def __str__(self) -> str:
        tokens = f"{self.prompt_tokens:,} tokens in, {self.completion_tokens:,} out"
        parts = [plural(self.requests, "request"), f"{self.cached:,} from the cache", tokens]
        if self.cost:
            parts.append(f"cost {self.cost:.4f}")
        if self.retries:
            parts.append(plural(self.retries, "retry", "retries"))
        if self.failures:
            parts.append(f"{self.failures:,} without an answer")
        return ", ".join(parts)


class Budget:
    """Counts what is used and stops before a ceiling; safe to share among threads."""

    def __init__(self, ceilings: Ceilings) -> None:
        self.ceilings = ceilings
        self.usage = Usage()
        self._lock = threading.Lock()
        self._reserved_tokens = 0
        self._reserved_cost = 0.0

    def reserve(self, question: Prompt) -> None:
        """Count one request; LanguageModelError if it could pass a ceiling.

        Until `settle` its tokens count as the estimate and the longest answer.
        """
        prompt, completion = prompt_tokens(question), question.max_tokens
        cost = self.ceilings.cost(prompt, completion)
        with self._lock:
            used = self.usage
            tokens = used.prompt_tokens + used.completion_tokens + self._reserved_tokens
            self._check("max_requests", used.requests + 1)
            self._check("max_total_tokens", tokens + prompt + completion)
            self._check("max_cost", used.cost + self._reserved_cost + cost)
            used.requests += 1
            self._reserved_tokens += prompt + completion
            self._reserved_cost += cost

    def settle(self, question: Prompt, answer: Completion | None) -> None:
        """Replace what was reserved for a question by what its answer used; None if the request failed."""
        prompt = prompt_tokens(question)
        with self._lock:
            self._reserved_tokens -= prompt + question.max_tokens
            self._reserved_cost -= self.ceilings.cost(prompt, question.max_tokens)
            if answer is not None:
                self._add(answer.prompt_tokens or prompt, answer.completion_tokens)

    def count(self, **more: int) -> None:
        """Add to the counts of `Usage` by name."""
        with self._lock:
            for name, number in more.items():
                setattr(self.usage, name, getattr(self.usage, name) + number)

    def foresee(self, question: Prompt) -> None:
        """Count a question that is not sent, with the longest answer."""
        with self._lock:
            self.usage.requests += 1
            self._add(prompt_tokens(question), question.max_tokens)

    def _add(self, prompt: int, completion: int) -> None:
        self.usage.prompt_tokens += prompt
        self.usage.completion_tokens += completion
        self.usage.cost += self.ceilings.cost(prompt, completion)

    def _check(self, name: str, needed: float) -> None:
        ceiling = getattr(self.ceilings, name)
        if ceiling is not None and needed > ceiling:
            raise LanguageModelError(
                f"{name}={ceiling} would be passed after {plural(self.usage.requests, 'request')}; raise it and run again: the answers so far are in the cache"
            )
