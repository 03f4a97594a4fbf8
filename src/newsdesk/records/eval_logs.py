"""Logs of evaluation harnesses, read as scores of items: inspect-ai, lighteval and deepeval.

Each log holds one run of one system on one or more tasks: every item with a value per scorer. A log is recognised by its content:

- **inspect-ai**: `.eval` (a zip file; its members are packed with zstandard in recent versions) and `.json`. Values C, P, I, N become 1, .5, 0, 0 as in inspect-ai; a value
  that is an object gives a score per key. Epochs of a sample are averaged.
- **lighteval**: `details_TASK_DATE.parquet`, the details of a task; the model is in the path (`details/ORG/MODEL/DATE/`).
- **deepeval**: the saved test run (`testCases`, `.latest_test_run.json` or a file of the results folder) and the JSON of an `EvaluationResult`.

Samples that failed have no value; how many there were is said in a note. What is no number (texts, lists) is left out and counted.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from newsdesk.errors import DataError
from newsdesk.files import InputFile
from newsdesk.jsonl import json_value
from newsdesk.records.tables import finite_number, is_parquet, parquet_columns, parquet_objects
from newsdesk.registry import require
from newsdesk.wording import plural

_INSPECT = re.compile(rb'\{\s*"version"\s*:\s*\d+\s*,\s*"(status|eval)"\s*:')
_DEEPEVAL = re.compile(
    rb'"(testCases|conversationalTestCases|testRunData|test_results)"\s*:\s*[\[{]'
)
_ZIP, _ZSTANDARD = b"PK\x03\x04", 93
_MOST_BYTES = 1 << 30  # of one JSON text
# inspect-ai's own reading of its verdicts (`value_to_float`).
_VERDICTS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


@dataclass(frozen=True, slots=True)
class LoggedItem:
    """An item of a task with its value by each scorer; `asked` is how its question begins."""

    task: str
    item: str
    values: Mapping[str, float]
    asked: str
    facts: Mapping[str, Any]  # what the log knows of the item, such as its passage


@dataclass(frozen=True, slots=True)
class EvalLog:
    """A log: the system it is of, its items, and notes on what was left out."""

    path: str
    harness: str
    system: str
    items: tuple[LoggedItem, ...]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Counted:
    """What was left out of a log."""

    failed: int = 0
    texts: Counter[str] = field(default_factory=Counter)

    def notes(self, path: str) -> tuple[str, ...]:
        """Return a sentence for each kind of thing left out."""
        failed = f"{path}: {plural(self.failed, 'sample')} without a score left out"
        listed = ", ".join(f"{name} ({count})" for name, count in self.texts.items())
        texts = f"{path}: values that are no numbers left out: {listed}"
        return (*([failed] if self.failed else []), *([texts] if self.texts else []))


def is_eval_log(path: str) -> bool:
    """Return True if the content of a file is that of an evaluation log; standard input is none."""
    return path != "-" and _harness(path) is not None


def read_eval_log(path: str) -> EvalLog:
    """Read the scores of one log."""
    harness = _harness(path)
    if harness is None:
        raise DataError("not a log of inspect-ai, lighteval or deepeval", file=path)
    counted = _Counted()
    try:
        system, items = _READERS[harness](path, counted)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"a log of {harness} in a form that is not known ({error})", file=path) from error  # fmt: skip
    if not items:
        raise DataError(f"a log of {harness} without scored samples", file=path)
    return EvalLog(path, harness, system, tuple(items), counted.notes(path))


def _harness(path: str) -> str | None:
    """Return the name of the harness that wrote a file, by its first bytes or its columns."""
    if Path(path).is_dir():
        return None
    if is_parquet(path):
        return "lighteval" if {"doc", "metric", "model_response"} <= set(parquet_columns(path)) else None  # fmt: skip
    source = InputFile(path)
    try:
        head = source.head()
    finally:
        source.close()
    if head.startswith(_ZIP):
        return "inspect-ai" if "header.json" in _members(path) or "_journal/start.json" in _members(path) else None  # fmt: skip
    if _INSPECT.match(head.lstrip()):
        return "inspect-ai"
    return "deepeval" if head.lstrip().startswith(b"{") and _DEEPEVAL.search(head) else None


def _inspect(path: str, counted: _Counted) -> tuple[str, list[LoggedItem]]:
    """Read a log of inspect-ai, zipped or as one JSON text."""
    if path.endswith(".json") or not zipfile.is_zipfile(path):
        log = _parsed(_whole(path), path)
        head, samples = log, log.get("samples") or []
    else:
        head, samples = _zipped(path)
    about = head["eval"]
    task = str(about["task"])
    epochs: dict[str, list[LoggedItem]] = {}
    for sample in samples:
        values = dict(_inspect_values(sample, counted))
        if not values:
            counted.failed += 1
            continue
        facts = sample.get("metadata") or {}
        logged = LoggedItem(task, str(sample["id"]), values, _asked(sample.get("input")), facts)
        epochs.setdefault(logged.item, []).append(logged)
    return str(about["model"]), [_averaged(group) for group in epochs.values()]


def _inspect_values(sample: Mapping[str, Any], counted: _Counted) -> Iterator[tuple[str, float]]:
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        parts = value if isinstance(value, dict) else {None: value}
        for key, part in parts.items():
            name = scorer if key is None else f"{scorer}/{key}"
            number = _VERDICTS.get(part) if isinstance(part, str) else None
            number = _number(part) if number is None else number
            if number is None:
                counted.texts[name] += 1
            else:
                yield name, number


def _averaged(epochs: list[LoggedItem]) -> LoggedItem:
    """Return the mean over the epochs of a sample."""
    by_scorer: dict[str, list[float]] = {}
    for logged in epochs:
        for name, value in logged.values.items():
            by_scorer.setdefault(name, []).append(value)
    means = {name: sum(values) / len(values) for name, values in by_scorer.items()}
    first = epochs[0]
    return LoggedItem(first.task, first.item, means, first.asked, first.facts)


def _members(path: str) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except zipfile.BadZipFile as error:
        raise DataError("a zip file that ends early", file=path) from error


def _zipped(path: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header of an `.eval` file and its samples: the summaries, or each sample where there are none."""
    names = _members(path)
    with Path(path).open("rb") as stream, zipfile.ZipFile(stream) as archive:

        def member(name: str) -> Any:
            return _parsed(_unpacked(stream, archive, name, path), path)

        head = member("header.json" if "header.json" in names else "_journal/start.json")
        if "summaries.json" in names:
            return head, member("summaries.json")
        return head, [member(name) for name in names if re.fullmatch(r"samples/.+\.json", name)]


def _unpacked(stream: BinaryIO, archive: zipfile.ZipFile, name: str, path: str) -> bytes:
    """Return a member of a zip file, of the kind of compression that the standard library lacks too."""
    member = archive.getinfo(name)
    if member.file_size > _MOST_BYTES:
        raise DataError(f"{name} has {member.file_size:,} bytes, more than are read", file=path)
    try:
        return archive.read(name)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise DataError(f"{name} is packed in a way that is not known", file=path) from None
    zstandard = require("zstandard", extra="logs", what="reading .eval files of inspect-ai")
    stream.seek(
        member.header_offset + 26
    )  # of the local header: lengths of its name and extra field
    lengths = stream.read(4)
    stream.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
    packed = stream.read(member.compress_size)
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(packed)[: member.file_size]
    except zstandard.ZstdError as error:
        raise DataError(f"{name} is broken: {error}", file=path) from error


def _lighteval(path: str, counted: _Counted) -> tuple[str, list[LoggedItem]]:
    """Read the details of a task; the model is named by the folders above that of the date."""
    items = []
    for number, row in parquet_objects(path):
        doc = row["doc"]
        values = dict(_numbers(row.get("metric") or {}, counted))
        if not values:
            counted.failed += 1
            continue
        item = str(doc.get("id") or number)
        facts = doc.get("specific") or {}
        items.append(LoggedItem(str(doc["task_name"]), item, values, _asked(doc["query"]), facts))
    parts = Path(path).resolve().parts[:-2]
    above = parts[parts.index("details") + 1 :] if "details" in parts else ()
    return "/".join(above) or _stem(path), items


def _deepeval(path: str, counted: _Counted) -> tuple[str, list[LoggedItem]]:
    """Read a saved test run, or the JSON of an `EvaluationResult`."""
    run = _parsed(_whole(path), path)
    run = run.get("testRunData") or run
    cases = run.get("test_results") or [*run.get("testCases", ()), *run.get("conversationalTestCases", ())]  # fmt: skip
    named = run.get("hyperparameters") or {}
    system = named.get("model") or run.get("identifier") or _stem(path)
    items = []
    for number, case in enumerate(cases):
        metrics = case.get("metricsData") or case.get("metrics_data") or ()
        scores = {metric["name"]: metric.get("score") for metric in metrics}
        values = dict(_numbers({name: score for name, score in scores.items() if score is not None}, counted))  # fmt: skip
        if not values:
            counted.failed += 1
            continue
        asked = _asked(case.get("input") or case.get("scenario"))
        facts = case.get("metadata") or case.get("additionalMetadata") or {}
        items.append(LoggedItem("", str(case.get("name") or number), values, asked, facts))
    return str(system), items


def _numbers(values: Mapping[str, Any], counted: _Counted) -> Iterator[tuple[str, float]]:
    for name, value in values.items():
        number = _number(value)
        if number is None:
            counted.texts[name] += 1
        else:
            yield name, number


def _number(value: Any) -> float | None:
    """Return a number, a truth value or a text of a number as a float; None for anything else."""
    if isinstance(value, str) and value.strip().lower() in ("yes", "true", "no", "false"):
        return float(value.strip().lower() in ("yes", "true"))
    return finite_number(value)


def _asked(asked: Any) -> str:
    """Return how a question begins, so that logs of other items are noticed; "" where it is no plain text.

    Summaries of inspect-ai cut long questions.
    """
    return asked[:100] if isinstance(asked, str) else ""


def _stem(path: str) -> str:
    return Path(path.removesuffix(".gz")).stem


def _whole(path: str) -> bytes:
    """Return the bytes of a file, unpacked, up to a limit."""
    source, size = InputFile(path), 0
    chunks = []
    for chunk in source.chunks():
        size += len(chunk)
        if size > _MOST_BYTES:
            raise DataError(f"more than {_MOST_BYTES:,} bytes", file=path)
        chunks.append(chunk)
    return b"".join(chunks)


def _parsed(text: bytes, path: str) -> Any:
    """Parse JSON as harnesses write it: NaN for a missing score is allowed."""
    try:
        return json_value(text)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", file=path) from error


_READERS = {"inspect-ai": _inspect, "lighteval": _lighteval, "deepeval": _deepeval}
