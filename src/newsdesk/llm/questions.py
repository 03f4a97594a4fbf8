"""What is asked of a language model and what comes back, as values."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.errors import NewsdeskError
from newsdesk.packaged import table

REFUSED = "refused"
TOO_LONG = "too long for the model"


class LanguageModelError(NewsdeskError):
    """What ends a run with a model: no endpoint, a wrong key, a ceiling; earlier answers are in the cache."""


class TryAgainError(Exception):
    """A request without a usable answer that may have one later; `pause_s` is what the server asks for."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        self.reason = reason
        self.pause_s = pause_s
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One request: what the model is told to do, the texts with the question, and how it may answer.

    `top` is how many alternatives of the first token are asked for, with their probabilities.
    """

    system: str
    user: str
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0
    top: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The answer to a question: its text, or why there is none.

    `finish` is `stop`, `length` (cut off at `max_tokens`) or `refused`; `first` holds the alternatives of the first visible token
    with their natural log-probabilities; `failure` says in a few words why nothing came back.
    """

    text: str = ""
    finish: str = "stop"
    first: tuple[tuple[str, float], ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failure: str = ""

    @property
    def refused(self) -> bool:
        """True if the model declines: the endpoint says so, or the text begins as refusals do."""
        opening = " ".join(self.text[:200].lower().replace("’", "'").split())
        return self.finish == REFUSED or bool(_refusals().match(opening))

    @property
    def usable(self) -> bool:
        """True if there is a text that is no refusal."""
        return bool(self.text.strip()) and not self.failure and not self.refused

    def probabilities(self, options: Sequence[str]) -> dict[str, float] | None:
        """Return the probability of each option as the answer; None if the endpoint gave no probabilities, or none of these.

        A token counts for the option that it spells or begins, whatever its case and spaces; the options share all the probability.

        >>> answer = Completion(text="Yes", first=(("Yes", -0.5), (" no", -1.5), ("The", -2.0)))
        >>> {option: round(p, 3) for option, p in answer.probabilities(["yes", "no"]).items()}
        {'yes': 0.731, 'no': 0.269}
        """
        masses = dict.fromkeys(options, 0.0)
        for token, value in self.first:
            word = token.strip().lower()
            fitting = [option for option in options if word and option.lower().startswith(word)]
            exact = [option for option in fitting if option.lower() == word]
            if len(chosen := exact or fitting) == 1:
                masses[chosen[0]] += math.exp(min(value, 0.0))
        total = sum(masses.values())
        return {option: mass / total for option, mass in masses.items()} if total > 0 else None


@functools.cache
def _refusals() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{line})" for line in table("llm", "refusals.txt")))
