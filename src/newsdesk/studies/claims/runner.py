"""Run the commands of a claims file, once each, in a working folder that holds copies of the data.

Data has the hash that the file states, or is the file that the user names. Only verbs of newsdesk that compute and write into that folder are allowed, with
relative paths alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from newsdesk.errors import ArgumentError, NewsdeskError
from newsdesk.files import file_digest, make_folder
from newsdesk.jsonl import json_value
from newsdesk.studies.claims.claim import ClaimsFile, Data

# Noun or plain verb → its verbs. What serves, reaches the network, starts other programs or runs claims is not here.
ALLOWED: dict[str, tuple[str, ...]] = {
    "campaign": ("new", "import", "status", "report", "weights", "gains", "pairs", "judgments"),
    "comment": ("fit", "suggest", "compare"),
    "corpus": ("events", "align", "dedup", "split", "truncate", "stats", "comments"),
    "rank": ("fit", "apply", "eval", "compare", "explain", "game", "audit"),
    "records": ("check", "convert"),
    "score": (),
    "simulate": (),
    "study": ("agreement", "table5", "tune", "lengths", "curve", "correlate", "compare", "plan", "next"),
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

    `places` are files that the user named for data, or folders for the first part of their paths; `data_folder` holds the others. With `simulated` a simulated file
    stands for data that the user did not name.
    """

    claims: ClaimsFile
    work: Path
    data_folder: Path | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    simulated: bool = False
    timeout_s: float = 600.0
    _printed: dict[tuple[str, ...], Any] = field(default_factory=dict)
    _steps: dict[str, NotObtainableError | dict[str, str]] = field(default_factory=dict)

    def result(self, run: Sequence[str]) -> tuple[Any, dict[str, str]]:
        """Return the JSON that a command prints, and the hashes of the data that it and its steps read.

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

    def stands_in(self, data: Data) -> bool:
        """Return True if a simulated file stands for this data."""
        return self.simulated and bool(data.simulated) and self._named(data) is None

    def _by_step(self, data: Data) -> bool:
        """Return True if a step writes this data, or what stands for it."""
        return data.step is not None and (not data.simulated or self.stands_in(data))

    def _filled(self, run: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the arguments with the files of the data in place of their names, and their hashes."""
        words, hashes = list(run), dict[str, str]()
        for name, data in self.claims.data.items():
            if any(f"{{{name}}}" in word for word in words):
                if self._by_step(data):
                    hashes |= self._step(str(data.step))
                file = self._file(data)
                hashes[name] = file_digest(self.work / file)
                words = [word.replace(f"{{{name}}}", file) for word in words]
        return tuple(words), hashes

    def _file(self, data: Data) -> str:
        """Return the name of a data file in the working folder, written there if it is not yet."""
        if self._by_step(data):
            path = data.simulated or data.path
            self._check(data, self.work / path)
            return path
        source = self._source(data)
        copy = self.work / "data" / f"{data.name}{''.join(source.suffixes)}"
        if not copy.exists():
            self._check(data, source)
            make_folder(copy.parent)
            shutil.copyfile(source, copy)
        return f"data/{copy.name}"

    def _named(self, data: Data) -> Path | None:
        """Return the file that the user named for this data, by its name or by the folder of its path."""
        if data.name in self.places:
            return Path(self.places[data.name])
        folder, *rest = PurePosixPath(data.path).parts
        return Path(self.places[folder], *rest) if rest and folder in self.places else None

    def _source(self, data: Data) -> Path:
        if named := self._named(data):
            return named
        folder = self.data_folder or self.claims.folder
        source = folder / data.path
        if not source.resolve().is_relative_to(folder.resolve()):
            raise NotObtainableError(
                f"data {data.name!r} leaves the folder {str(folder)!r} by a link"
            )
        return source

    def _check(self, data: Data, path: Path) -> None:
        """Raise NotObtainableError unless the file is there, with the hash that the claims state if they do."""
        if not path.is_file() and data.source and self._named(data) is None:
            raise NotObtainableError(f"data {data.name!r} is not at hand: {data.wanted}", expected=True)  # fmt: skip
        if not path.is_file():
            raise NotObtainableError(
                f"data {data.name!r} is missing: there is no file {str(path)!r}"
            )
        digest = file_digest(path)
        if data.sha256 and digest != data.sha256:
            raise NotObtainableError(
                f"hash mismatch: data {data.name!r} has sha256 {digest[:_SHOWN]}…, the claims name {data.sha256[:_SHOWN]}…"
            )

    def _step(self, name: str) -> dict[str, str]:
        """Run a step and, before it, those whose data it reads; return the hashes of that data."""
        if name not in self._steps:
            try:
                words, hashes = self._filled(self.claims.steps[name])
                self._run(words)
                self._steps[name] = hashes
            except NotObtainableError as error:
                self._steps[name] = error
        outcome = self._steps[name]
        if isinstance(outcome, NotObtainableError):
            raise outcome
        return outcome

    def _json(self, words: Sequence[str]) -> Any:
        text = self._run(words)
        try:
            return json_value(text)
        except ValueError:
            raise NotObtainableError(
                f'the command prints no JSON; add "--json": {words[0]}'
            ) from None

    def _run(self, words: Sequence[str]) -> str:
        try:
            check_arguments(words)
        except ArgumentError as error:
            raise NotObtainableError(str(error)) from error
        # Nothing is imported from the working folder (-P) or from a home folder inside it (-s).
        confined = ["-P", "-s", "-m", "newsdesk.studies.claims.confined"]
        command = [sys.executable, *confined, str(self.work), *words]
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
        fixed |= {"PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1"}  # worker processes too
        return {**inherited, **folders, **threads, **fixed}
