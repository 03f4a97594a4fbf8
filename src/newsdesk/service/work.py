"""Heavy work on campaigns, as functions for worker processes: plain values in, plain values out. Each opens the store itself.

What only a worker needs is imported in its function: the server starts without it.
"""

from __future__ import annotations

import contextlib
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from newsdesk import campaigns
from newsdesk.campaigns import Store
from newsdesk.campaigns.campaign import Side
from newsdesk.campaigns.exchange import Imported, SheetFormat, sheet_of
from newsdesk.campaigns.plans import CampaignPlan, create_campaign
from newsdesk.campaigns.sheets import write_csv, write_workbook
from newsdesk.errors import ArgumentError, DataError, FileError, NewsdeskError
from newsdesk.files import write_text
from newsdesk.records import record_text
from newsdesk.registry import Registry, Spec
from newsdesk.work.progress import OnProgress

# Settings of metrics and summarizers that name a file or folder of the machine.
FILE_SETTINGS = frozenset(("cache", "encoder", "idf", "model", "nli", "synonyms"))
_GZIP = b"\x1f\x8b"
_WRITE = {"xlsx": write_workbook, "csv": write_csv}


def check_spec(table: Registry, spec: str) -> None:
    """Refuse a spec with an unknown name, or with a setting that names a file of the machine."""
    parsed = table.resolve(Spec.parse(spec))
    for name, _ in parsed.arguments:
        if name in FILE_SETTINGS:
            raise ArgumentError(
                f"{spec!r}: the setting {name!r} names a file, which a request cannot"
            )


def create(url: str, plan: CampaignPlan, paths: Mapping[str, str], uploads: str) -> list[str]:
    """Create a campaign from files by name; return why its controls can be recognised.

    `uploads` is the folder of the uploaded ones.
    """
    with _without_folder(uploads), Store.open(url) as store:
        for name, path in paths.items():
            if path.startswith(uploads) and _starts_with(path, _GZIP):
                raise DataError("a compressed file is not read here; unpack it first", file=name)
        _, reasons = create_campaign(store, plan, lambda name: _path(paths, name))
        return reasons


def sample(url: str, folder: str) -> None:
    """Lay out the sample newsroom in the data folder."""
    from newsdesk.demo.campaigns import lay_out

    with Store.open(url) as store:
        lay_out(folder, store)


def sheet(url: str, campaign: str, annotator: str, kind: SheetFormat) -> bytes:
    """Return the sheet of one annotator, as the bytes of its file."""
    with Store.open(url) as store, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sheet.{kind}"
        _WRITE[kind](path, sheet_of(store, campaign, annotator))
        return path.read_bytes()


def sheets(url: str, campaign: str) -> bytes:
    """Return the sheets of all annotators in a zip archive; open slots are handed out first."""
    packed = BytesIO()
    with (
        Store.open(url) as store,
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive,
    ):
        for written in campaigns.write_sheets(store, campaign, folder):
            archive.write(written.path, written.path.name)
    return packed.getvalue()


def import_files(
    url: str,
    campaign: str,
    folder: str,
    names: Sequence[str],
    *,
    at: str,
    prefer: Side | None,
    trust_unsealed: bool,
    by: str,
) -> list[dict[str, Any]]:
    """Import uploaded files; one that cannot be used is reported and does not keep the others out."""
    results: list[dict[str, Any]] = []
    with Store.open(url) as store:
        for name in names:
            path = str(Path(folder) / name)
            try:
                with _without_folder(folder):
                    if _starts_with(path, _GZIP):
                        raise ArgumentError("a compressed file is not read here; unpack it first")
                    [imported] = campaigns.import_files(
                        store, campaign, [path],
                        at=at, prefer=prefer, trust_unsealed=trust_unsealed, by=by,
                    )  # fmt: skip
                results.append({**imported.as_json(), "file": name, "error": None})
            except NewsdeskError as error:
                failed = Imported(name, new=0, corrected=0, unchanged=0, faults=())
                results.append({**failed.as_json(), "error": str(error)})
    return results


def report(url: str, campaign: str) -> str:
    """Return the report of a campaign as one HTML page."""
    with Store.open(url) as store:
        return campaigns.report_page(store, campaign)


def panel(url: str, campaign: str) -> str:
    """Return agreement and audit of annotators, by name, as HTML in which all text is escaped."""
    from newsdesk.campaigns.report.evidence import Evidence
    from newsdesk.campaigns.report.sections import agreement_section, audit_section

    with Store.open(url) as store:
        evidence = Evidence.read(store, campaign, names=True)
        parts = (agreement_section(evidence.agreement), audit_section(evidence))
        return "\n".join(part.html(number) for number, part in enumerate(parts, 1))


def score_pair(
    outputs: Any, references: Any, metrics: Sequence[str], uploads: str
) -> dict[str, Any]:
    """Score outputs against references (records, or the names of uploaded files) by metrics.

    Return a row per system and metric, and the matched words of the first item.
    """
    from newsdesk import records
    from newsdesk.metrics.systems import join, score_systems
    from newsdesk.studies.match import matched_rows
    from newsdesk.types import Output, References

    with _without_folder(uploads):
        if isinstance(outputs, str):
            outputs = list(records.read(Path(uploads) / outputs, Output))
            references = list(records.read(Path(uploads) / references, References))
        results = score_systems(join(outputs, references), metrics)
    first = results[0].system
    return {
        "items": len(first.ids),
        "rows": [
            (result.system.name, metric, score.value, score.signature)
            for result in results
            for metric, score in zip(result.metrics, result.scores, strict=True)
        ],
        "item": first.ids[0],
        "match": [
            (label, [(word.word, round(5 * word.weight), word.on_lcs) for word in words])
            for label, words in matched_rows(first.batch, 0)
        ],
    }


def study(folder: Path, report: OnProgress, asked: Mapping[str, Any]) -> None:
    """Compare systems or correlate metrics as a form asked, and write the report; the work of a job."""
    from newsdesk.studies.compare import CompareSettings, compare_inputs
    from newsdesk.studies.correlate.correlations import correlate
    from newsdesk.studies.correlate.inputs import CorrelateFiles, read_inputs
    from newsdesk.studies.report import result_page

    compares = asked["question"] == "compare"
    files = CorrelateFiles(
        outputs=[asked["outputs"]] if "outputs" in asked else (),
        references=asked.get("references"),
        campaign=asked["campaign"],
        store=asked["store"],
    )
    inputs = read_inputs(files, metrics=asked["metrics"] or None, score=not compares)
    result = (
        compare_inputs(inputs, CompareSettings(), report)
        if compares
        else correlate(inputs.human, inputs.metrics, systems=inputs.systems, progress=report)
    )
    title = "Systems compared" if compares else "Metrics against people"
    write_text(folder / "report.html", result_page(dict(result.as_json()), "", title))


def _records(rows: Iterable[Any]) -> str:
    return "".join(f"{record_text(row)}\n" for row in rows)


# name of the file → what is in it.
EXPORTS: Mapping[str, Callable[[Store, str], str]] = {
    "judgments.jsonl": lambda store, name: _records(store.judgments(name)),
    "history.jsonl": lambda store, name: _records(
        store.judgments(name, current=False, include_excluded=True)
    ),
    "weights.jsonl": lambda store, name: _records(campaigns.weights(store, name).references),
    "gains.jsonl": lambda store, name: _records(campaigns.gains(store, name)),
    "gains.qrels": lambda store, name: "".join(
        f"{line}\n" for line in campaigns.qrels(store, name)
    ),
    "pairs.jsonl": lambda store, name: _records(campaigns.pairs(store, name)),
}


def export(url: str, campaign: str, file: str) -> str:
    """Return an export of a campaign, as the text of its file."""
    with Store.open(url) as store:
        return EXPORTS[file](store, campaign)


def _path(paths: Mapping[str, str], name: str) -> str:
    if name not in paths:
        raise ArgumentError(f"there is no file {name!r}: upload it, or put it into the newsroom")
    return paths[name]


def _starts_with(path: str, sign: bytes) -> bool:
    with Path(path).open("rb") as stream:
        return stream.read(len(sign)) == sign


@contextlib.contextmanager
def _without_folder(folder: str) -> Iterator[None]:
    """Turn errors about an uploaded file into the uploader's, which name the file alone."""
    try:
        yield
    except FileError as error:
        raise ArgumentError(str(error).replace(f"{folder}/", "")) from error
    except NewsdeskError as error:
        raise type(error)(str(error).replace(f"{folder}/", "")) from error
