# The public names for type checkers; __init__.py loads them lazily.

from newsdesk import (
    campaigns as campaigns,
)
from newsdesk.campaigns import (
    agreement as agreement,
)
from newsdesk.campaigns.protocols import (
    Protocol as Protocol,
    protocol as protocol,
)
from newsdesk.campaigns.store import (
    Store as Store,
)
from newsdesk.commenters import (
    Commenter as Commenter,
    Suggestion as Suggestion,
    commenter as commenter,
)
from newsdesk.corpus.extract import (
    Extracted as Extracted,
    extract as extract,
)
from newsdesk.errors import (
    ArgumentError as ArgumentError,
    DataError as DataError,
    FileError as FileError,
    MissingExtraError as MissingExtraError,
    NewsdeskError as NewsdeskError,
    SpecError as SpecError,
)
from newsdesk.metrics import (
    Metric as Metric,
    metric as metric,
    score as score,
)
from newsdesk.rankers import (
    Ranker as Ranker,
    ranker as ranker,
)
from newsdesk.records import (
    Reader as Reader,
    read as read,
    write as write,
)
from newsdesk.summarizers import (
    Summary as Summary,
    summarizer as summarizer,
)
from newsdesk.text import (
    Normalizer as Normalizer,
    Vocabulary as Vocabulary,
    encode as encode,
    encoder as encoder,
    language as language,
    sentences as sentences,
    tokenizer as tokenizer,
)
from newsdesk.types import (
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
