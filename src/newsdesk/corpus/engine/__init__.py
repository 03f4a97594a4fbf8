"""The engines: tasks are pure functions from input files to output files, run in processes that can be replaced.

`tasks` says what a task is, `processes` runs them on this machine, `cluster` on many, `worker` is the process on the other side, `ledger` remembers
which outputs are complete so that a second run skips them.
"""

from newsdesk.corpus.engine.ledger import Digests, Ledger, digest_of, file_digest, locked
from newsdesk.corpus.engine.run import ENGINES, map_items, run_tasks
from newsdesk.corpus.engine.tasks import Progress, Task, UnitTimeout, Watch

__all__ = [
    "ENGINES",
    "Digests",
    "Ledger",
    "Progress",
    "Task",
    "UnitTimeout",
    "Watch",
    "digest_of",
    "file_digest",
    "locked",
    "map_items",
    "run_tasks",
]
