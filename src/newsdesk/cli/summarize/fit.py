"""The `--fit` side of `newsdesk summarize`: clusters with summaries in, a fitted method in a folder out."""

from __future__ import annotations

import click

from newsdesk import records
from newsdesk.cli.progress import reading, told
from newsdesk.errors import ArgumentError
from newsdesk.models import check_free
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers import Summarizer
from newsdesk.summarizers.cache import Cache
from newsdesk.summarizers.learned import Learned
from newsdesk.types import Cluster


def fit(
    made: Summarizer, clusters: str, dev: str | None, cache: str | None, folder: str, *, force: bool
) -> None:
    """Fit a method on clusters and save it."""
    if not isinstance(made, Learned):
        trained = [name for name in SUMMARIZERS if issubclass(SUMMARIZERS.load(name), Learned)]
        raise ArgumentError(f"{made.name} learns nothing; --fit is for {', '.join(trained)}")
    check_free(folder, overwrite=force)
    read = reading(records.read(clusters, Cluster), "looking at training clusters")
    held = reading(records.read(dev, Cluster), "looking at dev clusters") if dev else None
    with told():
        fitted = made.fit(read, held, cache=Cache(cache))
        fitted.save(folder, overwrite=force)
    click.echo(fitted.summary, err=True)
