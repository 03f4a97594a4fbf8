"""Fitted models on disk: a folder with `model.json` and, where there are arrays, `model.npz`. Never pickle.

The JSON holds what kind of model it is, its name and settings, what it learned, and the digest of the arrays, so that halves of two
models never pass for one. Beside it, `articles.json` lists hashes of the ids and addresses of the articles that a model was fitted on, so that
whoever has to forget an article can tell which models saw it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, make_folder, reason
from newsdesk.jsonl import json_line
from newsdesk.types import Article

Arrays = Mapping[str, NDArray[Any]]

FORMAT = 1
ARTICLES = "articles.json"
_HASH_DIGITS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """The contents of a saved model, from which it is rebuilt."""

    name: str
    settings: Mapping[str, Any]
    learned: Mapping[str, Any]
    arrays: Arrays


def check_free(folder: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Raise FileError if the folder holds a model already, unless `overwrite`, or is a file."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise FileError(f"{path}: is a file, not a folder")
    if (path / "model.json").exists() and not overwrite:
        raise FileError(f"{path}: holds a model already; add --force (or overwrite=True)")


def save_model(
    folder: str | os.PathLike[str], kind: str, model: Saved, *, overwrite: bool = True
) -> None:
    """Write a model of a kind (`ranker`, `summarizer`, …) into a folder."""
    from newsdesk import __version__

    path = Path(folder)
    check_free(path, overwrite=overwrite)
    make_folder(path)
    header = {
        "format": FORMAT,
        kind: model.name,
        "version": __version__,
        "settings": model.settings,
        "learned": model.learned,
    }
    if model.arrays:
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **dict(model.arrays))
        header["arrays"] = hashlib.sha256(packed.getvalue()).hexdigest()
        with atomic(path / "model.npz") as stream:
            stream.write(packed.getvalue())
    (path / ARTICLES).unlink(missing_ok=True)  # of the model that was here before
    with atomic(path / "model.json") as stream:
        stream.write(json_line(header))


def write_article_list(folder: str | os.PathLike[str], articles: Iterable[Article]) -> None:
    """Store beside a saved model which articles it was fitted on: hashes of their ids and addresses."""
    names = {name for article in articles for name in (article.id, article.url) if name}
    with atomic(Path(folder) / ARTICLES) as stream:
        stream.write(json_line({"format": FORMAT, "hashes": sorted(map(_article_hash, names))}))


def articles_seen(folder: str | os.PathLike[str], names: Collection[str]) -> int:
    """How many of these ids and addresses are in the list of a saved model; 0 where it has no list."""
    path = Path(folder) / ARTICLES
    if not path.is_file():
        return 0
    try:
        hashes = set(json.loads(path.read_bytes())["hashes"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"not a list of articles: {error}", file=str(path)) from error
    return sum(_article_hash(name) in hashes for name in names)


def _article_hash(name: str) -> str:
    return hashlib.sha256(f"article {name}".encode()).hexdigest()[:_HASH_DIGITS]


def load_model(folder: str | os.PathLike[str], kind: str) -> Saved:
    """Load a model that `save_model` wrote."""
    path = Path(folder)
    header = _read_header(path, kind)
    arrays = _read_arrays(path, str(header["arrays"])) if "arrays" in header else {}
    return Saved(str(header[kind]), header["settings"], header["learned"], arrays)


def _read_header(path: Path, kind: str) -> dict[str, Any]:
    try:
        header = json.loads((path / "model.json").read_text("utf-8"))
    except OSError as error:
        raise FileError(f"{path}: no saved {kind} there ({reason(error)})") from error
    except ValueError as error:
        raise DataError(f"not JSON: {error}", file=str(path / "model.json")) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        version = header.get("format") if isinstance(header, dict) else None
        raise DataError(f"`format` is {version!r}; this version reads {FORMAT}", file=str(path))
    if not {kind, "settings", "learned"} <= header.keys():
        others = header.keys() - {"format", "version", "settings", "learned", "arrays"}
        it_is = f"; it is a {min(others)}" if others and kind not in header else ""
        raise DataError(f"not a whole saved {kind}{it_is}", file=str(path))
    return header


def _read_arrays(path: Path, digest: str) -> Arrays:
    file = path / "model.npz"
    try:
        packed = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error
    if hashlib.sha256(packed).hexdigest() != digest:
        raise DataError("not the arrays that model.json was saved with", file=str(file))
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"not a file of plain arrays ({error})", file=str(file)) from error
