"""The public names, guarded: adding or losing one is a decision, not an accident."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import newsdesk

PUBLIC = [
    "ArgumentError",
    "Article",
    "Cluster",
    "ClusterArticle",
    "Comment",
    "DataError",
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
    "Ranked",
    "Ranker",
    "Reader",
    "Reference",
    "References",
    "Score",
    "Source",
    "SpecError",
    "Summary",
    "Thread",
    "Vocabulary",
    "__version__",
    "agreement",
    "encode",
    "encoder",
    "extract",
    "language",
    "metric",
    "ranker",
    "read",
    "score",
    "sentences",
    "summarizer",
    "tokenizer",
    "write",
]


def test_the_public_names_are_these() -> None:
    assert sorted(newsdesk.__all__) == sorted(PUBLIC)
    assert dir(newsdesk) == sorted(PUBLIC)


def test_every_public_name_loads() -> None:
    for name in PUBLIC:
        assert getattr(newsdesk, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(newsdesk, "nothing_like_this")


def test_type_checkers_see_the_same_names() -> None:
    stub = Path(newsdesk.__file__).with_suffix(".pyi").read_text("utf-8")
    seen = {
        (alias.asname, node.module)
        for node in ast.walk(ast.parse(stub))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == set(newsdesk._HOME_OF.items())


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, newsdesk; print(*(m for m in ('numpy', 'scipy', 'click', 'rich') if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
