"""The whole loop on the sample newsroom, ending in one HTML report.

A stage is a function `NAME_stage(folder) -> Section`; it writes into a folder of its own name.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

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

_REPORT = "report.html"
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

    folder = build_folder(out, _ABOUT, last=_REPORT, names=tuple(STAGES), overwrite=overwrite)
    sections = []
    for number, (name, module) in enumerate(STAGES.items(), 1):
        progress(Progress(name, number, len(STAGES)))
        stage = getattr(importlib.import_module(f"newsdesk.demo.{module}"), f"{name}_stage")
        sections.append(stage(make_folder(folder / name)))
    report = folder / _REPORT
    lead = "What newsdesk does, shown on a small newsroom that we wrote ourselves."
    write_text(report, page("newsdesk: the demo", lead, sections))
    return report
