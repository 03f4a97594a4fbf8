"""Claims files: TOML that binds the numbers of a paper to `newsdesk` argument lists and to data.

Data is a file with a known hash, a file that a step writes, or one that the user has to get: `source` and `form` say which, and `simulated` names what a step
writes to stand for it. A claim is one number (`value`) or a table of them (`columns` and `rows`). It says with `run` and `at` how the number is obtained, or with
`obtainable = false` and a `reason` that it cannot be from data at hand; `counterpart` then names the claim that holds for simulated data.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from newsdesk import packaged
from newsdesk.errors import DataError, FileError
from newsdesk.files import read_text
from newsdesk.records.schema import MOST_TOML_BYTES, toml_table

FORMAT = 1
_TOLERANCE = 0.0005  # half of the third decimal
_TOP = {"format", "paper", "note", "data", "steps", "claims"}
_DATA = {"path", "sha256", "step", "source", "form", "simulated"}
_STEP = {"name", "run"}
_CLAIM = {
    "id", "where", "what", "value", "columns", "rows", "names", "scale", "tolerance",
    "obtainable", "reason", "simulated", "simulated_names", "simulated_run", "counterpart", "run", "at",
}  # fmt: skip

Place: TypeAlias = tuple[str | int | tuple[tuple[str, object], ...], ...]


@dataclass(frozen=True, slots=True)
class Data:
    """A file that commands read: its hash or the step that writes it, and where to get it.

    `simulated` is the file of the step that can stand for it.
    """

    name: str
    path: str
    sha256: str
    step: str | None
    source: str
    form: str
    simulated: str

    @property
    def wanted(self) -> str:
        """What to get, in which form, and the option that names it."""
        folder = PurePosixPath(self.path).parts[:-1]
        option = f"--data {folder[0]}=FOLDER or " if folder else ""
        form = f"; form: {self.form}" if self.form else ""
        return f"{self.source}{form}; name it with {option}--data {self.name}=FILE"


@dataclass(frozen=True, slots=True)
class Number:
    """One claimed number: its row and column (empty for a single one), and its tolerance."""

    row: str
    column: str
    value: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class Claim:
    """Numbers of one table or sentence of a paper, and how they are obtained."""

    id: str
    where: str
    what: str
    numbers: tuple[Number, ...]
    names: Mapping[str, str]
    simulated_names: Mapping[str, str]
    scale: float
    reason: str
    simulated: bool
    counterpart: str
    run: tuple[str, ...]
    simulated_run: tuple[str, ...]  # with smaller settings, for data that stands in
    at: Place
    data: frozenset[str]  # what the command reads, and the steps that write that

    @property
    def obtainable(self) -> bool:
        """Whether there is a command to run."""
        return bool(self.run)


@dataclass(frozen=True, slots=True)
class ClaimsFile:
    """All claims of a paper, with their data and the steps that write some of it."""

    file: str
    paper: str
    note: str
    data: Mapping[str, Data]
    steps: Mapping[str, tuple[str, ...]]
    claims: tuple[Claim, ...]

    @property
    def folder(self) -> Path:
        """The folder of the file, below which its data lies."""
        return Path(self.file).parent


def shipped_claims() -> dict[str, Path]:
    """Return the claims files that come with newsdesk, by name."""
    folder = packaged.path("studies.claims", "data")
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def read_claims(source: str | os.PathLike[str]) -> ClaimsFile:
    """Read a claims file: a path, or the name of one that comes with newsdesk."""
    shipped = shipped_claims()
    path = Path(source)
    if not path.exists() and str(source) in shipped:
        path = shipped[str(source)]
    try:
        content = toml_table(read_text(path, most_bytes=MOST_TOML_BYTES))
    except FileError as error:
        names = ", ".join(shipped)
        raise FileError(f"{error}; newsdesk comes with claims of {names}") from error
    except DataError as error:
        raise error.at(str(path), error.line) from None
    return _Reader(str(path)).claims_file(content)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Checks the content of one file; every error names it, and by a `label` the table that is wrong."""

    file: str

    def claims_file(self, content: Mapping[str, Any]) -> ClaimsFile:
        """Return the claims of the whole file, once names that refer to each other are checked."""
        self._keys(content, _TOP, "the file")
        if content.get("format") != FORMAT:
            stated = (
                f"is {content['format']!r}, not {FORMAT}" if "format" in content else "is missing"
            )
            raise self._fault(f"`format` {stated}")
        data = {name: self._data(name, table) for name, table in content.get("data", {}).items()}
        steps: dict[str, tuple[str, ...]] = {}
        for table in content.get("steps", ()):
            self._keys(table, _STEP, "a step")
            name = self._text(table, "name", "a step")
            steps[name] = self._words(table, f"step {name!r}")
        for entry in data.values():
            if entry.step is not None and entry.step not in steps:
                raise self._fault(
                    f"data {entry.name!r} is written by step {entry.step!r}, which is not there"
                )
        claims = tuple(self._claim(table, data, steps) for table in content.get("claims", ()))
        ids = [claim.id for claim in claims]
        if repeated := {name for name in ids if ids.count(name) > 1}:
            raise self._fault(f"claim {min(repeated)!r} is there twice")
        for claim in claims:
            if claim.counterpart and claim.counterpart not in ids:
                raise self._fault(f"claim {claim.id!r}: there is no claim {claim.counterpart!r}")
        paper = self._text(content, "paper", "the file")
        return ClaimsFile(self.file, paper, content.get("note", ""), data, steps, claims)

    def _claim(
        self, table: Mapping[str, Any], data: Mapping[str, Data], steps: Mapping[str, Sequence[str]]
    ) -> Claim:
        """Return one claim; `data` and `steps` are those of the file, by name."""
        name = self._text(table, "id", "a claim")
        label = f"claim {name!r}"
        self._keys(table, _CLAIM, label)
        run: tuple[str, ...] = ()
        at: Place = ()
        read: frozenset[str] = frozenset()
        if table.get("obtainable", True):
            run = self._words(table, label)
            read = frozenset(_read_by(run, data, steps))
            if not read:
                raise self._fault(
                    f"{label}: `run` names no data; write {{NAME}} where a file of [data.NAME] stands"
                )
            at = tuple(self._part(part, label) for part in table.get("at", ()))
            if not at:
                raise self._fault(f"{label}: `at` does not say where in the JSON the number stands")
        elif not table.get("reason"):
            raise self._fault(f"{label}: it is not obtainable, and `reason` does not say why")
        return Claim(
            id=name,
            where=self._text(table, "where", label),
            what=table.get("what", ""),
            numbers=tuple(self._numbers(table, label)),
            names=table.get("names", {}),
            simulated_names=table.get("simulated_names", {}),
            scale=float(table.get("scale", 1.0)),
            reason=table.get("reason", ""),
            simulated=table.get("simulated", False),
            counterpart=table.get("counterpart", ""),
            run=run,
            simulated_run=self._words(table, label, "simulated_run")
            if "simulated_run" in table
            else run,
            at=at,
            data=read,
        )

    def _numbers(self, table: Mapping[str, Any], label: str) -> Iterator[Number]:
        """Yield the numbers of a claim: its `value`, or the filled cells of `rows` × `columns`."""
        limits = table.get("tolerance", _TOLERANCE)
        if not isinstance(limits, dict):  # by row or column; "" is for all others
            limits = {"": limits}
        if "value" in table:
            yield self._claimed("", "", table["value"], limits, label)
            return
        columns = table.get("columns")
        if not columns or "rows" not in table:
            raise self._fault(f"{label}: neither `value` nor `columns` and `rows`")
        if unknown := set(limits) - {"", *columns, *table["rows"]}:
            raise self._fault(f"{label}: `tolerance` names {min(unknown)!r}, no row or column")
        for row, values in table["rows"].items():
            if len(values) != len(columns):
                raise self._fault(
                    f"{label}: row {row!r} has {len(values)} numbers for {len(columns)} columns"
                )
            for column, value in zip(columns, values, strict=True):
                if value != "":  # the paper's table has an empty cell here
                    yield self._claimed(row, column, value, limits, label)

    def _claimed(
        self, row: str, column: str, value: object, limits: Mapping[str, object], label: str
    ) -> Number:
        """Return a number with the tolerance of its row, else of its column, else of the claim."""
        stated = (limits[name] for name in (row, column, "") if name in limits)
        limit = next(stated, _TOLERANCE)
        return Number(row, column, self._number(value, label), self._number(limit, label))

    def _data(self, name: str, table: Mapping[str, Any]) -> Data:
        label = f"data {name!r}"
        self._keys(table, _DATA, label)
        path = PurePosixPath(self._text(table, "path", label))
        if path.is_absolute() or ".." in path.parts or str(path).startswith("~"):
            raise self._fault(
                f"{label}: the path {str(path)!r} leaves the folder; the user can name another file by --data"
            )
        sha256 = table.get("sha256", "")
        if not (sha256 or table.get("step") or table.get("source")):
            raise self._fault(
                f"{label} has no `sha256`, no `step` that writes it and no `source` to get it from"
            )
        if sha256 and (len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef")):
            raise self._fault(f"{label}: `sha256` is not 64 hexadecimal digits")
        texts = (table.get(key, "") for key in ("source", "form", "simulated"))
        return Data(name, str(path), sha256, table.get("step"), *texts)

    def _words(self, table: Mapping[str, Any], label: str, key: str = "run") -> tuple[str, ...]:
        words = table.get(key)
        if (
            not isinstance(words, list)
            or not words
            or not all(isinstance(word, str) for word in words)
        ):
            raise self._fault(
                f'{label}: `{key}` is not a list of arguments of newsdesk, such as ["score", "{{outputs}}", …]'
            )
        return tuple(words)

    def _part(self, part: object, label: str) -> str | int | tuple[tuple[str, object], ...]:
        if isinstance(part, dict):
            return tuple(part.items())
        if isinstance(part, str) or (isinstance(part, int) and not isinstance(part, bool)):
            return part
        raise self._fault(f"{label}: {part!r} in `at` is no key, index or table of keys")

    def _number(self, value: object, label: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._fault(f"{label}: {value!r} is no number")
        return float(value)

    def _text(self, table: Mapping[str, Any], key: str, label: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value:
            raise self._fault(f"{label} has no `{key}`")
        return value

    def _keys(self, table: Mapping[str, Any], allowed: Collection[str], label: str) -> None:
        for key in table:
            if key not in allowed:
                raise self._fault(f"{label} has an unknown key `{key}`")

    def _fault(self, text: str) -> DataError:
        return DataError(text, file=self.file)


def _read_by(
    words: Sequence[str], data: Mapping[str, Data], steps: Mapping[str, Sequence[str]]
) -> set[str]:
    """Return the data that a command names, and what the steps read that write it."""
    names: set[str] = set()
    waiting = [words]
    while waiting:
        command = waiting.pop()
        named = {name for name in data if any(f"{{{name}}}" in word for word in command)}
        waiting += [steps[step] for name in named - names if (step := data[name].step)]
        names |= named
    return names
