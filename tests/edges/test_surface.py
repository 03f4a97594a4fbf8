"""The public names, guarded: adding or losing one is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys

import newsdesk

PUBLIC = [
    "ArgumentError",
    "Article",
    "Cluster",
    "ClusterArticle",
    "Comment",
    "Commenter",
    "ControlQuestion",
    "DataError",
    "Encoded",
    "Entity",
    "Event",
    "Extracted",
    "FileError",
    "Judgment",
    "Metric",
    "MissingExtraError",
    "NewsdeskError",
    "Normalizer",
    "Output",
    "Pair",
    "Protocol",
    "Ranked",
    "Ranker",
    "Reader",
    "Reference",
    "References",
    "Score",
    "Source",
    "SpecError",
    "Store",
    "Suggestion",
    "Summarizer",
    "Summary",
    "Thread",
    "Vocabulary",
    "__version__",
    "agreement",
    "campaigns",
    "commenter",
    "compare",
    "correlate",
    "encode",
    "extract",
    "language",
    "metric",
    "plan_grades",
    "plan_threads",
    "protocol",
    "ranker",
    "read",
    "score",
    "sentence_encoder",
    "sentences",
    "summarizer",
    "table5",
    "tokenizer",
    "write",
]


def test_the_public_names_are_these() -> None:
    assert sorted(vars(newsdesk)["__all__"]) == sorted(PUBLIC)
    assert dir(newsdesk) == sorted(PUBLIC)


def test_every_public_name_loads() -> None:
    for name in PUBLIC:
        assert getattr(newsdesk, name) is not None


def test_every_name_of_campaigns_loads() -> None:
    for name in dir(newsdesk.campaigns):
        assert getattr(newsdesk.campaigns, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(newsdesk, "nothing_like_this")
    assert not hasattr(newsdesk.campaigns, "nothing_like_this")


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, newsdesk, newsdesk.campaigns; print(*(m for m in ('numpy', 'scipy', 'click', 'rich') if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
