# The public names: __init__.py loads them from here when they are first used, type checkers read them here.

from .campaign import (
    Campaign as Campaign,
    Conflict as Conflict,
    Status as Status,
    Stored as Stored,
    moment as moment,
)
from .control import (
    exclude_failed as exclude_failed,
)
from .exchange import (
    Imported as Imported,
    WrittenSheet as WrittenSheet,
    import_files as import_files,
    import_sheet as import_sheet,
    sheets_of as sheets_of,
    write_sheets as write_sheets,
)
from .exports import (
    WeightedReferences as WeightedReferences,
    gains as gains,
    pairs as pairs,
    qrels as qrels,
    weights as weights,
)
from .plans import (
    TaskFiles as TaskFiles,
    tasks_from_files as tasks_from_files,
)
from .protocols import (
    Protocol as Protocol,
    protocol as protocol,
)
from .report import (
    report_content as report_content,
    report_page as report_page,
    report_sections as report_sections,
)
from .store import (
    Store as Store,
)
from .tasks import (
    Target as Target,
    Task as Task,
)
