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
from .summarizers import (
    Summary as Summary,
    summarizer as summarizer,
)
from .text import (
    Normalizer as Normalizer,
    Vocabulary as Vocabulary,
    encode as encode,
    encoder as encoder,
    language as language,
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
