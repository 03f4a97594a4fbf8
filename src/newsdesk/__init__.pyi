# The public names for type checkers; __init__.py loads them lazily.

from newsdesk.errors import (
    ArgumentError as ArgumentError,
)
from newsdesk.errors import (
    DataError as DataError,
)
from newsdesk.errors import (
    FileError as FileError,
)
from newsdesk.errors import (
    MissingExtraError as MissingExtraError,
)
from newsdesk.errors import (
    NewsdeskError as NewsdeskError,
)
from newsdesk.errors import (
    SpecError as SpecError,
)
from newsdesk.metrics import (
    Metric as Metric,
    metric as metric,
    score as score,
)
from newsdesk.records import (
    Reader as Reader,
)
from newsdesk.metrics import (
    Metric as Metric,
    metric as metric,
    score as score,
)
from newsdesk.records import (
    read as read,
)
from newsdesk.metrics import (
    Metric as Metric,
    metric as metric,
    score as score,
)
from newsdesk.records import (
    write as write,
)
from newsdesk.text import (
    Normalizer as Normalizer,
)
from newsdesk.text import (
    Vocabulary as Vocabulary,
)
from newsdesk.text import (
    encode as encode,
)
from newsdesk.text import (
    encoder as encoder,
)
from newsdesk.text import (
    language as language,
)
from newsdesk.text import (
    sentences as sentences,
)
from newsdesk.text import (
    tokenizer as tokenizer,
)
from newsdesk.types import (
    Article as Article,
)
from newsdesk.types import (
    Cluster as Cluster,
)
from newsdesk.types import (
    ClusterArticle as ClusterArticle,
)
from newsdesk.types import (
    Comment as Comment,
)
from newsdesk.types import (
    Entity as Entity,
)
from newsdesk.types import (
    Event as Event,
)
from newsdesk.types import (
    Judgment as Judgment,
)
from newsdesk.types import (
    Output as Output,
)
from newsdesk.types import (
    Pair as Pair,
)
from newsdesk.types import (
    Ranked as Ranked,
)
from newsdesk.types import (
    Reference as Reference,
)
from newsdesk.types import (
    References as References,
    Score as Score,
)
from newsdesk.types import (
    Source as Source,
)
from newsdesk.types import (
    Thread as Thread,
)

__version__: str
