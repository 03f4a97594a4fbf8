"""What is installed, what is missing for which command, and whether shipped models and stores are sound (`newsdesk doctor`)."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from newsdesk import __version__
from newsdesk.errors import MissingExtraError, NewsdeskError
from newsdesk.files import read_whole
from newsdesk.jsonl import json_value
from newsdesk.results.part import ResultPart
from newsdesk.results.table import table

# What each extra is for, as a user would ask for it.
PURPOSES = {
    "zh": "Chinese words, in every command",
    "ja": "Japanese words, in every command",
    "campaigns": "`campaign …`, `serve`",
    "postgres": "stores on PostgreSQL",
    "corpus": "`corpus …`, Parquet",
    "cluster": "`--engine dask://…`, files on object stores",
    "vectors": "sentence vectors: the full model of `rank apply ready`, `soft-recall`",
    "report": "pictures in reports and `newsdesk demo`",
    "commenters": "seals of `comment suggest`",
    "serve": "`serve`: the web app and the HTTP API",
    "neural": "training of networks (`ranknet`, `lstm-reg`, `ir-t`, `att`, …)",
    "hf": "models by `hf:PATH`",
    "onnx": "encoders by `onnx:FILE`",
    "llm": "language models at an endpoint",
    "gguf": "language models by `gguf:PATH`",
    "logs": "`study compare` of other people's evaluation logs",
    "mcp": "`mcp`: tools for other programs",
}
_REQUIREMENT = re.compile(
    r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?.*?;\s*extra\s*==\s*['\"]([^'\"]+)['\"]"
)
_NO_USERS_EXTRA = {"all", "test", "bench"}


@dataclass(frozen=True, slots=True)
class ExtraState(ResultPart):
    """An extra: what it is for, and which of its packages are missing."""

    extra: str
    purpose: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SoundnessCheck(ResultPart):
    """A model, store or folder that was opened; `fault` says what is wrong with it, `needs` what it lacks here."""

    name: str
    fault: str = ""
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis(ResultPart):
    """All that the doctor found."""

    newsdesk: str
    python: str
    installed: str
    extras: tuple[ExtraState, ...]
    checks: tuple[SoundnessCheck, ...]

    @property
    def sound(self) -> bool:
        """Whether everything that is there can be used; a missing extra is no fault."""
        return not any(check.fault for check in self.checks)

    def text(self) -> str:
        """Return the diagnosis as two tables and the command that brings what is missing."""
        lines = [f"newsdesk {self.newsdesk}, Python {self.python}, in {self.installed}", ""]
        rows = [
            (each.extra, each.purpose, f"missing: {', '.join(each.missing)}" if each.missing else "installed")
            for each in self.extras
        ]  # fmt: skip
        lines += [table(("extra", "for", ""), rows), ""]
        lines.append(
            table(
                ("model or store", ""),
                [(c.name, c.fault or c.needs or "sound") for c in self.checks],
            )
        )
        if missing := [each.extra for each in self.extras if each.missing]:
            lines += ["", f"all of it: pip install 'newsdesk[{','.join(missing)}]'"]
        return "\n".join(lines)


def diagnose(stores: Sequence[str] = (), folders: Sequence[str] = ()) -> Diagnosis:
    """Look at the extras, load every model that ships, and open the stores (URLs) and model folders that are named."""
    return Diagnosis(
        newsdesk=__version__,
        python=platform.python_version(),
        installed=str(Path(__file__).parent),
        extras=tuple(_extras()),
        checks=(
            *_shipped(),
            *(_folder(path) for path in folders),
            *(_store(url) for url in stores),
        ),
    )


def _extras() -> Iterator[ExtraState]:
    for extra, names in _packages().items():
        missing = tuple(name for name in names if not _is_installed(name))
        yield ExtraState(extra, PURPOSES.get(extra, ""), missing)


def _packages() -> dict[str, list[str]]:
    """Return the packages of each extra that users install, without newsdesk itself."""
    packages: dict[str, list[str]] = {}
    for requirement in metadata.requires("newsdesk") or ():
        if match := _REQUIREMENT.match(requirement):
            name, extra = match.groups()
            if extra not in _NO_USERS_EXTRA:
                packages.setdefault(extra, [])
                packages[extra] += [name] if name.lower() != "newsdesk" else []
    return packages


def _is_installed(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _shipped() -> Iterator[SoundnessCheck]:
    """Yield a check of every model that comes with the package."""
    from newsdesk.commenters.commenter import MODELS as COMMENTERS, load_commenter
    from newsdesk.rankers.ready import MODELS as RANKERS, load_ready

    for name in RANKERS:
        yield _checked(name, load_ready, name)
    for name in COMMENTERS:
        yield _checked(name, load_commenter, name)


def _folder(path: str) -> SoundnessCheck:
    """Check a folder of a fitted model, of whatever kind it is."""
    from newsdesk.commenters.commenter import Commenter
    from newsdesk.corpus.align.model import EventAligner
    from newsdesk.rankers.ranker import Ranker
    from newsdesk.summarizers.trained import TrainedSummarizer

    def loaded(path: str) -> None:
        header = json_value(read_whole(Path(path) / "model.json"))
        kinds = (Commenter, EventAligner, TrainedSummarizer)
        base = next((base for base in kinds if base.kind in header), Ranker)
        base.load(path)

    return _checked(path, loaded, path)


def _store(url: str) -> SoundnessCheck:
    from newsdesk.campaigns import Store

    def opened(url: str) -> None:
        with Store.open(url, create=False) as store:
            store.campaigns()

    return _checked(url, opened, url)


def _checked(name: str, load: Any, *arguments: str) -> SoundnessCheck:
    """Return whether something loads; what newsdesk says against it is the fault."""
    try:
        load(*arguments)
    except MissingExtraError as error:
        return SoundnessCheck(name, needs=str(error))
    except (NewsdeskError, ValueError) as error:
        return SoundnessCheck(name, fault=str(error))
    return SoundnessCheck(name)
