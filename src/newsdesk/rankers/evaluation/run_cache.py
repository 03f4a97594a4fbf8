"""A cache of the runs of fitted rankers over held-out threads, so that a long comparison resumes where it stopped.

A ranker and a fold have two files under `FOLD/`: the run as JSONL, and beside it JSON with the spec, what filler did, and the digest of the fold's
threads. The JSON is written last, so a run without one is incomplete and is computed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsdesk import __version__, records
from newsdesk.errors import DataError, FileError
from newsdesk.files import atomic, make_folder
from newsdesk.jsonl import json_line
from newsdesk.rankers.evaluation.folds import Fold
from newsdesk.rankers.evaluation.gaming import Row
from newsdesk.registry import Spec
from newsdesk.types import Ranked

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The run of one fitted ranker over the test threads of a fold, and the pairs that each kind of filler inverted."""

    run: tuple[Ranked, ...]
    fillers: Mapping[str, Sequence[Row]]
    summary: str


@dataclass(frozen=True, slots=True)
class RunCache:
    """A folder of held-out results; with `overwrite` existing ones are computed again."""

    folder: Path
    overwrite: bool = False

    @classmethod
    def at(cls, folder: str | os.PathLike[str], *, overwrite: bool = False) -> RunCache:
        """The cache in a folder, which is created when the first result is stored."""
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise FileError(f"{path}: is a file, not a folder")
        return cls(path, overwrite)

    def find(self, spec: Spec, fold: Fold, kinds: Sequence[str]) -> HeldOut | None:
        """The stored result of a ranker on a fold, if it covers all these kinds of filler."""
        header = self._path(spec, fold, "json")
        if self.overwrite or not header.exists():
            return None
        try:
            fields = json.loads(header.read_text("utf-8"))
            digest, fillers, summary = fields["digest"], fields["fillers"], fields["summary"]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"not a kept result ({error})", file=str(header)) from error
        if digest != _digest(fold):
            raise FileError(
                f"{header}: made from other threads, another seed or another version; "
                "add --force, or name another folder"
            )
        if not set(kinds) <= set(fillers):
            return None
        rows = {kind: [(float(a), int(b)) for a, b in fillers[kind]] for kind in kinds}
        run = tuple(records.read(self._path(spec, fold, "jsonl"), Ranked))
        return HeldOut(run, rows, str(summary))

    def store(self, spec: Spec, fold: Fold, result: HeldOut) -> None:
        """Write a result of a ranker on a fold, the JSON last."""
        header = self._path(spec, fold, "json")
        make_folder(header.parent)
        header.unlink(missing_ok=True)
        records.write(self._path(spec, fold, "jsonl"), result.run)
        fields = {
            "format": _FORMAT,
            "spec": str(spec),
            "digest": _digest(fold),
            "summary": result.summary,
            "fillers": result.fillers,
        }
        with atomic(header) as stream:
            stream.write(json_line(fields))

    def _path(self, spec: Spec, fold: Fold, ending: str) -> Path:
        return self.folder / fold.name / f"{file_name(spec)}.{ending}"


def file_name(spec: Spec) -> str:
    """The file name of a spec: the name of the ranker, and a digest of its settings if there are any.

    >>> file_name(Spec("length")), file_name(Spec("svr", (("cost", 0.5),)))
    ('length', 'svr-c6b2f108')
    """
    if not spec.arguments:
        return spec.name
    return f"{spec.name}-{hashlib.sha256(str(spec).encode()).hexdigest()[:8]}"


def _digest(fold: Fold) -> str:
    return f"{__version__}:{fold.digest}"
