"""Training of the copier that rewrites the extract of a cluster as a summary.

Training has two stages. The first has as targets the sentences of an extract that are nearest to the summary (greedy ROUGE-1) and teaches
selection and copying of whole sentences; the second has the summaries themselves as targets, mixed with pairs of the first stage against
forgetting. Each cluster gives several extracts: by the method used at inference, its lead, and random sentences.

The copier may generate punctuation and function words; everything with content, be it a name, a number or a "not", must be copied. For
English the function words are a list; for other scripts they are the words that a tenth of the summaries hold.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from newsdesk.errors import ArgumentError, DataError
from newsdesk.nn.copying import Copier, CopierSettings, Pair, fit_copier
from newsdesk.nn.encoder_decoder import vocabulary_of
from newsdesk.summarizers.baselines import Lead, Random
from newsdesk.summarizers.oracles import OracleMulti
from newsdesk.summarizers.prepare import prepare
from newsdesk.summarizers.summarizer import Summarizer
from newsdesk.text import language
from newsdesk.text.tokenize import pieces
from newsdesk.types import Cluster, ClusterArticle
from newsdesk.work import Progress

KNOWN_WORDS = 2_500
FIRST_EPOCHS = 3
_FIRST_RATE = 2e-3
_RARE = 0.002  # a word in fewer summaries is not worth writing
_COMMON = 0.1  # where there is no list
_JOINING = frozenset(
    "a an the this that these those it its he his she her they their who which where when while after before since until as of in on at to for from by "
    "with into over near during against under between among about and or but is are was were be been being has have had will would can could may also "
    "other others more than 's".split()
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Extracts paired with their sentences nearest to the summary, and with the summary; all as word pieces."""

    sentences: tuple[Pair, ...]
    summaries: tuple[Pair, ...]

    @classmethod
    def of(cls, clusters: Iterable[Cluster], extractors: Sequence[Summarizer]) -> TrainingPairs:
        """The pairs of every cluster with every extractor."""
        nearest_pairs, summary_pairs = [], []
        for cluster in clusters:
            if cluster.summary is None:
                raise DataError(f"cluster {cluster.id!r} has no `summary` to learn from")
            prepared = prepare(cluster)
            target = pieces(cluster.summary, language(cluster.summary))
            extracts = dict.fromkeys(extractor.summarize(prepared).text for extractor in extractors)
            for text in filter(None, extracts):
                source = pieces(text, language(text))
                summary_pairs.append((source, target))
                nearest = _nearest(text, cluster)
                nearest_pairs.append((source, pieces(nearest, language(nearest))))
        return cls(tuple(nearest_pairs), tuple(summary_pairs))


def training_extractors(extractor: Summarizer, seed: int) -> list[Summarizer]:
    """The extractors whose extracts are trained on: the one used at inference, the lead, and two random ones."""
    size = extractor.max_words
    drawn = (Random(max_words=size, order="chronological", seed=seed + n) for n in range(2))
    return [extractor, Lead(max_words=size), *drawn]


def train_copier(
    pairs: TrainingPairs, dev: TrainingPairs, epochs: int, seed: int
) -> tuple[Copier, float]:
    """Train a copier; return it and its loss on the dev pairs, or on the training pairs if there are none."""
    if not pairs.summaries:
        raise ArgumentError("no cluster with sentences and a summary to learn rewriting from")
    writable = _writable([summary for _, summary in pairs.summaries])
    counts = Counter(word for words, _ in pairs.summaries for word in words)
    known = [word for word, count in counts.most_common(KNOWN_WORDS) if count > 1]
    vocabulary = vocabulary_of((*writable, *known))
    first = CopierSettings(epochs=FIRST_EPOCHS, rate=_FIRST_RATE, seed=seed)
    _log.info("stage 1, selection and copying: %s extracts", f"{len(pairs.sentences):,}")
    start, _ = fit_copier(
        pairs.sentences, vocabulary, len(writable), first, dev=dev.sentences, progress=_log_epoch
    )
    mixed = (*pairs.summaries, *pairs.sentences[::2])
    _log.info("stage 2, rewriting: %s pairs", f"{len(mixed):,}")
    second = replace(first, epochs=epochs, rate=_FIRST_RATE / 2)
    return fit_copier(
        mixed,
        vocabulary,
        len(writable),
        second,
        start=start,
        dev=dev.summaries,
        progress=_log_epoch,
    )


def _log_epoch(epoch: Progress) -> None:
    _log.info("%s", epoch.step)


def _nearest(extract: str, cluster: Cluster) -> str:
    """The sentences of an extract that the greedy oracle selects."""
    alone = Cluster(cluster.id, (ClusterArticle("extract", extract),), summary=cluster.summary)
    return OracleMulti().summarize(alone).text


def _writable(summaries: Sequence[Sequence[str]]) -> list[str]:
    """The punctuation and function words that the copier may generate, the most frequent first."""
    counts = Counter(word for words in summaries for word in dict.fromkeys(words))
    writable = []
    for word, count in counts.most_common():
        plain = word.strip().lower().replace("’", "'")
        joins = plain in _JOINING or not any(map(str.isalnum, plain))
        unlisted = not joins and plain.isalpha() and not plain.isascii()
        least = _RARE if joins else _COMMON
        if (joins or unlisted) and count >= least * len(summaries):
            writable.append(word)
    return writable
