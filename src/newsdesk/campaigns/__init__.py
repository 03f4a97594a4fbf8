"""Annotation campaigns: collect human judgments, audit the annotators, export weights, gains and training pairs.

    form = campaigns.protocol("rank")
    files = campaigns.TaskFiles(outputs=["outputs.jsonl"], references="clusters.jsonl")
    with campaigns.Store.open("sqlite:///newsdesk.db") as store:
        tasks = campaigns.tasks_from_files(form, files, seed=7)
        store.create("pilot", form, tasks, ["ann", "ben", "cy"], per_item=2, seed=7)
        campaigns.write_sheets(store, "pilot", "sheets")                            one blinded workbook per annotator
        campaigns.import_files(store, "pilot", ["sheets/ann.xlsx"], at="2026-01-02T09:30:00Z")
        store.status("pilot").done
        campaigns.report_page(store, "pilot")                                       one HTML page, as text
        campaigns.weights(store, "pilot").references                                also gains, qrels, pairs, store.judgments

Names are imported lazily; only `Store` and workbooks need the extra `campaigns`.
"""

from newsdesk.lazy import home_of, loader

# Public names by the module that defines them. Type checkers read __init__.pyi; a test compares the two.
_HOMES = {
    "newsdesk.campaigns": ("agreement", "rankings", "strengths"),
    "newsdesk.campaigns.campaign": ("Campaign", "Conflict", "Status", "Stored", "moment"),
    "newsdesk.campaigns.exchange": (
        "Imported",
        "WrittenSheet",
        "import_files",
        "import_sheet",
        "sheets_of",
        "write_sheets",
    ),
    "newsdesk.campaigns.exports": ("WeightedReferences", "gains", "pairs", "qrels", "weights"),
    "newsdesk.campaigns.protocols": ("Protocol", "protocol"),
    "newsdesk.campaigns.report": ("report_content", "report_page", "report_sections"),
    "newsdesk.campaigns.screening": ("exclude_failed",),
    "newsdesk.campaigns.store": ("Store",),
    "newsdesk.campaigns.task_files": ("TaskFiles", "tasks_from_files"),
    "newsdesk.campaigns.tasks": ("Target", "Task"),
}
_HOME_OF = home_of(_HOMES)

__all__ = [*_HOME_OF]
__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
