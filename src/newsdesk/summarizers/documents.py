"""The important documents of a cluster: which articles a summarizer reads where its setting `documents` says how many.

Gholipour Ghalandari et al. (2020, 5.3) suggest to identify important documents before summarization, because the best summary from a single article is nearly as good as that
from all. It is done in two steps.

    related   Two articles agree if the cosine of their TF-IDF vectors is at least .13; copies of each other say nothing, and a week between their dates halves it. Articles
              that agree, directly or through others, are a group, and those outside the group with most agreement are left out. Where no two articles agree, the first that is not page
              furniture stands for the event, as in the study of curves. Of two articles neither can be told to be the stranger: both stay. Of a large cluster
              the thousand most central articles take part.
    ranked    Of more related articles than are wanted the best are taken, by a linear model of centrality (mean cosine with the others), agreement of leads (the same for
              the first three sentences) and length. Its weights are learned from oracles: the ROUGE-1 F of the best extract of each article, as a share of the cluster's best.

The weights in `documents.tsv` and the cosine of .13 are from the shared Multi-News and WCEP clusters (`training/fit_documents.py`, `research/documents.py`). These have no dates, so what a
week is worth is an assumption.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from newsdesk.arrays import Floats, best_first
from newsdesk.packaged import table
from newsdesk.summarizers.prepare import Prepared, prepare
from newsdesk.summarizers.readable import furniture
from newsdesk.text.ragged import sparse_unit_rows

DOCUMENT_FEATURES = ("centrality", "lead-agreement", "log-length")
_AGREE = 0.13
_COPY = 0.95
_LEAD_SENTENCES = 3
_WEEK = 7.0
_FURNITURE_SHARE = 0.5
_MOST = 1_000  # articles of a cluster that are compared with each other


def important(prepared: Prepared, count: int) -> Prepared:
    """Return the cluster with at most so many articles: those that belong together, and of these the best."""

    def chosen() -> Prepared:
        articles = prepared.cluster.articles
        numbers = related(prepared)
        if len(numbers) > count:
            scores = document_features(prepared, numbers) @ _weights()
            numbers = sorted(numbers[place] for place in best_first(scores)[:count].tolist())
        if len(numbers) == len(articles):
            return prepared
        kept = tuple(articles[number] for number in numbers)
        cluster = dataclasses.replace(prepared.cluster, articles=kept)
        fewer = prepare(cluster, titles=prepared.titles)
        return fewer.once(key, lambda: fewer)  # choosing from those chosen changes nothing

    key = f"documents {count}"
    return prepared.once(key, chosen)


def related(prepared: Prepared) -> list[int]:
    """Return the numbers of the articles in the group with most agreement.

    >>> from newsdesk import samples
    >>> first, second = samples.clusters()[:2]
    >>> mixed = dataclasses.replace(first, articles=(*first.articles, second.articles[0]))
    >>> len(mixed.articles), len(related(prepare(mixed)))
    (8, 7)
    """
    count = len(prepared.languages)
    if count <= 2:
        return list(range(count))
    vectors = _article_vectors(prepared, sentences=None)  # articles × terms
    centrality = vectors @ np.asarray(vectors.sum(axis=0)).ravel()
    listed = np.sort(best_first(centrality)[:_MOST])
    cosines = _agreement(prepared, vectors[listed], listed.tolist())
    _, groups = connected_components(cosines >= _AGREE, directed=False)
    same = groups[:, None] == groups  # articles × articles
    inside: Floats = np.where(same, cosines, 0.0).sum(axis=1)
    strength: Floats = np.bincount(groups, weights=inside).astype(np.float64)
    best = int(best_first(strength)[0])
    numbers: list[int] = listed[groups == best].tolist()
    if len(numbers) > 1:
        return numbers
    reports = (number for number in range(count) if not _is_furniture(prepared, number))
    return [next(reports, 0)]


def document_features(prepared: Prepared, numbers: Sequence[int]) -> Floats:
    """Return articles × 3: centrality and agreement of leads among these articles, log of the length."""
    listed = list(numbers)
    others = max(len(listed) - 1, 1)
    columns = [
        _cosines(_article_vectors(prepared, sentences)[listed]).sum(axis=1) / others
        for sentences in (None, _LEAD_SENTENCES)
    ]
    lengths = [len(prepared.cluster.articles[number].text) for number in listed]
    return np.column_stack([*columns, np.log1p(lengths)])


def _agreement(prepared: Prepared, vectors: Any, numbers: Sequence[int]) -> Floats:
    """Return the cosines of articles, less for days between them; 0 for copies and on the diagonal."""
    cosines = _cosines(vectors)
    cosines[cosines >= _COPY] = 0
    days = np.array([_day(prepared.cluster.articles[number].date) for number in numbers])
    apart = np.nan_to_num(np.abs(days[:, None] - days))  # articles × articles; undated: none
    return cosines * 0.5 ** (apart / _WEEK)


def _article_vectors(prepared: Prepared, sentences: int | None) -> Any:
    """Return the unit vector of each article: the sum of the TF-IDF vectors of its sentences.

    Only its first `sentences` count; all, if that is None.
    """
    rows = np.searchsorted(prepared.distinct, prepared.first)  # of each sentence in `vectors`
    starts = prepared.offsets[prepared.article]
    used = np.ones(len(prepared), dtype=np.bool_)
    if sentences is not None:
        used = np.arange(len(prepared)) < starts + sentences
    shape = (len(prepared.languages), len(prepared.distinct))
    uses = sparse.csr_array((used.astype(float), (prepared.article, rows)), shape=shape)
    return sparse_unit_rows(sparse.csr_array(uses @ prepared.vectors))


def _cosines(vectors: Any) -> Floats:
    """Return the cosines of unit rows with each other, 0 on the diagonal."""
    cosines: Floats = (vectors @ vectors.T).toarray()
    np.fill_diagonal(cosines, 0)
    return cosines


def _is_furniture(prepared: Prepared, number: int) -> bool:
    """Return True if at least half of an article's sentences are page furniture."""
    start, end = map(int, prepared.offsets[number : number + 2])
    latin = prepared.is_latin(number)
    flags = [bool(furniture(text, latin=latin)) for text in prepared.texts[start:end]]
    return not flags or sum(flags) / len(flags) >= _FURNITURE_SHARE


def _day(text: str | None) -> float:
    """Return the number of a day, nan where there is none."""
    return float(date.fromisoformat(text[:10]).toordinal()) if text else float("nan")


@cache
def _weights() -> Floats:
    rows = dict(line.split("\t") for line in table("summarizers", "documents.tsv"))
    return np.array([float(rows[name]) for name in DOCUMENT_FEATURES])
