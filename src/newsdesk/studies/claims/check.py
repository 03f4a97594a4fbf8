"""Check claims: each number is reproduced, drifted by some difference, or not obtainable, with the reason.

The commands of a claims file run once each, in a working folder that holds copies of the data with the hashes that the file names. Only verbs of
newsdesk that compute and write into that folder are allowed, with relative paths alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.files import make_folder
from newsdesk.studies.claims.claim import Claim, ClaimsFile, Data, Number, Place
from newsdesk.studies.claims.result import Answer, CheckedNumber
from newsdesk.work.progress import OnProgress, counting, silent

# Noun or plain verb → its verbs. What serves, reaches the network, starts other programs or runs claims is not here.
ALLOWED: dict[str, tuple[str, ...]] = {
    "campaign": ("new", "import", "status", "report", "weights", "gains", "pairs", "judgments"),
    "comment": ("fit", "suggest", "compare"),
    "corpus": ("events", "align", "dedup", "split", "truncate", "stats", "comments"),
    "rank": ("fit", "apply", "eval", "compare", "explain", "game", "audit"),
    "records": ("check", "convert"),
    "score": (),
    "simulate": (),
    "study": ("table5", "tune", "lengths", "curve", "correlate", "compare", "plan", "next"),
    "summarize": (),
}  # fmt: skip
# A path that leaves the folder, alone or as a part of an argument: --out=/x, tsr(model='../x'), sqlite:////x.
_ABSOLUTE = re.compile(r"""(?:^|[=,'"(:;\s])[/~\\]""")
_UPWARDS = re.compile(r"""(?:^|[/\\=,'"(:;\s])\.\.(?:$|[/\\,'"):;\s])""")


def check_arguments(words: Sequence[str]) -> None:
    """Raise ArgumentError unless these are arguments of a command that a claims file may run."""
    noun, verb = words[0], words[1] if len(words) > 1 else ""
    if noun not in ALLOWED:
        raise ArgumentError(f"a claims file may not run {noun!r}; it may run {', '.join(ALLOWED)}")
    if ALLOWED[noun] and verb not in ALLOWED[noun]:
        raise ArgumentError(
            f"a claims file may not run {f'{noun} {verb}'!r}; of {noun} it may run {', '.join(ALLOWED[noun])}"
        )
    for word in words:
        if "\0" in word or _ABSOLUTE.search(word) or _UPWARDS.search(word) or "://" in word:
            raise ArgumentError(
                f"the argument {word!r} leaves the folder of the claims; name files as data, {{NAME}}"
            )


_INHERITED = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "SYSTEMROOT")
_SHOWN = 12  # digits of a hash in a sentence


class NotObtainableError(NewsdeskError):
    """A number that could not be obtained.

    Says why, and whether that was to be expected, as its data is not shipped.
    """

    def __init__(self, reason: str, *, expected: bool = False) -> None:
        self.expected = expected
        super().__init__(reason)


@dataclass(slots=True)
class Runner:
    """The working folder of one claims file.

    `places` are files that the user named for data, `data_folder` holds the others.
    """

    claims: ClaimsFile
    work: Path
    data_folder: Path | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 600.0
    _printed: dict[tuple[str, ...], Any] = field(default_factory=dict)
    _steps: set[str] = field(default_factory=set)

    def result(self, run: Sequence[str]) -> tuple[Any, dict[str, str]]:
        """Return the JSON that a command prints, and the hashes of the data it read.

        A command that was run before is not run again.
        """
        words, hashes = self._filled(run)
        if words not in self._printed:
            try:
                self._printed[words] = self._json(words)
            except NotObtainableError as error:
                self._printed[words] = error
        if isinstance(self._printed[words], NotObtainableError):
            raise self._printed[words]
        return self._printed[words], hashes

    def _filled(self, run: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the arguments with the files of the data in place of their names.

        The files are there, with the right hashes.
        """
        words, hashes = list(run), {}
        for name, data in self.claims.data.items():
            if any(f"{{{name}}}" in word for word in words):
                file = self._file(data)
                hashes[name] = data.sha256
                words = [word.replace(f"{{{name}}}", file) for word in words]
        return tuple(words), hashes

    def _file(self, data: Data) -> str:
        """Return the name of a data file in the working folder, written there if it is not yet."""
        if data.step is not None:
            self._step(data.step)
            self._check(data, self.work / data.path)
            return data.path
        suffix = "".join(Path(data.path).suffixes)
        copy = self.work / "data" / f"{data.name}{suffix}"
        if not copy.exists():
            source = self._source(data)
            self._check(data, source)
            make_folder(copy.parent)
            shutil.copyfile(source, copy)
        return f"data/{copy.name}"

    def _source(self, data: Data) -> Path:
        if data.name in self.places:
            return Path(self.places[data.name])
        folder = self.data_folder or self.claims.folder
        source = folder / data.path
        if not source.resolve().is_relative_to(folder.resolve()):
            raise NotObtainableError(
                f"data {data.name!r} leaves the folder {str(folder)!r} by a link"
            )
        return source

    def _check(self, data: Data, path: Path) -> None:
        if not path.is_file() and data.source and data.name not in self.places:
            raise NotObtainableError(
                f"data {data.name!r} is not at hand: {data.source}", expected=True
            )
        if not path.is_file():
            raise NotObtainableError(
                f"data {data.name!r} is missing: there is no file {str(path)!r}"
            )
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != data.sha256:
            raise NotObtainableError(
                f"hash mismatch: data {data.name!r} has sha256 {digest[:_SHOWN]}…, the claims name {data.sha256[:_SHOWN]}…"
            )

    def _step(self, name: str) -> None:
        """Run a step and, before it, those whose data it reads."""
        if name in self._steps:
            return
        self._steps.add(name)
        words, _ = self._filled(self.claims.steps[name])
        self._run(words)

    def _json(self, words: Sequence[str]) -> Any:
        text = self._run(words)
        try:
            return json.loads(text)
        except ValueError:
            raise NotObtainableError(
                f'the command prints no JSON; add "--json": {words[0]}'
            ) from None

    def _run(self, words: Sequence[str]) -> str:
        try:
            check_arguments(words)
        except ArgumentError as error:
            raise NotObtainableError(str(error)) from error
        command = [sys.executable, "-m", "newsdesk.studies.claims.confined", str(self.work), *words]
        try:
            done = subprocess.run(
                command,
                cwd=self.work,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout_s,
            )
        except subprocess.TimeoutExpired:
            raise NotObtainableError(f"the command took more than {self.timeout_s:g} s") from None
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise NotObtainableError(
                f"the command failed: {lines[-1] if lines else done.returncode}"
            )
        return done.stdout.decode("utf-8", "replace")

    def _environment(self) -> dict[str, str]:
        """Return the variables of a command: every cache and temporary file lies in the working folder."""
        scratch = str(make_folder(self.work / ".scratch"))
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        folders = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "MPLCONFIGDIR"), scratch)
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        fixed = {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        return {**inherited, **folders, **threads, **fixed}


_ROUNDING = 1e-9  # a claim of three decimals is a binary fraction only nearly


def check_claims(
    claims: ClaimsFile,
    *,
    only: str = "",
    data_folder: str | os.PathLike[str] | None = None,
    places: Mapping[str, str] | None = None,
    work: str | os.PathLike[str] | None = None,
    timeout_s: float = 600.0,
    progress: OnProgress = silent,
) -> list[CheckedNumber]:
    """Run what the claims name and compare; `only` takes claims whose id begins so.

    Commands run in `work`, else in a temporary folder that is removed; they read copies of the data, which lies in `data_folder`, else beside the
    file, unless `places` names a file for it.
    """
    chosen = [claim for claim in claims.claims if claim.id.startswith(only)]
    finished = counting(progress, len(chosen))
    with _folder(work) as folder:
        runner = Runner(
            claims, folder, Path(data_folder) if data_folder else None, places or {}, timeout_s
        )
        checked = []
        for claim in chosen:
            checked += [_checked(runner, claim, number) for number in claim.numbers]
            finished(claim.id)
    return checked


@contextlib.contextmanager
def _folder(work: str | os.PathLike[str] | None) -> Iterator[Path]:
    if work is not None:
        yield make_folder(work).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-claims-") as folder:
        yield Path(folder).resolve()


def _checked(runner: Runner, claim: Claim, number: Number) -> CheckedNumber:
    """Run what the claim names for this number, and compare."""
    command, reason, obtained, hashes = "", claim.reason, None, dict[str, str]()
    expected = not claim.obtainable  # the claims file itself says that it cannot be obtained
    if claim.obtainable:
        filling = {
            "row": claim.names.get(number.row, number.row),
            "column": claim.names.get(number.column, number.column),
        }
        run = [_fill(word, filling) for word in claim.run]
        command = shlex.join(["newsdesk", *run])
        try:
            content, hashes = runner.result(run)
            obtained, reason = claim.scale * _value(content, claim.at, filling), ""
        except NotObtainableError as error:
            reason, expected, hashes = str(error), error.expected, {}
    answer: Answer = "not obtainable"
    if obtained is not None:
        same = abs(obtained - number.value) <= claim.tolerance + _ROUNDING
        answer = "reproduced" if same else "drifted"
    return CheckedNumber(
        paper=runner.claims.paper,
        id=claim.id,
        where=claim.where,
        what=claim.what,
        row=number.row,
        column=number.column,
        claimed=number.value,
        obtained=obtained,
        drift=None if obtained is None else obtained - number.value,
        tolerance=claim.tolerance,
        answer=answer,
        reason=reason,
        simulated=claim.simulated,
        counterpart=claim.counterpart,
        command=command,
        data=hashes,
        fails=answer != "reproduced" and not expected,
    )


def _fill(text: str, filling: Mapping[str, str]) -> str:
    for name, value in filling.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _value(content: Any, at: Place, filling: Mapping[str, str]) -> float:
    """Return the number at a place of a JSON value; a table chooses the one row with its values."""
    for part in at:
        if isinstance(part, tuple):
            wanted = {key: _fill(v, filling) if isinstance(v, str) else v for key, v in part}
            content = _row(content, wanted)
            continue
        step: str | int = _fill(part, filling) if isinstance(part, str) else part
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            raise NotObtainableError(f"the result has no {step!r}") from None
    if isinstance(content, bool) or not isinstance(content, int | float):
        raise NotObtainableError(f"the result has {content!r} where a number is claimed")
    if not math.isfinite(content):
        raise NotObtainableError(f"the result is {content}")
    return float(content)


def _row(content: Any, wanted: Mapping[str, object]) -> Any:
    rows = content if isinstance(content, list) else []
    matching = [
        row
        for row in rows
        if isinstance(row, dict) and all(row.get(key) == value for key, value in wanted.items())
    ]
    if len(matching) != 1:
        chosen = ", ".join(f"{key} = {value!r}" for key, value in wanted.items())
        raise NotObtainableError(f"the result has {len(matching)} rows with {chosen}, not one")
    return matching[0]
