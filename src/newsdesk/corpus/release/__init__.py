"""Writing a release: tables of all records files of a corpus, a data card, Croissant metadata, and a manifest.

The folder is at once a Hugging Face data set (Parquet under `data/`, the card's front matter names the configurations), a Croissant data set
(`croissant.json`) and what `rebuild` reads (`release.json`, with the sha256 of every file of the corpus). Without texts it holds addresses and
hashes only. `manifest.json` is written last.

The hash of an article is the sha256 of the JSON array [title, author, text], in UTF-8 and without spaces: exactly what a release by URL leaves
out. Parquet columns follow from the fields of a record type; lists and records inside a record are lists and structs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import types
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from newsdesk import records
from newsdesk.corpus.partitions import explained_write
from newsdesk.corpus.release.card import card_text, croissant_text
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import atomic, build_folder, file_digest, make_folder, write_text
from newsdesk.jsonl import json_line, json_text
from newsdesk.records.schema import parse_json, schema_of
from newsdesk.records.tables import parquet_objects
from newsdesk.registry import require
from newsdesk.types import Article, Cluster, Event, Thread
from newsdesk.work import digest_of

FORMAT = 1
MANIFEST = "manifest.json"
RELEASE = "release.json"
CARD = "README.md"
CROISSANT = "croissant.json"
DATA = "data"
PARTS = ("train", "val", "test", "all")
WORDS = ("title", "author", "text")
HASH = "sha256"
KINDS: Mapping[str, type[Any]] = {
    "article": Article,
    "cluster": Cluster,
    "event": Event,
    "thread": Thread,
}
Row = dict[str, Any]
_BATCH_ROWS = 2_000
# A path of plain names, none of which is hidden or leads upwards.
_PLAIN = r"(?:[\w-][\w.+ -]*/){0,8}[\w-][\w.+ -]*"
_CORPUS_FILE = re.compile(_PLAIN + r"\.jsonl(?:\.gz)?")
_TABLE = re.compile(rf"{DATA}/{_PLAIN}\.parquet")
_RESERVED = ("articles", "missing.jsonl")  # what a rebuild writes beside the corpus


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of the corpus, and its table, or the files it is the concatenation of."""

    name: str
    type: str
    records: int
    sha256: str
    data: str | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Release:
    """What `release.json` holds: whose corpus, its spec, whether texts are inside, and the files."""

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
        _check_names(release)
    except DataError as error:
        raise error.at(str(place / RELEASE), None) from None
    return release


def _check_names(release: Release) -> None:
    """Refuse names that lead out of a folder, or to a file that a rebuilt corpus has for something else."""
    names = [file.name for file in release.files]
    tables = [file.data for file in release.files if file.data is not None]
    parts = [part for file in release.files for part in file.parts]
    wrong = [name for name in (*names, *parts) if not _CORPUS_FILE.fullmatch(name)]
    wrong += [table for table in tables if not _TABLE.fullmatch(table)]
    wrong += [name for name in names if name.partition("/")[0] in _RESERVED]
    with_table = {file.name for file in release.files if file.data is not None}
    wrong += [part for part in parts if part not in with_table]
    wrong += [name for name, count in Counter(names).items() if count > 1]
    if wrong:
        raise DataError(f"{wrong[0]!r} cannot be a file of a released corpus")
    kinds = [file.type for file in release.files if file.type not in KINDS]
    if kinds:
        raise DataError(f"no records are called {kinds[0]!r}; there are: {', '.join(KINDS)}")


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
        version=__version__,
        text=text,
        files=tuple(_joined(folder, file, files) for file in files),
        license=license,
        spec=manifest.spec,
        seed=manifest.seed,
    )


def _released(folder: Path, entry: records.ManifestFile) -> ReleasedFile | None:
    """Return what is released of a file; None if it has no records of a kind that is."""
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
    table = f"{DATA}/{stem}.parquet"
    return ReleasedFile(entry.name, kind, entry.records, entry.sha256, data=table)


def _joined(folder: Path, file: ReleasedFile, files: Sequence[ReleasedFile]) -> ReleasedFile:
    """Return a file; one that is the concatenation of others is released as these parts alone."""
    stem = file.name.removesuffix(".jsonl")
    names = {one.name for one in files}
    parts = [part for name in PARTS if (part := f"{stem}/{name}.jsonl") in names]
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
    """Write card, Croissant metadata, `release.json` and, last, the manifest."""
    tables = [file for file in release.files if file.data]
    digests = {file.data: file_digest(target / str(file.data)) for file in tables}
    fields = {file.type: columns(KINDS[file.type], text=release.text) for file in tables}
    write_text(target / CARD, card_text(release, contents))
    write_text(target / CROISSANT, croissant_text(release, digests, fields))
    with atomic(target / RELEASE) as stream:
        stream.write(json_line(_as_json(release)))
    entries: list[tuple[Path, int | None]] = [
        (target / str(file.data), file.records) for file in tables
    ]
    entries += [(target / name, None) for name in (RELEASE, CARD, CROISSANT)]
    records.write_manifest(target / MANIFEST, entries, spec=f"corpus release: {release.name}")


def article_hash(article: Mapping[str, Any]) -> str:
    """Return the hash of what a release by URL leaves out of an article.

    >>> article_hash({"id": "a", "text": "It ended."})[:12]
    'd86e2ddfbd66'
    """
    return digest_of([article.get(name) for name in WORDS])


def articles_of(kind: str, row: Row) -> list[Row]:
    """Return the articles inside a row of a kind; changing them changes the row."""
    if kind == "article":
        return [row]
    if kind == "thread":
        return [row["article"]]
    return list(row["articles"]) if kind == "cluster" else []


def release_rows(kind: str, path: Path, *, text: bool) -> Iterator[Row]:
    """Yield the rows of a file; comments lose their authors, and articles their words unless `text`."""
    for record in records.read(path, KINDS[kind]):
        row = schema_of(KINDS[kind]).encode(record)
        assert isinstance(row, dict)
        for article in articles_of(kind, row):
            article[HASH] = article_hash(article)
            for name in () if text else WORDS:
                article.pop(name, None)
        for comment in row.get("comments", ()):
            comment.pop("author", None)
        yield row


def record_of(kind: str, row: Row) -> Any:
    """Return the record that a row holds whole again."""
    for article in articles_of(kind, row):
        article.pop(HASH, None)
    return schema_of(KINDS[kind]).decode(row)


def write_rows(path: Path, rows: Iterable[Row], kind: str, *, text: bool) -> int:
    """Write rows as Parquet in batches; return how many there were."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    schema = columns(KINDS[kind], text=text)
    count = 0

    def frames(*_: object) -> Iterator[Any]:
        nonlocal count
        batch: list[Row] = []
        for row in rows:
            batch.append(row)
            count += 1
            if len(batch) == _BATCH_ROWS:
                yield pl.DataFrame(batch, schema=schema, orient="row")
                batch = []
        yield pl.DataFrame(batch, schema=schema, orient="row")

    from polars.io.plugins import register_io_source

    with atomic(path) as stream, explained_write(path):
        register_io_source(frames, schema=schema).sink_parquet(
            stream, compression="zstd", compression_level=3, row_group_size=_BATCH_ROWS
        )
    return count


def table_rows(path: Path, kind: str) -> Iterator[Row]:
    """Yield the rows of a table of a kind, without empty cells at any depth; DataError where articles are none."""
    for number, row in parquet_objects(str(path)):
        cells = _without_none(row)
        inside = {"article": [cells], "thread": [cells.get("article")], "event": []}
        articles = inside.get(kind, cells.get("articles"))
        if not isinstance(articles, list) or not all(map(_is_article, articles)):
            raise DataError(f"the row is no {kind}", file=str(path), line=number)
        yield cells


def _is_article(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


def columns(kind: type[Any], *, text: bool) -> dict[str, Any]:
    """Return the columns of a table of records, with their polars types."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    hints = typing.get_type_hints(kind)
    article = issubclass(kind, Article)
    hidden: set[str] = set(WORDS) if article and not text else set()
    if "likes" in hints:  # a comment
        hidden = {"author"}
    names = [field.name for field in dataclasses.fields(kind) if field.name not in hidden]
    typed = {name: _type(hints[name], text=text) for name in names}
    return {**typed, HASH: pl.String} if article else typed


def _type(hint: Any, *, text: bool) -> Any:
    """Return the polars type of the field of a record, from its type hint."""
    pl = require("polars", extra="corpus", what="writing Parquet")
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        [hint] = [option for option in typing.get_args(hint) if option is not type(None)]
    if typing.get_origin(hint) is tuple:
        return pl.List(_type(typing.get_args(hint)[0], text=text))
    if dataclasses.is_dataclass(hint):
        return pl.Struct(columns(typing.cast(type[Any], hint), text=text))
    return {float: pl.Float64, int: pl.Int64}.get(hint, pl.String)


@dataclass(slots=True)
class Contents:
    """Articles by outlet and language, each counted once by id, and the first and the last day."""

    outlets: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    days: list[str] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    @property
    def articles(self) -> int:
        """How many different articles there are."""
        return len(self._ids)

    def counted(self, kind: str, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows unchanged, counting the articles in them."""
        for row in rows:
            for article in articles_of(kind, row):
                if article["id"] not in self._ids:
                    self._add(article)
            yield row

    def _add(self, article: Row) -> None:
        """Count an article; `days` keeps the first and the last day alone."""
        self._ids.add(article["id"])
        self.outlets[article.get("source") or "unknown"] += 1
        self.languages[article.get("lang") or "unknown"] += 1
        if day := article.get("date"):
            self.days = [min([day, *self.days]), max([day, *self.days])]
