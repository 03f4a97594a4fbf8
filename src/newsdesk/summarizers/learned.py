"""What every summarizer that learns can do, whatever it learns."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Self

from newsdesk.summarizers.cache import Cache
from newsdesk.types import Cluster


class Learned(ABC):
    """A summarizer that is fitted on clusters with summaries, saved into a folder and named again by `model='FOLDER'`; fitted just now, its `model` is empty."""

    model: str

    @property
    @abstractmethod
    def trained(self) -> bool:
        """Whether there is a model to summarize with."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """What tells its model from every other."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """Its name, and what it learned from."""

    @abstractmethod
    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Learn from clusters with summaries; what is left open is chosen by the error on `dev` clusters."""

    @abstractmethod
    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the fitted model into a folder."""
