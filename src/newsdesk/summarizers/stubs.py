"""Short articles of a cluster that are about something else: notices of consent, blocked pages, texts about a web archive.

Where a page could not be fetched, what was stored instead is short and shares next to no word with the other articles. That needs no list of phrases and holds in
any language. The two numbers were chosen on half of the shared Multi-News clusters (research/results/summaries.md).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from newsdesk.arrays import Bools
from newsdesk.summarizers.expectations import Units
from newsdesk.summarizers.prepare import Prepared

_SHORT = 60  # content words
_UNLIKE = 0.1  # cosine with the words of all other sentences of the cluster


def stubs(prepared: Prepared, units: Units) -> Bools:
    """For each article whether it is a stub; none is if no article of the cluster is longer than one."""
    articles = len(prepared.languages)
    place = np.searchsorted(prepared.distinct, prepared.first)
    ones = np.ones(len(place))
    holds = sparse.csr_array(
        (ones, (prepared.article, place)), shape=(articles, len(prepared.distinct))
    )
    holds.data[:] = 1  # a sentence that an article repeats counts once
    counts = (holds @ units.counts[:, : units.words][:, ~units.function]).tocsr()
    lengths = counts.sum(axis=1)
    if articles < 2 or lengths.max(initial=0) < _SHORT:
        return np.zeros(articles, np.bool_)
    total = np.asarray(units.counts[:, : units.words].sum(axis=0))[~units.function]
    own = counts.power(2).sum(axis=1)
    shared = counts @ total - own
    others = total @ total - 2 * shared - own
    norms = np.sqrt(np.maximum(own * others, 0))
    cosine = np.divide(shared, norms, out=np.zeros(articles), where=norms > 0)
    return (lengths < _SHORT) & (cosine < _UNLIKE)
