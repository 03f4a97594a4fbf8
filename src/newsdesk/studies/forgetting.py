"""Forgetting everywhere: in the files of a corpus, and in the stores of the campaigns that judged its articles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from newsdesk.campaigns.store import Store
from newsdesk.campaigns.store.schema import erase_articles
from newsdesk.corpus.forget import ForgetReport, forget
from newsdesk.corpus.forget.targets import Request


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What was forgotten in the files, and how many judgments were erased from all stores."""

    files: ForgetReport
    judgments: int


def forget_everywhere(
    corpus: str | os.PathLike[str],
    out: str | os.PathLike[str],
    request: Request,
    *,
    models: Sequence[str | os.PathLike[str]] = (),
    stores: Sequence[str] = (),
) -> Forgetting:
    """Write a version of the corpus without what the request names, and erase it from stores in place.

    The files are those of `forget`; the old version stays. From the campaigns of `stores` (addresses of databases) the judgments on the
    articles are erased. All stores are opened before anything is written.
    """
    opened: list[Store] = []
    try:
        for url in stores:
            opened.append(Store.open(url, create=False))
        report = forget(corpus, out, request, models=models)
        ids = {*report.ids, *request.articles}
        judgments = sum(erase_articles(store, ids) for store in opened if ids)
    finally:
        for store in opened:
            store.close()
    return Forgetting(report, judgments)
