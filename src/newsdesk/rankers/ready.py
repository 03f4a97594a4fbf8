"""Ready models: fitted rankers that ship with the package, so that comments without a single vote can be ranked.

`ready` takes the model of the comments' language: English, Chinese or Japanese; the last two are weak (`MODELS`). The English one exists with wordllama vectors and without.
What each was fitted on, its measures and its limits are on its card (docs/reference/ready-models.md). They are fitted by `python -m training.fit_ready`.
"""

from __future__ import annotations

import functools
from importlib.util import find_spec

from newsdesk.errors import ArgumentError
from newsdesk.packaged import path
from newsdesk.rankers.ranker import Ranker

READY = "ready"
# The models by name, each with what a user should know before trusting it.
MODELS = {
    "ready-en": "English, fitted on UKPConvArg; wordllama vectors",
    "ready-en-plain": "English, fitted on UKPConvArg; no vectors",
    "ready-zh": "Chinese, weak: the English weights with Chinese word lists",
    "ready-ja": "Japanese, weak: the English weights with Japanese word lists",
}
_WEAK = {"ready-zh": "Chinese", "ready-ja": "Japanese"}


def ready_names() -> tuple[str, ...]:
    """The names that `load_ready` and the commands take for a model."""
    return (READY, *MODELS)


def ready_name(lang: str, *, vectors: bool = True) -> str | None:
    """The ready model of a language, or None; `vectors=False` asks for one that needs no vectors."""
    if lang == "en":
        return "ready-en" if vectors and _has_wordllama() else "ready-en-plain"
    name = f"ready-{lang}"
    return name if name in MODELS else None


def load_ready(name: str, lang: str | None = None) -> Ranker:
    """Load a ready model by name; `ready` is that of the language."""
    if name == READY:
        chosen = ready_name(lang or "en")
        if chosen is None:
            languages = ", ".join(sorted({each.split("-")[1] for each in MODELS}))
            raise ArgumentError(
                f"no ready model for {lang!r}; there are models for {languages}; "
                "fit one of your own with `newsdesk rank fit`"
            )
        name = chosen
    if name not in MODELS:
        raise ArgumentError(f"no ready model is called {name!r}; there are: {', '.join(MODELS)}")
    return _loaded(name)


def weakness(name: str) -> str:
    """Return what the user of a weak ready model is told; empty for any other model."""
    if name not in _WEAK:
        return ""
    return (
        f"the {_WEAK[name]} model {name} is weak: its weights are those of English and were never measured on {_WEAK[name]} votes, "
        "so read its order and its reasons as suggestions, and adapt it by `newsdesk rank fit` once you have votes"
    )


@functools.lru_cache(maxsize=4)
def _loaded(name: str) -> Ranker:
    return Ranker.load(path("rankers", "data", "ready", name))


def _has_wordllama() -> bool:
    try:
        return find_spec("wordllama") is not None
    except ModuleNotFoundError:  # raised by importers that hide a module
        return False
