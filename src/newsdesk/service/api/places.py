"""Where a model that a request names lies: among those that ship, or in the data folder; never anywhere else on the machine."""

from __future__ import annotations

import re
from dataclasses import dataclass

from newsdesk.errors import ArgumentError
from newsdesk.rankers.ready import ready_names
from newsdesk.registry import RANKERS, Registry, Spec, offer
from newsdesk.service.folder import DataFolder

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
# Settings of metrics and summarizers that name a file or folder of the machine.
FILE_SETTINGS = frozenset(("encoder", "idf", "model", "synonyms"))


@dataclass(frozen=True, slots=True)
class Place:
    """A model to load: a name that ships, or a path with the time of its last change, so that a new model replaces an old one."""

    name: str
    changed_ns: int = 0


def ranker_place(folder: DataFolder, name: str) -> Place:
    """The place of a ranker: a ready model, one that learns nothing, or a folder of `models/`."""
    if name in ready_names():
        return Place(name)
    if name in RANKERS and not RANKERS.load(name).learns({}):
        return Place(name)
    return _saved(folder, name, [*ready_names(), *_learning_nothing()])


def model_place(folder: DataFolder, name: str) -> Place:
    """The place of a saved model of any kind in `models/`."""
    return _saved(folder, name, [])


def saved_models(folder: DataFolder) -> list[str]:
    """The names of the folders in `models/`, in order."""
    if not folder.models.is_dir():
        return []
    return sorted(
        each.name
        for each in folder.models.iterdir()
        if each.is_dir() and _PLAIN.fullmatch(each.name)
    )


def check_spec(table: Registry, spec: str) -> str:
    """Refuse a spec with an unknown name, or with a setting that names a file of the machine."""
    parsed = table.resolve(Spec.parse(spec))
    for name, _ in parsed.arguments:
        if name in FILE_SETTINGS:
            raise ArgumentError(
                f"{spec!r}: the setting {name!r} names a file, which a request cannot"
            )
    return spec


def _saved(folder: DataFolder, name: str, others: list[str]) -> Place:
    known = saved_models(folder)
    if name not in known:
        raise ArgumentError(f"no model is called {name!r}; {offer(name, [*others, *known])}")
    path = folder.models / name
    return Place(str(path), path.stat().st_mtime_ns)


def _learning_nothing() -> list[str]:
    return [name for name in RANKERS if not RANKERS.load(name).learns({})]
