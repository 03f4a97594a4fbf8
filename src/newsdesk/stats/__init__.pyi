# The modules that load when they are first used: `nd.agreement` is `newsdesk.stats.agreement`.

from . import (
    agreement as agreement,
    rankings as rankings,
    significance as significance,
    strengths as strengths,
)
