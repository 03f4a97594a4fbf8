# The public names for type checkers; __init__.py loads them lazily.

from newsdesk.campaigns import (
    agreement as agreement,
    rankings as rankings,
    strengths as strengths,
)
from newsdesk.campaigns.campaign import (
    Campaign as Campaign,
    Conflict as Conflict,
    Status as Status,
    Stored as Stored,
    moment as moment,
)
from newsdesk.campaigns.exchange import (
    Imported as Imported,
    WrittenSheet as WrittenSheet,
    import_files as import_files,
    import_sheet as import_sheet,
    sheets_of as sheets_of,
    write_sheets as write_sheets,
)
from newsdesk.campaigns.exports import (
    WeightedReferences as WeightedReferences,
    gains as gains,
    pairs as pairs,
    qrels as qrels,
    weights as weights,
)
from newsdesk.campaigns.protocols import (
    Protocol as Protocol,
    protocol as protocol,
)
from newsdesk.campaigns.report import (
    report_content as report_content,
    report_page as report_page,
    report_sections as report_sections,
)
from newsdesk.campaigns.screening import (
    exclude_failed as exclude_failed,
)
from newsdesk.campaigns.store import (
    Store as Store,
)
from newsdesk.campaigns.task_files import (
    TaskFiles as TaskFiles,
    tasks_from_files as tasks_from_files,
)
from newsdesk.campaigns.tasks import (
    Target as Target,
    Task as Task,
)
