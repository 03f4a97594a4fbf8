"""Ready models: fitted rankers that ship with the package, so that comments without a single vote can be ranked.

`ready` takes the model of the comments' language: English, Chinese or Japanese; the last two are weak (`MODELS`). The English one exists with wordllama vectors and without.
What each was fitted on, its measures and its limits are on its card (docs/reference/ready-models.md). They are fitted by `python -m training.fit_ready`.

Which model ranks a thread: a saved one for all threads, or the ready one of each thread's language.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from newsdesk.errors import ArgumentError
from newsdesk.packaged import path
from newsdesk.rankers.ranker import Ranker
from newsdesk.registry import RANKERS
from newsdesk.text.encoders import has_wordllama
from newsdesk.text.language import language_of, main_language
from newsdesk.types import Thread

READY = "ready"
# The models by name, each with what a user should know before trusting it.
MODELS = {
    "ready-en": "English, fitted on UKPConvArg; wordllama vectors",
    "ready-en-plain": "English, fitted on UKPConvArg; no vectors",
    "ready-zh": "Chinese, weak: English weights adapted to our own sample; Chinese word lists",
    "ready-ja": "Japanese, weak: English weights adapted to our own sample; Japanese word lists",
}
_WEAK = {"ready-zh": "Chinese", "ready-ja": "Japanese"}


def ready_names() -> tuple[str, ...]:
    """Return the names that `load_ready` and the commands take for a model."""
    return (READY, *MODELS)


def ready_name(lang: str, *, vectors: bool = True) -> str | None:
    """Return the ready model of a language, or None; `vectors=False` asks for one that needs no vectors."""
    if lang == "en":
        return "ready-en" if vectors and has_wordllama() else "ready-en-plain"
    name = f"ready-{lang}"
    return name if name in MODELS else None


def load_ready(name: str, lang: str | None = None) -> Ranker:
    """Load a ready model by name; `ready` is that of the language."""
    if name == READY:
        chosen = ready_name(lang or "en")
        if chosen is None:
            languages = ", ".join(sorted({model.split("-")[1] for model in MODELS}))
            raise ArgumentError(
                f"no ready model for {lang!r}; there are models for {languages}; "
                "fit one of your own with `newsdesk rank fit`"
            )
        name = chosen
    if name not in MODELS:
        raise ArgumentError(f"no ready model is called {name!r}; there are: {', '.join(MODELS)}")
    return _loaded(name)


def weakness(name: str) -> str:
    """Return what the user of a weak ready model is told; empty for any other model."""
    if name not in _WEAK:
        return ""
    return (
        f"the {_WEAK[name]} model {name} is weak: its weights are those of English, adapted to a sample of our own, and were never measured on votes of {_WEAK[name]} readers, "
        "so read its order and its reasons as suggestions, and adapt it by `newsdesk rank fit` once you have votes"
    )


@functools.lru_cache(maxsize=4)
def _loaded(name: str) -> Ranker:
    return Ranker.load(path("rankers", "data", "ready", name))


_log = logging.getLogger(__name__)
# Threads from which a model learns what belongs to one; all at hand are kept in memory until then.
_MOST_AT_HAND = 250


class Models:
    """The models that a name stands for.

    The name is a folder with a saved model, a ready one, `ready` for that of the language, or a ranker that learns
    nothing. A folder that is called as a ready model is written with its path, as `./ready`.
    """

    def __init__(self, name: str | os.PathLike[str], length: float | None = None) -> None:
        """Load the models; `length` is how much length counts, where it is not what each model says itself."""
        self.name = os.fspath(name)
        self._length = length
        self._by_language: dict[str, Ranker] = {}
        self._said: set[str] = set()
        # The model of all threads; None if that of each thread's language is taken.
        self._one = None if self.name == READY else self._weighed(self._named())

    def of(self, thread: Thread) -> Ranker:
        """Return the ranker for a thread; that of its language if the name is `ready`.

        A weak one is logged as a warning once.
        """
        caution = self.caution(thread)
        if caution and caution not in self._said:
            self._said.add(caution)
            # The message is its own format: the commands print one warning of each format.
            _log.warning(caution)
        if self._one is not None:
            return self._one
        lang = language_of(thread)
        if lang not in self._by_language:
            self._by_language[lang] = self._weighed(load_ready(READY, lang))
        return self._by_language[lang]

    def at_hand(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Return the same threads; what the first ones tell without votes, the models learn."""
        rest = iter(threads)
        first = list(islice(rest, _MOST_AT_HAND))
        if self._one is not None:
            self._one = self._one.at_hand(first)
            return chain(first, rest)
        by_language: dict[str, list[Thread]] = {}
        for thread in first:
            by_language.setdefault(language_of(thread), []).append(thread)
        for lang, own in by_language.items():
            # Of a language without a model its first thread will be an error when it is ranked.
            if ready_name(lang):
                self._by_language[lang] = self.of(own[0]).at_hand(own)
        return chain(first, rest)

    @property
    def links(self) -> tuple[str, ...]:
        """What each model that was asked for says of where its detector of foreign sentences was learned."""
        models = [self._one] if self._one else self._by_language.values()
        return tuple(model.links for model in models if model.links)

    def caution(self, thread: Thread) -> str:
        """Return what to tell of the model of a thread if that is a weak one, else an empty text."""
        name = self.name if self._one is not None else ready_name(language_of(thread)) or ""
        return weakness(name)

    def one(self, threads: Iterable[Thread]) -> Ranker:
        """Return one model for all threads: the ready one is that of the language of most comments."""
        return self._one or self._weighed(load_ready(READY, main_language(threads)))

    def checked(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Return the same threads, with the warnings and errors of `Ranker.checked`."""
        return self._one.checked(threads) if self._one else iter(threads)

    def _weighed(self, model: Ranker) -> Ranker:
        """Return a model in which length counts as asked; with 1 in the order of length and quality alone, as before insults were a penalty."""
        if self._length is None:
            return model
        if "length" not in model.settings:
            raise ArgumentError(
                f"{self.name}: {model.name!r} has no setting of length; leave it out"
            )
        penalty = {"insults": 0.0} if self._length == 1 and "insults" in model.settings else {}
        return model.with_settings(length=self._length, **penalty)

    def _named(self) -> Ranker:
        """Return the one model of the name."""
        if self.name in ready_names():
            return load_ready(self.name)
        if not Path(self.name).exists() and self.name in RANKERS:
            kind = RANKERS.load(self.name)
            if not kind.learns({}):
                return kind()
        return Ranker.load(self.name)
