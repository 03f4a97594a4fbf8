"""The whole loop on the sample newsroom, ending in one HTML report.

Each stage is a module with `run(folder) -> Section`; it writes into a folder of its own name.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from newsdesk.files import build_folder, make_folder, write_text
from newsdesk.work import OnProgress, Progress, silent

STAGES = (
    "newsroom",
    "corpus",
    "text",
    "summaries",
    "scores",
    "campaigns",
    "ranking",
    "suggestions",
    "verdicts",
)

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
    from newsdesk.pages.page import page

    folder = build_folder(out, _ABOUT, last=_REPORT, names=STAGES, overwrite=overwrite)
    sections = []
    for number, name in enumerate(STAGES, 1):
        progress(Progress(name, number, len(STAGES)))
        stage = importlib.import_module(f"newsdesk.demo.{name}")
        sections.append(stage.run(make_folder(folder / name)))
    report = folder / _REPORT
    lead = "What newsdesk does, shown on a small newsroom that we wrote ourselves."
    write_text(report, page("newsdesk: the demo", lead, sections))
    return report
