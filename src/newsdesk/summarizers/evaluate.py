"""Table 5 of the WCEP paper for any clusters: F and recall of ROUGE-1, -2 and -L with intervals, and paired tests.

Section 5.1: lower-cased, unstemmed, a text is one line; F of the summaries as they are, recall of summaries cut to the limit. Words are
those of ROUGE-1.5.5 where the references are in Latin script, the language's own elsewhere, where the Perl rule would find none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsdesk.arrays import Floats
from newsdesk.errors import ArgumentError, DataError
from newsdesk.metrics.significance import Comparison, correct, paired_bootstrap
from newsdesk.metrics.systems import System, join, score_system
from newsdesk.packaged import table
from newsdesk.summarizers.prepare import holds_letter_or_digit, prepare
from newsdesk.summarizers.summarizer import Summarizer, seeded_summarizer
from newsdesk.text import language, tokenizer_for
from newsdesk.types import Cluster, Output, Reference, References, Score

FIGURES = ("R1-F", "R2-F", "RL-F", "R1-R", "R2-R", "RL-R")


@dataclass(frozen=True, slots=True)
class Row:
    """One method's figures by name, each with its interval and the value of every cluster."""

    system: str
    scores: Mapping[str, Score]
    signatures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Table 5 for some clusters: `ids[i]` names item i of every score."""

    ids: tuple[str, ...]
    rows: tuple[Row, ...]
    samples: int
    seed: int

    def __getitem__(self, system: str) -> Row:
        for row in self.rows:
            if row.system == system:
                return row
        known = ", ".join(row.system for row in self.rows)
        raise ArgumentError(f"no method here is called {system!r}; there are: {known}")

    def compare(self, first: str, second: str) -> dict[str, Comparison]:
        """First minus second in every figure, by a paired bootstrap over clusters."""
        return {figure: self.difference(first, second, figure) for figure in FIGURES}

    def difference(self, first: str, second: str, figure: str) -> Comparison:
        """First minus second in one figure."""
        return paired_bootstrap(
            _rows(self[first].scores[figure]),
            _rows(self[second].scores[figure]),
            _mean,
            samples=self.samples,
            seed=self.seed,
        )

    def against(self, baseline: str) -> dict[str, dict[str, Comparison]]:
        """Every other method against one of them; p is corrected for so many methods (Holm)."""
        others = [row.system for row in self.rows if row.system != self[baseline].system]
        found = {system: self.compare(system, baseline) for system in others}
        for figure in FIGURES:
            corrected = correct([found[system][figure].p for system in others])
            for system, p in zip(others, corrected.tolist(), strict=True):
                found[system][figure] = dataclasses.replace(found[system][figure], p=p)
        return found

    def markdown(self) -> str:
        """The table with 95 % intervals, the paper's value (on its own data) below ours, and the signatures."""
        lines = [f"| method | {' | '.join(FIGURES)} |", f"|---|{'---|' * len(FIGURES)}"]
        for row in self.rows:
            lines.append(_line(row.system, [_cell(row.scores[figure]) for figure in FIGURES]))
            if paper := paper_values().get(row.system.partition("(")[0]):
                cells = [f"{paper[figure]:.3f}" for figure in FIGURES]
                lines.append(_line("… in the paper, WCEP-100 test", cells))
        scores = [row.scores[figure] for row in self.rows for figure in FIGURES]
        notes = [*(s for row in self.rows for s in row.signatures), *(s.signature for s in scores)]
        return "\n".join([*lines, "", *(f"- `{note}`" for note in dict.fromkeys(notes))])


def evaluate(
    clusters: Iterable[Cluster],
    methods: Sequence[str | Summarizer],
    *,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
) -> Evaluation:
    """Summarize every cluster with every method and score the summaries against the clusters' own.

    A method given by name gets `max_words`, and `seed` if it draws.
    """
    made = [configured(each, max_words, seed) for each in methods]
    signatures: dict[str, dict[str, None]] = {str(one.spec): {} for one in made}
    if len(signatures) != len(made):
        raise ArgumentError("a method is given twice")
    outputs: list[Output] = []
    references: list[References] = []
    for cluster in clusters:
        if cluster.summary is None:
            raise DataError(f"cluster {cluster.id!r} has no `summary` to compare with")
        references.append(References(cluster.id, (Reference(cluster.summary),)))
        prepared = prepare(cluster)
        for one in made:
            summary = one.summarize(prepared)
            system = str(one.spec)
            outputs.append(Output(cluster.id, system, summary.text))
            signatures[system][summary.signature] = None
    found = evaluate_outputs(outputs, references, max_words=max_words, samples=samples, seed=seed)
    rows = (
        dataclasses.replace(row, signatures=tuple(signatures[row.system])) for row in found.rows
    )
    return dataclasses.replace(found, rows=tuple(rows))


def evaluate_outputs(
    outputs: Iterable[Output],
    references: Iterable[References],
    *,
    max_words: int = 40,
    samples: int = 10_000,
    seed: int = 0,
) -> Evaluation:
    """Score ready summaries of one or more systems, all of the same items."""
    whole, known = list(outputs), list(references)
    script = _script(known)
    lang = next((each.lang for each in known if each.lang), script)
    cut = [dataclasses.replace(each, text=truncated(each.text, max_words, lang)) for each in whole]
    profile = "profile='perl'" if script == "en" else ""
    beta = "" if profile else "combine='coco', beta=1.0"
    by_figure: dict[str, list[Score]] = {}
    systems: list[System] = []
    for texts, report, note in ((whole, "f", ""), (cut, "r", f"|cut:{max_words}-words")):
        systems = join(texts, known, lang=lang)
        specs = [
            _spec(name, profile, beta if name == "rouge-l" else "", f"report='{report}'")
            for name in ("rouge-1", "rouge-2", "rouge-l")
        ]
        for system in systems:
            scores = score_system(system, specs, samples=samples, seed=seed)
            by_figure.setdefault(system.name, []).extend(
                dataclasses.replace(each, signature=each.signature + note) for each in scores
            )
    for system in systems:
        if system.ids != systems[0].ids:
            raise DataError(f"{system.name!r} and {systems[0].name!r} do not answer the same items")
    rows = (Row(name, dict(zip(FIGURES, each, strict=True))) for name, each in by_figure.items())
    return Evaluation(systems[0].ids, tuple(rows), samples, seed)


def truncated(text: str, max_words: int, lang: str) -> str:
    """The text up to the end of its last word within the limit.

    >>> truncated("It ended, they said.", 3, "en")
    'It ended, they'
    """
    at = words = 0
    for token in tokenizer_for(lang).words(text):
        at = text.index(token, at) + len(token)
        words += holds_letter_or_digit(token)
        if words == max_words:
            return text[:at]
    return text


def configured(method: str | Summarizer, max_words: int, seed: int) -> Summarizer:
    """A method that is given by name with the settings of the evaluation; one that is made already stays as it is."""
    if isinstance(method, Summarizer):
        return method
    return seeded_summarizer(method, seed, max_words=max_words)


def paper_values() -> dict[str, dict[str, float]]:
    """Table 5 as printed, by method and figure."""
    rows = (line.split("\t") for line in table("summarizers", "table5.tsv"))
    return {name: dict(zip(FIGURES, map(float, values), strict=True)) for name, *values in rows}


def _script(references: Sequence[References]) -> str:
    """The one language whose script all references are in."""
    texts = (reference.text for each in references for reference in each.references)
    found = sorted(set(map(language, filter(None, texts))))
    if len(found) > 1:
        raise ArgumentError(
            f"the references are in several languages ({', '.join(found)}); evaluate one at a time"
        )
    return found[0] if found else "en"


def _spec(name: str, *settings: str) -> str:
    return f"{name}({', '.join(filter(None, settings))})"


def _rows(score: Score) -> Floats:
    items = np.array(score.items)
    return np.column_stack([items, np.ones(len(items))])


def _mean(rows: Floats) -> Floats:
    return rows[:, 0] / rows[:, 1]


def _cell(score: Score) -> str:
    low, high = score.ci or (score.value, score.value)
    return f"{score.value:.3f} [{low:.3f}, {high:.3f}]"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"
