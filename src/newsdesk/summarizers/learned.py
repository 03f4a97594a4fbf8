"""The interface of trained summarizers: fit, save, digest."""

from __future__ import annotations

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Self

from newsdesk.errors import ArgumentError
from newsdesk.models import check_free, write_article_list
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers.cache import Cache
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.types import Article, Cluster


class Learned(ABC):
    """A summarizer that is fitted on clusters with summaries, saved into a folder and named again by `model='FOLDER'`.

    `fit` returns a new summarizer and leaves the one it was called on as it was. Fitted state is a field whose name ends in `_`, which
    is not a setting: neither the spec nor the constructor has it. A summarizer that was just fitted has an empty `model`.
    """

    model: str

    @property
    @abstractmethod
    def trained(self) -> bool:
        """True if there is a fitted model to summarize with."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A short digest that identifies the fitted model."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """The name and a note on the training data, in one line."""

    @abstractmethod
    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Return a new summarizer fitted on clusters with summaries; open hyper-parameters are chosen by the error on `dev` clusters."""

    @abstractmethod
    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the fitted model into a folder."""

    def _holding(self, **values: Any) -> Self:
        """A copy with these fields replaced, fitted state included."""
        fresh = copy.copy(self)
        for name, value in values.items():
            object.__setattr__(fresh, name, value)
        return fresh


def fit_and_save(
    method: Summarizer,
    clusters: Iterable[Cluster],
    folder: str | os.PathLike[str],
    *,
    dev: Iterable[Cluster] | None = None,
    cache: Cache | None = None,
    overwrite: bool = True,
) -> Learned:
    """Fit a method on clusters, save it into a folder and return it; a method that cannot be fitted or a folder in use is refused before any work."""
    if not isinstance(method, Learned):
        trained = [name for name in SUMMARIZERS if issubclass(SUMMARIZERS.load(name), Learned)]
        raise ArgumentError(f"{method.name} learns nothing; --fit is for {', '.join(trained)}")
    check_free(folder, overwrite=overwrite)
    seen: dict[str, Article] = {}
    held_out = None if dev is None else _remembered(dev, seen)
    fitted = method.fit(_remembered(clusters, seen), held_out, cache=cache)
    fitted.save(folder, overwrite=overwrite)
    write_article_list(folder, seen.values())
    return fitted


def _remembered(clusters: Iterable[Cluster], seen: dict[str, Article]) -> Iterator[Cluster]:
    """The same clusters; ids and addresses of their articles are collected on the way, without their texts."""
    for cluster in clusters:
        for article in cluster.articles:
            seen[article.id] = Article(article.id, "", url=article.url)
        yield cluster
