"""Choice of settings on dev threads, as Qin et al. (2018) tuned theirs: one setting after the other, each at the best values of those before.

First the settings of the training (`fit_grid` of a commenter: negatives, network shape, learning rate) by the dev measure of the network: the share of true comments above random ones, or the likelihood. Then the commenter is
fitted with the best of them, and the settings that need no new training (`suggest_grid`: neighbours, beam) are chosen by METEOR of its first suggestions, weighted where the dev comments have scores.

A commenter with a budget of minutes spends half of it on the trials and half on the last fit; for others `minutes` bounds the trials. Every trial is stored as soon as it is done, so that a search that was stopped resumes. What
was not tried for want of time is listed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.commenters.commenter import Commenter, Rater, commenter
from newsdesk.commenters.texts import are_shares, references_of, threads_digest
from newsdesk.errors import ArgumentError
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line, json_value
from newsdesk.metrics.systems import join, score_systems
from newsdesk.metrics.weights import Weighting
from newsdesk.registry import COMMENTERS
from newsdesk.types import Output, Thread
from newsdesk.work.progress import OnProgress, Progress

FILE = "tuning.json"
_MOST_DEV_ARTICLES = 200
_SYSTEM = "tuned"

Measure = Callable[[dict[str, Any]], tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings that were tried, and how they measured on the dev threads: higher is better."""

    settings: Mapping[str, Any]
    measure: str
    value: float
    seconds: float


@dataclass(slots=True)
class Tuned:
    """A search: what could be chosen, every trial, what was left untried, and the choice."""

    spec: str  # with budget and ranker: stored trials of another one are not used again
    data: str  # a hash of the threads
    grid: Mapping[str, Sequence[Any]]
    trials: list[Trial] = field(default_factory=list)
    untried: list[dict[str, Any]] = field(default_factory=list)
    choice: dict[str, Any] = field(default_factory=dict)

    def store(self, folder: Path) -> None:
        """Write the search so far."""
        with atomic(make_folder(folder) / FILE) as opened:
            opened.write(json_line({"format": 1, **asdict(self)}))


def tune(
    spec: str,
    train: Sequence[Thread],
    dev: Sequence[Thread],
    folder: Path,
    *,
    minutes: float | None = None,
    ranker: Rater | None = None,
    progress: OnProgress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Commenter, Tuned]:
    """Search the grids of a commenter and fit it with the choice.

    Settings that the spec names are kept as they are.

    Trials are stored in the folder, and those of the same spec and threads that are there are not tried again.
    """
    if len(dev) < 2:
        raise ArgumentError(
            f"{len(dev)} dev threads are too few to choose settings on; --tune needs two"
        )
    return _Search(spec, train, dev, folder, minutes, ranker, progress, clock).run()


class _Search:
    """One search: its data, its trials so far and its budget."""

    def __init__(
        self,
        spec: str,
        train: Sequence[Thread],
        dev: Sequence[Thread],
        folder: Path,
        minutes: float | None,
        ranker: Rater | None,
        progress: OnProgress | None,
        clock: Callable[[], float],
    ) -> None:
        self.spec, self.train, self.dev, self.folder = spec, train, dev, folder
        self.ranker, self.progress, self.clock = ranker, progress, clock
        fixed = dict(COMMENTERS.resolve(spec).arguments)  # what the spec names is not searched
        model = commenter(spec)
        self.fit_grid, self.suggest_grid = (
            {name: values for name, values in grid.items() if name not in fixed}
            for grid in (model.fit_grid, model.suggest_grid)
        )
        self.deadline: float | None = None
        # The setting `minutes` of each trial and of the last fit, for commenters that train by the clock;
        # for all others none, and a deadline for the trials.
        self.trial_minutes: dict[str, float] = {}
        self.last_minutes: dict[str, float] = {}
        if "minutes" in model.settings:
            budget = model.settings["minutes"] if "minutes" in fixed or not minutes else minutes
            if budget is not None:
                # One setting after the other: values add up, they do not multiply.
                trials = max(sum(map(len, self.fit_grid.values())), 1)
                self.trial_minutes = {"minutes": budget / 2 / trials}
                self.last_minutes = {"minutes": budget / 2}
        elif minutes is not None:
            self.deadline = clock() + 60 * minutes
        grid = {name: list(values) for name, values in (self.fit_grid | self.suggest_grid).items()}
        # What stored trials must share with this search to be used again.
        identity = [
            str(model.spec),
            *(f"{name}:{value:g}" for name, value in self.trial_minutes.items()),
        ]
        identity += [] if ranker is None else [f"rated:{ranker.name}"]
        self.tuned = Tuned("|".join(identity), threads_digest(train, dev), grid)
        self.tuned.trials = self._stored()

    def run(self) -> tuple[Commenter, Tuned]:
        """Choose what the training needs, fit, and choose the rest."""

        def dev_measure(settings: dict[str, Any]) -> tuple[str, float]:
            trained = self._new({**settings, **self.trial_minutes})
            return trained.fit(self.train, self.dev, self.progress).dev_measure(self.dev)

        best = self._climb({}, self.fit_grid, dev_measure)
        model = self._new({**best, **self.last_minutes})
        checkpoints = self.folder / "checkpoints"
        model.fit(self.train, self.dev, self.progress, checkpoints=checkpoints)

        def meteor(settings: dict[str, Any]) -> tuple[str, float]:
            return self._meteor(model.with_settings(**settings))

        best = self._climb(best, self.suggest_grid, meteor)
        model = model.with_settings(**best)
        self.tuned.choice = best
        self.tuned.store(self.folder)
        return model, self.tuned

    def _climb(
        self, best: dict[str, Any], grid: Mapping[str, Sequence[Any]], measure: Measure
    ) -> dict[str, Any]:
        """Return the best settings found by going through a grid, setting by setting.

        Equal ones stay as they were. What there is no time for is listed in `untried`.
        """
        best_value: float | None = None
        for name, values in grid.items():
            start = best.get(name, getattr(self._new(best), name))
            for tried in dict.fromkeys((start, *values)):
                settings = {**best, name: tried}
                # The first trial is needed, whatever the time.
                value = self._value(settings, measure, needed=best_value is None)
                if value is None:
                    self.tuned.untried.append({name: tried})
                elif best_value is None or value > best_value:
                    best_value, best = value, settings
        return best

    def _value(self, settings: dict[str, Any], measure: Measure, *, needed: bool) -> float | None:
        """Return the value of settings, from a stored trial or a new one, which is stored.

        None if there is no time for it and it is not `needed`.
        """
        for trial in self.tuned.trials:
            if _as_text(trial.settings) == _as_text(settings):
                return trial.value
        before = self.clock()
        if self.deadline is not None and before >= self.deadline and not needed:
            return None
        if self.progress is not None:
            text = ", ".join(f"{name}={value}" for name, value in settings.items())
            self.progress(Progress(f"tuning: {text}"))
        name, value = measure(settings)
        trial = Trial(settings, name, round(value, 6), round(self.clock() - before, 1))
        self.tuned.trials.append(trial)
        self.tuned.store(self.folder)
        return trial.value

    def _new(self, settings: Mapping[str, Any]) -> Commenter:
        # These win over the arguments of the spec, of which `minutes` may be one.
        spec = COMMENTERS.resolve(self.spec)
        model: Commenter = COMMENTERS.load(spec.name)(**{**dict(spec.arguments), **settings})
        return model if self.ranker is None else model.with_ranker(self.ranker)

    def _meteor(self, model: Commenter) -> tuple[str, float]:
        """Return the name and value of METEOR of the first suggestions for dev articles.

        It is weighted if the weights of their comments differ.
        """
        threads = [thread for thread in self.dev if thread.comments][:_MOST_DEV_ARTICLES]
        # Trials are only set beside each other, so the scores that occur may serve as the ends of a scale.
        weighting = None if are_shares(threads) else Weighting()
        read = references_of(threads, weighting)
        references = read.references
        weights = {comment.weight for article in references for comment in article.references}
        outputs = []
        for thread in threads:
            if thread.article.id in read.left_out:
                continue
            suggestions = model.suggest(thread.article, 1)
            text = suggestions[0].text if suggestions else ""
            outputs.append(Output(thread.article.id, _SYSTEM, text))
        metric = "w-meteor" if len(weights) > 1 else "meteor"
        (scored,) = score_systems(join(outputs, references), (metric,), samples=1)
        return metric, float(scored.scores[0].value)

    def _stored(self) -> list[Trial]:
        """Return the trials in the folder, if they are of this spec and these threads."""
        path = self.folder / FILE
        if not path.is_file():
            return []
        stored = json_value(path.read_text("utf-8"))
        if (stored["spec"], stored["data"]) != (self.tuned.spec, self.tuned.data):
            return []
        return [Trial(**trial) for trial in stored["trials"]]


def _as_text(settings: Mapping[str, Any]) -> str:
    """Return settings as text to compare: in stored ones JSON turned tuples into lists."""
    return json.dumps(dict(sorted(settings.items())))
