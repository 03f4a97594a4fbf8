"""Which model ranks a thread: a saved one for all threads, or the ready one of each thread's language."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from newsdesk.rankers.ranker import Ranker
from newsdesk.rankers.ready import READY, load_ready, ready_name, ready_names, weakness
from newsdesk.registry import RANKERS
from newsdesk.text.language import language_of, main_language
from newsdesk.types import Thread

_log = logging.getLogger(__name__)


class Models:
    """The models that a name stands for: a folder with a saved one, a ready one, `ready` for that of the language, or a ranker that learns nothing.

    A folder that is called as a ready model is written with its path, as `./ready`.
    """

    def __init__(self, name: str | os.PathLike[str]) -> None:
        self.name = os.fspath(name)
        self._by_language: dict[str, Ranker] = {}
        self._said: set[str] = set()
        self._one = None if self.name == READY else self._named()

    def of(self, thread: Thread) -> Ranker:
        """Return the ranker for a thread; that of its language if the name is `ready`. A weak one is logged as a warning once."""
        caution = self.caution(thread)
        if caution and caution not in self._said:
            self._said.add(caution)
            # The message is its own format: the commands print one warning of each format.
            _log.warning(caution)
        if self._one is not None:
            return self._one
        lang = language_of(thread)
        if lang not in self._by_language:
            self._by_language[lang] = load_ready(READY, lang)
        return self._by_language[lang]

    def caution(self, thread: Thread) -> str:
        """Return what to tell of the model of a thread if that is a weak one, else an empty text."""
        name = self.name if self._one is not None else ready_name(language_of(thread)) or ""
        return weakness(name)

    def one(self, threads: Iterable[Thread]) -> Ranker:
        """One model for all threads: the ready one is that of the language of most comments."""
        return self._one or load_ready(READY, main_language(threads))

    def checked(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """The same threads, with the warnings and errors of `Ranker.checked`."""
        return self._one.checked(threads) if self._one else iter(threads)

    def _named(self) -> Ranker:
        if self.name in ready_names():
            return load_ready(self.name)
        if not Path(self.name).exists() and self.name in RANKERS:
            kind = RANKERS.load(self.name)
            if not kind.learns({}):
                return kind()
        return Ranker.load(self.name)
