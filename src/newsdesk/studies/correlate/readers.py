"""Readers of human scores and of rated outputs, in the shapes that people have.

- One row per output (CSV as spreadsheets save it, TSV, JSONL or a JSON list): an id, a system and a column per question; a text and references if they are
  there. Several rows for one output are several judges. Common other names of the columns are known (`COLUMNS`).
- Long rows with `metric` or `question` and `value`, such as those of `newsdesk score --item-scores`.
- A document per row: `sys_summs` (system → output and scores), lists such as `machine_summaries` with a list of the same length per
  question, or a list of objects such as `responses`.

A column that holds no numbers is ignored and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.errors import DataError
from newsdesk.files import InputFile
from newsdesk.records.schema import parse_json, parse_line
from newsdesk.records.tables import finite_number, spreadsheet_rows
from newsdesk.studies.correlate.tables import HumanScores, Key, MetricScores
from newsdesk.types import Judgment, Output, Reference, References

# What a column is for → the names under which it is known, best first.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": (
        "id",
        "item",
        "doc_id",
        "docid",
        "document",
        "doc",
        "article",
        "context_id",
        "source_id",
    ),
    "system": ("system", "model_id", "model", "sys", "system_id", "target"),
    "text": (
        *("text", "output", "sys_summ", "decoded", "response", "candidate", "hypothesis", "hyp"),
        *("summary", "caption", "comment"),
    ),
    "references": (
        *("references", "reference", "ref_summs", "ref_summ", "human_summaries", "refs", "ref"),
        "original_reference",
    ),
}
_JUDGES = ("annotator", "judge", "worker", "rater")
# Columns that are neither scores nor any of the above.
NO_SCORES = frozenset(
    (*_JUDGES, "campaign", "task", "dataset", "lang", "index", "line", "src", "source", "context")
)
_KNOWN = NO_SCORES.union(*COLUMNS.values())
_ANNOTATIONS = ("expert_annotations", "turker_annotations")  # SummEval: lists of scores by question
_LISTS = ("responses", "outputs", "systems", "summaries", "candidates")
_WORKBOOKS = (".xlsx", ".xls", ".ods", ".numbers")
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
ONLY_SYSTEM = "system"  # the name of the system where a file has none


@dataclass(frozen=True, slots=True)
class RatedOutput:
    """An output as a row of someone's table: text, references, and every judge's score per question."""

    item: str
    system: str
    scores: Mapping[str, tuple[float, ...]]
    text: str | None = None
    references: tuple[str, ...] = ()
    judge: str | None = None


@dataclass(frozen=True, slots=True)
class Rated:
    """A table of rated outputs, how often each column was ignored, and whether a column names the judges."""

    outputs: tuple[RatedOutput, ...]
    ignored: Counter[str] = field(default_factory=Counter)
    names_judges: bool = False

    @property
    def repeated(self) -> int:
        """How many rows repeat an output, and count as further judges, though no column names a judge."""
        outputs = {(output.item, output.system) for output in self.outputs}
        return 0 if self.names_judges else len(self.outputs) - len(outputs)

    @property
    def names_systems(self) -> bool:
        """True if a row says which system its output is of."""
        return any(output.system != ONLY_SYSTEM for output in self.outputs)

    def human(self) -> list[HumanScores]:
        """Return the scores by question, in the order of their first appearance.

        Rows of one output are its judges.
        """
        by_question: dict[str, dict[Key, tuple[float, ...]]] = {}
        for output in self.outputs:
            for question, values in output.scores.items():
                by_output = by_question.setdefault(question, {})
                key = (output.item, output.system)
                by_output[key] = by_output.get(key, ()) + values
        return [HumanScores(question, values) for question, values in by_question.items()]

    def judgments(self) -> list[Judgment]:
        """Return the scores as judgments.

        Where no column names judges, the n-th score of an output is the n-th judge's.
        """
        seen: Counter[tuple[str, str, str]] = Counter()
        judgments = []
        for output in self.outputs:
            for question, values in output.scores.items():
                for value in values:
                    seen[key := (output.item, output.system, question)] += 1
                    judge = output.judge or f"judge {seen[key]}"
                    judgments.append(Judgment("table", output.item, *key, value, judge))
        return judgments

    def metrics(self, source: str) -> list[MetricScores]:
        """Return the scores as ready values of metrics; `source` says in the signature where they came from."""
        return [
            MetricScores(scores.question, scores.means, f"{scores.question}|values:{source}")
            for scores in self.human()
        ]

    def texts(self) -> list[Output]:
        """Return the outputs that have a text, each once."""
        texts: dict[Key, str] = {}
        for output in self.outputs:
            if output.text is not None:
                texts.setdefault((output.item, output.system), output.text)
        return [Output(item, system, text) for (item, system), text in texts.items()]

    def references(self) -> list[References]:
        """Return the references of each item, repetitions left out."""
        by_item: dict[str, dict[str, None]] = {}  # texts as keys, each once
        for output in self.outputs:
            by_item.setdefault(output.item, {}).update(dict.fromkeys(output.references))
        listed = ((item, tuple(map(Reference, texts))) for item, texts in by_item.items())
        return [References(item, references) for item, references in listed if references]


def read_rated(path: str) -> Rated:
    """Read rated outputs or a table of scores from CSV, TSV, JSONL or a JSON list."""
    rows = list(_rows(path))
    if not rows:
        raise DataError("there are no rows", file=path)
    flat = [(number, part) for number, row in rows for part in _unfolded(row)]
    ignored: Counter[str] = Counter()
    questions = _questions(flat, ignored, path)
    outputs = [_rated(row, questions, path, number) for number, row in flat]
    if not any(output.scores for output in outputs):
        raise DataError(
            "no column holds scores; there should be a column of numbers per question", file=path
        )
    with_judges = any(name in row for _, row in flat for name in _JUDGES)
    return Rated(tuple(outputs), ignored, with_judges)


def is_rated(path: str) -> bool:
    """Return True if the first row of a file holds more than an output (id, system, text).

    Standard input is taken for outputs.
    """
    if path == "-":
        return False
    _, first = next(_rows(path), (0, {}))
    return not first.keys() <= {"id", "system", "text"}


def _rows(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every row of a file with its line number, or of a JSON list with its place from 1."""
    suffix = Path(path.removesuffix(".gz")).suffix
    if suffix.lower() in _WORKBOOKS:
        raise DataError("a workbook; save its sheet as CSV (UTF-8)", file=path)
    source = InputFile(path)
    try:
        if suffix in (".csv", ".tsv"):
            yield from spreadsheet_rows(source, path, _KNOWN)
            return
        lines = ((number, text) for number, text in source.texts() if text.strip())
        first_number, first_text = next(lines, (0, ""))
        if not first_text:
            return
        if first_text.lstrip().startswith("["):
            entries = parse_json("\n".join([first_text, *(text for _, text in lines)]))
            for number, row in enumerate(entries, 1):
                if not isinstance(row, dict):
                    raise DataError("an entry of the list is not an object", file=path, line=number)
                yield number, row
            return
        for number, text in ((first_number, first_text), *lines):
            try:
                yield number, parse_line(text)
            except DataError as error:
                raise error.at(path, number) from None
    finally:
        source.close()


def _unfolded(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row per output from a row per document; any other row as it is."""
    if isinstance(by_system := row.get("sys_summs"), dict):
        shared = {key: value for key, value in row.items() if key != "sys_summs"}
        for system, output in by_system.items():
            yield {**shared, **output, "system": system}
        return
    if isinstance(texts := row.get("machine_summaries"), list):
        yield from _columns_of_lists(row, texts)
        return
    for name in _LISTS:
        parts = row.get(name)
        if isinstance(parts, list) and parts and all(isinstance(part, dict) for part in parts):
            shared = {key: value for key, value in row.items() if key != name}
            yield from ({**shared, **part} for part in parts)
            return
    yield row


def _columns_of_lists(row: dict[str, Any], texts: list[Any]) -> Iterator[dict[str, Any]]:
    """Read lists of one entry per system, as in SummEval; systems without names are numbered."""
    names = row.get("model_ids") or [f"system {index + 1}" for index in range(len(texts))]
    lists = {
        key: value
        for key, value in row.items()
        if isinstance(value, list)
        and len(value) == len(texts)
        and all(finite_number(entry) is not None for entry in value)
    }
    references = row.get("human_summaries") or _first(row, "references") or []
    for index, text in enumerate(texts):
        scores = {key: value[index] for key, value in lists.items()}
        yield {
            "id": _first(row, "id"),
            "system": str(names[index]),
            "sys_summ": text,
            "references": references,
            **scores,
        }


def _first(row: Mapping[str, Any], purpose: str) -> Any:
    """Return the value of the first column known for a purpose, or None."""
    for name in COLUMNS[purpose]:
        if row.get(name) not in (None, ""):
            return row[name]
    return None


def _questions(
    rows: Sequence[tuple[int, Mapping[str, Any]]], ignored: Counter[str], path: str
) -> list[str]:
    """Return the columns that hold scores: numbers, or lists of numbers.

    `rows` are (line number, row). The rows of every other column are added to `ignored`.
    """
    purposes = ("id", "system", "references")
    used = NO_SCORES.union(*(COLUMNS[purpose] for purpose in purposes))
    numeric: Counter[str] = Counter()
    other: dict[str, list[int]] = {}
    for number, row in rows:
        for key, value in row.items():
            is_text = isinstance(value, str) and finite_number(value) is None
            if key in used or _is_missing(value) or (key in COLUMNS["text"] and is_text):
                continue
            if _scores_of(value) is not None or key in ("scores", *_ANNOTATIONS):
                numeric[key] += 1
            else:
                other.setdefault(key, []).append(number)
    for key, lines in other.items():
        if numeric[key] > len(lines):
            raise DataError(
                f"`{key}` is not a number, as it is elsewhere", file=path, line=lines[0]
            )
        ignored[key] += len(lines)
        del numeric[key]
    return list(numeric)


def _rated(row: Mapping[str, Any], questions: Sequence[str], path: str, number: int) -> RatedOutput:
    """Return the output of a row; `questions` are the columns that hold scores, `number` is its line."""
    item = _first(row, "id")
    if item is None:
        raise DataError(
            f"no id; it may be called {', '.join(COLUMNS['id'])}", file=path, line=number
        )
    system = _first(row, "system")
    text = _first(row, "text")
    references = _first(row, "references") or ()
    if isinstance(references, str):
        references = (references,)
    scores: dict[str, tuple[float, ...]] = {}
    for name, values in _named_scores(row, questions):
        scores[name] = scores.get(name, ()) + values
    return RatedOutput(
        item=str(item),
        system=ONLY_SYSTEM if system is None else str(system),
        scores=scores,
        text=text if isinstance(text, str) else None,
        references=tuple(str(reference) for reference in references),
        judge=next((str(row[name]) for name in _JUDGES if not _is_missing(row.get(name))), None),
    )


def _named_scores(
    row: Mapping[str, Any], questions: Sequence[str]
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield question and values of plain columns, `scores`, lists of annotations, or a long row."""
    long_name = next(
        (row[name] for name in ("metric", "question") if isinstance(row.get(name), str)), None
    )
    if long_name is not None and (values := _scores_of(row.get("value"))) is not None:
        yield long_name, values
        return
    for key in questions:
        value = row.get(key)
        if key == "scores" and isinstance(value, dict):
            pairs = ((name, _scores_of(score)) for name, score in value.items())
            yield from ((name, values) for name, values in pairs if values)
        elif key in _ANNOTATIONS and isinstance(value, list):
            suffix = " (turker)" if key.startswith("turker") else ""
            for annotation in value:
                for name, score in annotation.items():
                    if (values := _scores_of(score)) is not None:
                        yield f"{name}{suffix}", values
        elif (values := _scores_of(value)) is not None:
            yield key, values


def _scores_of(value: Any) -> tuple[float, ...] | None:
    """Return a number or a list of numbers as scores; None for anything else."""
    if isinstance(value, list):
        scores = [finite_number(score) for score in value if not _is_missing(score)]
        numbers = tuple(score for score in scores if score is not None)
        return numbers if numbers and len(numbers) == len(scores) else None
    number = finite_number(value)
    return None if number is None else (number,)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _MISSING)


def chosen_questions(
    human: Iterable[HumanScores], wanted: Sequence[str] | None
) -> list[HumanScores]:
    """Return the questions named, or all of them."""
    by_question = {scores.question: scores for scores in human}
    if wanted is None:
        return list(by_question.values())
    for name in wanted:
        if name not in by_question:
            raise DataError(f"no question is called {name!r}; there are: {', '.join(by_question)}")
    return [by_question[name] for name in wanted]
