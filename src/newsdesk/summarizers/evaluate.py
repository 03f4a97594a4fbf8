"""Table 5 of Gholipour Ghalandari et al. (2020) for any clusters: F and recall of ROUGE-1, -2 and -L with intervals, and paired tests.

Their section 5.1: lower-cased, unstemmed, a text is one line; F of complete summaries, recall of summaries truncated to the limit. Words are
those of ROUGE-1.5.5 where the references are in Latin script, the language's own elsewhere, where the Perl rule would give none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError
from newsdesk.metrics.systems import System, join, score_system
from newsdesk.packaged import table
from newsdesk.stats.significance import corrected, paired_bootstrap
from newsdesk.summarizers.prepare import prepare
from newsdesk.summarizers.summarizer import Summarizer, counted, seeded_summarizer
from newsdesk.text import language, tokenizer_for
from newsdesk.text.normalize import lined
from newsdesk.types import Cluster, Difference, Output, Reference, References, Score

Counted = Literal["words", "tokens"]  # what the limit of an evaluation counts
IN_THE_PAPER = "… in the paper, WCEP-100 test"
_PAPER_SUMMARY_WORDS = 32  # the mean length of an editor's summary, Table 4
MEASURES = ("R1-F", "R2-F", "RL-F", "R1-R", "R2-R", "RL-R")


@dataclass(frozen=True, slots=True)
class MethodScores:
    """One method's scores by measure, each with its interval and the value of every cluster."""

    system: str
    scores: Mapping[str, Score]
    signatures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryEvaluation:
    """Table 5 for some clusters: `ids[i]` names item i of every score."""

    ids: tuple[str, ...]
    rows: tuple[MethodScores, ...]
    samples: int
    seed: int

    def __getitem__(self, system: str) -> MethodScores:
        for row in self.rows:
            if row.system == system:
                return row
        known = ", ".join(row.system for row in self.rows)
        raise ArgumentError(f"no method here is called {system!r}; there are: {known}")

    def compare(self, first: str, second: str) -> dict[str, Difference]:
        """First minus second in every measure, by a paired bootstrap over clusters."""
        return {measure: self.difference(first, second, measure) for measure in MEASURES}

    def difference(self, first: str, second: str, measure: str) -> Difference:
        """First minus second in one measure, by a paired bootstrap over clusters."""
        return paired_bootstrap(
            _rows(self[first].scores[measure]),
            _rows(self[second].scores[measure]),
            _mean,
            samples=self.samples,
            seed=self.seed,
            names=(first, second),
        )

    def against(self, baseline: str) -> dict[str, dict[str, Difference]]:
        """Return every other method against the baseline; p is corrected for the number of methods (Holm)."""
        others = [row.system for row in self.rows if row.system != self[baseline].system]
        comparisons = {system: self.compare(system, baseline) for system in others}
        for measure in MEASURES:
            tests = corrected([comparisons[system][measure] for system in others])
            for system, test in zip(others, tests, strict=True):
                comparisons[system][measure] = test
        return comparisons

    def markdown(self) -> str:
        """Return the table as Markdown with 95 % intervals, and the signatures.

        The paper's values, on its own data, stand below ours.
        """
        lines = [f"| method | {' | '.join(MEASURES)} |", f"|---|{'---|' * len(MEASURES)}"]
        for row in self.rows:
            cells = [_cell(row.scores[measure]) for measure in MEASURES]
            lines.append(_line(shown_name(row.system), cells))
            if paper := paper_values(row.system):
                lines.append(_line(IN_THE_PAPER, [f"{paper[measure]:.3f}" for measure in MEASURES]))
        if note := note_on_the_paper(row.system for row in self.rows):
            lines += ["", note]
        scores = [row.scores[measure] for row in self.rows for measure in MEASURES]
        signatures = [name for row in self.rows for name in row.signatures]
        signatures += [score.signature for score in scores]
        return "\n".join([*lines, "", *(f"- `{name}`" for name in dict.fromkeys(signatures))])


def evaluate(
    clusters: Iterable[Cluster],
    methods: Sequence[str | Summarizer],
    *,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
) -> SummaryEvaluation:
    """Summarize every cluster with every method and score the summaries against the clusters' own.

    A method named by a string gets `max_words`, and `seed` if it uses random numbers.
    """
    summarizers = [configured(method, max_words, seed) for method in methods]
    # system → its signatures in order (as keys): clusters of several languages have several.
    signatures: dict[str, dict[str, None]] = {str(method.spec): {} for method in summarizers}
    if len(signatures) != len(summarizers):
        raise ArgumentError("a method is given twice")
    outputs: list[Output] = []
    references: list[References] = []
    for cluster in clusters:
        if cluster.summary is None:
            raise DataError(f"cluster {cluster.id!r} has no `summary` to compare with")
        references.append(References(cluster.id, (Reference(cluster.summary),)))
        prepared = prepare(cluster)
        for summarizer in summarizers:
            summary = summarizer.summarize(prepared)
            system = str(summarizer.spec)
            outputs.append(Output(cluster.id, system, summary.text))
            signatures[system][summary.signature] = None
    evaluation = evaluate_outputs(
        outputs, references, max_words=max_words, samples=samples, seed=seed
    )
    rows = (
        dataclasses.replace(row, signatures=tuple(signatures[row.system]))
        for row in evaluation.rows
    )
    return dataclasses.replace(evaluation, rows=tuple(rows))


def evaluate_outputs(
    outputs: Iterable[Output],
    references: Iterable[References],
    *,
    max_words: int = 40,
    unit: Counted = "words",
    samples: int = 10_000,
    seed: int = 0,
) -> SummaryEvaluation:
    """Score existing summaries of one or more systems, all of the same items.

    F is that of the whole summaries, recall that of summaries truncated to `max_words`.
    """
    whole, listed = list(outputs), list(references)
    script = _script(listed)
    lang = next((each.lang for each in listed if each.lang), script)
    cut = [
        dataclasses.replace(each, text=truncated(each.text, max_words, lang, unit))
        for each in whole
    ]
    profile = "profile='perl'" if script == "en" else ""
    beta = "" if profile else "combine='coco', beta=1.0"  # of ROUGE-L, where F is balanced
    by_system: dict[str, list[Score]] = {}  # in the order of MEASURES
    systems: list[System] = []
    for texts, report, note in ((whole, "f", ""), (cut, "r", f"|cut:{max_words}-{unit}")):
        systems = join(texts, listed, lang=lang)
        specs = [
            _spec(name, profile, beta if name == "rouge-l" else "", f"report='{report}'")
            for name in ("rouge-1", "rouge-2", "rouge-l")
        ]
        for system in systems:
            scores = score_system(system, specs, samples=samples, seed=seed)
            by_system.setdefault(system.name, []).extend(
                dataclasses.replace(score, signature=score.signature + note) for score in scores
            )
    for system in systems:
        if system.ids != systems[0].ids:
            raise DataError(f"{system.name!r} and {systems[0].name!r} do not answer the same items")
    rows = (
        MethodScores(name, dict(zip(MEASURES, scores, strict=True)))
        for name, scores in by_system.items()
    )
    return SummaryEvaluation(systems[0].ids, tuple(rows), samples, seed)


def truncated(text: str, limit: int, lang: str, unit: Counted = "words") -> str:
    """Return the text truncated after its last word, or token of any kind, within the limit.

    >>> truncated("It ended, they said.", 3, "en"), truncated("It ended, they said.", 3, "en", "tokens")
    ('It ended, they', 'It ended,')
    """
    text = lined(text)
    end = size = 0
    for token in tokenizer_for(lang).words(text):
        end = text.index(token, end) + len(token)
        size += counted(token, unit)
        if size == limit:
            return text[:end]
    return text


def configured(
    method: str | Summarizer, max_words: int, seed: int, unit: Counted = "words"
) -> Summarizer:
    """Build a method named by a string with the settings of the evaluation.

    A summarizer is returned unchanged.
    """
    if isinstance(method, Summarizer):
        return method
    return seeded_summarizer(method, seed, max_words=max_words, unit=unit)


def shown_name(system: str) -> str:
    """Return the name of a system in tables: `submodular+abs` without a model says that it only deletes.

    >>> shown_name("centroid"), shown_name("submodular+abs"), shown_name("submodular+abs(model='hf:bart')")
    ('centroid', 'submodular+abs (deletions)', "submodular+abs(model='hf:bart')")
    """
    name, _, settings = system.partition("(")
    deletes = name == "submodular+abs" and "model=" not in settings
    return f"{system} (deletions)" if deletes else system


def paper_values(system: str) -> dict[str, float]:
    """Return the printed values of Table 5 for a method, whatever its settings, by measure.

    Empty if the paper has none.

    >>> paper_values("centroid(redundancy=0.3)")["R1-F"], paper_values("mmr")
    (0.341, {})
    """
    rows = (line.split("\t") for line in table("summarizers", "table5.tsv"))
    printed = {name: values for name, *values in rows}.get(system.partition("(")[0])
    return dict(zip(MEASURES, map(float, printed), strict=True)) if printed else {}


def note_on_the_paper(systems: Iterable[str]) -> str:
    """Return why the paper's lead oracle is not ours, if that is among the systems.

    Its precision and length follow from F, recall and the length of its references. Empty if ours is not among them.
    """
    if not any(system.partition("(")[0] == "oracle-lead" for system in systems):
        return ""
    paper = paper_values("oracle-lead")
    f, recall = paper["R1-F"], paper["R1-R"]
    precision = f * recall / (2 * recall - f)
    words = _PAPER_SUMMARY_WORDS * recall / precision
    return (
        f"The paper's lead oracle cannot come from 40 words: F {_short(f)} and recall {_short(recall)} imply a precision of "
        f"{_short(precision)} and, beside summaries of {_PAPER_SUMMARY_WORDS} words on average, leads of about {words:.0f} words."
    )


def _short(value: float) -> str:
    """Return a share without its zero, as in `.329`."""
    return f"{value:.3f}".removeprefix("0")


def _script(references: Sequence[References]) -> str:
    """Return the language whose script all references share."""
    texts = (reference.text for each in references for reference in each.references)
    languages = sorted(set(map(language, filter(None, texts))))
    if len(languages) > 1:
        raise ArgumentError(
            f"the references are in several languages ({', '.join(languages)}); evaluate one at a time"
        )
    return languages[0] if languages else "en"


def _spec(name: str, *settings: str) -> str:
    return f"{name}({', '.join(filter(None, settings))})"


def _rows(score: Score) -> Floats:
    items = np.array(score.items)
    return np.column_stack([items, np.ones(len(items))])  # items × (value, count)


def _mean(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, 1]


def _cell(score: Score) -> str:
    low, high = score.ci or (score.value, score.value)
    return f"{score.value:.3f} [{low:.3f}, {high:.3f}]"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"
