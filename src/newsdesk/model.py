"""The contract of methods with settings and of fitted models, and the folder that a fitted model is saved in, never as pickle.

    Configured    settings, spec and signature, all from the fields of a frozen dataclass, each written once
    Model         a Configured that is fitted, saved into a folder and loaded again

A model keeps scikit-learn's contract: settings are stored untouched under their names, `fit` returns self, and what it learned ends in `_`.

    model.json          kind, name, settings, what was learned, and hashes of the arrays: halves of two models never pass for one
    model.npz           all arrays, compressed
    arrays/NAME.npy     or each array in a file of its own, memory-mapped when the model is loaded: for models of many gigabytes
    articles.json       hashes of the ids and addresses of the articles that the model was fitted on, so that who has to forget an article can tell which models saw it

Folders that older versions wrote still load: `tests/model/older/` holds some.

To add a kind of model: a subclass of `Model` with `kind` (its word in `model.json`) and `table` (its registry). A model declares each setting once, as a field with a
default; checks it in `__post_init__` (`newsdesk.settings`); declares learned state by `learned_field()` under names that end in `_`; sets that state with `hold`, all at
once at the end of `fit`; and says in `learned` and `restore` how it becomes JSON and arrays. `tests/model/test_contract.py` judges every entry of every table.
"""

from __future__ import annotations

import functools
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from newsdesk.arrays import mapped_array, unpacked_arrays
from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.files import atomic, check_writable, file_digest, make_folder, read_whole, reason
from newsdesk.jsonl import json_line, json_text, json_value
from newsdesk.registry import Registry, Spec
from newsdesk.signatures import sha256_of, signature
from newsdesk.types import Article

Arrays = Mapping[str, NDArray[Any]]
T = TypeVar("T")

FORMAT = 1
ARTICLES = "articles.json"
_MAPPED = "arrays"
_HASH_DIGITS = 16
_MOST_PACKED = 4 * 1024**3  # bytes; larger models have a file for each array


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """The contents of a saved model, from which it is rebuilt."""

    name: str
    settings: Mapping[str, Any]
    learned: Mapping[str, Any]
    arrays: Arrays
    # The hash of each array by name, for models that store one; written beside what was learned.
    hashes: Mapping[str, str] | None = None
    folder: Path = Path()  # that it was loaded from


def check_free(folder: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Raise FileError if the folder holds a model already, unless `overwrite`, is a file, or cannot be written.

    Called before a model is fitted, which may take hours.
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise FileError(f"{path}: is a file, not a folder")
    if (path / "model.json").exists() and not overwrite:
        raise FileError(f"{path}: holds a model already; add --force (or overwrite=True)")
    check_writable(path)


def save_model(
    folder: str | os.PathLike[str],
    kind: str,
    model: Saved,
    *,
    articles: Iterable[Article] | None = None,
    overwrite: bool = True,
    mapped: bool = False,
) -> None:
    """Write a model of a kind (`ranker`, `summarizer`, …) into a folder, with the list of the articles that it was fitted on.

    `mapped` writes a file for each array. The header and the article list of a model that was there before are deleted first, and the
    header is written last: a model without its list, or with that of another, never exists.
    """
    from newsdesk import __version__

    path = Path(folder)
    check_free(path, overwrite=overwrite)
    make_folder(path)
    (path / "model.json").unlink(missing_ok=True)  # written last: without it there is no model
    hashes = _write_mapped(path, model.arrays) if mapped else model.hashes
    header = {
        "format": FORMAT,
        kind: model.name,
        "version": __version__,
        "settings": model.settings,
        "learned": model.learned if hashes is None else {"state": model.learned, "arrays": hashes},
    }
    if model.arrays and not mapped:
        packed = io.BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **dict(model.arrays))
        header["arrays"] = sha256_of(packed.getvalue())
        with atomic(path / "model.npz") as stream:
            stream.write(packed.getvalue())
    (path / ARTICLES).unlink(missing_ok=True)  # of the model that was here before
    if articles is not None:
        names = {name for article in articles for name in (article.id, article.url) if name}
        with atomic(path / ARTICLES) as stream:
            stream.write(json_line({"format": FORMAT, "hashes": sorted(map(_article_hash, names))}))
    with atomic(path / "model.json") as stream:
        stream.write(json_line(header))


def articles_seen(folder: str | os.PathLike[str], names: Collection[str]) -> int:
    """Return how many of these ids and addresses are in the list of a saved model; 0 where it has no list."""
    path = Path(folder) / ARTICLES
    if not path.is_file():
        return 0
    try:
        hashes = set(json_value(read_whole(path))["hashes"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"not a list of articles: {error}", file=str(path)) from error
    return sum(_article_hash(name) in hashes for name in names)


def _article_hash(name: str) -> str:
    return sha256_of(f"article {name}", _HASH_DIGITS)


def load_model(folder: str | os.PathLike[str], kind: str) -> Saved:
    """Load a model that `save_model` wrote."""
    path = Path(folder)
    header = _read_header(path, kind)
    learned, hashes = header["learned"], None
    if learned.keys() == {"state", "arrays"}:
        learned, hashes = learned["state"], learned["arrays"]
    arrays: Arrays = {}
    if "arrays" in header:
        arrays = _read_packed(path, str(header["arrays"]))
    elif hashes:
        if not isinstance(hashes, dict) or any(Path(name).name != name for name in hashes):
            raise DataError("`arrays` maps names to hashes", file=str(path / "model.json"))
        arrays = {name: _map(path / _MAPPED / f"{name}.npy", hashes[name]) for name in hashes}
    return Saved(str(header[kind]), header["settings"], learned, arrays, hashes, path)


def _read_header(path: Path, kind: str) -> dict[str, Any]:
    """Read `model.json` of a folder; anything but a whole model of this kind is an error."""
    try:
        header = json_value(read_whole(path / "model.json"))
    except FileError as error:
        raise FileError(f"{path}: no saved {kind} there ({error})") from error
    except ValueError as error:
        raise DataError(f"not JSON: {error}", file=str(path / "model.json")) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        version = header.get("format") if isinstance(header, dict) else None
        raise DataError(f"`format` is {version!r}; this version reads {FORMAT}", file=str(path))
    if not {kind, "settings", "learned"} <= header.keys():
        others = header.keys() - {"format", "version", "settings", "learned", "arrays"}
        it_is = f"; it is a {min(others)}" if others and kind not in header else ""
        raise DataError(f"not a whole saved {kind}{it_is}", file=str(path))
    if not isinstance(header["settings"], dict) or not isinstance(header["learned"], dict):
        raise DataError("`settings` and `learned` are objects", file=str(path / "model.json"))
    return header


def _read_packed(path: Path, digest: str) -> Arrays:
    """Read the arrays of `model.npz` in a folder, if the file has this SHA-256."""
    file = path / "model.npz"
    packed = read_whole(file, most_bytes=_MOST_PACKED)
    if sha256_of(packed) != digest:
        raise DataError("not the arrays that model.json was saved with", file=str(file))
    try:
        return unpacked_arrays(packed)
    except ValueError as error:
        raise DataError(f"not a file of plain arrays ({error})", file=str(file)) from error


def prefixed(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return arrays under names that begin with a prefix.

    >>> prefixed("network.", {"bias": np.zeros(1)})
    {'network.bias': array([0.])}
    """
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it: the reverse of `prefixed`."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def hashes_of(arrays: Arrays) -> dict[str, str]:
    """Return the hash of each array as a `.npy` file."""
    return {name: sha256_of(_npy(arrays[name])) for name in sorted(arrays)}


def _npy(array: NDArray[Any]) -> bytes:
    """Return an array as the bytes of a `.npy` file."""
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def _write_mapped(folder: Path, arrays: Arrays) -> dict[str, str]:
    """Write each array to a file of its own and return their hashes.

    Other arrays that were there are removed.
    """
    inside = make_folder(folder / _MAPPED)
    hashes = {}
    for name, array in sorted(arrays.items()):
        content = _npy(array)
        hashes[name] = sha256_of(content)
        with atomic(inside / f"{name}.npy") as stream:
            stream.write(content)
    for path in inside.glob("*.npy"):
        if path.stem not in hashes:
            path.unlink()
    return hashes


def _map(path: Path, expected: str) -> NDArray[Any]:
    """Map an array into memory; its file is read once to check the hash."""
    if not path.is_file():
        raise FileError(f"{path}: no such file")
    if file_digest(path) != expected:
        raise DataError("not the array that model.json was saved with", file=str(path))
    try:
        return mapped_array(path)
    except ValueError as error:
        raise DataError(f"not a plain array ({error})", file=str(path)) from error
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error


def learned_field() -> Any:
    """Declare a field that `fit` sets: no setting, not compared, absent until then."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class Configured(ABC):
    """A method with its settings: the fields that its constructor takes."""

    name: ClassVar[str]

    @classmethod
    def _setting_fields(cls) -> list[Field[Any]]:
        return [setting for setting in fields(cls) if setting.init]

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings by name, as the constructor takes them."""
        return {setting.name: getattr(self, setting.name) for setting in self._setting_fields()}

    def settings_for(self, kind: type[T]) -> T:
        """Return other settings, each from what this method has under its name, if anything."""
        names = [setting.name for setting in fields(cast(Any, kind)) if hasattr(self, setting.name)]
        return kind(**{name: getattr(self, name) for name in names})

    @property
    def spec(self) -> Spec:
        """Return the name and the settings that differ from their defaults; it parses back to an equal method."""
        changed = [
            (setting.name, value)
            for setting in self._setting_fields()
            if (value := getattr(self, setting.name)) != setting.default
        ]
        return Spec(self.name, tuple(changed))

    def with_settings(self, **settings: Any) -> Self:
        """Return a copy with other settings."""
        return type(self)(**{**self.settings, **settings})

    @property
    def facts(self) -> Mapping[str, object]:
        """Return what the signature says beside the spec."""
        return {}

    @property
    def signature(self) -> str:
        """Return one line that names the method, its settings and what it was fitted on."""
        return signature(str(self.spec), self.facts)


@dataclass(frozen=True, eq=False)
class Model(Configured):
    """A method that is fitted, saved into a folder and loaded again.

    A subclass declares settings as fields, learned state as fields by `learned_field()`, and says in `learned` and `restore` how that
    state becomes JSON and arrays.
    """

    kind: ClassVar[str]  # as model.json calls it: ranker, commenter, summarizer, aligner
    table: ClassVar[Registry]

    @abstractmethod
    def fit(self, examples: Iterable[Any], dev: Iterable[Any] | None = None) -> Self:
        """Learn from examples; what is chosen on held-out data is chosen on `dev`, if there is any."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """Return one line about the fitted model: the name, and what was learned."""

    @abstractmethod
    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state that `fit` learned: a part for JSON, and arrays."""

    @abstractmethod
    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned, from what a folder holds."""

    def hold(self, **state: Any) -> Self:
        """Set learned state, and nothing else: settings are frozen."""
        vars(self).pop("_digest", None)
        vars(self).update(state)
        return self

    def forget(self) -> Self:
        """Drop all that was learned."""
        for name in ("_digest", *self._learned_names()):
            vars(self).pop(name, None)
        return self

    def with_settings(self, **settings: Any) -> Self:
        """Return a copy with other settings and the same learned state."""
        own = self.settings
        state = {
            name: value
            for name, value in vars(self).items()
            if name not in own and name != "_digest"
        }
        return type(self)(**{**own, **settings}).hold(**state)

    def check_fitted(self) -> None:
        """Raise an error if something that `fit` learns is missing."""
        if any(name not in vars(self) for name in self._learned_names()):
            raise ArgumentError(f"this {self.name} {self.kind} is not fitted yet; call fit first")

    @classmethod
    def _learned_names(cls) -> list[str]:
        return [
            attribute.name
            for attribute in fields(cls)
            if not attribute.init and attribute.name.endswith("_")
        ]

    @property
    def digest(self) -> str:
        """Return sixteen hexadecimal digits of a hash of the settings and all that was learned."""
        return self._digest

    @functools.cached_property
    def _digest(self) -> str:
        learned, arrays = self.learned()
        return self._digest_of(self.settings, learned, hashes_of(arrays))

    def _digest_of(
        self, settings: Mapping[str, Any], learned: Mapping[str, Any], hashes: Mapping[str, str]
    ) -> str:
        parts = [self.name, dict(settings), dict(learned), dict(sorted(hashes.items()))]
        return sha256_of(json_text(parts), _HASH_DIGITS)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        articles: Iterable[Article] | None = None,
        overwrite: bool = True,
    ) -> None:
        """Write the model to a folder that `load` reads, with the list of the `articles` that it was fitted on."""
        save_model(folder, self.kind, self.saved(), articles=articles, overwrite=overwrite)

    def saved(self) -> Saved:
        """Return what a folder holds of this model."""
        return Saved(self.name, self.settings, *self.learned())

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a saved model: a base class such as `Ranker` reads any of its kind, a subclass only its own."""
        saved = load_model(folder, cls.kind)
        entry = cls.table.load(saved.name)
        if not issubclass(entry, cls):
            raise DataError(f"a saved {saved.name!r}, not {cls.name!r}", file=str(folder))
        try:
            model: Self = entry(**entry.settings_of(saved))
            model.restore(saved)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise DataError(f"not a whole saved {cls.kind} ({error})", file=str(folder)) from error
        if saved.hashes is not None:  # the arrays need not be read again
            vars(model)["_digest"] = model._digest_of(saved.settings, saved.learned, saved.hashes)
        return model

    @classmethod
    def settings_of(cls, saved: Saved) -> dict[str, Any]:
        """Return the settings of a saved model; a subclass translates those that an older version wrote."""
        return _untupled(saved.settings)


def _untupled(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they were: JSON turned tuples into lists."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
