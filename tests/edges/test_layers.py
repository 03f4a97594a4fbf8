"""The layers of docs/design.md: a module imports its own part and what stands to its left, never to its right or beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "newsdesk"
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors",),
    ("types",),
    ("registry",),
    (
        "addresses",
        "arrays",
        "feedback",
        "jsonl",
        "languages",
        "packaged",
        "settings",
        "signatures",
        "streams",
        "wording",
    ),
    ("files",),
    ("model",),
    ("text",),
    ("records",),
    ("stats",),
    ("work",),
    ("metrics",),
    ("nn",),
    ("results",),
    ("corpus", "campaigns", "summarizers", "rankers", "commenters", "simulate", "samples"),
    ("studies",),
    ("demo",),
    ("service",),
    ("cli",),
    ("__main__",),
)
# Folders inside a package, in the order in which they may import one another; "" is the package's own modules.
INSIDE: dict[str, tuple[str, ...]] = {
    "rankers": ("", "evaluation", "argument"),
}
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
# The same inside packages: folders and modules of a package in their order. Those of one line do not import each other.
ORDERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "records": (
        ("csv_rows", "kinds", "parquet", "schema"),
        ("comments",),
        ("foreign",),
        ("reader", "writer"),
        ("manifest",),
    ),
    "metrics": (
        (
            "alignment",
            "extractive",
            "lcs",
            "metric",
            "overlap",
            "ranking",
            "weights",
        ),
        ("bleu", "cider", "soft_recall", "systems"),
        ("comparisons", "rouge"),
        ("chrf", "meteor"),
    ),
    "campaigns": (
        ("protocols", "tasks"),
        ("assign", "controls"),
        ("campaign", "sheets"),
        ("aggregate", "control", "matrices", "store"),
        ("operations", "report"),
    ),
    "corpus": (
        ("extract", "pages", "splits", "tally"),
        ("align", "forgotten", "partitions", "warc"),
        ("archive", "dedup", "portal", "shards", "stats"),
        ("extraction", "stats_page"),
        ("articles", "comments", "forget"),
        ("build", "release"),
    ),
    "results": (
        ("numbers", "part", "plots"),
        ("densities", "table", "verdict"),
        ("page",),
        ("metric_tests", "scores", "standings"),
        ("correlations", "systems"),
    ),
    "stats": (
        ("coefficients", "power", "resample"),
        ("correlation_tests", "intervals"),
        ("equal_length", "significance", "units"),
        ("agreement", "rankings"),
        ("annotators", "strengths"),
    ),
    "work": (("ledger", "progress", "tasks"), ("worker",), ("pool",), ("cluster",), ("run",)),
}


def part_of(module: str) -> str | None:
    """The part a module belongs to; None for the package itself, which only names things lazily."""
    names = module.split(".")
    return names[1] if names[0] == "newsdesk" and len(names) > 1 else None


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layers"
            if node.module in {"newsdesk", *(f"newsdesk.{package}" for package in ORDERS)}:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in LEVEL, f"{own} has no place in the layers"
    for module in imports(path):
        part = part_of(module)
        if part in (None, own, "__version__"):
            continue
        assert part in LEVEL, f"{path} imports {module}"
        assert LEVEL[part] < LEVEL[own], f"{own} may not import {part}"


def children(package: str) -> list[str]:
    """The modules and folders of a package."""
    folder = SOURCE / package
    inside = {
        path.relative_to(folder).parts[0].removesuffix(".py") for path in folder.rglob("*.py")
    }
    return sorted(inside - {"__init__"})


def wrong_way(package: str, order: tuple[tuple[str, ...], ...]) -> list[str]:
    """The imports inside a package that do not point to an earlier line of its order."""
    level = {child: number for number, line in enumerate(order) for child in line}
    wrong = []
    for path in sorted((SOURCE / package).rglob("*.py")):
        own = path.relative_to(SOURCE / package).parts[0].removesuffix(".py")
        for module in imports(path) if own != "__init__" else ():
            names = module.split(".")
            if (
                names[:2] != ["newsdesk", package]
                or len(names) < 3
                or names[2] in (own, "__init__")
            ):
                continue
            if names[2] in level and level[names[2]] >= level[own]:
                wrong.append(f"{path.relative_to(SOURCE)} imports {module}")
    return wrong


@pytest.mark.parametrize("package", ORDERS)
def test_folders_of_a_package_have_one_order(package: str) -> None:
    assert sorted(child for line in ORDERS[package] for child in line) == children(package)
    assert wrong_way(package, ORDERS[package]) == []


def test_the_check_of_folders_can_fail() -> None:
    assert len(wrong_way("corpus", ORDERS["corpus"][::-1])) > 50


def folder_of(package: str, module: str) -> str:
    """The folder of a package that a module lies in; "" for the package's own modules."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    folder = path if path.is_dir() else path.parent
    return folder.relative_to(SOURCE / package).as_posix().partition("/")[0].strip(".")


@pytest.mark.parametrize("package", INSIDE)
def test_imports_inside_a_package_point_one_way(package: str) -> None:
    order = INSIDE[package]
    for path in sorted((SOURCE / package).rglob("*.py")):
        own = path.parent.relative_to(SOURCE / package).as_posix().partition("/")[0].strip(".")
        for module in imports(path):
            if part_of(module) == package and module != f"newsdesk.{package}":
                other = folder_of(package, module)
                assert order.index(other) <= order.index(own), f"{path} imports {module}"


def test_the_check_itself_can_fail() -> None:
    assert LEVEL["cli"] > LEVEL["records"] > LEVEL["text"]
    assert LEVEL["rankers"] == LEVEL["summarizers"]
    assert part_of("newsdesk.text.encode") == "text"
    assert folder_of("rankers", "newsdesk.rankers.argument.model") == "argument"
    assert folder_of("rankers", "newsdesk.rankers.ready") == ""
