"""The files of a study of correlations, read and scored: outputs, references, human scores from one of four sources, ready values of metrics.

Judgments come from a file, a campaign in a store, or a table of scores. Numbers without a protocol are taken as scores of which the highest is best. Ranks read that way
would turn every result upside down, so `refuse_unnamed_ranks` stops where a question looks like ranks and asks which it is. It does not guess: a scale of
1 to 5 on which every item happens to have a 1 looks the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from newsdesk import records
from newsdesk.campaigns.aggregate import Tally, tallies, values_of
from newsdesk.campaigns.campaign import answered
from newsdesk.campaigns.protocols import Protocol, Question
from newsdesk.commenters.texts import references_of
from newsdesk.errors import ArgumentError, DataError, NewsdeskError
from newsdesk.files import InputFile
from newsdesk.languages import check_language
from newsdesk.metrics.metric import metric
from newsdesk.metrics.systems import System, incomplete, join, pairing_notes, split_specs
from newsdesk.records.eval_logs import is_eval_log, read_eval_log
from newsdesk.studies.correlate.logs import logged_scores
from newsdesk.studies.correlate.readers import (
    COLUMNS,
    Rated,
    chosen_questions,
    is_rated,
    read_rated,
)
from newsdesk.studies.correlate.tables import (
    TABLE1,
    HumanScores,
    Key,
    MetricScores,
    metric_scores,
    with_paper_readings,
)
from newsdesk.types import Judgment, Output, References, Thread
from newsdesk.wording import plural


def human_scores(judgments: Iterable[Judgment], form: Protocol | None = None) -> list[HumanScores]:
    """Return the scores of outputs by question, higher is better.

    The judgment's target is the system, and of several rows with one key the last counts.

    With the protocol, ranks become the share of other systems ranked below; without it values are taken as grades or votes. Control questions
    and withdrawn answers are left out.
    """
    current = {judgment.key: judgment for judgment in judgments if not judgment.control}
    if form is None:
        return _by_question(tallies(current.values()))
    asked = {judgment.question for judgment in current.values()}
    names = [question.name for question in form.questions if question.name in asked]
    return _by_question(row for name in names for row in values_of(current.values(), form, name))


def ranked_scores(judgments: Sequence[Judgment], form: Protocol) -> list[HumanScores]:
    """Read the judgments of a table under a protocol of ranks, whatever its questions are called."""
    for judgment in judgments:
        if float(judgment.value) < 1:
            raise DataError(
                f"{judgment.question!r} of item {judgment.item!r}, system {judgment.target!r}, is {float(judgment.value):g}, and ranks count from 1;"
                " leave --protocol rank out, or choose the questions that are ranks with --questions"
            )
    names = dict.fromkeys(judgment.question for judgment in judgments)
    asked = replace(form, questions=tuple(Question(name, name) for name in names))
    return human_scores(judgments, asked)


def refuse_unnamed_ranks(judgments: Iterable[Judgment], source: str) -> None:
    """Refuse judgments that look like ranks, by name or values, where no protocol says what they are."""
    by_question: dict[str, list[Judgment]] = {}
    for judgment in answered(judgments):
        if not judgment.control and not isinstance(judgment.value, str):
            by_question.setdefault(judgment.question, []).append(judgment)
    for question, asked in by_question.items():
        if "rank" in re.split(r"[\W_]+", question.lower()) or _look_like_ranks(asked):
            raise ArgumentError(
                f"{source}: {question!r} looks like ranks; say what it is: --protocol rank if 1 is best, --protocol grade if the highest is best"
            )


def _look_like_ranks(judgments: Iterable[Judgment]) -> bool:
    """Return True if every judge gave an item's outputs whole numbers from 1 up to at most their number."""
    rankings: dict[tuple[str, str, str], list[float]] = {}
    for judgment in judgments:
        key = (judgment.task, judgment.item, judgment.annotator)
        rankings.setdefault(key, []).append(float(judgment.value))
    return any(max(values) > 1 for values in rankings.values()) and all(
        min(values) == 1 and max(values) <= len(values) and all(map(float.is_integer, values))
        for values in rankings.values()
    )


def _by_question(rows: Iterable[Tally]) -> list[HumanScores]:
    """Return the values of tallies as scores, question by question."""
    by_question: dict[str, dict[Key, tuple[float, ...]]] = {}
    for row in rows:
        by_question.setdefault(row.question, {})[row.item, row.target] = row.values
    if not by_question:
        raise DataError("there are no judgments of outputs")
    return [HumanScores(question, values) for question, values in by_question.items()]


@dataclass(frozen=True, slots=True)
class CorrelateFiles:
    """Where the scores of a study come from.

    Without human scores of their own the outputs are tables of rated outputs.
    """

    outputs: Sequence[str] = ()
    references: str | None = None
    human: str | None = None
    judgments: str | None = None
    protocol: str | None = None
    campaign: str | None = None
    store: str = "sqlite:///newsdesk.db"
    values: str | None = None
    cluster_by: str | None = None
    include_models: bool = False

    @property
    def logs(self) -> bool:
        """True if the outputs are logs of evaluation harnesses."""
        kinds = [is_eval_log(path) for path in self.outputs]
        if any(kinds) and not all(kinds):
            other = self.outputs[kinds.index(False)]
            raise ArgumentError(f"{other} is not a log of an evaluation harness, as the others are")
        return any(kinds)

    @property
    def rated(self) -> bool:
        """True if the outputs carry the human scores themselves."""
        return not (self.human or self.judgments or self.campaign) and bool(
            self.outputs and all(map(is_rated, self.outputs))
        )


@dataclass(frozen=True, slots=True, eq=False)
class CorrelateInputs:
    """What a study of correlations needs: human scores by question, metric scores, texts and notes."""

    human: list[HumanScores]
    metrics: list[MetricScores]
    systems: list[System]
    notes: list[str]
    specs: tuple[str, ...] = ()
    judgments: tuple[Judgment, ...] = ()
    clusters: Mapping[str, str] = field(default_factory=dict)


def read_inputs(
    files: CorrelateFiles,
    *,
    metrics: str | None = None,
    questions: Sequence[str] | None = None,
    lang: str | None = None,
    paper: bool = False,
    score: bool = True,
) -> CorrelateInputs:
    """Read all files and score the outputs.

    `metrics` is a comma-separated list of specs, in which `table1` stands for the paper's fourteen.

    With score=False the texts are joined with their references but not scored.
    """
    if files.logs:
        return _of_logs(files, metrics, questions)
    if files.cluster_by:
        raise ArgumentError("--cluster-by names a key of the samples of logs, and the outputs are no logs")  # fmt: skip
    specs = _specs(metrics, paper=paper)
    if lang:
        check_language(lang)
    notes: list[str] = []
    rated = [_noted(path, notes) for path in files.outputs] if files.rated else []
    human, judgments = _human(files, rated, questions, notes)
    systems: list[System] = []
    scores: list[MetricScores] = []
    if specs:
        systems = _systems(files, rated, lang, notes)
        notes += [*incomplete(systems), *pairing_notes(specs)]
        scores += metric_scores(systems, specs) if score else []
    if files.values:
        ready = _noted(files.values, notes)
        scores += ready.metrics(f"{Path(files.values).name}@{_digest(files.values)}")
    return CorrelateInputs(human, scores, systems, notes, tuple(specs), tuple(judgments))


def _of_logs(
    files: CorrelateFiles, metrics: str | None, questions: Sequence[str] | None
) -> CorrelateInputs:
    """Read logs of evaluation harnesses: the values of their scorers, or of those that `metrics` names."""
    notes: list[str] = []
    human, judgments = _human(files, (), questions, notes)
    logs = [read_eval_log(path) for path in files.outputs]
    wanted = split_specs(metrics) if metrics else None
    logged = logged_scores(logs, wanted, files.cluster_by)
    if files.values:
        logged.metrics.extend(_noted(files.values, notes).metrics(f"{Path(files.values).name}@{_digest(files.values)}"))  # fmt: skip
    notes += logged.notes
    return CorrelateInputs(
        human, logged.metrics, [], notes, judgments=tuple(judgments), clusters=logged.clusters
    )


def _specs(metrics: str | None, *, paper: bool) -> list[str]:
    """Return the metrics of a comma-separated list, each once; with `paper` also as the paper prints them."""
    if not metrics:
        return []
    listed = [
        spec for name in split_specs(metrics) for spec in (TABLE1 if name == "table1" else (name,))
    ]
    specs = list(dict.fromkeys(listed))
    if paper:
        specs = with_paper_readings(specs)
    for spec in specs:
        metric(spec)  # an unknown name fails before any file is read
    return specs


def _human(
    files: CorrelateFiles,
    rated: Sequence[Rated],
    questions: Sequence[str] | None,
    notes: list[str],
) -> tuple[list[HumanScores], list[Judgment]]:
    """Return human scores by question, none without a source; and the judgments, if they are rankings.

    `notes` gets a sentence for each column that is ignored.
    """
    form = _named_protocol(files)
    if rated or files.human:
        tables = rated or [_noted(str(files.human), notes)]
        return _of_tables(tables, form, questions, files.human or ", ".join(files.outputs))
    if not (files.judgments or files.campaign):
        return [], []
    if files.judgments:
        judgments = list(records.read(files.judgments, Judgment))
        people = [judgment for judgment in judgments if judgment.via != "model"]
        if people and not files.include_models:  # those of a simulated world are all by models
            judgments = people
        if form is None:
            wanted = [
                judgment
                for judgment in judgments
                if questions is None or judgment.question in questions
            ]
            refuse_unnamed_ranks(wanted, files.judgments)
    else:
        from newsdesk import campaigns

        models = files.include_models
        with campaigns.Store.open(files.store, create=False, include_models=models) as store:
            form = store.campaign(str(files.campaign)).protocol
            judgments = list(store.judgments(str(files.campaign), control=False))
    ranked = form is not None and form.kind == "rank"
    human = chosen_questions(human_scores(judgments, form), questions)
    return human, judgments if ranked else []


def _named_protocol(files: CorrelateFiles) -> Protocol | None:
    if not files.protocol:
        return None
    from newsdesk import campaigns

    return campaigns.protocol(files.protocol)


def _of_tables(
    tables: Sequence[Rated], form: Protocol | None, questions: Sequence[str] | None, source: str
) -> tuple[list[HumanScores], list[Judgment]]:
    """Return the chosen questions of tables of scores; and the judgments, if they are rankings.

    Numbers are scores, high is best, unless the protocol says that they are ranks.
    `source` names the tables in errors.
    """
    table = Rated(tuple(output for rated in tables for output in rated.outputs))
    human = chosen_questions(table.human(), questions)
    names = {scores.question for scores in human}
    judgments = [judgment for judgment in table.judgments() if judgment.question in names]
    if form is None:
        refuse_unnamed_ranks(judgments, source)
    elif form.kind == "label":
        raise ArgumentError(
            f"protocol {form.name!r} asks for labels, and a table holds numbers; choose rank or grade"
        )
    elif form.kind == "rank":
        return chosen_questions(ranked_scores(judgments, form), questions), judgments
    return human, []


def _systems(
    files: CorrelateFiles, rated: Sequence[Rated], lang: str | None, notes: list[str]
) -> list[System]:
    """Join outputs with their references: of the rated tables, of a file, or scored comments of threads."""
    if not files.outputs:
        raise ArgumentError(
            "--metrics needs outputs to score; give their files, or ready values with --values"
        )
    if files.rated:
        outputs = [output for table in rated for output in table.texts()]
        references = [reference for table in rated for reference in table.references()]
    else:
        outputs = list(
            itertools.chain.from_iterable(records.read(path, Output) for path in files.outputs)
        )
        references = []
    if files.references and _hold_threads(files.references):
        read = references_of(list(records.read(files.references, Thread)))
        notes += read.notes
        return join(read.answered(outputs), read.references, lang=lang, weighting=read.weighting)
    if files.references:
        references = list(records.read(files.references, References))
    if not references:
        raise ArgumentError(
            "there are no references to score against; name their file with --references"
        )
    return join(outputs, references, lang=lang)


def _hold_threads(path: str) -> bool:
    """Return True if a file holds threads, whose scored comments are references; standard input does not."""
    if path == "-":
        return False
    try:
        with contextlib.closing(records.read_any(path)) as reader:
            return reader.kind is Thread
    except NewsdeskError:  # another kind of references: its own reader says what is wrong
        return False


def _noted(path: str, notes: list[str]) -> Rated:
    """Read a table of scores; `notes` gets a sentence on ignored columns and on repeated outputs."""
    table = read_rated(path)
    if table.ignored:
        columns = ", ".join(
            f"{name} ({plural(count, 'row')})" for name, count in table.ignored.items()
        )
        notes.append(f"{path}: columns without numbers ignored: {columns}")
    if table.repeated:
        rows = plural(table.repeated, "row repeats an output and counts as a further judge", "rows repeat an output and count as further judges")  # fmt: skip
        system = "" if table.names_systems else f"; no column names systems (it may be called {', '.join(COLUMNS['system'])})"  # fmt: skip
        notes.append(f"{path}: {rows}{system}")
    return table


def _digest(path: str) -> str:
    digest = hashlib.blake2b(digest_size=4)
    source = InputFile(path)
    for chunk in source.chunks():
        digest.update(chunk)
    source.close()
    return digest.hexdigest()
