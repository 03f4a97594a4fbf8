"""Forgetting in a whole folder: find what is meant, write a new version of every file without it, and remember only keyed hashes.

The new version is a folder of its own; the old one stays until its owner deletes it. Working files that a build keeps to go on (`.work`) are not
carried over: the next build makes them again, and refuses what was forgotten. The new version is written beside its place and takes
its name when it is complete: a run that was stopped leaves nothing under that name.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.forget.databases import Scrubber
from newsdesk.corpus.forget.files import ForgetOutcome, records_of, write_without
from newsdesk.corpus.forget.targets import Finder, Record, Request, Targets
from newsdesk.corpus.forgotten import FILES as LISTS, Forgotten
from newsdesk.corpus.tally import Accounts, StepTally
from newsdesk.errors import DataError, FileError
from newsdesk.files import complete_folder, make_folder
from newsdesk.model import articles_seen
from newsdesk.work.ledger import WORK

MANIFEST = "manifest.json"
_KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was forgotten: ids of articles, what became of each file, and models fitted on them."""

    ids: tuple[str, ...]
    files: tuple[ForgetOutcome, ...]
    models: tuple[str, ...]

    @property
    def articles(self) -> int:
        """How many articles were found."""
        return len(self.ids)

    @property
    def tally(self) -> StepTally:
        """What was removed, summed over the files."""
        accounts = Accounts("forget")
        for file in self.files:
            if file.dropped:
                accounts.drop("files left out")
            else:
                accounts.keep()
            accounts.note("records removed", file.removed)
            accounts.note("records changed", file.changed)
        return accounts.tally()


def forget(
    corpus: str | os.PathLike[str],
    out: str | os.PathLike[str],
    request: Request,
    *,
    models: Sequence[str | os.PathLike[str]] = (),
    new_key: Callable[[int], bytes] = secrets.token_bytes,
) -> ForgetReport:
    """Write a version of a corpus folder without what a request names.

    `models` are folders to look for saved models in.

    A list of what was forgotten before is carried over and grows. `new_key` makes the key of a first list.
    """
    source, target = Path(corpus), Path(out)
    _check(source, target)
    files = sorted(_files(source))
    targets = _with_all_names(source, files, Targets.of(request))
    _learn_words(source, files, targets)
    before = Forgotten.load(source)
    listed = before if before.key else Forgotten(new_key(_KEY_BYTES), before.hashes)
    known_names = {("id", name) for name in targets.ids} | {("url", url) for url in targets.urls}
    with complete_folder(target) as draft:
        outcomes = tuple(_write(source, draft, files, targets))
        for folder in [path for path in source.rglob(WORK) if path.is_dir()]:
            make_folder(draft / folder.relative_to(source))
        listed.with_values({*known_names, *targets.requested}).save(draft)
        _write_manifest(source, draft, outcomes)
    model_folders = _models_that_saw(targets, [source, *map(Path, models)])
    return ForgetReport(tuple(sorted(targets.matched)), outcomes, tuple(model_folders))


def _check(source: Path, target: Path) -> None:
    """Refuse a corpus that is no folder, and a target inside it or not empty."""
    if not source.is_dir():
        raise FileError(f"{source}: no such folder")
    if target.resolve().is_relative_to(source.resolve()):
        raise FileError(f"{target}: lies in the corpus itself; name a folder outside {source}")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileError(f"{target}: exists already; a new version needs an empty folder")


def _files(folder: Path) -> list[str]:
    """Return the files of a folder that are carried over: all but the list and the manifests."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return [
        name.as_posix()
        for name in names
        if WORK not in name.parts and name.name not in (MANIFEST, *LISTS)
    ]


def _with_all_names(source: Path, files: Sequence[str], targets: Targets) -> Targets:
    """Return the targets with the ids and addresses of all articles that a request means.

    An id leads to an address and that to another id, so files are read until a pass finds no new name.
    """
    found_new_name = True
    while found_new_name:
        found_new_name = False
        for name in files:
            for record in records_of(source / name):
                if _is_article(record) and targets.match(record):
                    found_new_name |= targets.add(record)
                    if isinstance(page := record.get("page"), dict):
                        found_new_name |= targets.add(page)
    return targets


def _is_article(record: Record) -> bool:
    """Return whether a record has what an article has; an id alone may be that of anything."""
    return bool({"url", "text"} & record.keys()) and not (
        {"likes", "votes", "parent", "system", "articles", "comments", "sources"} & record.keys()
    )


def _learn_words(source: Path, files: Sequence[str], targets: Targets) -> None:
    """Give the targets the five-word shingles that only forgotten articles hold."""
    for name in files:
        for record in records_of(source / name):
            if _is_article(record) and targets.match(record):
                targets.learn_words(record)

    def is_forgotten(record: Record) -> bool:
        article = record.get("article")  # of a thread, which goes whole
        candidate = article if isinstance(article, dict) else record
        return _is_article(candidate) and targets.match(candidate)

    for name in files:
        for record in records_of(source / name, skip=is_forgotten):
            if "system" not in record:
                targets.unlearn_words(record)


def _write(
    source: Path, target: Path, files: Sequence[str], targets: Targets
) -> list[ForgetOutcome]:
    """Write the new version of every file to `target`."""
    scrubber = Scrubber(targets, Finder.of(targets))
    outcomes = []
    for name in files:
        make_folder((target / name).parent)
        outcomes.append(write_without(source / name, target / name, name, scrubber))
    return outcomes


def _write_manifest(source: Path, target: Path, outcomes: Sequence[ForgetOutcome]) -> None:
    """Write a manifest for every one of the old version, with its spec and new hashes."""
    removed = {outcome.name: outcome.removed for outcome in outcomes}
    for path in sorted(source.rglob(MANIFEST)):
        if WORK in path.relative_to(source).parts:
            continue
        try:
            manifest = records.read_manifest(path)
        except DataError:
            continue
        folder = target / path.parent.relative_to(source)
        entries: list[tuple[Path, int | None]] = []
        for entry in manifest.files:
            name = (path.parent / entry.name).relative_to(source).as_posix()
            if (folder / entry.name).is_file():
                count = None if entry.records is None else entry.records - removed.get(name, 0)
                entries.append((folder / entry.name, count))
        spec = f"{manifest.spec or 'a corpus'}; corpus forget"
        records.write_manifest(folder / MANIFEST, entries, spec=spec, seed=manifest.seed)


def _models_that_saw(targets: Targets, folders: Sequence[Path]) -> list[str]:
    """Return the saved models in and below folders whose list of articles has one that was forgotten."""
    names = {*targets.ids, *targets.addresses}
    return sorted(
        {
            str(path.parent)
            for folder in folders
            for path in folder.rglob("model.json")
            if articles_seen(path.parent, names)
        }
    )
