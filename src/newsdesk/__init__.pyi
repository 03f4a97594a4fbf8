# The public names: __init__.py loads them from here when they are first used, type checkers read them here.

from . import (
    campaigns as campaigns,
)
from .campaigns.protocols import (
    Protocol as Protocol,
    protocol as protocol,
)
from .campaigns.store import (
    Store as Store,
)
from .commenters import (
    Commenter as Commenter,
    Suggestion as Suggestion,
    commenter as commenter,
)
from .corpus.extract import (
    Extracted as Extracted,
    extract as extract,
)
from .errors import (
    ArgumentError as ArgumentError,
    DataError as DataError,
    FileError as FileError,
    MissingExtraError as MissingExtraError,
    NewsdeskError as NewsdeskError,
    SpecError as SpecError,
)
from .metrics import (
    Metric as Metric,
    metric as metric,
    score as score,
)
from .rankers import (
    Ranker as Ranker,
    ranker as ranker,
)
from .records import (
    Reader as Reader,
    read as read,
    write as write,
)
from .stats import (
    agreement as agreement,
)
from .studies.compare import (
    compare as compare,
)
from .studies.correlate.correlations import (
    correlate as correlate,
)
from .studies.plan import (
    plan_grades as plan_grades,
    plan_threads as plan_threads,
)
from .studies.table5 import (
    table5 as table5,
)
from .summarizers import (
    Summarizer as Summarizer,
    Summary as Summary,
    summarizer as summarizer,
)
from .text import (
    Encoded as Encoded,
    Normalizer as Normalizer,
    Vocabulary as Vocabulary,
    encode as encode,
    language as language,
    sentence_encoder as sentence_encoder,
    sentences as sentences,
    tokenizer as tokenizer,
)
from .types import (
    Article as Article,
    Cluster as Cluster,
    ClusterArticle as ClusterArticle,
    Comment as Comment,
    ControlQuestion as ControlQuestion,
    Entity as Entity,
    Event as Event,
    Judgment as Judgment,
    Output as Output,
    Pair as Pair,
    Ranked as Ranked,
    Reference as Reference,
    References as References,
    Score as Score,
    Source as Source,
    Thread as Thread,
)

__version__: str
