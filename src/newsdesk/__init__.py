"""newsdesk: corpora, judgments, models and believable verdicts for news events, articles and reader comments.

Names load when they are first used, so that `import newsdesk` costs next to nothing.
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.2.0.dev0"

# The public names and their homes stand in __init__.pyi alone, for this and for type checkers.
__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = sorted(["__version__", *_names])


def __dir__() -> list[str]:
    return __all__
