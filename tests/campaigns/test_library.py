"""A whole rank campaign through the library alone, from files to report and exports; the command is never imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from newsdesk import records, samples

DRIVE = """
import json, sys
import newsdesk as nd
from pathlib import Path
from tests.campaigns.sheet_files import fill

form = nd.protocol("rank")
files = nd.campaigns.TaskFiles(outputs=["outputs.jsonl"], references="clusters.jsonl")
tasks = nd.campaigns.tasks_from_files(form, files, seed=7)
with nd.Store.open("sqlite:///store.db") as store:
    store.create("pilot", form, tasks, ["ann", "ben", "cy"], per_item=2, seed=7)
    sheets = nd.campaigns.write_sheets(store, "pilot", "sheets")
    for sheet in nd.campaigns.sheets_of(store, "pilot").values():
        # Everybody prefers the systems in the order of their names; identical outputs are level.
        places = {name: place for place, name in enumerate(sorted(t.id for t in tasks[0].targets), 1)}
        ranks = {
            (number, shown, question.name): places[row.task.same_as.get(target, target)]
            for number, row in enumerate(sheet.rows)
            for shown, target in enumerate(row.order)
            for question in form.questions
        }
        fill(Path("sheets", f"{sheet.annotator}.xlsx"), sheet, ranks)
    imported = nd.campaigns.import_files(
        store, "pilot", [sheet.path for sheet in sheets], at="2026-01-02T09:30:00Z"
    )
    status = store.status("pilot")
    page = nd.campaigns.report_page(store, "pilot", seed=1)
    weighted = nd.campaigns.weights(store, "pilot")
    pairs = list(nd.campaigns.pairs(store, "pilot"))
    judged = nd.campaigns.gains(store, "pilot")
    nd.write("judgments.jsonl", store.judgments("pilot"))
print(json.dumps({
    "tasks": len(tasks),
    "sheets": {sheet.annotator: sheet.tasks for sheet in sheets},
    "faults": [fault for each in imported for fault in each.faults],
    "new": sum(each.new for each in imported),
    "done": [status.done, status.slots],
    "page": page,
    "weighting": weighted.weighting.signature,
    "weights": sorted(reference.weight for reference in weighted.references[0].references),
    "pairs": len(pairs),
    "scores": [comment.score for comment in judged[0].comments],
    "judgments": len(list(nd.read("judgments.jsonl", nd.Judgment))),
    "cli": [name for name in sys.modules if name.startswith(("newsdesk.cli", "click"))],
}))
"""


def test_a_rank_campaign_runs_from_files_to_report_without_the_command(tmp_path: Path) -> None:
    records.write(tmp_path / "outputs.jsonl", samples.outputs())
    records.write(tmp_path / "clusters.jsonl", samples.clusters())
    root = Path(__file__).resolve().parents[2]
    code = f"import sys; sys.path[:0] = {[str(root / 'src'), str(root)]!r}\n{DRIVE}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["cli"] == []
    assert (seen["tasks"], seen["done"], seen["faults"]) == (12, [24, 24], [])
    assert sum(seen["sheets"].values()) == 24
    # Four systems, three questions.
    assert seen["new"] == seen["judgments"] == 24 * 4 * 3
    assert "<h1>Campaign pilot</h1>" in seen["page"]
    assert "Kendall&#x27;s W, overall" in seen["page"]
    assert seen["weighting"] == "minmax[0,1]"
    # Ranked 1 to 4 by both, the shares that stand behind are 1, 2/3, 1/3 and 0.
    assert [round(weight, 6) for weight in seen["weights"]] == [0, 0.333333, 0.666667, 1]
    assert sorted(round(score, 6) for score in seen["scores"]) == [0, 0.333333, 0.666667, 1]
    # On two items two systems wrote the same.
    assert seen["pairs"] == 12 * 6 - 2
