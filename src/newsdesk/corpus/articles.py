"""The articles step: WARC files, folders of HTML and files of records become a folder of articles, Parquet by date.

Every shard is one task of the engine and leaves its rows below `.work/shards`, under a name that holds the digest of its bytes
and of the settings. Then the partitions are planned and written (`corpus.partitions`), and last `report.json` with the
accounts: a folder without it is unfinished, and the same call finishes it. A call with more inputs, or with other filters,
extracts only what is new and rewrites only the days that change.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from newsdesk import __version__, records
from newsdesk.addresses import is_address
from newsdesk.corpus.extraction import EXTRACTOR, STEP
from newsdesk.corpus.forgotten import FILES as FORGOTTEN_FILES, Forgotten
from newsdesk.corpus.pages import MAX_BYTES, REJECTED
from newsdesk.corpus.partitions import (
    ExtractedShard,
    Filters,
    check_filters,
    plan,
    write_partitions,
)
from newsdesk.corpus.shards import COMMON_CRAWL, Mirror, Shard, find_shards
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import FileError
from newsdesk.files import atomic, make_folder, remove_parts
from newsdesk.jsonl import json_value
from newsdesk.types import Article
from newsdesk.work import Digests, Running, WorkTask, digest_of, locked
from newsdesk.work.ledger import WORK, work_folder

FORMAT = 1
REPORT = "report.json"


@dataclass(frozen=True, slots=True)
class Extraction:
    """How pages become articles: the largest page in bytes, and the extractor ("module:attribute").

    `any_form` takes files of any form (`corpus.intake`): `columns` are fields of an article and the columns that hold them, `dates` is the order of
    dates such as 5/11/2026, dmy or mdy.
    """

    max_bytes: int = MAX_BYTES
    extractor: str = EXTRACTOR
    any_form: bool = False
    columns: tuple[tuple[str, str], ...] = ()
    dates: str | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """What the task of a shard is told, without what it needs not."""
        values = asdict(self)
        del values["any_form"]
        return {name: value for name, value in values.items() if value not in ((), None)}


@dataclass(frozen=True, slots=True)
class ArticlesReport:
    """What the articles step did: accounts in all and by shard, and the articles in each file."""

    tally: StepTally
    shards: Mapping[str, StepTally]
    files: Mapping[str, int]

    @property
    def rejected(self) -> int:
        """Pages and records that are damaged or defeat the extractor."""
        return sum(n for reason, n in self.tally.dropped.items() if reason in REJECTED)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of `report.json`."""
        return {
            "format": FORMAT,
            "articles": self.tally.as_json(),
            "shards": [{"file": name, **tally.as_json()} for name, tally in self.shards.items()],
            "files": dict(self.files),
        }


def build_articles(
    inputs: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    extraction: Extraction | None = None,
    filters: Filters | None = None,
    running: Running | None = None,
    root: Path | None = None,
    forgotten: Path | None = None,
    base: str = COMMON_CRAWL,
    overwrite: bool = False,
) -> ArticlesReport:
    """Bring the articles folder `out` up to date with its inputs, which are relative to `root`.

    A folder that holds something else is refused, and so is one that holds articles of files that are no longer among the
    inputs, unless `overwrite` is set. An input that is a list of paths names them relative to the address `base`.

    `forgotten` is the folder with the list of pages to leave out: `out` by default, that of the whole corpus in a build. Neither folder is read as an input.
    """
    extraction, filters = extraction or Extraction(), filters or Filters()
    running = running or Running()
    check_filters(filters)
    if is_address(out):
        find = partial(
            find_shards, list(inputs), root=root, base=base, any_form=extraction.any_form
        )
        return _build_remote(
            find, os.fspath(out), extraction, filters, running, forgotten, overwrite=overwrite
        )
    folder, work = work_folder(out, "articles", overwrite=overwrite)
    with locked(work):
        remove_parts(folder)
        digests = Digests(work / "digests.json")
        forgotten = forgotten or folder
        shards = find_shards(
            inputs,
            digests,
            root,
            base=base,
            outputs={folder, forgotten},
            any_form=extraction.any_form,
        )
        digests.save()
        _check_inputs(folder, shards, overwrite=overwrite)
        results = _extracted(work, shards, extraction, running, forgotten)
        report = _merged(folder, shards, results, filters)
        _write_report(folder / REPORT, report)
        _remove_stale(work / "shards", [extracted for extracted, _ in results])
    return report


def articles_to_file(
    inputs: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    extraction: Extraction,
    filters: Filters,
    running: Running,
    overwrite: bool = False,
) -> ArticlesReport:
    """Write the articles of all inputs to one file, by date; what the folder of Parquet would hold."""
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as scratch:
        folder = Path(scratch) / "articles"
        report = build_articles(
            inputs, folder, extraction=extraction, filters=filters, running=running
        )
        rows = records.read(folder, Article) if report.files else iter(())
        records.write(out, rows, overwrite=overwrite)
    return report


def _build_remote(
    find: Callable[[Digests], list[Shard]],
    address: str,
    extraction: Extraction,
    filters: Filters,
    running: Running,
    forgotten: Path | None,
    *,
    overwrite: bool,
) -> ArticlesReport:
    """Build as `build_articles` does, for a folder at an address; the merge is done here.

    `find` returns the shards of the inputs.
    """
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as scratch:
        mirror = Mirror(address, Path(scratch))
        for name in (REPORT, *FORGOTTEN_FILES):
            mirror.pull(name)
        shards = find(Digests(Path(scratch) / "digests.json"))
        _check_inputs(Path(scratch), shards, overwrite=overwrite)
        forgotten_folder = forgotten or Path(scratch)
        results = _extracted(
            Path(scratch) / WORK, shards, extraction, running, forgotten_folder, mirror
        )
        partitions_before = {name for name in mirror.names() if name.startswith("date=")}
        for name in partitions_before:  # complete, as its name says; only the name is needed here
            make_folder((Path(scratch) / name).parent)
            (Path(scratch) / name).touch()
        mirror.remove(REPORT)
        report = _merged(Path(scratch), shards, results, filters)
        for name in sorted(report.files.keys() - partitions_before):
            mirror.push(name)
        for name in sorted(partitions_before - report.files.keys()):
            mirror.remove(name)
        current = {extracted.path.stem for extracted, _ in results}
        for name in mirror.names():
            if name.startswith(f"{WORK}/shards/") and Path(name).stem not in current:
                mirror.remove(name)
        _write_report(Path(scratch) / REPORT, report)
        mirror.push(REPORT)
    return report


def _check_inputs(folder: Path, shards: Sequence[Shard], *, overwrite: bool) -> None:
    """Refuse a folder with articles of files that are no longer among the inputs."""
    if overwrite or not (folder / REPORT).is_file():
        return
    before = {shard["file"] for shard in json_value((folder / REPORT).read_bytes())["shards"]}
    gone = sorted(before - {shard.name for shard in shards})
    if gone:
        raise FileError(
            f"{folder}: holds articles of {gone[0]} ({len(gone)} in all), which is not among the inputs; add --force to drop them"
        )


def _extracted(
    work: Path,
    shards: Sequence[Shard],
    extraction: Extraction,
    running: Running,
    forgotten: Path,
    mirror: Mirror | None = None,
) -> list[tuple[ExtractedShard, StepTally]]:
    """Return the rows and accounts of every shard, from an earlier run or a task of this one.

    With a mirror they lie at its address and are pulled from there.
    """
    make_folder(work / "shards")
    arguments = extraction.arguments
    settings = {"version": __version__, **arguments}
    if digest := Forgotten.load(forgotten).digest:
        settings["forgotten"] = digest
        # The machine of a worker sees the list at the address; this one may have it in a folder of its own.
        remote = mirror is not None and forgotten == mirror.folder
        arguments["forgotten"] = mirror.address if mirror and remote else str(forgotten)
    keys = [digest_of([shard.kind, shard.digest, settings]) for shard in shards]
    paths = [work / "shards" / key[:32] for key in keys]
    names = [f"{WORK}/shards/{key[:32]}" for key in keys]
    for name in names if mirror else ():
        if mirror and mirror.pull(f"{name}.json"):
            mirror.pull(f"{name}.rows")
    outs = [
        mirror.at(name) if mirror else str(path) for name, path in zip(names, paths, strict=True)
    ]
    tasks = [
        WorkTask(
            shard.name,
            "newsdesk.corpus.extraction:extract_shard",
            {"kind": shard.kind, "files": shard.files, "out": out, **arguments},
            shard.size,
        )
        for shard, path, out in zip(shards, paths, outs, strict=True)
        if not path.with_suffix(".json").is_file()
    ]
    running.run(tasks)
    for name, path in zip(names, paths, strict=True):
        for ending in (".rows", ".json"):
            if mirror and not path.with_suffix(ending).is_file():
                mirror.pull(f"{name}{ending}")
    return [
        (ExtractedShard(path.with_suffix(".rows"), key), _tally(path.with_suffix(".json")))
        for path, key in zip(paths, keys, strict=True)
    ]


def _tally(path: Path) -> StepTally:
    return StepTally(**json_value(path.read_bytes())["tally"])


def _merged(
    folder: Path,
    shards: Sequence[Shard],
    results: Sequence[tuple[ExtractedShard, StepTally]],
    filters: Filters,
) -> ArticlesReport:
    """Write the partitions and return the report; the old report is deleted first."""
    extracted = [each for each, _ in results]
    accounts = Accounts(STEP)
    rows = plan(extracted, filters, accounts)
    (folder / REPORT).unlink(missing_ok=True)  # unfinished from here on, until it is written again
    files = write_partitions(folder, extracted, rows)
    for _, tally in results:
        for reason, count in tally.dropped.items():
            accounts.drop(reason, count)
        for what, count in tally.notes.items():
            accounts.note(what, count)
    by_shard = {shard.name: tally for shard, (_, tally) in zip(shards, results, strict=True)}
    return ArticlesReport(accounts.tally(), by_shard, files)


def _write_report(path: Path, report: ArticlesReport) -> None:
    with atomic(path) as stream:
        stream.write(json.dumps(report.as_json(), ensure_ascii=False, indent=1).encode() + b"\n")


def _remove_stale(folder: Path, extracted: Sequence[ExtractedShard]) -> None:
    """Delete the rows of shards that are no longer part of the folder, and spools: all shards are complete."""
    current = {shard.path.stem for shard in extracted}
    for path in folder.iterdir():
        if path.name.partition(".")[0] not in current or path.suffix == ".spool":
            path.unlink()
