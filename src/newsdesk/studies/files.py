"""The files of a study: its result as JSON, a page with a plot, and until both are written a log from which an interrupted study resumes."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsdesk.files import write_text
from newsdesk.registry import require
from newsdesk.results.page import Section, page
from newsdesk.types import Score


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """Where a study is written: `out` as JSON, a page beside it, and until then a log."""

    out: Path

    @property
    def page(self) -> Path:
        """The HTML page with the plot."""
        return self.out.with_suffix(".html")

    @property
    def log(self) -> Path:
        """The log of finished jobs, from which an unfinished study resumes."""
        return self.out.with_suffix(".log.jsonl")

    def write(self, result: Mapping[str, Any], lead: str, section: Section) -> None:
        """Write the result and the page, then remove the log."""
        write_text(self.page, page(section.title, lead, [section]))
        write_text(self.out, json.dumps(result, ensure_ascii=False, indent=1) + "\n")
        self.log.unlink(missing_ok=True)


def study_files(out: str | os.PathLike[str], *, restart: bool = False) -> StudyFiles:
    """Return the files of a study about to start; with `restart` the log of an unfinished one is removed.

    A missing plotting package is reported here, not after the work.
    """
    require("matplotlib", extra="report", what="drawing a picture")
    files = StudyFiles(Path(out))
    if restart:
        files.log.unlink(missing_ok=True)
    return files


def score_json(score: Score) -> dict[str, Any]:
    """Return a score as a JSON object: value, interval, n and signature."""
    return {
        "value": score.value,
        "ci": list(score.ci) if score.ci else None,
        "n": score.n,
        "signature": score.signature,
    }
