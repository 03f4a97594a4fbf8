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

import lazy_loader

# The public names and their homes stand in __init__.pyi alone, for this and for type checkers.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
