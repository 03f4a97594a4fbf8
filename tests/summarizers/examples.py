"""Clusters for tests (built from plain texts, drawn by hypothesis, real), and every method ready to be used."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from newsdesk import records, samples
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers import Summarizer, summarizer
from newsdesk.types import Cluster, ClusterArticle
from tests.llm.endpoint import answering
from tests.summarizers.tiny import save_tiny_model

NAMES = list(SUMMARIZERS)
ABSTRACTIVE = ("submodular+abs", "llm")
TRAINED = ("tsr", "bertreg")
EXTRACTIVE = [name for name in NAMES if name not in ABSTRACTIVE]

# Stop words, words that share nothing, words with case, digits and clitics.
WORDS = "the of a was storm Storm flood river town town's rescue 27 mayor said didn't U.S. boats".split()


def cluster_of(*texts: str, summary: str | None = None, **fields: str) -> Cluster:
    articles = tuple(ClusterArticle(f"c/{n}", text, **fields) for n, text in enumerate(texts, 1))  # type: ignore[arg-type]
    return Cluster("c", articles, summary=summary)


def ready(name: str, **settings: Any) -> Summarizer:
    """A method by name; one that needs a model is given a small one, made once."""
    return summarizer(name, **model_of(name), **settings)


@functools.cache
def model_of(name: str) -> dict[str, str]:
    """The `model` that a method needs, if any."""
    if name in TRAINED:
        folder = f"{_folder()}/{name}"
        method: Any = summarizer(name, encoder="lsa(dimensions=8)")
        method.fit(samples.clusters()).save(folder)
        return {"model": folder}
    if name == "llm":
        return {"model": answering("Nothing that a source says.")}
    if name in ABSTRACTIVE:
        return {"model": f"hf:{save_tiny_model(Path(_folder()) / name)}"}
    return {}


@functools.cache
def _folder() -> str:
    folder = tempfile.mkdtemp(prefix="newsdesk-models-")
    atexit.register(shutil.rmtree, folder)
    return folder


def sentence(*words: str) -> str:
    text = " ".join(words)
    return text[:1].upper() + text[1:] + "."


_SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(lambda w: sentence(*w))
_TEXT = st.lists(_SENTENCE, max_size=6).map("\n\n".join)
CLUSTERS = st.builds(
    lambda texts, summary: cluster_of(*texts, summary=summary),
    st.lists(_TEXT, max_size=5),
    _SENTENCE,
)


def real_clusters(shared: Path, *, every: int = 1) -> list[Cluster]:
    """The shared WCEP clusters: those of several articles, and every so many of one."""
    found = list(records.read(shared / "wcep_real" / "clusters_train.jsonl", Cluster))
    several = [cluster for cluster in found if len(cluster.articles) > 1]
    return several + [cluster for cluster in found if len(cluster.articles) == 1][::every]
