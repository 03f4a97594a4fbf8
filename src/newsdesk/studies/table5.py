"""Table 5 of Gholipour Ghalandari et al. (2020) on any clusters, with cross-validation of trained methods, and where greedy oracles fall short.

As in the paper, trained methods are fitted on training clusters, and redundancy (0 to 1 in steps of .1) or diversity (1 to 10) is tuned on sampled validation clusters (`ready_methods`). Without
training clusters a trained method that has no model is fitted for each fold of clusters on all other folds; the fold of a cluster depends on the
seed and its id. The limit counts tokens, punctuation included, as the paper's section 5.1 does. A cluster with several references is scored against each of them (an oracle knows the one it
is compared with, training sees them all), and its score is the mean: intervals resample clusters, not references.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError
from newsdesk.languages import check_language
from newsdesk.registry import SUMMARIZERS, Spec
from newsdesk.stats.significance import interval
from newsdesk.studies.sweep import drawn
from newsdesk.studies.tuning import GRIDS, Grid, Tuning, grid_of, tune
from newsdesk.summarizers import Summarizer, SummaryEvaluation, evaluate_outputs, prepare
from newsdesk.summarizers.evaluate import Counted, MethodScores, configured, shown_name
from newsdesk.summarizers.prepare import check_languages
from newsdesk.summarizers.regression import BertReg
from newsdesk.summarizers.trained import Cache, TrainedSummarizer
from newsdesk.types import Cluster, Output, Reference, References, Score
from newsdesk.wording import plural
from newsdesk.work.progress import OnProgress, counting, silent

ORACLES = ("oracle-multi", "oracle-single")
# not extractive: a score above an oracle does not show that greedy search missed a better set
_REWRITING = ("submodular+abs",)
_SLACK = 1e-9
_WORD_VECTORS = "wordllama"


def table5(
    clusters: Iterable[Cluster],
    methods: Sequence[str | Summarizer],
    *,
    references: Iterable[References] | None = None,
    folds: int = 5,
    max_words: int = 40,
    unit: Counted = "tokens",
    samples: int = 10_000,
    seed: int = 0,
    cache: Cache | None = None,
    progress: OnProgress = silent,
) -> SummaryEvaluation:
    """Summarize every cluster by every method and score the summaries.

    `max_words` counts the tokens or words of `unit`.
    """
    summarizers = [configured(method, max_words, seed, unit) for method in methods]
    names = [_name(summarizer, unit) for summarizer in summarizers]
    if len(set(names)) != len(names):
        raise ArgumentError("a method is given twice")
    items = _items(list(clusters), references)
    fold_of = _folds(list(items), folds, seed)
    finished = counting(progress, len(items))
    cache = cache or Cache()
    outputs: list[Output] = []
    # The signatures of each method as keys, each once, in order.
    signatures: dict[str, dict[str, None]] = {name: {} for name in names}
    for fold in sorted(set(fold_of.values())):
        train = [cluster for item in items if fold_of[item] != fold for cluster in items[item]]
        ready = [_fitted(summarizer, train, cache) for summarizer in summarizers]
        for item in (item for item in items if fold_of[item] == fold):
            for number, cluster in enumerate(items[item]):
                prepared = prepare(cluster)
                for name, unfitted, fitted in zip(names, summarizers, ready, strict=True):
                    summary = fitted.summarize(prepared)
                    outputs.append(Output(_key(item, number), name, summary.text))
                    signature = summary.signature
                    if fitted is not unfitted and isinstance(fitted, TrainedSummarizer):
                        # One of several models, which share one signature.
                        signature = signature.replace(f":{fitted.digest}", f":{folds}-folds")
                    signatures[name][signature] = None
            finished(items[item][0].id)
    targets = [
        References(_key(item, number), (Reference(cluster.summary or ""),))
        for item, copies in items.items()
        for number, cluster in enumerate(copies)
    ]
    evaluation = evaluate_outputs(
        outputs, targets, max_words=max_words, unit=unit, samples=samples, seed=seed
    )
    rows = (
        dataclasses.replace(row, signatures=tuple(signatures[row.system]))
        for row in evaluation.rows
    )
    evaluation = dataclasses.replace(evaluation, rows=tuple(rows))
    return evaluation if references is None else _by_cluster(evaluation, items)


def with_encoder(names: Iterable[str], encoder: str | None = None) -> list[str]:
    """Return specs of summarizers in which `bertreg` averages word vectors unless an encoder is named."""
    chosen = {"bertreg": f"bertreg(encoder={encoder or _WORD_VECTORS!r})"}
    return [chosen.get(name, name) for name in names]


def ready_methods(
    methods: Sequence[Summarizer],
    *,
    train: Callable[[], Iterable[Cluster]] | None = None,
    dev: Iterable[Cluster] | None = None,
    tune_on: int = 100,
    samples: int = 1_000,
    seed: int = 0,
    progress: OnProgress = silent,
) -> tuple[list[Summarizer], list[str]]:
    """Fit methods on the clusters that `train` opens, and tune them on sampled `dev` clusters.

    Fitted are those that learn, tuned those with a grid. Return them in their order, and a sentence on each fit and each choice. A setting that a spec fixes is not tuned.
    """
    ready: list[Summarizer] = []
    notes: list[str] = []
    sampled = None if dev is None else drawn(dev, tune_on, seed)
    finished = counting(progress, len(methods))
    for method in methods:
        if train and isinstance(method, TrainedSummarizer) and not method.trained:
            method = method.fit(train())
            notes.append(f"Fitted: {method.summary}.")
        if sampled is not None and (grid := _open_grid(method)):
            tuning = tune(sampled, method, grid=grid, sample=None, samples=samples, seed=seed)
            values = dict(zip(tuning.names, tuning.choice.values, strict=True))
            method = method.with_settings(**values)
            notes.append(_tuned(method.name, tuning))
        ready.append(method)
        finished(method.name)
    return ready, notes


def _open_grid(method: Summarizer) -> Grid | None:
    """Return the default grid of a method, unless it has none or its spec fixes the setting."""
    if not set(GRIDS) & set(method.settings):
        return None
    grid = grid_of(method)
    return None if set(grid) & set(dict(method.spec.arguments)) else grid


def _tuned(name: str, tuning: Tuning) -> str:
    """Return a sentence on a choice."""
    setting, best = tuning.names[0], tuning.choice
    values = [tried.values[0] for tried in tuning.settings]
    return (
        f"Tuned: {name}, {setting} {best.values[0]} of {values[0]} to {values[-1]} on {plural(tuning.clusters, 'cluster')} "
        f"({tuning.measure} {best.score.value:.3f} there; {plural(len(tuning.as_good), 'other value')} not significantly worse)."
    )


def notes_on_methods(methods: Iterable[Summarizer]) -> list[str]:
    """Return what a reader of the table must know: methods here that are not the paper's."""
    notes = []
    for method in methods:
        encoder = method.settings.get("encoder", "")
        if isinstance(method, BertReg) and not method.model and not encoder.startswith("hf:"):
            notes.append(
                f"{method.name} has the encoder {encoder} here; the paper's is a BERT: choose it with --encoder hf:PATH."
            )
        spec = str(method.spec)
        # Tables add "(deletions)" to the name of a rewriting method without a model, and change no other name.
        only_deletes = shown_name(spec) != spec
        if only_deletes:
            notes.append(
                f"{method.name} deletes words and writes none here; name a model that does: submodular+abs(model='hf:PATH')."
            )
    return notes


def baseline_of(
    methods: Sequence[str | Summarizer],
    name: str,
    *,
    max_words: int = 40,
    unit: Counted = "tokens",
    seed: int = 0,
) -> str:
    """Return the system of Table 5 that a name or spec stands for.

    It is the one with the settings of the evaluation, or else the only one of that name.

    >>> baseline_of(["centroid", "random"], "centroid", max_words=60)
    'centroid(max_words=60)'
    """
    systems = [_name(configured(method, max_words, seed, unit), unit) for method in methods]
    wanted = _name(configured(name, max_words, seed, unit), unit)
    if wanted in systems:
        return wanted
    plain = SUMMARIZERS.resolve(name)
    namesakes = [system for system in systems if Spec.parse(system).name == plain.name]
    if len(namesakes) != 1 or plain.arguments:
        raise ArgumentError(f"no method here is called {name!r}; there are: {', '.join(systems)}")
    return namesakes[0]


def _name(method: Summarizer, unit: Counted) -> str:
    """Return the spec of a method, which names the unit only where it is not the study's."""
    arguments = {key: value for key, value in method.spec.arguments if key != "unit"}
    if method.unit != unit:
        arguments["unit"] = method.unit
    return str(Spec(method.name, tuple(arguments.items())))


def shortfalls(
    evaluation: SummaryEvaluation, measure: str = "R1-F"
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return for each greedy oracle, by method, the clusters in which that method is above it.

    `oracle-multi` may take any sentences of the cluster, so a method that scores above it shows that greedy search missed a better set.
    `oracle-single` is bound to one article: there the same holds only for clusters of one article.
    """
    oracles = [row for row in evaluation.rows if row.system.partition("(")[0] in ORACLES]
    return {
        oracle.system: {
            row.system: tuple(_above(evaluation.ids, row.scores[measure], oracle.scores[measure]))
            for row in evaluation.rows
            if row.system != oracle.system and row.system.partition("(")[0] not in _REWRITING
        }
        for oracle in oracles
    }


def _above(ids: Sequence[str], ours: Score, theirs: Score) -> Iterator[str]:
    for item, value, other in zip(ids, ours.items or (), theirs.items or (), strict=True):
        if value > other + _SLACK:
            yield item


def _items(
    clusters: Sequence[Cluster], references: Iterable[References] | None
) -> dict[str, list[Cluster]]:
    """Return each cluster by its id, as one copy per reference."""
    if not clusters:
        raise ArgumentError("there are no clusters to study")
    for cluster in clusters:
        check_languages(cluster)
    if references is None:
        for cluster in clusters:
            if cluster.summary is None:
                raise DataError(f"cluster {cluster.id!r} has no `summary` to compare with")
        return {cluster.id: [cluster] for cluster in clusters}
    by_cluster = {reference.id: _checked(reference).references for reference in references}
    return {
        cluster.id: list(_per_reference(cluster, by_cluster.get(cluster.id, ())))
        for cluster in clusters
    }


def _checked(references: References) -> References:
    """Return the same references; a language that no tokenizer supports is refused."""
    try:
        check_language(references.lang or "en")
    except ArgumentError as error:
        raise DataError(f"references of {references.id!r}: {error}") from None
    return references


def _per_reference(cluster: Cluster, references: Sequence[Reference]) -> Iterator[Cluster]:
    if not references:
        raise DataError(f"no references for cluster {cluster.id!r}")
    # The id stays the same, so that a random method gives one summary whatever the reference.
    for reference in references:
        yield dataclasses.replace(cluster, summary=reference.text)


def _key(item: str, number: int) -> str:
    """Return the item id of a cluster when it is compared with one of its references."""
    return f"{item} #{number + 1}" if number else item


def _folds(ids: Sequence[str], folds: int, seed: int) -> dict[str, int]:
    """Return the fold of each cluster; folds are of about equal size."""
    if folds < 2:
        raise ArgumentError(f"folds is {folds}, not at least 2")

    def lot(item: str) -> bytes:
        return hashlib.sha256(f"fold\0{seed}\0{item}".encode()).digest()

    return {item: index % folds for index, item in enumerate(sorted(ids, key=lot))}


def _fitted(method: Summarizer, train: list[Cluster], cache: Cache) -> Summarizer:
    """Return the method itself, or, if it needs training, the method fitted on these clusters."""
    if not isinstance(method, TrainedSummarizer) or method.trained:
        return method
    if not train:
        raise ArgumentError(
            f"{method.name} has no other clusters to learn from; give it a model, {method.name}(model='FOLDER')"
        )
    return method.fit(train, cache=cache)


def _by_cluster(
    evaluation: SummaryEvaluation, items: Mapping[str, list[Cluster]]
) -> SummaryEvaluation:
    """Return the evaluation with the items of each cluster averaged over its references.

    `items` holds by the id of a cluster its copies, one per reference.
    """
    cluster_of = {
        _key(item, number): index
        for index, (item, copies) in enumerate(items.items())
        for number in range(len(copies))
    }
    places = np.array([cluster_of[item] for item in evaluation.ids])  # scored items → clusters
    sizes = np.bincount(places)  # clusters

    def mean(score: Score) -> Score:
        means = np.bincount(places, weights=np.array(score.items)) / sizes
        sums = np.column_stack([means, np.ones(len(means))])  # clusters × (value, count)
        estimate = interval(sums, _ratio, samples=evaluation.samples, seed=evaluation.seed)
        return dataclasses.replace(
            score,
            value=float(means.mean()),
            n=len(means),
            parts={},
            ci=estimate.ci,
            items=tuple(means.tolist()),
            signature=f"{score.signature}|mean-over-references",
        )

    rows = (
        MethodScores(
            row.system, {name: mean(score) for name, score in row.scores.items()}, row.signatures
        )
        for row in evaluation.rows
    )
    return dataclasses.replace(evaluation, ids=tuple(items), rows=tuple(rows))


def _ratio(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, 1]
