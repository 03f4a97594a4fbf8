"""The interface of trained summarizers: fit, save, digest."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Self

from newsdesk.errors import ArgumentError
from newsdesk.model.contract import Model
from newsdesk.model.folder import check_free, write_article_list
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers.cache import Cache
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.types import Article, Cluster


class TrainedSummarizer(Model):
    """A summarizer that is fitted on clusters with summaries, saved into a folder and named again by `model='FOLDER'`.

    A summarizer is a value, so here `fit` returns a new one and leaves the one it was called on as it was, and the folder is read on first
    use. A summarizer that was just fitted has an empty `model`.
    """

    kind = "summarizer"
    table = SUMMARIZERS
    model: str

    @property
    @abstractmethod
    def trained(self) -> bool:
        """Return True if there is a fitted model to summarize with."""

    @abstractmethod
    def fit(
        self,
        clusters: Iterable[Cluster],
        dev: Iterable[Cluster] | None = None,
        *,
        cache: Cache | None = None,
    ) -> Self:
        """Return a new summarizer fitted on clusters with summaries; open hyper-parameters are chosen by the error on `dev` clusters."""


def fit_and_save(
    method: Summarizer,
    clusters: Iterable[Cluster],
    folder: str | os.PathLike[str],
    *,
    dev: Iterable[Cluster] | None = None,
    cache: Cache | None = None,
    overwrite: bool = True,
) -> TrainedSummarizer:
    """Fit a method on clusters, save it into a folder and return it; a method that cannot be fitted or a folder in use is refused before any work."""
    if not isinstance(method, TrainedSummarizer):
        trained = [
            name for name in SUMMARIZERS if issubclass(SUMMARIZERS.load(name), TrainedSummarizer)
        ]
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
