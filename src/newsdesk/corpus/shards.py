"""The inputs of the articles step as shards: what one task reads.

A shard is one WARC or ARC file, one file of article records (JSONL or Parquet), or the HTML files of one folder. Where files of any form are taken in (`any_form`), it
may also be a table, JSON, Parquet, a feed, or the texts of one folder, and records are not read strictly. A folder
among the inputs stands for all of these below it, and so does an address such as `s3://bucket/crawl`, whose objects are known by what their store
says about them and not by their bytes. A list of paths, as Common Crawl publishes one for every month (`warc.paths.gz`), stands for the files it names, below
a base address; these never change, so nobody is asked about them. A shard's name is its path as the user typed it, with `/`: it is what the
column `file` holds, and so a build in another place with the same relative paths gives the same bytes.

Where inputs or the articles folder lie at an address, a task copies its input to this machine, works on files, and puts the rows first and the accounts
last: the accounts are the sign that a shard is complete. The folder itself is merged on the machine where the command runs (`Mirror`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from newsdesk.addresses import exists, fetch, is_address, listing, put, remove
from newsdesk.corpus.intake.rows import ENDINGS as ROW_ENDINGS, TEXT_ENDINGS
from newsdesk.corpus.warc import ENDINGS as WARC_ENDINGS
from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, make_folder
from newsdesk.work import Digests, digest_of

Files = Sequence[tuple[str, str]]
KindOf = Callable[[str], str | None]  # what a file is by its name; None for nothing
_ENDINGS = (".rows", ".json")  # the accounts last

HTML_ENDINGS = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".xhtml.gz")
LIST_ENDINGS = (".paths", ".paths.gz")
COMMON_CRAWL = "s3://commoncrawl/"
_LISTED_BYTES = 1 << 30  # about what a WARC file of Common Crawl News weighs
RECORD_ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")
_GROUPED = ("html", "text")  # kinds of which the files of a folder are one shard


@contextmanager
def local_inputs(files: Files) -> Iterator[Files]:
    """Yield the files of a shard as paths of this machine; names stay as they are."""
    if not any(is_address(path) for _, path in files):
        yield files
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as folder:
        copies = []
        for number, (name, path) in enumerate(files):
            target = Path(folder) / f"{number}-{path.rpartition('/')[2]}"
            fetch(path, target)
            copies.append((name, str(target)))
        yield copies


@contextmanager
def local_output(out: str) -> Iterator[str]:
    """Yield where a task writes; what it wrote is put to its address if the block succeeds."""
    if not is_address(out):
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-") as folder:
        local = Path(folder) / "shard"
        yield str(local)
        for ending in _ENDINGS:
            put(local.with_suffix(ending), f"{out}{ending}")


@dataclass(frozen=True, slots=True)
class Mirror:
    """A folder at an address, and the folder of this machine in which it is worked on."""

    address: str
    folder: Path

    def at(self, name: str) -> str:
        """Return the address of a file of the folder."""
        return f"{self.address.rstrip('/')}/{name}"

    def names(self) -> set[str]:
        """Return the names of all files that are there."""
        prefix = len(self.at("").partition("://")[2])
        return {name.partition("://")[2][prefix:] for name, _, _ in listing(self.address)}

    def pull(self, name: str) -> bool:
        """Copy a file here; return False if it is not there."""
        if not exists(self.at(name)):
            return False
        target = self.folder / name
        make_folder(target.parent)
        fetch(self.at(name), target)
        return True

    def push(self, name: str) -> None:
        """Upload a local file to the remote folder."""
        put(self.folder / name, self.at(name))

    def remove(self, name: str) -> None:
        """Delete a file of the remote folder."""
        remove(self.at(name))


@dataclass(frozen=True, slots=True)
class Shard:
    """Files that one task reads: name, kind (warc, html, records, rows, text), names with paths, size, digest."""

    name: str
    kind: str
    files: tuple[tuple[str, str], ...]  # name, path
    size: int
    digest: str


def find_shards(
    inputs: Iterable[str | os.PathLike[str]],
    digests: Digests,
    root: Path | None = None,
    *,
    base: str = COMMON_CRAWL,
    outputs: Collection[Path] = (),
    any_form: bool = False,
) -> list[Shard]:
    """Return the shards of the inputs, sorted by name, each once.

    Relative paths start at `root`, those of lists at `base`. With `any_form` files of any form are taken, see `corpus.intake`.

    Folders among `outputs`, where the step writes, are no inputs even below a folder that is one.
    """
    folder = root or Path()
    written = {output.resolve() for output in outputs}
    kind_of = _form if any_form else _kind
    shards: dict[str, Shard] = {}
    for typed in [os.fspath(name) for name in inputs]:
        if typed.endswith(LIST_ENDINGS):
            shards |= {shard.name: shard for shard in _listed(folder, typed, base)}
            continue
        if is_address(typed):
            shards |= {shard.name: shard for shard in _at(typed, kind_of)}
            continue
        path, name = folder / typed, Path(typed).as_posix()
        if not path.exists():
            raise FileError(f"{typed}: no such file or folder")
        if path.resolve() in written:
            raise FileError(f"{typed}: is the output folder; name another one with --out")
        if path.is_dir():
            shards |= {shard.name: shard for shard in _below(name, path, digests, written, kind_of)}
        else:
            kind = kind_of(path.name) or ("rows" if any_form else "warc")
            shards[name] = _shard(name, kind, [(name, str(path))], digests)
    for shard in shards.values():
        _check_names(shard)
    return [shards[name] for name in sorted(shards)]


def _check_names(shard: Shard) -> None:
    """Refuse files whose names are not UTF-8: the column `file` cannot hold them."""
    for name, _ in shard.files:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise FileError(f"{name}: the name of this file is not UTF-8; rename it") from error


def _listed(folder: Path, name: str, base: str) -> Iterator[Shard]:
    """Yield the files that a list of paths names, one a line."""
    for number, line in InputFile(name if is_address(name) else folder / name).texts():
        if not line.strip():
            continue
        address = f"{base.rstrip('/')}/{line.strip().lstrip('/')}"
        kind = _kind(address)
        if kind is None:
            raise DataError(f"{line.strip()!r} is no WARC file", file=name, line=number)
        yield Shard(address, kind, ((address, address),), _LISTED_BYTES, digest_of([address]))


def _at(address: str, kind_of: KindOf) -> Iterator[Shard]:
    """Yield the shards of an object, or of all objects below an address."""
    objects = listing(address)
    if not objects:
        raise FileError(f"{address}: no such file or folder")
    for name, size, state in objects:
        kind = kind_of(name)
        if kind is not None or name == address:
            digest = digest_of([name, size, state])
            yield Shard(name, kind or "warc", ((name, name),), max(1, size), digest)


def _kind(name: str) -> str | None:
    """Return what a file is by the end of its name; pages and crawl files may have it in capitals."""
    if name.endswith(RECORD_ENDINGS):
        return "records"
    lower = name.lower()
    if lower.endswith(HTML_ENDINGS):
        return "html"
    return "warc" if lower.endswith(WARC_ENDINGS) else None


def _form(name: str) -> str | None:
    """Return the kind of a file where any form is taken: `rows` for tables, JSON, Parquet and feeds."""
    lower = name.lower()
    if lower.endswith(ROW_ENDINGS):
        return "rows"
    return "text" if lower.endswith(TEXT_ENDINGS) else _kind(name)


def _below(
    name: str, folder: Path, digests: Digests, written: Collection[Path], kind_of: KindOf
) -> Iterator[Shard]:
    """Yield the shards below a folder, without hidden files, unknown endings and output folders."""
    grouped: dict[str, list[tuple[str, str]]] = {kind: [] for kind in _GROUPED}
    for path in sorted(folder.iterdir()):
        below = f"{name}/{path.name}" if name != "." else path.name
        if path.name.startswith("."):
            continue
        kind = kind_of(path.name)
        if path.is_dir():
            if path.resolve() not in written:
                yield from _below(below, path, digests, written, kind_of)
        elif kind in _GROUPED:
            grouped[kind].append((below, str(path)))
        elif kind:
            yield _shard(below, kind, [(below, str(path))], digests)
    several = sum(map(bool, grouped.values())) > 1
    for kind, files in grouped.items():
        if files:
            yield _shard(f"{name}/*.{kind}" if several else name, kind, files, digests)


def _shard(name: str, kind: str, files: Sequence[tuple[str, str]], digests: Digests) -> Shard:
    """Return a shard of files (name, path) with their size and the digest of their bytes."""
    digest = digest_of([[file, digests.of(path)] for file, path in files])
    size = sum(Path(path).stat().st_size for _, path in files)
    return Shard(name, kind, tuple(files), max(1, size), digest)
