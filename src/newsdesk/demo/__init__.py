"""The whole loop on the sample newsroom, ending in one HTML report.

A stage is a function `NAME_stage(folder) -> Section`; it writes into a folder of its own name.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from newsdesk.errors import FileError
from newsdesk.files import build_folder, make_folder, write_text
from newsdesk.work import OnProgress, Progress, silent

# The stages in order, and the module of each.
STAGES = {
    "newsroom": "newsroom",
    "corpus": "newsroom",
    "text": "newsroom",
    "summaries": "summaries",
    "scores": "summaries",
    "campaigns": "campaigns",
    "ranking": "ranking",
    "suggestions": "ranking",
    "verdicts": "summaries",
}

REPORT = "report.html"
_ABOUT = (
    "newsdesk-demo.txt",
    "This folder is made by `newsdesk demo`.\n\nEverything is in report.html, which is written last: without it the demo was stopped, and starts anew.\n",
)


def run_demo(
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: OnProgress = silent,
) -> Path:
    """Run every stage and write the report; `progress` is called before each stage."""
    from newsdesk.results.page import page

    folder = build_folder(out, _ABOUT, last=REPORT, names=tuple(STAGES), overwrite=overwrite)
    sections = []
    for number, (name, module) in enumerate(STAGES.items(), 1):
        progress(Progress(name, number, len(STAGES)))
        stage = getattr(importlib.import_module(f"newsdesk.demo.{module}"), f"{name}_stage")
        sections.append(stage(make_folder(folder / name)))
    told = importlib.import_module("newsdesk.demo.opening").opening
    findings = told(folder) if "verdicts" in STAGES else None
    report = folder / REPORT
    lead = "What newsdesk finds in a small newsroom that we wrote ourselves, and how, one step after the other."
    write_text(report, page("newsdesk: the demo", lead, sections, opening=findings))
    return report


def ensure_demo(out: str | os.PathLike[str], *, progress: OnProgress = silent) -> None:
    """Run the demo unless the folder holds a finished one; a folder of anything else is refused."""
    folder = Path(out)
    name, _ = _ABOUT
    ours = (folder / name).is_file()
    if folder.is_dir() and not ours and any(folder.iterdir()):
        raise FileError(f"{folder}: holds something else than the demo; name a new folder")
    if not (ours and (folder / REPORT).is_file()):
        run_demo(folder, progress=progress)
