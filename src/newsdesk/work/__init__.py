"""Work on several cores or machines: tasks, one pool of processes, a ledger of what is done, one kind of progress.

`tasks` says what a task is, `pool` runs them on this machine, `cluster` on many, `worker` is the process on the other side, `run` chooses among them
by name, `ledger` remembers which outputs are complete so that a second run skips them, `progress` is what a caller sees of all this.
"""

from newsdesk.work.ledger import Digests, Ledger, digest_of, locked
from newsdesk.work.progress import OnProgress, Progress, silent
from newsdesk.work.run import ENGINES, TIMEOUT_S, Running, map_items, run_tasks
from newsdesk.work.tasks import UnitTimeout, Watch, WorkTask

__all__ = [
    "ENGINES",
    "TIMEOUT_S",
    "Digests",
    "Ledger",
    "OnProgress",
    "Progress",
    "Running",
    "UnitTimeout",
    "Watch",
    "WorkTask",
    "digest_of",
    "locked",
    "map_items",
    "run_tasks",
    "silent",
]
