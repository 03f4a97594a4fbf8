"""The settings that every method with a language model has in its spec: `llm(model='openai:…', max_cost=2, price_in=.15)`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from newsdesk.errors import ArgumentError
from newsdesk.llm.budget import Ceilings
from newsdesk.llm.door import LanguageModel, language_model
from newsdesk.registry import Spec
from newsdesk.settings import above_zero, at_least


def _running(default: Any) -> Any:
    """Declare a setting of how a model is asked, which no answer depends on: no part of the spec and the signature."""
    return field(default=default, compare=False, metadata={"running": True})


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """A model and how it is asked; `model` and `temperature` are part of the signature, the others are not.

    `cache` is a folder, `none`, or the user's own where it is not set. Prices are per million tokens.
    """

    model: str = ""
    temperature: float = 0.0
    cache: str | None = _running(None)
    concurrency: int = _running(4)
    timeout_s: float = _running(120.0)
    attempts: int = _running(5)
    backoff_s: float = _running(1.0)
    max_requests: int | None = _running(None)
    max_total_tokens: int | None = _running(None)
    max_cost: float | None = _running(None)
    price_in: float = _running(0.0)
    price_out: float = _running(0.0)

    def check_model(self) -> None:
        """Raise an error if a setting of the model cannot be used; adapters call it in `__post_init__`."""
        at_least("temperature", self.temperature, 0)
        at_least("concurrency", self.concurrency, 1)
        at_least("attempts", self.attempts, 1)
        at_least("backoff_s", self.backoff_s, 0)
        above_zero("timeout_s", self.timeout_s)
        self.ceilings  # noqa: B018  checks itself

    @property
    def ceilings(self) -> Ceilings:
        """The ceilings among the settings."""
        names = [each.name for each in fields(Ceilings)]
        return Ceilings(**{name: getattr(self, name) for name in names})

    @cached_property
    def asked(self) -> LanguageModel:
        """The model, opened when it is first needed."""
        if not self.model:
            raise ArgumentError(
                "no language model is named; write model='openai:URL#MODEL', 'gguf:PATH' or 'hf:PATH'"
            )
        return language_model(
            self.model,
            cache=self.cache,
            concurrency=self.concurrency,
            timeout_s=self.timeout_s,
            attempts=self.attempts,
            backoff_s=self.backoff_s,
            ceilings=self.ceilings,
        )


def without_running(spec: Spec) -> Spec:
    """Return a spec without the settings of how a model is asked."""
    running = {each.name for each in fields(ModelSettings) if each.metadata.get("running")}
    return Spec(spec.name, tuple(pair for pair in spec.arguments if pair[0] not in running))
