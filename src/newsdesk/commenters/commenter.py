"""The interface of commenters: fitted on threads, they suggest comments under an article, and they are saved without pickle.

Settings, spec, saving and loading are those of `newsdesk.model`. The arrays of a saved commenter are files of their own, which are memory-mapped when it is loaded, unless
it is saved `packed`.

Small fitted commenters that ship with the package, one of each system, so that they can be tried without training anything.

They were fitted on the English threads of the sample newsroom without the one about the dam that was opened (`HELD_OUT`), by `python -m training.fit_commenters`: eleven articles show how the systems work and are good for nothing else.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from newsdesk.arrays import Floats
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.commenters.texts import content_of, title_of
from newsdesk.errors import ArgumentError
from newsdesk.model import Model, check_free, hashes_of, save_model
from newsdesk.packaged import path
from newsdesk.registry import COMMENTERS
from newsdesk.types import Article, Thread
from newsdesk.work.progress import OnProgress

# A key that duplicates share, the text, the score, and the source.
Candidate = tuple[str, str, float, Mapping[str, Any]]


class Rater(Protocol):
    """What rates comments: a fitted ranker of the caller."""

    @property
    def name(self) -> str:
        """The name of the ranker, for signatures."""

    def scores(self, thread: Thread) -> Floats:
        """Return the score of each comment of a thread, in the thread's order."""


@dataclass(frozen=True, eq=False)
class Commenter(Model):
    """A way to suggest comments under an article."""

    kind = "commenter"
    table = COMMENTERS
    # True if title and text of an article are read, not the title alone.
    content: ClassVar[bool]
    # True if a ranker can rate the comments of the training threads (`with_ranker`).
    takes_ranker: ClassVar[bool] = False
    # The values that `tuning` tries: of settings of the training, and of settings that need no new training.
    fit_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    suggest_grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    @abstractmethod
    def fit(
        self,
        threads: Iterable[Thread],
        dev: Iterable[Thread] | None = None,
        progress: OnProgress | None = None,
        *,
        checkpoints: Path | None = None,
    ) -> Self:
        """Learn from threads.

        What is chosen on held-out data is chosen on the `dev` threads, if there are any. A long training writes `checkpoints` into a folder, and resumes from those it finds there.
        """

    @abstractmethod
    def dev_measure(self, dev: Iterable[Thread]) -> tuple[str, float]:
        """Return the name and value of what the training is chosen by, on dev threads; higher is better."""

    def with_ranker(self, ranker: Rater) -> Self:
        """Let a fitted ranker rate the training comments when this commenter is fitted.

        An error if it uses none.
        """
        raise ArgumentError(
            f"{self.name} uses no ranker; leave {ranker.name!r} out, or fit ir-quality"
        )

    def text_of(self, article: Article) -> str:
        """Return what is read of an article: its title, or title and text."""
        return content_of(article) if self.content else title_of(article)

    @abstractmethod
    def suggest(self, article: Article, n: int = 3, *, at: str | None = None) -> list[Suggestion]:
        """Up to n different comments under an article, best first.

        None of them is from the article's own thread.

        `at` is the time to put on them; nothing here asks the clock.
        """

    def _first(
        self, article: Article, ranked: Iterable[Candidate], n: int, at: str | None
    ) -> list[Suggestion]:
        """Return suggestions of the first n candidates with a text and with keys that differ."""
        chosen: dict[str, Suggestion] = {}
        for key, text, score, source in ranked:
            if text.strip() and key not in chosen:
                chosen[key] = Suggestion(
                    article.id, text, score, self.name, source, self.digest, self.signature, at
                )
            if len(chosen) == n:
                break
        return list(chosen.values())

    @property
    @abstractmethod
    def facts(self) -> dict[str, object]:
        """What the signature says beside the settings: sizes of the training data, updates done."""

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        articles: Iterable[Article] | None = None,
        overwrite: bool = True,
        packed: bool = False,
    ) -> None:
        """Write the commenter to a folder that `load` reads; model.json comes last.

        `packed` puts all arrays into one compressed file, for small models that are passed on.
        """
        check_free(folder, overwrite=overwrite)
        saved = self.saved()
        if packed:
            saved = replace(saved, hashes=hashes_of(saved.arrays))
        save_model(
            folder, self.kind, saved, articles=articles, overwrite=overwrite, mapped=not packed
        )


def commenter(spec: str, **settings: Any) -> Commenter:
    """Return the commenter that a spec names, such as `ir-t` or `ir-tc(neighbours=20)`.

    >>> commenter("ir-t").name
    'ir-t'
    """
    return COMMENTERS.make(spec, **settings)


HELD_OUT = "2031-03-05-dam-release/2"
SYSTEMS = ("ir-t", "ir-tc", "ir-quality", "seq2seq", "att", "att-tc")
# The models by name, each with what a user should know before trusting it.
MODELS = {
    f"sample-{name}": f"the commenter {name}, fitted on eleven threads of the sample newsroom: a demonstration"
    for name in SYSTEMS
}


def load_commenter(model: str | os.PathLike[str]) -> Commenter:
    """Load a commenter from a folder, or by the name of one that ships.

    A folder that is called like one is written with its path, as `./sample-att`.
    """
    name = os.fspath(model)
    return Commenter.load(path("commenters", "data", name) if name in MODELS else name)
