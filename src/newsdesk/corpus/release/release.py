"""Writing a release: tables of all records files of a corpus, a data card, Croissant metadata, and a manifest.

The folder is at once a Hugging Face data set (Parquet under `data/`, the card's front matter names the configurations), a Croissant data set
(`croissant.json`) and what `rebuild` reads (`release.json`, with the sha256 of every file of the corpus). Without texts it holds addresses and
hashes only. `manifest.json` is written last.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from newsdesk import records
from newsdesk.corpus.release.card import card_text, croissant_text
from newsdesk.corpus.release.tables import KINDS, Contents, release_rows, write_rows
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import atomic, build_folder, make_folder, write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.records.schema import parse_json, schema_of

FORMAT = 1
MANIFEST = "manifest.json"
RELEASE = "release.json"
CARD = "README.md"
CROISSANT = "croissant.json"
DATA = "data"
PARTS = ("train", "val", "test", "all")


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of the corpus: its name, type, records and sha256, and its table.

    Or the files it is the concatenation of.
    """

    name: str
    type: str
    records: int
    sha256: str
    data: str | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Release:
    """What `release.json` holds.

    Whose corpus, by which spec it was built, whether texts are inside, and the files.
    """

    name: str
    version: str
    text: bool
    files: tuple[ReleasedFile, ...]
    license: str | None = None
    spec: str | None = None
    seed: int | None = None
    format: int = FORMAT


def write_release(
    corpus: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    name: str | None = None,
    text: bool = False,
    license: str | None = None,
    overwrite: bool = False,
) -> Release:
    """Release the clusters, events, articles and threads that the manifest of a corpus folder names."""
    folder = Path(corpus)
    if text and not license:
        raise ArgumentError(
            "a release with texts needs a licence; name the one under which every text may be passed on, as in --license CC-BY-4.0"
        )
    release = _planned(folder, name or folder.resolve().name, text=text, license=license)
    # Files of an unfinished release of the same kind may be there: everything is written again.
    target = build_folder(
        out,
        (RELEASE, json_text(_as_json(release)) + "\n"),
        last=MANIFEST,
        names={DATA, CARD, CROISSANT},
        overwrite=overwrite,
    )
    contents = Contents()
    for file in release.files:
        if file.data is not None:
            make_folder((target / file.data).parent)
            rows = contents.counted(
                file.type, release_rows(file.type, folder / file.name, text=text)
            )
            write_rows(target / file.data, rows, file.type, text=text)
    _write_descriptions(target, release, contents)
    return release


def read_release(folder: str | os.PathLike[str]) -> Release:
    """Read `release.json` of a release that is complete and unchanged; DataError or FileError otherwise."""
    place = Path(folder)
    if not (place / MANIFEST).is_file() or not (place / RELEASE).is_file():
        raise FileError(f"{place}: no whole release there; it has {RELEASE} and {MANIFEST}")
    for name, reason in records.changed_files(place / MANIFEST):
        raise DataError(f"not as it was released: {reason}", file=str(place / name))
    try:
        value = parse_json((place / RELEASE).read_text("utf-8"))
        if isinstance(value, dict) and value.get("format") != FORMAT:
            raise DataError(f"`format` is {value.get('format')!r}; this version reads {FORMAT}")
        release: Release = schema_of(Release).decode(value)
    except DataError as error:
        raise error.at(str(place / RELEASE), None) from None
    return release


def _planned(folder: Path, name: str, *, text: bool, license: str | None) -> Release:
    """Return what will be released; the corpus must be as its manifest says."""
    from newsdesk import __version__

    if not (folder / MANIFEST).is_file():
        raise FileError(f"{folder}: no {MANIFEST} there, so no finished corpus; build it first")
    for changed, reason in records.changed_files(folder / MANIFEST):
        raise DataError(
            f"not what the manifest says: {reason}; build the corpus again",
            file=str(folder / changed),
        )
    manifest = records.read_manifest(folder / MANIFEST)
    files = [file for entry in manifest.files if (file := _released(folder, entry))]
    if not files:
        raise DataError("no clusters, events or articles in JSONL to release", file=str(folder))
    for file in files:
        if file.type == "thread" and not text:
            raise ArgumentError(
                f"{folder / file.name}: comments have no address to get them from again; release them with --text and --license"
            )
    return Release(
        name,
        __version__,
        text,
        tuple(_joined(folder, file, files) for file in files),
        license,
        manifest.spec,
        manifest.seed,
    )


def _released(folder: Path, entry: records.ManifestFile) -> ReleasedFile | None:
    if not entry.name.endswith((".jsonl", ".jsonl.gz")) or not entry.records:
        return None
    reader = None
    try:
        reader = records.read_any(folder / entry.name)
        next(iter(reader))
    except DataError:  # rows of another kind, such as groups of duplicates
        return None
    finally:
        if reader is not None:
            reader.close()
    kind = records.name_of(reader.kind) if reader.kind else ""
    if kind not in KINDS:
        return None
    stem = entry.name.removesuffix(".gz").removesuffix(".jsonl")
    return ReleasedFile(entry.name, kind, entry.records, entry.sha256, f"{DATA}/{stem}.parquet")


def _joined(folder: Path, file: ReleasedFile, files: Sequence[ReleasedFile]) -> ReleasedFile:
    """Leave out a file that is the concatenation of its parts: it is released once, in parts."""
    stem = file.name.removesuffix(".jsonl")
    names = {each.name for each in files}
    parts = [part for each in PARTS if (part := f"{stem}/{each}.jsonl") in names]
    if not parts:
        return file
    digest = hashlib.sha256()
    for part in parts:
        digest.update((folder / part).read_bytes())
    if digest.hexdigest() != file.sha256:
        return file
    return ReleasedFile(file.name, file.type, file.records, file.sha256, parts=tuple(parts))


def _as_json(release: Release) -> dict[str, object]:
    value = {key: each for key, each in asdict(release).items() if each is not None}
    value["files"] = [{key: each for key, each in file.items() if each} for file in value["files"]]
    return {"format": FORMAT, **value}


def _write_descriptions(target: Path, release: Release, contents: Contents) -> None:
    tables = [file for file in release.files if file.data]
    digests = {file.data: _digest(target / str(file.data)) for file in tables}
    write_text(target / CARD, card_text(release, contents))
    write_text(target / CROISSANT, croissant_text(release, digests))
    with atomic(target / RELEASE) as stream:
        stream.write(json_line(_as_json(release)))
    entries: list[tuple[Path, int | None]] = [
        (target / str(file.data), file.records) for file in tables
    ]
    entries += [(target / each, None) for each in (RELEASE, CARD, CROISSANT)]
    records.write_manifest(target / MANIFEST, entries, spec=f"corpus release: {release.name}")


def _digest(path: Path) -> str:
    from newsdesk.files import file_digest

    return file_digest(path)
